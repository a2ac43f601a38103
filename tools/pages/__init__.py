# SPDX-License-Identifier: GPL-3.0-or-later
"""The documents: pages that are made from the sources, and links that must lead somewhere. tools/docs runs it."""

# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of papers measured again, and the methods that are there to compare with."""

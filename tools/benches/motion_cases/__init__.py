# SPDX-License-Identifier: GPL-3.0-or-later
"""The cases of tools/bench motion: each gives figures of its own."""

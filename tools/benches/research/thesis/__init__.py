# SPDX-License-Identifier: GPL-3.0-or-later
"""The measurements of the 2013 thesis, table by table, repeated with Muslin."""

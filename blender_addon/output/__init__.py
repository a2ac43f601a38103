# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes to Blender: cache files, Mesh Cache modifiers and shape keys."""

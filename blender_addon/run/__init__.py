# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulates: joins what is read, the native library and what is written. Keeps no Blender reference."""

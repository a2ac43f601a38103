# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads Blender: garment, pins, colliders and forces become arrays in world units, metres."""

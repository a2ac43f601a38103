# SPDX-License-Identifier: GPL-3.0-or-later
"""Garments on a body that walks at double speed, moves its arms at triple speed, and spins."""

PARTS = {}
FIGURES = ""

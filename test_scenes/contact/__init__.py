# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes of cloth against bodies and against itself; `catalogue` has them by name."""

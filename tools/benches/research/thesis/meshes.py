# SPDX-License-Identifier: GPL-3.0-or-later
"""The irregular squares, each made once in a run: several tables use the same."""

from functools import lru_cache

from test_scenes import patterns

square = lru_cache(maxsize=None)(patterns.square)
swing_square = lru_cache(maxsize=None)(patterns.swing_square)

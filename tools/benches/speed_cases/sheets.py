# SPDX-License-Identifier: GPL-3.0-or-later
"""Square sheets hung by two corners, as several parts time them."""

from functools import lru_cache

import numpy as np
from common.measure import Run, cloth_of
from test_scenes.sheets import grid

FRAME_SECONDS = 1 / 24
# One local and one global step a substep, as in the thesis; and the quality that artists start with.
PLAIN = {"scheme": "plain", "iterations": 1}
DRAFT = {"quality": "draft"}
METHODS = {"plain": PLAIN, "draft": DRAFT}
TITLES = {"plain": "plain, one iteration", "draft": "draft"}


@lru_cache(maxsize=None)
def sheet(side):
    """(mesh of 1 m in the plane z = 0, its pins)."""
    return grid(side, side, 1.0), np.array([side * (side - 1), side * side - 1], np.int32)


def start(method, side, **settings):
    return Run(method, cloth_of(*sheet(side), **{**METHODS[method], **settings}))


def quality(run):
    """What the time bought, for the record: strains, and how far the sheet fell, m."""
    return {
        "drop": run.drop,
        "mean_strain": run.stats.mean_strain,
        "largest_strain": run.stats.largest_strain,
        "solves": run.stats.solves,
    }

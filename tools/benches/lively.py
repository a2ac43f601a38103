# SPDX-License-Identifier: GPL-3.0-or-later
"""How lively the cloth is: motion against the converged step, its cost, and its energy."""

import sys

from common.parts import Bench
from lively_cases import cost, energy, falls, garment
from lively_cases.scenes import FULL_SIZES, QUICK_SIZES

QUICK_HELP = "small sheets, a coarse shirt and fewer cases; the same figures of other sizes"
# Key, what it is, what to reach.
FIGURES = (
    ("response_4_solves", "response, 5476 vertices, 2 rounds x 2 substeps", ">= 0.95"),
    ("response_4_solves_20k", "the same, 19,881 vertices", ">= 0.95"),
    ("response_draft_worst", "lowest response at draft, sheets", ">= 0.8"),
    ("response_fit_worst", "lowest response at fit, sheets", ">= 0.95"),
    ("response_final_worst", "lowest response at final, sheets", ">= 0.99"),
    ("coarse_over_solve", "coarse correction over bare solve, 19,881 vertices", "<= 0.6"),
    ("coarse_over_rest", "coarse correction over the rest of a round", "-"),
    ("energy_gain", "energy above the start, 240 frames", "<= 0.01"),
    ("energy_rise", "largest rise of energy within a frame", "-"),
    ("energy_gain_bdf2", "energy above the start, BDF2", "<= 0.01"),
    ("garment_rms", "shirt at fit, RMS over size", "<= 0.02"),
    ("garment_uncertainty_stiff", "the converged shirt's own uncertainty", "-"),
    ("garment_rms_soft", "shirt at fit, soft bending", "-"),
    ("garment_uncertainty_soft", "the converged soft shirt's own uncertainty", "-"),
    ("two_level_speedup", "Anderson's time over ours, same response", ">= x2"),
    ("energy_left_euler", "energy left after 48 frames, backward Euler", "-"),
    ("energy_left_bdf2", "energy left after 48 frames, BDF2", "-"),
    ("energy_left_small_step", "energy left after 48 frames, BDF2 of 1/384 s", "-"),
)


def sheets(results, quick):
    sizes = QUICK_SIZES if quick else FULL_SIZES
    cost.measure(results, sizes, falls.measure(results, sizes, quick))


PARTS = {"sheets": sheets, "garment": garment, "energy": energy}
BENCH = Bench("lively", __doc__, QUICK_HELP, PARTS, FIGURES)

if __name__ == "__main__":
    sys.exit(BENCH.main())

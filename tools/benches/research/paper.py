# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of the 2013 thesis, measured again and printed beside the published numbers."""

import sys

from common.measure import program
from common.parts import Bench
from research.thesis import eigenvalues, fill, ordering, pin_update, reordering, response, swing

FULL = swing.Effort(skipped=10, timed=30, repetitions=2, soft_sizes="all")
QUICK = swing.Effort(skipped=4, timed=6, repetitions=1, soft_sizes="key")
QUICK_HELP = "fewer steps, a 25 x 25 sheet for the response, small meshes only for the crossovers"
# Key, what it is, the thesis's figure, what to reach.
FIGURES = (
    (
        "triangle_ivt_speedup",
        "linear triangle IVT step, 5472 vertices, reference fabric",
        "x6.35",
        ">= x15",
    ),
    (
        "edge_ivt_speedup",
        "linear edge IVT step, 5472 vertices, reference fabric",
        "x6.36",
        ">= x15",
    ),
    ("triangle_ivt_speedup_soft", "the same, triangle, as soft as table 6.1", "x6.35", "-"),
    ("edge_ivt_speedup_soft", "the same, edge, as soft as table 6.1", "x6.36", "-"),
    (
        "fill_best_over_cm",
        "factor, best ordering over Cuthill-McKee, 5498 vertices",
        "1",
        "<= 0.45",
    ),
    ("reorder_speedup", "solve with reordering, 4219 vertices, triangle", "x3.60", ">= x10"),
    ("reorder_speedup_edge", "solve with reordering, 4219 vertices, edge", "x3.62", ">= x10"),
    ("step_bytes", "bytes taken from the heap during steps", "-", "0"),
    ("response_1x2", "response of linear IVT, 1 iteration x 2 substeps", "-", "-"),
)


def swings(results, quick):
    """Table 6.1, whose matched stiffnesses the swings take."""
    swing.measure(results, eigenvalues.measure(results), QUICK if quick else FULL)


def step_bytes(results, _quick):
    results.number("step_bytes", int(program("step_bytes")))


PARTS = {
    "swing": swings,
    "fill": lambda results, quick: fill.measure(results),
    "reordering": lambda results, quick: reordering.measure(results, 3 if quick else 9),
    "response": response,
    "pin_update": pin_update,
    "ordering": lambda results, quick: ordering.measure(results, quick, 3 if quick else 5),
    "step_bytes": step_bytes,
}
BENCH = Bench("paper", __doc__, QUICK_HELP, PARTS, FIGURES, columns=("thesis",))

if __name__ == "__main__":
    sys.exit(BENCH.main())

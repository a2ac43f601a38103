# SPDX-License-Identifier: GPL-3.0-or-later
"""Real garments on a moving body: a frame by stage, and its quality, beside Blender's own two solvers."""

import sys

from common.parts import Bench
from worn_cases import figures, garments, matrix, plots, rows
from worn_cases.runs import Book

QUICK_HELP = "small garments, few frames, no rows beside the figures; the same keys of other sizes"
# Key, what it is, what to reach (aarch64, two cores).
FIGURES = (
    ("worn_ms_8k", "frame at draft, coverall with self-contact, ms", "<= 41"),
    ("worn_ms_1k", "frame at draft, long-sleeved top with self-contact, ms", "<= 12"),
    ("worn_fit_ms_8k", "frame at fit, coverall with self-contact, ms", "<= 165"),
    ("worn_vs_modifier", "Cloth modifier with self-collision over draft, lesser of two", ">= 15"),
    ("worn_vs_nodes", "Cloth Dynamics nodes over draft, no self-contact, lesser of two", ">= 4"),
    ("worn_stretch_p99", "edge stretch in these runs, 99th percentile", "<= 1.15"),
    ("worn_inside", "vertices inside the body in these runs", "<= 0"),
    ("worn_piercings", "edges through faces in these runs", "<= 0"),
    ("worn_rms_draft", "t-shirt to the converged run, draft", "<= 0.03"),
    ("worn_rms_fit", "t-shirt to the converged run, fit", "<= 0.018"),
    ("worn_rms_final", "t-shirt to the converged run, final", "<= 0.012"),
    ("live_ms_100k", "live frame of a t-shirt of 100,522 vertices, ms", "<= 41"),
    ("live_distance", "t-shirt of 100,522 vertices refined at rest, to the fine run", "<= 0.03"),
    ("rest_speed", "settled sphere drape, mean of four starts, mm/s", "<= 2"),
    *(
        [(f"worn_scaling_{figures.THREADS}", "one thread over all, coverall at fit", "-")]
        if figures.THREADS != figures.MANY
        else []
    ),
    ("worn_scaling_16", "one thread over sixteen, coverall at fit", ">= 8"),
)
ROWS = "rows"  # beside the figures: the part that no --only and no quick run takes by itself
EVERYTHING = []  # all rows that there are, where --everything is given


def book_of(results):
    """Runs that several parts share are made once."""
    if "book" not in results.kept:
        garments.report_skipped()
        rows.explain()
        results.kept["book"] = Book(results)
    return results.kept["book"]


def _part(keys, case):
    def measure(results, quick):
        case(book_of(results), quick)
        for key in keys:
            results.numbers.setdefault(key, None)  # what this machine cannot tell

    return measure


def beside(results, quick):
    if not quick:
        matrix.measure(book_of(results), bool(EVERYTHING))


PARTS = {}
for _keys, _case in figures.CASES:
    PARTS |= dict.fromkeys(_keys, _part(_keys, _case))
PARTS[ROWS] = beside


def add_options(parser):
    parser.add_argument(
        "--everything",
        action="append_const",
        const=True,
        default=EVERYTHING,
        help="every garment, size, motion, quality, with and without self-contact: many hours",
    )


def begin(options):
    EVERYTHING[:] = options.everything


BENCH = Bench(
    "worn",
    __doc__,
    QUICK_HELP,
    PARTS,
    FIGURES,
    options=add_options,
    begin=begin,
    plots=plots.write_all,
)

if __name__ == "__main__":
    sys.exit(BENCH.main())

# SPDX-License-Identifier: GPL-3.0-or-later
"""Real garments on a moving body: a frame by stage, and its quality, beside Blender's own two solvers."""

import sys
import time
from functools import partial

from common import command
from common.report import heading, note, short, table
from worn_cases import figures, garments, matrix, plots, rows
from worn_cases.runs import Book

QUICK_HELP = "small garments, few frames, no rows beside the figures; the same keys of other sizes"
# Key: what it is, which way it should be, what to reach (aarch64, two cores).
REACH = {
    "worn_ms_8k": ("frame at draft, coverall with self-contact, ms", "<=", 41),
    "worn_ms_1k": ("frame at draft, long-sleeved top with self-contact, ms", "<=", 12),
    "worn_fit_ms_8k": ("frame at fit, coverall with self-contact, ms", "<=", 165),
    "worn_vs_modifier": ("Cloth modifier with self-collision over draft, lesser of two", ">=", 15),
    "worn_vs_nodes": ("Cloth Dynamics nodes over draft, no self-contact, lesser of two", ">=", 4),
    "worn_stretch_p99": ("edge stretch in these runs, 99th percentile", "<=", 1.15),
    "worn_inside": ("vertices inside the body in these runs", "<=", 0),
    "worn_piercings": ("edges through faces in these runs", "<=", 0),
    "worn_rms_draft": ("t-shirt to the converged run, draft", "<=", 0.03),
    "worn_rms_fit": ("t-shirt to the converged run, fit", "<=", 0.018),
    "worn_rms_final": ("t-shirt to the converged run, final", "<=", 0.012),
    "live_ms_100k": ("live frame of a t-shirt of 100,522 vertices, ms", "<=", 41),
    "live_distance": ("t-shirt of 100,522 vertices refined at rest, to the fine run", "<=", 0.03),
    "rest_speed": ("settled sphere drape, mean of four starts, mm/s", "<=", 2),
    f"worn_scaling_{figures.THREADS}": ("one thread over all, coverall at fit", ">=", None),
    "worn_scaling_16": ("one thread over sixteen, coverall at fit", ">=", 8),
}


def wanted(only):
    """The cases of --only, or all; a name that is none is refused."""
    names = [key for keys, _ in figures.CASES for key in keys]
    for key in only or ():
        if key not in names:
            raise SystemExit(f"tools/bench worn: there is no {key}; there are {', '.join(names)}")
    return [case for case in figures.CASES if only is None or set(only) & set(case[0])]


def judged(key, value):
    """(what to reach, whether it is)"""
    _, way, reach = REACH[key]
    if reach is None:
        return None, None
    if value is None:
        return f"{way} {reach:g}", None
    return (
        f"{way} {reach:g}",
        "yes" if (value <= reach if way == "<=" else value >= reach) else "NO",
    )


def measure(results, quick, cases=figures.CASES, beside=True, everything=False, folder=None):
    """beside: the rows beside the figures, too; everything: all that there are."""
    begin = time.monotonic()
    print("Real garments on a moving body")
    if quick:
        note("Quick run: small garments, few frames; the figures proper are those of a full run.")
    command.describe_machine(results)
    garments.report_skipped()
    rows.explain()
    book = Book(results)
    for keys, case in cases:
        case(book, quick)
        for key in keys:
            results.numbers.setdefault(key, None)  # what this machine cannot tell
    if beside and not quick:
        matrix.measure(book, everything)
    heading("Figures")
    found = results.numbers
    keys = [key for keys, _ in cases for key in keys]
    table(
        ("what", "key", "ours", "reach", "reached"),
        [(REACH[key][0], key, short(found[key]), *judged(key, found[key])) for key in keys],
        left=2,
    )
    if folder:
        plots.write_all(results.rows, folder)
    results.number("bench_seconds", round(time.monotonic() - begin, 1))
    note(f"Measured in {results.numbers['bench_seconds']:.0f} s.")


def add_options(parser):
    parser.add_argument(
        "--only", metavar="KEY", nargs="+", help="measure what gives these figures, no other"
    )
    parser.add_argument(
        "--everything",
        action="store_true",
        help="every garment, size, motion, quality, with and without self-contact: many hours",
    )


def main():
    options = command.parse("worn", __doc__, QUICK_HELP, plots=True, more=add_options)
    return command.run(
        partial(
            measure,
            cases=wanted(options.only),
            beside=options.only is None,
            everything=options.everything,
            folder=options.plots,
        ),
        options,
    )


if __name__ == "__main__":
    sys.exit(main())

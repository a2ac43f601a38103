# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the cloth obeys mechanics: strips, sheets and friction against textbooks, on any mesh."""

import sys
import time
from functools import partial

from common import command
from common.report import heading, note, short, table
from truth_cases import bending, buckling, contact, drape, friction, motion, plots, rig, theory

QUICK_HELP = "two triangulations, one size, at fit; the same keys"
# Keys, what is measured, and what to reach.
CASES = (
    (("cantilever_error", "peirce_degrees"), bending.cantilever),
    (("standing_error",), buckling.standing),
    (("lateral_error",), buckling.lateral),
    (("stick_slip_error",), friction.stick_slip),
    (("capstan_error",), friction.capstan),
    (("swing_error",), motion.swings),
    (("closed_form_error",), motion.closed_forms),
    (("similarity_error",), bending.similarity),
    (("bending_spread",), bending.spread),
    (("cusick_in_band",), drape.cusick),
    (("momentum_loss",), contact.momentum),
    (("creep_mm_s",), contact.creep),
    (("stopping_error",), friction.stopping),
)
REACH = {
    "cantilever_error": 0.03,
    "standing_error": 0.04,
    "lateral_error": 0.08,
    "stick_slip_error": 0.05,
    "capstan_error": 0.03,
    "swing_error": 0.01,
    "closed_form_error": 0.01,
    "similarity_error": 0.01,
    "bending_spread": 1.08,
    "momentum_loss": 1e-3,
    "creep_mm_s": 0.01,
    "stopping_error": 0.02,
}
PEIRCE_REACH = 1.0  # degrees


def wanted(options):
    """The cases of --only, or all; a name that is none is refused."""
    chosen = [case for case in CASES if options.only in (None, *case[0])]
    if not chosen:
        names = ", ".join(key for keys, _ in CASES for key in keys)
        raise SystemExit(f"tools/bench truth: there is no {options.only}; there are {names}")
    return chosen


def judged(key, value):
    """(what to reach, whether it is)"""
    if key == "peirce_degrees":
        right = theory.peirce_degrees()
        return f"{right:.1f} +- {PEIRCE_REACH:g}", abs(value - right) <= PEIRCE_REACH
    if key == "cusick_in_band":
        return "1, all", value == 1
    return f"<= {REACH[key]:g}", value <= REACH[key]


def measure(results, quick, cases=CASES, folder=None):
    begin = time.monotonic()
    print("Whether the cloth obeys mechanics")
    if quick:
        note("Quick run: fewer meshes; the figures proper are those of a full run.")
    seconds = []
    for keys, case in cases:
        start = time.monotonic()
        case(results, quick)
        seconds.append((keys[0], time.monotonic() - start))
    heading("Figures, the worst of all meshes, sizes and qualities")
    rows = []
    for keys, _ in cases:
        for key in keys:
            reach, reached = judged(key, results.numbers[key])
            rows.append((key, short(results.numbers[key]), reach, "yes" if reached else "NO"))
    table(("key", "ours", "reach", "reached"), rows)
    if folder:
        plots.write_all(results.rows, folder)
    results.number("bench_seconds", round(time.monotonic() - begin, 1))
    longest = ", ".join(
        f"{key} {taken:.0f} s" for key, taken in sorted(seconds, key=lambda s: -s[1])
    )
    note(f"Measured in {results.numbers['bench_seconds']:.0f} s: {longest}.")


def settings_of(texts):
    """NAME=VALUE of --set; what reads as a number is one."""
    found = {}
    for text in texts:
        name, _, value = text.partition("=")
        try:
            found[name] = float(value)
        except ValueError:
            found[name] = value
    return found


def add_options(parser):
    parser.add_argument("--only", metavar="KEY", help="measure what gives this figure, no other")
    parser.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a setting of every cloth, such as integrator=bdf2; may be given again",
    )


def main():
    options = command.parse("truth", __doc__, QUICK_HELP, plots=True, more=add_options)
    rig.EXTRA.update(settings_of(options.set))
    return command.run(partial(measure, cases=wanted(options), folder=options.plots), options)


if __name__ == "__main__":
    sys.exit(main())

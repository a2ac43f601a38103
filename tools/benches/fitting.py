# SPDX-License-Identifier: GPL-3.0-or-later
"""Fitting garments to bodies: what is told about the fit, against closed forms."""

import sys
import time

from common import command
from common.report import heading, note, short, table
from fitting_cases import sleeve

QUICK_HELP = "few cases of each kind"
PARTS = (sleeve,)
# Key, what it is, what to reach.
FIGURES = (("sleeve_error", "hoop tension and pressure of a tight sleeve", "<= 0.05"),)


def measure(results, quick):
    begin = time.monotonic()
    print("Fitting")
    command.describe_machine(results)
    for part in PARTS:
        part.measure(results, quick)
    heading("Figures")
    table(
        ("what", "key", "ours", "reach"),
        [(text, key, short(results.numbers.get(key)), reach) for key, text, reach in FIGURES],
        left=2,
    )
    results.number("bench_seconds", round(time.monotonic() - begin, 1))
    note(f"Measured in {results.numbers['bench_seconds']:.0f} s.")


if __name__ == "__main__":
    sys.exit(command.run(measure, command.parse("fitting", __doc__, QUICK_HELP)))

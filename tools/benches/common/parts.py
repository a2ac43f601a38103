# SPDX-License-Identifier: GPL-3.0-or-later
"""A bench made of parts, of which `--only` chooses some, with a table of its figures at the end.

parts: modules with measure(results, quick), by name; those with draw(results, folder) have pictures. figures: key, what
it is and what to reach, of each.
"""

import time
from functools import partial

from common import command
from common.report import heading, note, short, table


def measure(results, quick, name, parts, figures, folder=None):
    begin = time.monotonic()
    print(name.capitalize())
    command.describe_machine(results)
    for part in parts:
        part.measure(results, quick)
    for part in parts if folder else ():
        if hasattr(part, "draw"):
            part.draw(results, folder)
    found = [
        (text, key, short(results.numbers[key]), reach)
        for key, text, reach in figures
        if key in results.numbers
    ]
    if found:
        heading("Figures")
        table(("what", "key", "ours", "reach"), found, left=2)
    results.number("bench_seconds", round(time.monotonic() - begin, 1))
    note(f"Measured in {results.numbers['bench_seconds']:.0f} s.")


def main(name, about, quick_help, parts, figures):
    """Run it by the command line; gives the exit code. Where a part draws there is `--plots`."""
    draws = any(hasattr(part, "draw") for part in parts.values())

    def add_options(parser):
        parser.add_argument(
            "--only",
            metavar="PART",
            nargs="+",
            choices=parts,
            default=parts,
            help="only these parts",
        )

    options = command.parse(name, about, quick_help, plots=draws, more=add_options)
    chosen = [parts[part] for part in options.only]
    folder = options.plots if draws else None
    run = partial(measure, name=name, parts=chosen, figures=figures, folder=folder)
    return command.run(run, options)

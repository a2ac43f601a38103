"""`muslin fit-fabric`: a fabric file from what a person measured with a ruler and weights.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import os

from ..errors import FileError
from ..fabric_fit import fit, twist_is_beyond
from ..files import check_writable, write_atomic
from ..measurements import COLUMNS, read_measurements
from . import exits
from .background import interruptible
from .recorded import warn

DESCRIPTION = f"""Finds the numbers of a fabric from measurements: the weight of a square, the lengths of strips along
warp, weft and bias under weights, and the lengths that hang over an edge until their end is 41.5 degrees below it.
docs/measuring.md tells how to measure. The file has the columns {', '.join(COLUMNS)}."""
POOR = 0.1  # misfit over the largest strain, above which the fabric is told to be another kind
DIGITS = 6  # of numbers in the file


def add_command(commands):
    parser = commands.add_parser(
        "fit-fabric",
        help="make a fabric file from measurements",
        description=DESCRIPTION,
        allow_abbrev=False,
    )
    parser.add_argument("measurements", metavar="STRIPS.csv", help="what was measured")
    parser.add_argument(
        "-o", "--output", required=True, metavar="FILE.json", help="fabric file to write"
    )
    parser.add_argument("--label", metavar="TEXT", help="its name in menus (default: the file's)")
    parser.set_defaults(run=fit_fabric)


def fit_fabric(options):
    """Run the command; gives the exit code."""
    if os.path.realpath(options.output) == os.path.realpath(options.measurements):
        raise FileError(options.output, "this is the file of the measurements")
    check_writable(options.output)
    measurements = read_measurements(options.measurements)
    found = interruptible(lambda: fit(measurements))
    write_atomic(options.output, (json.dumps(content(options, found), indent=2) + "\n").encode())
    tell(found)
    return exits.OK


def content(options, found):
    """What is written: numbers with as many digits as anybody can measure."""
    source = f"fitted to the measurements in {os.path.basename(options.measurements)}"
    material = {name: float(f"{value:.{DIGITS}g}") for name, value in found.material.items()}
    named = {"label": options.label} if options.label else {}
    return {**named, "source": source, "material": material}


def tell(found):
    """Print the numbers, and each strip beside what the fabric makes of it."""
    for name, value in found.material.items():
        print(f"{name:14} {value:.4g}")
    print("strip  weight, g  strain, %: measured, of this fabric")
    for pull, measured, fitted in found.rows:
        print(
            f"{pull.direction:5}  {1000 * pull.mass:9.1f}  {100 * measured:19.2f}  {100 * fitted:14.2f}"
        )
    if twist_is_beyond(found.material):
        warn(
            "the overhang along the bias does not go with those along warp and weft; the nearest "
            "twist that there is was taken: measure it again"
        )
    if found.misfit > POOR:
        warn(
            f"the strips differ from this fabric's by {100 * found.misfit:.0f} % of the largest strain in the "
            "mean: a line was mistyped, or the cloth becomes much stiffer or softer when stretched"
        )

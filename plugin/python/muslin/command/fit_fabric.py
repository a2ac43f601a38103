# SPDX-License-Identifier: GPL-3.0-or-later
"""`muslin fit-fabric`: a fabric file from what a person measured with a ruler and weights."""

import os

from .. import exits
from ..errors import FileError
from ..fabric_file import Fields, write_fabric
from ..fabrics import is_listed
from ..files import check_writable
from ..measured.fabric_fit import CURVE, MEMBRANE, TRIANGLE, fit, twist_is_beyond
from ..measured.measurements import COLUMNS, read_measurements
from ..table import takes
from .simulation import interruptible
from .replay_command import warn

DESCRIPTION = f"""Finds the numbers of a fabric from measurements: the weight of a square, the lengths of strips
along warp, weft and bias under weights, and the lengths that hang over an edge until their end is 41.5 degrees
below it. Cloth that becomes stiffer or softer when it is stretched gets stretch curves, if there are at least
{CURVE} weights in each direction. docs/guide/measuring.md describes how to measure. The file has the columns
{', '.join(COLUMNS)}."""
POOR = 0.1  # misfit over the largest strain, above which the fabric is reported as another kind
DIGITS = 6  # of numbers in the file


def add_command(commands):
    parser = commands.add_parser(
        "fit-fabric", help="make a fabric file from measurements", description=DESCRIPTION
    )
    parser.add_argument("measurements", metavar="STRIPS.csv", help="what was measured")
    parser.add_argument(
        "-o", "--output", required=True, metavar="FILE.json", help="fabric file to write"
    )
    parser.add_argument("--label", metavar="TEXT", help="its name in menus (default: the file's)")
    parser.add_argument(
        "--model",
        choices=(TRIANGLE, MEMBRANE),
        help=f"{TRIANGLE}: one stiffness in each direction; {MEMBRANE}: one when slack and one at a strain of 1/6 "
        "(default: the first, unless the second comes much nearer)",
    )
    parser.set_defaults(run=fit_fabric)


def fit_fabric(options):
    """Run the command; gives the exit code."""
    if os.path.realpath(options.output) == os.path.realpath(options.measurements):
        raise FileError(options.output, "this is the file of the measurements")
    if not is_listed(os.path.basename(options.output)):
        raise FileError(options.output, "a file of a fabric is called NAME.json")
    check_writable(options.output)
    if options.label is not None:  # reported before the work
        Fields("--label").text({"label": options.label}, "label", "")
    measurements = read_measurements(options.measurements)
    found = interruptible(lambda: fit(measurements, options.model))
    made = content(options, found)
    write_fabric(options.output, made)
    report(found)
    return exits.OK


def content(options, found):
    """What is written: numbers with as many digits as anyone can measure."""
    source = f"fitted to the measurements in {os.path.basename(options.measurements)}"
    material = {name: rounded(value) for name, value in found.material.items()}
    named = {"label": options.label} if options.label is not None else {}
    measured = takes("stretch_samples", model=found.model)  # others do not need theirs
    model = {"model": found.model} if measured else {}
    return {**named, "source": source, **model, "material": material}


def rounded(value):
    if isinstance(value, list):
        return list(map(rounded, value))
    return float(f"{value:.{DIGITS}g}")


def report(found):
    """Print the numbers, and each strip beside what the fabric makes of it."""
    for name, value in found.material.items():
        if not isinstance(value, list):
            print(f"{name:14} {value:.4g}")
    if takes("stretch_samples", model=found.model):
        report_curves(found.material["stretch_samples"])
    print("strip  weight, g  strain, %: measured, of this fabric")
    for pull, measured, fitted in found.rows:
        print(
            f"{pull.direction:5}  {1000 * pull.mass:9.1f}  {100 * measured:19.2f}  {100 * fitted:14.2f}"
        )
    if twist_is_beyond(found.material):
        warn(
            "the overhang along the bias does not go with those along warp and weft; the nearest "
            "twist that there is was used: measure it again"
        )
    if found.misfit > POOR:
        warn(
            f"the strips differ from this fabric's by {100 * found.misfit:.0f} % of the largest strain in the "
            f"mean: a line was mistyped, or {why_poor(found)}"
        )


def why_poor(found):
    """What else than a slip of the pen may be the reason."""
    if takes("stretch_samples", model=found.model):
        return "the cloth has a different shape of curve"
    return (
        "the cloth becomes much stiffer or softer when stretched; then strips under at least "
        f"{CURVE} weights in each direction help"
    )


def report_curves(samples):
    """Print by how much stiffer each direction is at a strain of 1/6 than slack."""
    rows = [samples[4 * row : 4 * row + 4] for row in range(6)]
    ends = {"warp": (0, 1), "weft": (2, 5), "shear": (3, 3)}
    shares = ", ".join(
        f"{name} {rows[row][column] / rows[0][column]:.2f}" for name, (column, row) in ends.items()
    )
    print(f"stiffness at a strain of 1/6 over that of slack cloth: {shares}")

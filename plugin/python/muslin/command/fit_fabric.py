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
from .progress import warn

DESCRIPTION = f"""Finds the numbers of a fabric from measurements: the weight of a square, the lengths of strips
along warp, weft and bias under weights, and the lengths that hang over an edge until their end is 41.5 degrees
below it. Cloth that becomes stiffer or softer when it is stretched gets stretch curves, if there are at least
{CURVE} weights in each direction. docs/guide/measuring.md describes how to measure. The file has the columns
{', '.join(COLUMNS)}."""
MODEL_HELP = f"""{TRIANGLE}: one stiffness in each direction; {MEMBRANE}: one when slack and one at a strain of 1/6
(default: the first, unless the second comes much nearer)"""
POOR = 0.1  # misfit over the largest strain, above which the fabric is reported as another kind
DIGITS = 6  # of numbers in the file


def add_command(commands):
    parser = commands.add_parser(
        "fit-fabric", help="make a fabric file from measurements", description=DESCRIPTION
    )
    parser.add_argument("measurements", metavar="STRIPS.csv", help="what was measured")
    written = "fabric file to write"
    parser.add_argument("-o", "--output", required=True, metavar="FILE.json", help=written)
    parser.add_argument("--label", metavar="TEXT", help="its name in menus (default: the file's)")
    parser.add_argument("--model", choices=(TRIANGLE, MEMBRANE), help=MODEL_HELP)
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
    content = {} if options.label is None else {"label": options.label}
    content["source"] = f"fitted to the measurements in {os.path.basename(options.measurements)}"
    if takes("stretch_samples", model=found.model):  # others do not need their model
        content["model"] = found.model
    content["material"] = {name: rounded(value) for name, value in found.material.items()}
    write_fabric(options.output, content)
    report(found)
    return exits.OK


def rounded(value):
    """To as many digits as anyone can measure."""
    if isinstance(value, list):
        return list(map(rounded, value))
    return float(f"{value:.{DIGITS}g}")


def report(found):
    """Print the numbers, and each strip beside what the fabric makes of it."""
    for name, value in found.material.items():
        if not isinstance(value, list):
            print(f"{name:14} {value:.4g}")
    measured = takes("stretch_samples", model=found.model)
    if measured:
        samples = found.material["stretch_samples"]
        ends = {"warp": (0, 1), "weft": (2, 5), "shear": (3, 3)}  # the column, and the row at 1/6
        ratios = {name: samples[4 * row + k] / samples[k] for name, (k, row) in ends.items()}
        shown = ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items())
        print(f"stiffness at a strain of 1/6 over that of slack cloth: {shown}")
    print("strip  weight, g  strain, %: measured, of this fabric")
    for pull, own, fitted in found.rows:
        strains = f"{100 * own:19.2f}  {100 * fitted:14.2f}"
        print(f"{pull.direction:5}  {1000 * pull.mass:9.1f}  {strains}")
    if twist_is_beyond(found.material):
        warn(
            "the overhang along the bias does not go with those along warp and weft; the nearest "
            "twist that there is was used: measure it again"
        )
    if found.misfit > POOR:
        reason = "the cloth has a different shape of curve"
        if not measured:
            reason = "the cloth becomes much stiffer or softer when stretched; then strips under at least "
            reason += f"{CURVE} weights in each direction help"
        warn(
            f"the strips differ from this fabric's by {100 * found.misfit:.0f} % of the largest strain in the "
            f"mean: a line was mistyped, or {reason}"
        )

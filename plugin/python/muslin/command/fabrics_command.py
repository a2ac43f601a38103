# SPDX-License-Identifier: GPL-3.0-or-later
"""`muslin fabrics`: lists all fabrics with what their numbers mean, and draws them."""

import os

from .. import exits
from ..errors import FileError, printable
from ..fabrics import default_folder, survey, user_folders
from ..files import check_writable, to_json, write_atomic
from ..measured.strips import ANGLES, bending_length
from .fabric_plot import plot
from .fit_report_file import aligned
from .replay_command import warn

DESCRIPTION = """Lists the fabrics that --fabric and Blender's menu offer: those of Muslin and your own
files. Weight in g/m^2; stretch along warp and weft and shear in N/m; bending length along warp, weft and bias in cm: half
of the overhang whose end is 41.5 degrees below the edge."""
HEADS = ("fabric", "weight", "warp", "weft", "shear", "bending length", "friction", "source")


def add_command(commands):
    parser = commands.add_parser("fabrics", help="list the fabrics", description=DESCRIPTION)
    parser.add_argument("--json", metavar="FILE", help="also write all their numbers")
    words = "also plot force over strain along warp, weft and bias, and the bending lengths"
    parser.add_argument("--plot", metavar="FILE.svg", help=words)
    parser.set_defaults(run=list_fabrics)


def list_fabrics(options):
    """Run the command; gives the exit code. A broken file is reported, and is no failure of the list."""
    outputs = [path for path in (options.json, options.plot) if path is not None]
    if len(set(map(os.path.realpath, outputs))) < len(outputs):
        raise FileError(options.plot, "--json and --plot are the same file")
    for path in outputs:
        check_writable(path)
    found, broken = survey()
    print("\n".join(aligned([HEADS, *map(row, found)], left=(0, len(HEADS) - 1))))
    folders = ", ".join(map(str, user_folders())) or f"none; {default_folder()} would be read"
    print(printable(f"folder of your own: {folders}"))
    for one in broken:
        warn(f"no fabric: {one.reason}")
    if options.json is not None:
        content = {"fabrics": list(map(numbers, found)), "broken": [b._asdict() for b in broken]}
        write_atomic(options.json, to_json(content).encode("utf-8"))
    if options.plot is not None:
        write_atomic(options.plot, plot(found).encode("utf-8"))
    return exits.OK


def row(one):
    material = one.material
    lengths = "/".join(f"{100 * bending_length(material, each):.1f}" for each in ANGLES)
    stiffness = [material[name] for name in ("stretch_warp", "stretch_weft", "shear")]
    numbers = [f"{each:.{0 if each >= 100 else 1}f}" for each in stiffness]
    weight, friction = f"{1000 * material['density']:.0f}", f"{one.contact['friction']:g}"
    return map(printable, (one.name, weight, *numbers, lengths, friction, one.source))


def numbers(one):
    """A fabric as its file has it, with its bending lengths, m."""
    lengths = {direction: bending_length(one.material, direction) for direction in ANGLES}
    return {**one._asdict(), "bending_length": lengths}

"""What `muslin drape` adds to a garment that rides on a coarser level: --upsample and --wrinkles.

SPDX-License-Identifier: GPL-3.0-or-later
"""

from ..errors import MuslinError
from ..upsampling import Upsampling, Wrinkles
from . import values

UPSAMPLE_HELP = """add to a coarse run what train-upsampling has learnt from fine ones; simulates the level that it was
learnt for"""
WRINKLES_HELP = """add wrinkles of this length, m, where the simulated level is pressed together (without a number: the
shortest that it cannot carry itself)"""
AS_LEVEL = 0.0  # a length that stands for the level's own


def add_options(group):
    group.add_argument("--upsample", metavar="OP.npz", help=UPSAMPLE_HELP)
    group.add_argument(
        "--wrinkles",
        nargs="?",
        type=values.number,
        const=AS_LEVEL,
        metavar="LENGTH",
        help=WRINKLES_HELP,
    )


def check(options):
    """Refuse what does nothing, or what cannot be done together."""
    for name in ("upsample", "wrinkles"):
        if getattr(options, name) is not None and len(options.garment) > 1:
            raise MuslinError(
                None, f"--{name} is for one garment, but {len(options.garment)} are given"
            )
    if options.wrinkles is not None and options.wrinkles < 0:
        raise MuslinError(None, f"--wrinkles {options.wrinkles:g}: wanted a length above 0")
    if options.wrinkles is not None and not options.budget_ms and options.upsample is None:
        raise MuslinError(None, "--wrinkles does nothing without --budget-ms")


def make_additions(options, mesh):
    """Functions from (positions, level) to positions, in order; --upsample decides on the level."""
    additions = []
    if options.upsample is not None:
        operator = Upsampling.load(options.upsample, mesh)
        if options.level not in (None, operator.level):
            raise MuslinError(
                None,
                f"--level {options.level}: {options.upsample} was learnt for level {operator.level}",
            )
        options.level = operator.level
        options.budget_ms = (
            options.budget_ms or 1000 / options.fps
        )  # levels need one; this one is held
        additions.append(lambda positions, level: operator.apply(positions))
    if options.wrinkles is not None:
        wrinkles = Wrinkles(mesh)
        length = None if options.wrinkles == AS_LEVEL else options.wrinkles
        additions.append(lambda positions, level: wrinkles.apply(positions, length, level))
    return additions

# SPDX-License-Identifier: GPL-3.0-or-later
"""What `muslin drape` adds to a garment that follows a coarser level: --upsample and --wrinkles; and the fine runs to
learn that from: --track."""

from ..errors import FileError, refuse
from ..pc2 import read_pc2
from ..upsampling import Tracking, Upsampling, Wrinkles
from . import values

UPSAMPLE_HELP = """add to a coarse run the detail that train-upsampling has learnt; simulates the level that it was
learnt for"""
WRINKLES_HELP = """add wrinkles of this length, m, where the simulated level is compressed (without a number: the shortest
that it cannot represent itself)"""
TRACK_HELP = """let the large-scale motion follow a run on a coarser level (drape --budget-ms
40 --level N) by soft pins, with free wrinkles: a fine run for train-upsampling"""
TRACK_LEVEL_HELP = "level of the run given by --track (default: 2)"
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

    group.add_argument("--track", metavar="COARSE.pc2", help=TRACK_HELP)
    group.add_argument("--track-level", type=values.whole, metavar="N", help=TRACK_LEVEL_HELP)


def check_track(options):
    if options.track is None:
        if options.track_level is not None:
            refuse("--track-level does nothing without --track")
        return
    if options.track_level == 0:
        refuse("--track-level 0: expected 1 or more, 0 is the garment itself")
    for name in ("budget_ms", "upsample", "pin_motion"):
        if getattr(options, name):
            refuse(f"--track simulates the full mesh: leave out {values.spelled(name)}")


def check(options):
    """Refuse what does nothing, or what cannot be done together."""
    check_track(options)
    for name in ("upsample", "wrinkles", "track"):
        if getattr(options, name) is not None and len(options.garment) > 1:
            refuse(f"--{name} is for one garment, but {len(options.garment)} are given")
    if options.wrinkles is not None and options.wrinkles < 0:
        refuse(f"--wrinkles {options.wrinkles:g}: expected a length above 0")
    if options.wrinkles is not None and not options.budget_ms and options.upsample is None:
        refuse("--wrinkles does nothing without --budget-ms")


def make_additions(options, mesh):
    """Functions from (positions, level) to positions, in order; --upsample decides on the level."""
    additions = []
    if options.upsample is not None:
        operator = Upsampling.load(options.upsample, mesh)
        if options.level not in (None, operator.level):
            refuse(
                f"--level {options.level}: {options.upsample} was trained for level {operator.level}"
            )
        options.level = operator.level
        # levels need one; this one is held
        options.budget_ms = options.budget_ms or 1000 / options.fps
        additions.append(lambda positions, level: operator.apply(positions))
    if options.wrinkles is not None:
        wrinkles = Wrinkles(mesh)
        length = None if options.wrinkles == AS_LEVEL else options.wrinkles
        additions.append(lambda positions, level: wrinkles.apply(positions, length, level))
    return additions


def make_tracking(options, mesh, pins):
    """The Tracking of --track, or None."""
    if options.track is None:
        return None
    run = read_pc2(options.track).positions
    if run.shape[1] != mesh.vertex_count or len(run) < options.frames:
        raise FileError(
            options.track,
            f"{len(run)} frames of {run.shape[1]} vertices, but there are {options.frames} frames "
            f"to simulate of {mesh.vertex_count} vertices",
        )
    return Tracking(mesh, run, options.track_level or 2, pins)

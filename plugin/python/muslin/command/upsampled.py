# SPDX-License-Identifier: GPL-3.0-or-later
"""--upsample and --wrinkles of `muslin drape`, which add detail to a coarser level; --track, for fine runs to learn
from; and `muslin train-upsampling`, which learns."""

from .. import exits
from ..errors import FileError, refuse
from ..files import check_writable
from ..pc2 import read_pc2
from ..upsampling import Tracking, Upsampling, Wrinkles
from ..upsampling.training import train
from . import values
from .inputs import read_mesh, read_run
from .progress import warn

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
    length = {"nargs": "?", "const": AS_LEVEL, "metavar": "LENGTH"}
    group.add_argument("--wrinkles", type=values.number, help=WRINKLES_HELP, **length)
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
            trained = f"{options.upsample} was trained for level {operator.level}"
            refuse(f"--level {options.level}: {trained}")
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
        wanted = f"{options.frames} frames to simulate of {mesh.vertex_count} vertices"
        given = f"{len(run)} frames of {run.shape[1]} vertices"
        raise FileError(options.track, f"{given}, but there are {wanted}")
    return Tracking(mesh, run, options.track_level or 2, pins)


DESCRIPTION = """Learns from pairs of runs of one garment, with the same motion: drape --budget-ms 40 --level N,
in which the garment follows a coarser mesh, and drape without, in which it is simulated itself. The operator
adds the detail of the fine runs to other coarse runs: drape --upsample OP.npz. Give several motions similar to
those to come; with --run-up all of them start at rest."""
RUNS_HELP = "two runs of one motion; may be given more than once"


def add_command(commands):
    summary = "learn the detail that a fine run adds to a coarse one"
    parser = commands.add_parser("train-upsampling", help=summary, description=DESCRIPTION)
    parser.add_argument("garment", metavar="GARMENT.obj", help="the mesh of all runs")
    runs = {"metavar": "COARSE.pc2:FINE.pc2", "help": RUNS_HELP}
    parser.add_argument("--runs", required=True, action="append", type=values.run_pair, **runs)
    level = "level of the coarse runs (default: 2)"
    parser.add_argument("--level", type=values.whole, default=2, metavar="N", help=level)
    written = "file to write: the operator"
    parser.add_argument("-o", "--output", required=True, metavar="OP.npz", help=written)
    parser.set_defaults(run=run)


def run(options):
    if options.level < 1:
        refuse(f"--level {options.level}: expected 1 or more, 0 is the garment itself")
    check_writable(options.output)
    mesh = read_mesh(options.garment)
    training = train(mesh, [read_pair(mesh, *pair) for pair in options.runs], options.level)
    training.operator.save(options.output)
    frames = sum(len(read_pc2(pair[0]).positions) for pair in options.runs)
    others = "runs" if len(options.runs) > 1 else "frames"
    print(
        f"{options.output}: learnt from {frames} frames; the error is {training.fitted:.2f} of that without "
        f"the operator, and {training.left_out:.2f} on {others} left out of the training"
    )
    if training.left_out > 0.95:
        warn("what was learnt hardly helps on other motions: give more of them")
    return exits.OK


def read_pair(mesh, *paths):
    """The positions of both files; a FileError names the one that does not fit."""
    runs = [read_run(path, mesh.vertex_count) for path in paths]
    if len(runs[0]) != len(runs[1]):
        given = f"{len(runs[1])} frames, but {paths[0]} has {len(runs[0])}"
        raise FileError(paths[1], f"{given}: expected as many")
    return [run[:] for run in runs]

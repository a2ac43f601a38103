# SPDX-License-Identifier: GPL-3.0-or-later
"""`muslin train-upsampling`: learns what a fine run adds to a coarse one."""

from .. import exits
from ..errors import FileError, refuse
from ..files import check_writable
from ..obj import read_obj
from ..pc2 import read_pc2
from ..upsampling.training import train
from . import values
from .replay_command import warn

DESCRIPTION = """Learns from pairs of runs of one garment, with the same motion: drape --budget-ms 40 --level N,
in which the garment follows a coarser mesh, and drape without, in which it is simulated itself. The operator
adds the detail of the fine runs to other coarse runs: drape --upsample OP.npz. Give several motions similar to
those to come; with --run-up all of them start at rest."""


def add_command(commands):
    parser = commands.add_parser(
        "train-upsampling",
        help="learn the detail that a fine run adds to a coarse one",
        description=DESCRIPTION,
    )
    parser.add_argument("garment", metavar="GARMENT.obj", help="the mesh of all runs")
    parser.add_argument(
        "--runs",
        required=True,
        action="append",
        type=values.run_pair,
        metavar="COARSE.pc2:FINE.pc2",
        help="two runs of one motion; may be given more than once",
    )
    parser.add_argument(
        "--level",
        type=values.whole,
        default=2,
        metavar="N",
        help="level of the coarse runs (default: 2)",
    )
    parser.add_argument(
        "-o", "--output", required=True, metavar="OP.npz", help="file to write: the operator"
    )
    parser.set_defaults(run=run)


def run(options):
    if options.level < 1:
        refuse(f"--level {options.level}: expected 1 or more, 0 is the garment itself")
    check_writable(options.output)
    mesh = read_obj(options.garment)
    for note in mesh.notes:
        warn(note)
    training = train(mesh, [read_pair(mesh, *pair) for pair in options.runs], options.level)
    training.operator.save(options.output)
    frames = sum(len(read_pc2(pair[0]).positions) for pair in options.runs)
    print(
        f"{options.output}: learnt from {frames} frames; the error is {training.fitted:.2f} "
        f"of that without the operator, and {training.left_out:.2f} on "
        f"{'runs' if len(options.runs) > 1 else 'frames'} left out of the training"
    )
    if training.left_out > 0.95:
        warn("what was learnt hardly helps on other motions: give more of them")
    return exits.OK


def read_pair(mesh, *paths):
    """The positions of both files; a FileError names the one that does not fit."""
    runs = [read_pc2(path).positions for path in paths]
    for path, positions in zip(paths, runs):
        if positions.shape[1] != mesh.vertex_count or len(positions) == 0:
            raise FileError(
                path,
                f"{len(positions)} frames of {positions.shape[1]} vertices, "
                f"but the garment has {mesh.vertex_count} vertices",
            )
    if len(runs[0]) != len(runs[1]):
        raise FileError(
            paths[1], f"{len(runs[1])} frames, but {paths[0]} has {len(runs[0])}: expected as many"
        )
    return [run[:] for run in runs]

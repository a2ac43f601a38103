# SPDX-License-Identifier: GPL-3.0-or-later
"""`muslin settle`: the shape of a garment at rest on bodies that stand still."""

import os
import sys
import time

from .. import exits
from ..files import to_json, write_atomic
from ..inspection.verdict import restless_text
from ..obj import write_mesh
from ..table import takes
from . import drape_options, fit_report_file, inputs, replay_command, sewing_options
from .drape import check_outputs, dressed, make_verdict, report_seams, report_warnings
from .fabric_options import spread
from .garments import Garments, check_counts
from .progress import SettleProgress, say, warn
from .simulation import Settling, noted_signals

DESCRIPTION = """Finds the rest pose of a garment on bodies that stand still, and writes it as a mesh. The
motion towards it is damped and not physical. Vertices that start inside a body or through other cloth are
pushed out. It ends when nothing moves faster than 1 mm/s. Several garments settle together: give -o once for
each, and --pin and the maps for each or not at all, in the same order; --fabric and the options of the material
once for all, or once for each."""
BODY_HELP = """a mesh that the cloth collides with; of a moving one, B.pc2:B.obj, the first frame. Closed parts are
solid, even with small openings, others are two-sided sheets. May be given more than once"""
STATS_HELP = "also write how it went: steps, seconds, the last speeds"
# A fine garment settles on coarser levels first, which only a cloth with a budget has. Threads have no levels.
BUDGET_MS = 40.0


def add_command(commands):
    parser = commands.add_parser("settle", help="find the rest pose", description=DESCRIPTION)
    parser.add_argument("garment", nargs="+", metavar="GARMENT.obj", help="the mesh to settle")
    files = parser.add_argument_group("files")
    output = {"metavar": "OUT.obj", "help": "mesh to write: the garment at rest"}
    files.add_argument("-o", "--output", required=True, action="append", **output)
    files.add_argument("--stats", metavar="STATS.json", help=STATS_HELP)
    fit_report_file.add_option(files)
    replay_command.add_option(files)
    drape_options.add_maps(files)
    drape_options.add_pins(parser.add_argument_group("pins"))
    drape_options.add_contact(parser.add_argument_group("contact"), BODY_HELP)
    sewing_options.add_options(parser.add_argument_group("sewing"))
    drape_options.add_material(parser.add_argument_group("material"))
    drape_options.add_section(parser.add_argument_group("forces"), "forces")
    drape_options.add_mirror(parser.add_argument_group("mirroring"))
    drape_options.add_method(parser.add_argument_group("method"))
    # What only an animation has.
    animation = ("level", "last_frame", "verdict", "upsample", "track", "pin_motion", "unpick")
    parser.set_defaults(**dict.fromkeys(animation), frames=1, run_up=0)
    parser.set_defaults(run=settle, budget_ms=BUDGET_MS)


def settle(options):
    """Run the command; gives the exit code."""
    spread(options)
    drape_options.check_method(options)
    drape_options.check_mirror(options)
    if not takes("budget_ms", options.solver):
        options.budget_ms = 0.0
    check_counts(options)
    check_outputs(options)
    garments = Garments(options.garment)
    bodies = inputs.read_bodies(options)
    stitches = sewing_options.take_stitches(options, garments)
    cloth = dressed(options, garments, bodies, inputs.pinned_vertices(options, garments))
    sewing_options.attach(options, cloth, garments, bodies, stitches)
    reported = len(cloth.warnings)
    begin = time.monotonic()
    settling = Settling(cloth, SettleProgress())
    with noted_signals() as stop:
        settling.run(stop)
    if not settling.stuck:
        report_warnings(garments, cloth, reported)
    if settling.stop:
        say("interrupted; nothing was written")
        if settling.stuck:  # a call still works on the cloth, and nothing may wait for it
            sys.stderr.flush()
            os._exit(exits.INTERRUPTED)
        return exits.INTERRUPTED
    if settling.error is not None:
        raise settling.error
    return finish(options, garments, settling, time.monotonic() - begin)


def finish(options, garments, settling, seconds):
    """Write the files, say what is in them, and give the exit code."""
    report = settling.report
    parts = garments.parts(settling.cloth.positions())
    for path, mesh, positions in zip(options.output, garments.meshes, parts):
        write_mesh(path, mesh, positions)
    if options.stats is not None:
        found = {name: getattr(report, name) for name in ("steps", "fastest", "mean")}
        found.update(seconds=seconds, came_to_rest=bool(report.came_to_rest))
        write_atomic(options.stats, to_json(found).encode())
    if options.fit_report is not None:
        fit_report_file.write_fit_report(options.fit_report, garments, settling.cloth)
    if not report.came_to_rest:
        warn(restless_text(f"in {report.steps} steps", settling.cloth.settings))
    verdict = make_verdict(options, garments)
    for text in verdict.rest(settling.cloth.inspect()):
        warn(text)
    report_seams(settling.cloth)
    if settling.progress.active:
        say(f"settled in {report.steps} steps, {seconds:.1f} s: {', '.join(options.output)}")
    return exits.OK

# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of `muslin drape`, and the settings that they mean."""

import os

from ..errors import refuse
from ..table import MAPS, SETTINGS, TABLE, section, takes
from . import fit_report_file, replay_command, sewing_options, upsampled, values
from .fabric_options import add_fabric, parts_of, with_fabric
from .setting_options import add_section, add_setting, default_of, given

DESCRIPTION = """Simulates a garment and writes its vertex positions, frame after frame, to a PC2 file. The
first frame is the garment as it is in the OBJ file (frame 1 in Blender); --frames 60 therefore makes 59 steps.
Several garments are simulated together: give --garment and -o once for each, and --pin, --pin-motion,
--last-frame and the maps for each or not at all, in the same order; --fabric and the options of the material
once for all, or once for each. Vertices are counted in each file from 0."""

# What only the command line has to say of a setting, besides the table.
METHOD_NOTES = {
    "quality": "not together with --iterations",
    "scheme": "Naming --iterations, --estimate, --order or --coefficients without --scheme or --quality "
    "means plain",
    "iterations": "instead of a --quality",
    "uv_scale": "for --pattern uv",
}

BODY_HELP = """a mesh that the cloth collides with; with a point cache, B.pc2:B.obj, it moves: it starts at
frame 1 of the cache and stands still after the last. Closed parts are solid, even with small openings, others
are two-sided sheets. May be given more than once"""
STATS_HELP = """also write times, strains, energies and contacts of each frame; with a --body
or --self-contact also how many edges pierce faces, which is slow"""

VERDICT_HELP = """also write the state of the cloth at the start, at the end and at worst: what is inside, what passes
through, how far it is stretched; costs nothing"""

RUN_UP_HELP = """frames before the first in which bodies move from the pose of their OBJ file, on which the
garment was modelled, to their first frame; the cloth settles before and after, and is at rest in frame 1
(default: 0, none: frame 1 is the garment as it is)"""

PLANE_HELP = """the mirror plane: find: the one that fits the garment best; x, y or z: through the
origin, across that axis; or px,py,pz,nx,ny,nz: a point (m) and a normal, which points to the side
that is kept (default x)"""
TUNING = ("newton", "pcg")  # what may be given for any solver, to compare them
COUNTED = ("kim", "kang2")  # the methods that sweep as often as `sweeps` says
# Of the section "contact", but no settings of a cloth: they go to its bodies and to itself.
SURFACE = tuple(setting.name for setting in section("contact"))


def add_parser(commands):
    """The options of drape; the caller sets what runs."""
    parser = commands.add_parser("drape", help="simulate a garment", description=DESCRIPTION)
    add_files(parser.add_argument_group("files"))
    add_time(parser.add_argument_group("time"))
    pins = parser.add_argument_group("pins")
    add_pins(pins)
    add_pin_motion(pins)
    add_contact(parser.add_argument_group("contact"))
    sewn = parser.add_argument_group("sewing")
    sewing_options.add_options(sewn)
    sewing_options.add_unpicking(sewn)
    add_material(parser.add_argument_group("material"))
    forces = parser.add_argument_group("forces")
    add_section(forces, "forces")
    add_setting(forces, "turbulence")
    add_mirror(parser.add_argument_group("mirroring"))
    add_live(parser.add_argument_group("live"))
    add_method(parser.add_argument_group("method"))
    return parser


def add_material(group):
    add_fabric(group)
    group.add_argument(
        "--stretch",
        action="append",
        type=values.one_or_two,
        metavar="X",
        help="stretch stiffness, N/m, or WARP,WEFT" + default_stretch(),
    )
    add_section(group, "material", action="append")


def default_stretch():
    warp, weft = (SETTINGS[name].default for name in ("stretch_warp", "stretch_weft"))
    return f" (default {warp:g})" if warp == weft else f" (default {warp:g},{weft:g})"


def add_files(group):
    def add(*names, **meaning):
        group.add_argument(*names, action="append", **meaning)

    add("--garment", required=True, metavar="G.obj", help="the mesh to drape")
    add("-o", "--output", required=True, metavar="OUT.pc2", help="point cache to write")
    add("--last-frame", metavar="OUT.obj", help="also write the last frame as a mesh")
    group.add_argument("--stats", metavar="STATS.json", help=STATS_HELP)
    group.add_argument("--verdict", metavar="FILE.json", help=VERDICT_HELP)
    fit_report_file.add_option(group)
    replay_command.add_option(group)
    add_maps(group)


def add_maps(group):
    for name, setting in MAPS.items():
        group.add_argument(
            f"--{name}-map",
            action="append",
            metavar="FILE",
            help=f"a factor for each vertex, a text file with one number per vertex or .npy, on {setting.help}",
        )


def add_time(group):
    group.add_argument(
        "--frames", type=values.count, default=60, metavar="N", help="frames to write (default 60)"
    )
    group.add_argument(
        "--fps",
        type=values.frame_rate,
        default=24.0,
        metavar="F",
        help="frames per second (default 24)",
    )
    group.add_argument(
        "--run-up", type=values.count_or_none, default=0, metavar="N", help=RUN_UP_HELP
    )


def add_contact(group, body_help=BODY_HELP):
    group.add_argument(
        "--body", type=values.body_source, action="append", metavar="B.obj", help=body_help
    )
    add_section(group, "contact")


def add_pins(group):
    group.add_argument(
        "--pin",
        type=values.index_ranges,
        action="append",
        metavar="LIST",
        help="vertices to pin, such as 3,17,40-52, or none",
    )
    group.add_argument(
        "--pin-above",
        type=values.pin_above,
        action="append",
        metavar="AXIS:VALUE",
        help="pin the vertices at or above a height, such as z:1.4; -z:0.1 pins those below; "
        "may be given more than once",
    )
    group.add_argument(
        "--pin-weight", type=values.weight, default=1.0, metavar="W", help="below 1: soft pins"
    )
    add_section(group, "pins")


def add_pin_motion(group):
    group.add_argument(
        "--pin-motion",
        action="append",
        metavar="FILE.pc2",
        help="point cache of the same vertices that the pinned ones follow",
    )


def add_mirror(group):
    add_section(group, "mirroring", by_hand=("mirror_tolerance",))
    # No one types the 0 that means the default.
    add_setting(group, "mirror_tolerance", type=values.positive)
    group.add_argument("--mirror-plane", type=values.mirror_plane, metavar="PLANE", help=PLANE_HELP)


def add_live(group):
    add_section(group, "live")
    group.add_argument(
        "--level",
        type=values.whole,
        metavar="N",
        help="simulate this level regardless of the budget: 0 is the garment, each next one has a "
        "third of the vertices (default: the one that fits the budget, which differs between machines)",
    )
    group.add_argument(
        "--refine",
        action="store_true",
        help="let the last frame come to rest, level by level up to the full mesh",
    )
    upsampled.add_options(group)


def add_method(group):
    add_section(group, "method", notes=METHOD_NOTES)
    estimate = group.add_mutually_exclusive_group()
    order = SETTINGS["order"]
    estimate.add_argument(
        "--order", type=int, choices=(1, 2), help="of the estimate" + default_of(order)
    )
    estimate.add_argument(
        "--coefficients",
        type=values.coefficients,
        metavar="A,B,..",
        help="of the estimate, newest first, instead of --order",
    )
    add_setting(
        group,
        "threads",
        default=processor_count(),
        help="results do not depend on it (default: all processors, here %(default)s)",
    )


def processor_count():
    """Processors that this process may use, as far as the library can."""
    most = SETTINGS["threads"].most
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), most)
    return min(os.cpu_count() or 1, most)


def check_method(options):
    """Refuse options of the method that contradict each other, or do nothing."""
    check_solver(options)
    check_sweeps(options)
    if options.quality is None:
        return
    if options.iterations is not None:
        refuse("--quality decides the number of iterations: leave out --quality or --iterations")
    if options.scheme not in (None, "two-level"):
        refuse(
            f"--quality is for --scheme two-level: leave out --quality or --scheme {options.scheme}"
        )


def check_solver(options):
    """Refuse options that the solver does not know, whatever the model, where the library leaves them out silently or
    speaks of models."""
    for name, setting in SETTINGS.items():
        ability = TABLE.abilities.get(setting.needs)
        value = getattr(options, name, None)
        asked_for = (value is not None and value is not False) or name in options.each
        if not asked_for or ability is None or ability.name in TUNING:
            continue
        if ability.lacking and ability.solvers:
            continue
        if not any(
            takes(name, options.solver, model.word) for model in SETTINGS["model"].enum.choices
        ):
            refuse(idle_text(name, ability.solvers or TABLE.abilities["models"].solvers, options))


def idle_text(name, solvers, options):
    text = f"{values.spelled(name)} does nothing without --solver {' or '.join(solvers)}"
    if options.solver is None:
        return text
    return f"{text}: leave out {values.spelled(name)} or --solver {options.solver}"


def check_sweeps(options):
    """Refuse a number of sweeps for a method that has its own."""
    if options.sweeps is not None and options.sweep_method not in (None, *COUNTED):
        method = options.sweep_method
        refuse(f"--sweeps does nothing with --sweep-method {method}: leave out one of them")


def check_mirror(options):
    """Refuse options of mirroring without --mirror: they would do nothing."""
    if options.mirror not in (None, "off"):
        return
    names = [setting.name for setting in section("mirroring") if setting.name != "mirror"]
    for name in ("mirror_plane", *names):
        if getattr(options, name) is not None and not closes_whole(options, name):
            refuse(f"{values.spelled(name)} does nothing without --mirror auto, exact or halve")


def closes_whole(options, name="closure"):
    """Whether this option says how the front of all of a garment is closed: by links, none of the cloth's own."""
    is_whole, closure = options.mirror in (None, "off"), options.closure
    is_of_button = closure == "button" and name in ("overlap", "over")
    return is_whole and closure is not None and (name == "closure" or is_of_button)


def check_live(options):
    """Refuse options of levels without a budget: they would do nothing."""
    upsampled.check(options)
    for name in ("level", "refine"):
        if (
            not options.budget_ms
            and options.upsample is None
            and getattr(options, name) not in (None, False)
        ):
            refuse(f"--{name} does nothing without --budget-ms")


def settings_from(options, garments):
    """Settings for Cloth: only what was asked for, so that the library's defaults stand."""
    settings = given(options)
    for name in SURFACE:
        settings.pop(name, None)
    if options.stretch is not None:
        settings["stretch_warp"], settings["stretch_weft"] = options.stretch
    parts = parts_of(options, garments, settings)
    settings = {**settings, **parts} if parts else with_fabric(options.fabric, settings)
    for name in ("mirror_plane", "order", "coefficients", "threads"):
        if getattr(options, name) is not None:
            settings[name] = getattr(options, name)
    for name in ("closure", "overlap", "over"):
        if closes_whole(options, name):
            settings.pop(name, None)
    return settings

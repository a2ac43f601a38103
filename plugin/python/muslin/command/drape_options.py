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

PIN_ABOVE_HELP = """pin the vertices at or above a height, such as z:1.4; -z:0.1 pins those below; may be given
more than once"""
LEVEL_HELP = """simulate this level regardless of the budget: 0 is the garment, each next one has a third of the
vertices (default: the one that fits the budget, which differs between machines)"""
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
    motion = "point cache of the same vertices that the pinned ones follow"
    pins.add_argument("--pin-motion", action="append", metavar="FILE.pc2", help=motion)
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
    warp, weft = (SETTINGS[name].default for name in ("stretch_warp", "stretch_weft"))
    default = f"{warp:g}" if warp == weft else f"{warp:g},{weft:g}"
    words = f"stretch stiffness, N/m, or WARP,WEFT (default {default})"
    group.add_argument(
        "--stretch", action="append", type=values.one_or_two, metavar="X", help=words
    )
    add_section(group, "material", action="append")


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
    def add(name, type, default, metavar, help):
        group.add_argument(name, type=type, default=default, metavar=metavar, help=help)

    add("--frames", values.count, 60, "N", "frames to write (default 60)")
    add("--fps", values.frame_rate, 24.0, "F", "frames per second (default 24)")
    add("--run-up", values.count_or_none, 0, "N", RUN_UP_HELP)


def add_contact(group, body_help=BODY_HELP):
    source = values.body_source
    group.add_argument("--body", type=source, action="append", metavar="B.obj", help=body_help)
    add_section(group, "contact")


def add_pins(group):
    def add(name, type, metavar, help):
        group.add_argument(name, type=type, action="append", metavar=metavar, help=help)

    add("--pin", values.index_ranges, "LIST", "vertices to pin, such as 3,17,40-52, or none")
    add("--pin-above", values.pin_above, "AXIS:VALUE", PIN_ABOVE_HELP)
    group.add_argument(
        "--pin-weight", type=values.weight, default=1.0, metavar="W", help="below 1: soft pins"
    )
    add_section(group, "pins")


def add_mirror(group):
    add_section(group, "mirroring", by_hand=("mirror_tolerance",))
    # No one types the 0 that means the default.
    add_setting(group, "mirror_tolerance", type=values.positive)
    group.add_argument("--mirror-plane", type=values.mirror_plane, metavar="PLANE", help=PLANE_HELP)


def add_live(group):
    add_section(group, "live")
    group.add_argument("--level", type=values.whole, metavar="N", help=LEVEL_HELP)
    refine = "let the last frame come to rest, level by level up to the full mesh"
    group.add_argument("--refine", action="store_true", help=refine)
    upsampled.add_options(group)


def add_method(group):
    add_section(group, "method", notes=METHOD_NOTES)
    estimate = group.add_mutually_exclusive_group()
    order = "of the estimate" + default_of(SETTINGS["order"])
    estimate.add_argument("--order", type=int, choices=(1, 2), help=order)
    newest = "of the estimate, newest first, instead of --order"
    estimate.add_argument("--coefficients", type=values.coefficients, metavar="A,B,..", help=newest)
    threads = "results do not depend on it (default: all processors, here %(default)s)"
    add_setting(group, "threads", default=processor_count(), help=threads)


def processor_count():
    """Processors that this process may use, as far as the library can."""
    most = SETTINGS["threads"].most
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), most)
    return min(os.cpu_count() or 1, most)


def check_method(options):
    """Refuse options of the method that contradict each other, or do nothing."""
    check_solver(options)
    if options.sweeps is not None and options.sweep_method not in (None, *COUNTED):
        method = options.sweep_method
        refuse(f"--sweeps does nothing with --sweep-method {method}: leave out one of them")
    quality, scheme = options.quality, options.scheme
    if quality is not None and options.iterations is not None:
        refuse("--quality decides the number of iterations: leave out --quality or --iterations")
    if quality is not None and scheme not in (None, "two-level"):
        refuse(f"--quality is for --scheme two-level: leave out --quality or --scheme {scheme}")


def check_solver(options):
    """Refuse options that the solver does not know, whatever the model, where the library leaves them out silently or
    speaks of models."""
    for name, setting in SETTINGS.items():
        ability = TABLE.abilities.get(setting.needs)
        value = getattr(options, name, None)
        asked_for = (value is not None and value is not False) or name in options.each
        if not asked_for or ability is None or ability.name in TUNING:
            continue
        models = SETTINGS["model"].enum.choices
        is_refused_below = ability.lacking and ability.solvers
        if is_refused_below or any(takes(name, options.solver, model.word) for model in models):
            continue
        option, solvers = values.spelled(name), ability.solvers or TABLE.abilities["models"].solvers
        text = f"{option} does nothing without --solver {' or '.join(solvers)}"
        if options.solver is not None:
            text += f": leave out {option} or --solver {options.solver}"
        refuse(text)


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
    for name in ("level", "refine") if not options.budget_ms and options.upsample is None else ():
        if getattr(options, name) not in (None, False):
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

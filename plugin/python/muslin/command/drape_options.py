"""The options of `muslin drape`, and the settings that they mean.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import os

from ..body import BodySurface
from ..errors import LibraryError, MuslinError
from ..settings import default_settings
from . import recorded, values

MOST_THREADS = 256  # the most that the library takes

ORDERINGS = {
    "auto": "auto",
    "natural": "natural",
    "cm": "cuthill_mckee",
    "rcm": "reverse_cuthill_mckee",
    "amd": "amd",
    "metis": "metis",
    "dissection": "dissection",
}

SCHEMES = {"two-level": "two_level", "plain": "plain", "anderson": "anderson"}

DESCRIPTION = """Simulates a garment and writes its vertex positions, frame after frame, to a PC2
file. The first frame is the garment as it is in the OBJ file (frame 1 in Blender); --frames 60
therefore makes 59 steps. Several garments are simulated together: give --garment and -o once for
each, and likewise --pin, --pin-motion, --last-frame and the maps if at all, in the same order.
Vertices are counted in each file from 0."""

QUALITY_HELP = """how lively the cloth is: at least 80 (draft), 95 (fit) or 99 %% (final) of the converged
motion; every substep does rounds until little is left to gain. For the two-level scheme only, and
not together with --iterations"""
SCHEME_HELP = """how the rounds are spent. two-level: large motions are solved on a coarse level first;
plain: the rounds of the thesis, in which stiff cloth falls slowly; anderson: plain rounds,
extrapolated. Naming --iterations, --estimate, --order or --coefficients without --scheme or
--quality means plain"""
INTEGRATOR_HELP = "how a substep goes through time; bdf2 swings on longer"
ITERATIONS_HELP = """rounds of each substep, instead of a --quality; with --scheme two-level they are
done whatever they reach"""

BODY_HELP = """a mesh that the cloth meets; with a point cache of its vertices, B.pc2:B.obj, it moves:
frame 1 of the cache is where it starts, and it stands still after the last. Closed parts are
solid, small openings aside, others are sheets with two sides. May be given more than once"""
THICKNESS_HELP = """distance that cloth keeps from bodies, and from itself with --self-contact, m, at
most 0.1"""
SELF_HELP = "layers and garments meet each other"
STATS_HELP = """also write times, strains, energies and contacts of each frame; with a --body or
--self-contact also how many edges pierce faces, which takes its time"""

MIRROR_HELP = """simulate one half of a symmetric garment for both. auto: as long as everything is
symmetric, else all of it, with a warning; exact: what is not symmetric is refused; halve: the kept
side decides, whatever the other is like"""
PLANE_HELP = """the mirror plane: find: the one that suits the garment best; x, y or z: through the
origin, across that axis; or px,py,pz,nx,ny,nz: a point (m) and a normal, which points to the side
that is kept (default x)"""
TOLERANCE_HELP = """how far a vertex may be from its partner's mirror image, m (default: 1e-4 of the
garment's diagonal)"""
ASYMMETRIC_HELP = """where a body is not its own mirror image: the garment meets the mean of both, or
all of it is simulated until both are symmetric again"""

SHEAR_HELP = "shear stiffness, N/m; in the edge model it acts on the diagonals of quads only"

# Options that go to the setting of the same name: (name, type or choices, metavar, help).
MATERIAL = [
    ("density", values.positive, "D", "mass of the cloth, kg/m^2"),
    ("shear", values.not_negative, "K", SHEAR_HELP),
    ("bend", values.not_negative, "MU", "bending stiffness, N m"),
    ("damping", values.not_negative, "D", "mass-proportional damping, 1/s"),
    ("stiffness_damping", values.not_negative, "S", "stiffness-proportional damping, s"),
    ("air_drag", values.not_negative, "D", "slows everything, N s/m^3"),
    ("rope_density", values.positive, "D", "mass of loose edges, kg/m"),
    ("rope_stretch", values.not_negative, "K", "stiffness of loose edges, N"),
]
PINS = [("pin_stiffness", values.positive, "K", "pull of soft pins at weight 0.5, 1/s^2")]
CONTACT = [
    ("thickness", values.thickness, "T", THICKNESS_HELP),
    ("friction", values.friction, "MU", "Coulomb's coefficient of the same, at most 10"),
]
FORCES = [
    ("gravity", values.vector, "X,Y,Z", "m/s^2; an OBJ with Y up needs 0,-9.81,0"),
    ("wind", values.vector, "X,Y,Z", "m/s"),
    ("normal_drag", values.not_negative, "D", "wind across the cloth, N s/m^3"),
    ("tangent_drag", values.not_negative, "D", "wind along the cloth, N s/m^3"),
]
MIRROR = [
    ("mirror", ("off", "auto", "exact", "halve"), None, MIRROR_HELP),
    ("mirror_tolerance", values.positive, "M", TOLERANCE_HELP),
    ("closure", ("free", "zip", "button"), None, "what holds open fronts together"),
    ("overlap", values.overlap, "M", "how far buttoned fronts lie over each other, m, at most 1"),
    ("over", ("kept", "other"), None, "the side whose buttoned front lies over the other"),
    ("asymmetric_body", ("symmetrise", "whole"), None, ASYMMETRIC_HELP),
]
METHOD = [
    ("substeps", values.count, "N", "substeps of each frame"),
    ("quality", ("draft", "fit", "final"), None, QUALITY_HELP),
    ("integrator", ("euler", "bdf2"), None, INTEGRATOR_HELP),
    ("precision", ("auto", "single", "double"), None, "of the factored matrix in memory"),
    ("model", ("edge", "triangle"), None, "what resists stretching"),
    ("estimate", ("previous", "rotation", "translation"), None, "guess of coming directions"),
    ("solver", ("linear", "implicit"), None, "constant matrix, or the slow reference"),
    ("shear_axes", ("estimated", "derived"), None, "targets of the diagonal axes"),
    ("shear_energy", ("diagonal", "product"), None, "shear of the implicit solver"),
    ("bend_rest", ("shape", "flat"), None, "keep the folds of the mesh, or lie flat"),
    ("pattern", ("mesh", "uv"), None, "rest lengths from the mesh or from the UV map"),
    ("uv_scale", values.positive, "S", "metres per UV unit, for --pattern uv"),
    ("pcg_tolerance", values.fraction, "T", "relative residual wanted, implicit solver"),
    ("pcg_limit", values.count, "N", "most iterations of one linear solve, implicit solver"),
]


def add_parser(commands):
    """The options of drape; the caller sets what runs."""
    parser = commands.add_parser(
        "drape", help="simulate a garment", description=DESCRIPTION, allow_abbrev=False
    )
    defaults = library_defaults()
    add_files(parser.add_argument_group("files"))
    add_time(parser.add_argument_group("time"))
    add_pins(parser.add_argument_group("pins"), defaults)
    add_contact(parser.add_argument_group("contact"))
    material = parser.add_argument_group("material")
    material.add_argument(
        "--stretch",
        type=values.one_or_two,
        metavar="K",
        help="stretch stiffness, N/m, or WARP,WEFT" + shown(defaults, "stretch_warp"),
    )
    add_table(material, MATERIAL, defaults)
    add_table(parser.add_argument_group("forces"), FORCES, defaults)
    add_mirror(parser.add_argument_group("mirroring"), defaults)
    add_method(parser.add_argument_group("method"), defaults)
    return parser


def library_defaults():
    """The library's defaults for the help; help is shown without the library, too."""
    try:
        return default_settings()
    except LibraryError:
        return {}


def shown(defaults, name):
    """The default of a setting, as the help shows it."""
    if name not in defaults:
        return ""
    value = defaults[name]
    if isinstance(value, tuple):
        return f" (default {','.join(f'{part:.6g}' for part in value)})"
    return f" (default {value:.6g})" if isinstance(value, float) else f" (default {value})"


def add_table(group, table, defaults):
    for name, kind, metavar, text in table:
        meaning = {"choices": kind} if isinstance(kind, tuple) else {"type": kind}
        option = "--" + name.replace("_", "-")
        group.add_argument(option, metavar=metavar, help=text + shown(defaults, name), **meaning)


def add_files(group):
    def add(*names, **meaning):
        group.add_argument(*names, action="append", **meaning)

    add("--garment", required=True, metavar="G.obj", help="the mesh to drape")
    add("-o", "--output", required=True, metavar="OUT.pc2", help="point cache to write")
    add("--last-frame", metavar="OUT.obj", help="also write the last frame as a mesh")
    group.add_argument("--stats", metavar="STATS.json", help=STATS_HELP)
    recorded.add_option(group)
    for name in ("mass", "stretch", "bend"):
        add(
            f"--{name}-map",
            metavar="FILE",
            help=f"factor on {name} for each vertex: text with one number a vertex, or .npy",
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
        help="frames a second (default 24)",
    )


def add_contact(group):
    surface = BodySurface() if library_defaults() else None
    group.add_argument(
        "--body", type=values.body_source, action="append", metavar="B.obj", help=BODY_HELP
    )
    for name, kind, metavar, text in CONTACT:
        default = f" (default {getattr(surface, name):.6g})" if surface else ""
        group.add_argument(f"--{name}", type=kind, metavar=metavar, help=text + default)
    group.add_argument("--self-contact", action="store_true", help=SELF_HELP)


def add_pins(group, defaults):
    group.add_argument(
        "--pin",
        type=values.index_ranges,
        action="append",
        metavar="LIST",
        help="vertices to hold, such as 3,17,40-52, or none",
    )
    group.add_argument(
        "--pin-above",
        type=values.pin_above,
        action="append",
        metavar="AXIS:VALUE",
        help="hold the vertices at or above a height, such as z:1.4; -z:0.1 holds those below; "
        "may be given more than once",
    )
    group.add_argument(
        "--pin-weight", type=values.weight, default=1.0, metavar="W", help="below 1: pull softly"
    )
    add_table(group, PINS, defaults)
    group.add_argument(
        "--pin-motion",
        action="append",
        metavar="FILE.pc2",
        help="point cache of the same vertices: pinned ones follow it, frame by frame",
    )


def add_mirror(group, defaults):
    shown_defaults = {name: value for name, value in defaults.items() if "tolerance" not in name}
    add_table(group, MIRROR, shown_defaults)
    group.add_argument("--mirror-plane", type=values.mirror_plane, metavar="PLANE", help=PLANE_HELP)


def add_method(group, defaults):
    add_table(group, METHOD, defaults)
    scheme = shown(defaults, "scheme").replace("_", "-")
    group.add_argument("--scheme", choices=SCHEMES, help=SCHEME_HELP + scheme)
    group.add_argument("--iterations", type=values.count, metavar="N", help=ITERATIONS_HELP)
    estimate = group.add_mutually_exclusive_group()
    estimate.add_argument(
        "--order", type=int, choices=(1, 2), help="of the estimate" + shown(defaults, "order")
    )
    estimate.add_argument(
        "--coefficients",
        type=values.coefficients,
        metavar="A,B,..",
        help="of the estimate, newest first, instead of --order",
    )
    group.add_argument(
        "--ordering", choices=ORDERINGS, help="of the matrix" + shown(defaults, "ordering")
    )
    group.add_argument("--tension-only", action="store_true", help="no resistance to compression")
    group.add_argument(
        "--threads",
        type=values.count,
        default=processor_count(),
        metavar="N",
        help="results do not depend on it (default: all processors, here %(default)s)",
    )


def processor_count():
    """Processors that this process may use, as far as the library can."""
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), MOST_THREADS)
    return min(os.cpu_count() or 1, MOST_THREADS)


def check_method(options):
    """Refuse options of the method that contradict each other."""
    if options.scheme is not None and options.solver == "implicit":
        refuse("--scheme is for the linear solver: leave out --scheme or --solver implicit")
    if options.quality is None:
        return
    if options.iterations is not None:
        refuse("--quality finds the rounds by itself: leave out --quality or --iterations")
    if options.solver == "implicit":
        refuse("--quality is for the linear solver: leave out --quality or --solver implicit")
    if options.scheme not in (None, "two-level"):
        refuse(
            f"--quality is for --scheme two-level: leave out --quality or --scheme {options.scheme}"
        )


def check_mirror(options):
    """Refuse options of mirroring without --mirror: they would do nothing."""
    if options.mirror not in (None, "off"):
        return
    for name in ("mirror_plane", *(name for name, *_ in MIRROR[1:])):
        if getattr(options, name) is not None:
            refuse(f"--{name.replace('_', '-')} does nothing without --mirror auto, exact or halve")


def refuse(text):
    raise MuslinError(None, text)


def settings_from(options):
    """Settings for Cloth: only what was asked for, so that the library's defaults stand."""
    names = [name for table in (MATERIAL, PINS, FORCES, MIRROR, METHOD) for name, *_ in table]
    names += ["mirror_plane", "iterations", "order", "coefficients"]
    settings = {name: getattr(options, name) for name in names}
    if options.stretch is not None:
        settings["stretch_warp"], settings["stretch_weft"] = options.stretch
    if options.ordering is not None:
        settings["ordering"] = ORDERINGS[options.ordering]
    if options.scheme is not None:
        settings["scheme"] = SCHEMES[options.scheme]
    if options.tension_only:
        settings["tension_only"] = True
    settings["threads"] = options.threads
    return {name: value for name, value in settings.items() if value is not None}

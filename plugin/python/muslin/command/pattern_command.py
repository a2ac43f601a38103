# SPDX-License-Identifier: GPL-3.0-or-later
"""`muslin pattern`: takes a garment apart whose UV map is its sewing pattern."""

from .. import exits
from ..errors import FileError
from ..files import check_writable
from ..obj import write_mesh
from ..sewing.pattern import GAP, cut
from . import replay_command, values
from .inputs import read_mesh
from .progress import warn

DESCRIPTION = """Cuts a garment where its UV map is cut and lays each panel flat where it is, in its size in the
UV map; panels that are sewn to themselves, such as sleeves, are rolled open. Seams become loose edges:
`muslin drape --sew` sews them. With a body, panels are laid around it."""


def add_command(commands):
    parser = commands.add_parser(
        "pattern", help="cut a garment into panels to sew", description=DESCRIPTION
    )

    def add(name, type, default, metavar, help):
        parser.add_argument(name, type=type, default=default, metavar=metavar, help=help)

    parser.add_argument("garment", metavar="GARMENT.obj")
    written = "panels and stitches"
    parser.add_argument("-o", "--output", required=True, metavar="PANELS.obj", help=written)
    parser.add_argument("--body", metavar="B.obj", help="lay the panels around this body")
    add("--gap", values.positive, GAP, "M", f"distance from the body, m (default {GAP:g})")
    add("--uv-scale", values.positive, 1.0, "S", "metres for each unit of the UV map (default 1)")
    where = "move the garment first, m, to where it is worn"
    add("--move", values.vector, (0.0, 0.0, 0.0), "X,Y,Z", where)
    replay_command.add_option(parser)
    parser.set_defaults(run=run)


def run(options):
    check_writable(options.output)
    mesh = read_mesh(options.garment)
    if mesh.uvs is None:
        raise FileError(options.garment, "has no UV map for every face, and so no pattern")
    placed = mesh.replaced(positions=mesh.positions + options.move)
    body = None if options.body is None else read_mesh(options.body)
    made = cut(placed, options.uv_scale, body, options.gap)
    if len(made.stitches) == 0:
        warn(f"{options.garment}: its UV map is in one piece, so there are no seams")
    panels = made.mesh
    write_mesh(options.output, panels)
    count = int(made.panels.max(initial=-1)) + 1
    print(f"{count} panels, {panels.vertex_count} vertices, {len(made.stitches)} stitches")
    return exits.OK

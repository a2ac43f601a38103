# SPDX-License-Identifier: GPL-3.0-or-later
"""`muslin check`: what is wrong with a mesh, element by element."""

import os
from dataclasses import asdict, dataclass

from .. import exits
from .._enums import Defect, Placement
from ..cloth import Cloth
from ..errors import FileError
from ..files import check_writable, to_json
from ..inspection import placement
from ..mesh import check_mesh
from ..obj import read_obj
from . import replay_command, values
from .draped_bodies import DrapedBody
from .replay_command import warn


def add_command(commands):
    parser = commands.add_parser(
        "check",
        help="report what is wrong with a mesh, and with a garment's starting position",
        description="Lists every defect of a mesh and what Muslin does about it. With a body, also "
        "how the garment is placed on it: vertices inside, edges that pass through body or cloth, "
        "limbs that are not in their sleeves, and whether it is inside out or of another size. "
        "The exit code is 0 when the mesh can be simulated, 2 when it cannot.",
    )
    parser.add_argument("mesh", metavar="G.obj")
    parser.add_argument(
        "--body",
        type=values.body_source,
        action="append",
        default=[],
        metavar="B.obj",
        help="a body that the garment is worn on or collides with, as for drape; may be given more than "
        "once",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--fail",
        action="store_true",
        help="exit code 1 if the garment's starting position is unlikely to resolve itself",
    )
    replay_command.add_option(parser)
    parser.set_defaults(run=run)


def run(options):
    mesh = read_obj(options.mesh)
    result = check_mesh(mesh)
    start = inspect(mesh, options.body) if result.can_simulate else None
    if options.json:
        numbers = as_numbers(options.mesh, mesh, result)
        numbers["start"] = None if start is None else placement.as_numbers(start)
        print(to_json(numbers), end="")
    else:
        print("\n".join([*lines(options.mesh, mesh, result), *start_lines(start)]))
    if not result.can_simulate:
        return exits.BAD_INPUT
    return exits.FAILED if options.fail and start.placement == Placement.BAD else exits.OK


def inspect(mesh, bodies):
    """How the garment lies where it begins."""
    with Cloth(mesh) as cloth:
        for source in bodies:
            DrapedBody(source, 1, warn).join(cloth, None, None, 0, warn)
        return cloth.inspect()


def start_lines(start):
    """What is said of where the garment begins."""
    if start is None:
        return
    reported = placement.sentences(start)
    for text in reported:
        yield text[0].upper() + text[1:] + "."
    if reported:
        yield f"Starting position: {placement.LEVELS[start.placement]}."
    else:
        yield "Nothing is wrong with the starting position."


def check_output(path, *read):
    """Refuse a --json that cannot be written or would overwrite a mesh that is read, before any work."""
    if path is None:
        return
    if os.path.realpath(path) in map(os.path.realpath, read):
        raise FileError(path, "--json would overwrite a mesh that is read")
    check_writable(path)


def counted(mesh):
    """What the mesh is made of, in one line. Not from the report: a broken mesh has none."""
    sizes = mesh.face_sizes
    kinds = [
        (mesh.vertex_count, "vertex", "vertices"),
        (int((sizes == 3).sum()), "triangle", "triangles"),
        (int((sizes == 4).sum()), "quad", "quads"),
        (int((sizes > 4).sum()), "larger polygon", "larger polygons"),
        (len(mesh.edges), "loose edge", "loose edges"),
    ]
    parts = [f"{number} {one if number == 1 else more}" for number, one, more in kinds if number]
    return ", ".join(parts) or "empty"


def lines(path, mesh, result):
    """The text of the command."""
    yield f"{path}: {counted(mesh)}"
    for note in mesh.notes:
        yield f"note: {note}"
    for finding in result.findings:
        yield sentence(finding, mesh)
    for kind, words in DEFECTS.items():
        number = result.report.defects[kind]
        if number:
            yield f"{number:8d}  {words.element}: {words.wrong}"
    yield verdict(result)


def verdict(result):
    if not result.can_simulate:
        return f"This mesh cannot be simulated: {result.message}."
    if not result.findings:
        return "Nothing is wrong with this mesh."
    return "This mesh can be simulated."


def as_numbers(path, mesh, result):
    """The result for --json."""
    report = asdict(result.report)
    report["defects"] = {
        kind.name.lower(): result.report.defects[kind] for kind in Defect if kind != Defect.KINDS
    }
    return {
        "path": str(path),
        "can_simulate": result.can_simulate,
        "message": result.message,
        "notes": mesh.notes,
        "vertex_count": mesh.vertex_count,
        "report": report,
        "findings": [as_finding(finding, mesh) for finding in result.findings],
    }


def as_finding(finding, mesh):
    element, index, vertices = element_of(finding, mesh)
    return {
        "kind": finding.kind.name.lower(),
        "element": element,
        "index": index,
        "vertices": vertices,
        "text": sentence(finding, mesh),
    }


@dataclass(frozen=True)
class Words:
    """For one kind of defect: the element it is about, what is wrong, and what happens then."""

    element: str
    wrong: str
    outcome: str


DEFECTS = {
    Defect.NOT_FINITE: Words(
        "vertex",
        "has a coordinate that is not a number, or is beyond 1e9 m",
        "The mesh cannot be simulated.",
    ),
    Defect.INDEX_RANGE: Words(
        "face or edge", "uses a vertex that does not exist", "The mesh cannot be simulated."
    ),
    Defect.REPEATED_VERTEX: Words("face", "uses the same vertex twice", "It is left out."),
    Defect.ZERO_AREA: Words(
        "face", "has no area", "It is kept, but does not resist stretching by itself."
    ),
    Defect.SLIVER: Words("face", "is a sliver", "It is kept as it is."),
    Defect.DUPLICATE_FACE: Words(
        "face", "has the same vertices as an earlier face", "It is left out."
    ),
    Defect.ISOLATED: Words("vertex", "belongs to no face and no edge", "It stays where it is."),
    Defect.NON_MANIFOLD: Words(
        "edge", "belongs to three or more faces", "It bends between each pair of them."
    ),
    Defect.FLIPPED: Words(
        "edge", "is between faces that face opposite ways", "It is kept as it is."
    ),
    Defect.DOUBLED_VERTEX: Words(
        "vertex", "is exactly at the position of another vertex", "The two are not joined."
    ),
    Defect.BAD_UV: Words(
        "face",
        "has a texture coordinate that is not a finite number",
        "It is ignored unless the UV map is the pattern.",
    ),
}


def element_of(finding, mesh):
    """The element of a finding and all its vertices: ("face", 12, [3, 4, 9])."""
    word = DEFECTS[finding.kind].element
    vertices = list(finding.vertices)
    loose = finding.kind == Defect.REPEATED_VERTEX and len(vertices) == 2
    if word == "face" and not loose:
        vertices = mesh.vertices_of(finding.element)
    vertices = vertices[:1] if loose else vertices  # both of its ends
    return "loose edge" if loose else word, finding.element, vertices


def sentence(finding, mesh):
    """One line for one finding."""
    element, index, vertices = element_of(finding, mesh)
    words = DEFECTS[finding.kind]
    listed = ", ".join(map(str, vertices))
    if element == "vertex":
        where = f"vertex {index}"
        if len(vertices) > 1:
            where += f" (and {vertices[1]})"
    elif element == "edge":  # edges have no number that a user could look up
        where = f"edge between vertices {listed}"
    else:
        where = f"{element} {index} ({'vertex' if len(vertices) == 1 else 'vertices'} {listed})"
    return f"{where}: {words.wrong}. {words.outcome}"

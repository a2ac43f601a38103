# SPDX-License-Identifier: GPL-3.0-or-later
"""`muslin check`: what is wrong with a mesh, element by element."""

import os
from collections import namedtuple
from dataclasses import asdict

from .. import exits
from .._enums import Defect, Placement
from ..cloth import Cloth
from ..errors import FileError
from ..files import check_writable, to_json
from ..inspection import placement
from ..mesh import check_mesh
from ..obj import read_obj
from . import replay_command, values
from .inputs import DrapedBody


DESCRIPTION = """Lists every defect of a mesh and what Muslin does about it. With a body, also how the garment is placed on
it: vertices inside, edges that pass through body or cloth, limbs that are not in their sleeves, and whether it is inside
out or of another size. The exit code is 0 when the mesh can be simulated, 2 when it cannot."""
BODY_HELP = (
    "a body that the garment is worn on or collides with, as for drape; may be given more than once"
)


def add_command(commands):
    summary = "report what is wrong with a mesh, and with a garment's starting position"
    parser = commands.add_parser("check", help=summary, description=DESCRIPTION)
    parser.add_argument("mesh", metavar="G.obj")
    body = {"type": values.body_source, "metavar": "B.obj", "help": BODY_HELP}
    parser.add_argument("--body", action="append", default=[], **body)
    parser.add_argument("--json", action="store_true", help="print JSON")
    fail = "exit code 1 if the garment's starting position is unlikely to resolve itself"
    parser.add_argument("--fail", action="store_true", help=fail)
    replay_command.add_option(parser)
    parser.set_defaults(run=run)


def run(options):
    mesh = read_obj(options.mesh)
    result, start = check_mesh(mesh), None
    if result.can_simulate:
        with Cloth(mesh) as cloth:
            for source in options.body:
                DrapedBody(source, 1).join(cloth, None, None, 0)
            start = cloth.inspect()
    if options.json:
        numbers = as_numbers(options.mesh, mesh, result)
        numbers["start"] = None if start is None else placement.as_numbers(start)
        print(to_json(numbers), end="")
    else:
        print("\n".join([*lines(options.mesh, mesh, result), *start_lines(start)]))
    if not result.can_simulate:
        return exits.BAD_INPUT
    return exits.FAILED if options.fail and start.placement == Placement.BAD else exits.OK


def start_lines(start):
    """The garment's starting position."""
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
    report = asdict(result.report)
    report["defects"] = {
        kind.name.lower(): result.report.defects[kind] for kind in Defect if kind != Defect.KINDS
    }
    findings = []
    for finding in result.findings:
        element, index, vertices = element_of(finding, mesh)
        numbers = {"element": element, "index": index, "vertices": vertices}
        text = sentence(finding, mesh)
        findings.append({"kind": finding.kind.name.lower(), **numbers, "text": text})
    return {
        "path": str(path),
        "can_simulate": result.can_simulate,
        "message": result.message,
        "notes": mesh.notes,
        "vertex_count": mesh.vertex_count,
        "report": report,
        "findings": findings,
    }


# For one kind of defect: the element it is about, what is wrong, and what happens then.
Words = namedtuple("Words", "element wrong outcome")
FATAL, LEFT_OUT, KEPT = "The mesh cannot be simulated.", "It is left out.", "It is kept as it is."
_WORDS = {
    "NOT_FINITE": ("vertex", "has a coordinate that is not a number, or is beyond 1e9 m", FATAL),
    "INDEX_RANGE": ("face or edge", "uses a vertex that does not exist", FATAL),
    "REPEATED_VERTEX": ("face", "uses the same vertex twice", LEFT_OUT),
    "ZERO_AREA": ("face", "has no area", "It is kept, but does not resist stretching by itself."),
    "SLIVER": ("face", "is a sliver", KEPT),
    "DUPLICATE_FACE": ("face", "has the same vertices as an earlier face", LEFT_OUT),
    "ISOLATED": ("vertex", "belongs to no face and no edge", "It stays where it is."),
    "NON_MANIFOLD": (
        "edge",
        "belongs to three or more faces",
        "It bends between each pair of them.",
    ),
    "FLIPPED": ("edge", "is between faces that face opposite ways", KEPT),
    "DOUBLED_VERTEX": (
        "vertex",
        "is exactly at the position of another vertex",
        "The two are not joined.",
    ),
    "BAD_UV": (
        "face",
        "has a texture coordinate that is not a finite number",
        "It is ignored unless the UV map is the pattern.",
    ),
}
DEFECTS = {Defect[kind]: Words(*words) for kind, words in _WORDS.items()}


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

"""`muslin check`: what is wrong with a mesh, element by element.

SPDX-License-Identifier: GPL-3.0-or-later
"""

from dataclasses import asdict

from .._enums import Defect
from ..mesh import check_mesh
from ..obj import read_obj
from . import exits, recorded
from .statistics import to_json
from .words import DEFECTS, element_of, sentence


def add_command(commands):
    parser = commands.add_parser(
        "check",
        help="tell what is wrong with a mesh",
        description="Lists every defect of a mesh and what Muslin does about it. "
        "The exit code is 0 when the mesh can be simulated, 2 when it cannot.",
        allow_abbrev=False,
    )
    parser.add_argument("mesh", metavar="G.obj")
    parser.add_argument("--json", action="store_true", help="for machines")
    recorded.add_option(parser)
    parser.set_defaults(run=run)


def run(options):
    mesh = read_obj(options.mesh)
    result = check_mesh(mesh)
    if options.json:
        print(to_json(as_numbers(options.mesh, mesh, result)), end="")
    else:
        print("\n".join(lines(options.mesh, mesh, result)))
    return exits.OK if result.can_simulate else exits.BAD_INPUT


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

# SPDX-License-Identifier: GPL-3.0-or-later
"""`muslin check`: what is wrong with a mesh, element by element."""

from dataclasses import asdict

from .._enums import Defect, Placement
from ..cloth import Cloth
from ..files import to_json
from ..inspection import placement
from ..mesh import check_mesh
from ..obj import read_obj
from . import exits, replay_command, values
from .draped_bodies import DrapedBody
from .replay_command import warn
from .words import DEFECTS, element_of, sentence


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

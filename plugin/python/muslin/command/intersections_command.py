# SPDX-License-Identifier: GPL-3.0-or-later
"""`muslin intersections`: how often a frame of cloth passes through itself and through bodies."""


from collections import namedtuple

import numpy as np

from .. import exits
from ..errors import FileError, MuslinError
from ..files import to_json, write_atomic
from ..inspection.intersections import body_piercings, self_piercings, tolerance_of
from ..inspection.surface import surface_of
from ..obj import read_obj
from .check import check_output, counted

PRINTED_PLACES = 5
LISTED_PLACES = 100
DESCRIPTION = """Counts the pairs of an edge and a face where the edge passes through the face: of the cloth with itself,
and between the cloth and each body both ways. Polygons are cut into triangles; the cuts and loose edges (ropes) count as
edges. Touching does not count: a pair counts when no move of about a micrometre (2^-20 of the cloth's largest
coordinate) parts the two. An edge that passes exactly between two faces counts once. The exit code is 0 whatever is
found, unless --fail is given."""


def add_command(commands):
    summary = "count intersections of cloth with itself and with bodies"
    parser = commands.add_parser("intersections", help=summary, description=DESCRIPTION)
    parser.add_argument("frame", metavar="FRAME.obj", help="the cloth")
    body = "a body that the cloth may touch but not enter; may be given several times"
    parser.add_argument("--body", metavar="B.obj", action="append", default=[], help=body)
    numbers = f"also write the numbers, and the first {LISTED_PLACES} places of each kind, to FILE"
    parser.add_argument("--json", metavar="FILE", help=numbers)
    parser.add_argument("--fail", action="store_true", help="exit code 1 when anything pierces")
    parser.set_defaults(run=run)


class Part(namedtuple("Part", "piercings edge_owner face_owner face_mesh")):
    """One kind of piercing: whose edges go through whose faces, and the piercings found."""

    def places(self, most):
        found = self.piercings
        return [
            {
                "edge": edge.tolist(),
                "face": int(face),
                "face_vertices": self.face_mesh.vertices_of(face),
                "point": point.tolist(),
            }
            for edge, face, point in zip(found.edges[:most], found.faces, found.points)
        ]

    def sentence(self, place):
        at = ", ".join(f"{number:.6g}" for number in place["point"])
        edge = " and ".join(map(str, place["edge"]))
        corners = ", ".join(map(str, place["face_vertices"]))
        return (
            f"the edge of {self.edge_owner} between vertices {edge} passes through face "
            f"{place['face']} of {self.face_owner} (vertices {corners}) at ({at})"
        )


def run(options):
    check_output(options.json, options.frame, *options.body)
    cloth_mesh = read_obj(options.frame)
    if len(cloth_mesh.face_sizes) == 0 and len(cloth_mesh.edges) == 0:
        raise FileError(options.frame, "no faces and no loose edges: there is no cloth in it")
    bodies = [(path, read_body(path)) for path in options.body]
    cloth = surface_named(options.frame, cloth_mesh, weld=True)
    itself = Part(self_piercings(cloth), "the cloth", "the cloth", cloth_mesh)
    found = []  # cloth edges through each body's faces, and the body's edges through cloth faces
    for path, mesh in bodies:
        through_body, through_cloth = body_piercings(cloth, surface_named(path, mesh))
        cloth_edges = Part(through_body, "the cloth", path, mesh)
        found.append((path, (cloth_edges, Part(through_cloth, path, "the cloth", cloth_mesh))))
    numbers = as_numbers(options.frame, cloth_mesh, cloth, itself, found)
    if options.json is not None:
        write_atomic(options.json, to_json(numbers).encode("utf-8"))
    print("\n".join(lines(numbers, cloth_mesh, itself, found)))
    return exits.FAILED if options.fail and numbers["count"] else exits.OK


def read_body(path):
    mesh = read_obj(path)
    if len(mesh.face_sizes) == 0:
        raise FileError(path, "no faces: nothing can pass through this body")
    return mesh


def surface_named(path, mesh, weld=False):
    """The surface of a mesh; what is wrong with it is reported with its path."""
    try:
        return surface_of(mesh, weld)
    except MuslinError as error:
        raise error.speaking_of(path) from None


def faces_involved(cloth, itself, found):
    """How many cloth faces are pierced, or have an edge that pierces."""
    through_bodies = [pair[0].piercings for _, pair in found]
    through_cloth = [pair[1].piercings for _, pair in found]
    edges = [part.edges for part in (itself.piercings, *through_bodies)]
    faces = [part.faces for part in (itself.piercings, *through_cloth)]
    return len(np.unique(np.concatenate([cloth.faces_with(np.concatenate(edges)), *faces])))


def as_numbers(path, mesh, cloth, itself, found):
    bodies = []
    for body_path, (through_body, through_cloth) in found:
        one, other = len(through_body.piercings), len(through_cloth.piercings)
        bodies.append(
            {
                "path": str(body_path),
                "count": one + other,
                "cloth_edges": one,
                "body_edges": other,
                "cloth_edge_places": through_body.places(LISTED_PLACES),
                "body_edge_places": through_cloth.places(LISTED_PLACES),
            }
        )
    own = len(itself.piercings)
    return {
        "path": str(path),
        "vertex_count": mesh.vertex_count,
        "face_count": len(mesh.face_sizes),
        "edge_count": len(cloth.edges),
        "tolerance": tolerance_of(cloth),
        "count": own + sum(body["count"] for body in bodies),
        "cloth_face_count": faces_involved(cloth, itself, found),
        "self": {"count": own, "places": itself.places(LISTED_PLACES)},
        "bodies": bodies,
    }


def lines(numbers, mesh, itself, found):
    yield f"{numbers['path']}: {counted(mesh)}"
    yield f"itself       {numbers['self']['count']}"
    for body in numbers["bodies"]:
        yield (
            f"body         {body['count']} with {body['path']}: cloth edges through body "
            f"faces {body['cloth_edges']}, body edges through cloth faces {body['body_edges']}"
        )
    yield f"cloth faces  {numbers['cloth_face_count']} of {numbers['face_count']} involved"
    for part in (itself, *(part for _, pair in found for part in pair)):
        places = part.places(PRINTED_PLACES)
        yield from map(part.sentence, places)
        more = len(part.piercings) - len(places)
        if more:
            yield f"... and {more} more of this kind"
    count = numbers["count"]
    times = f"Edges pass through faces {count} time{'' if count == 1 else 's'}."
    yield times if count else "Nothing passes through anything."

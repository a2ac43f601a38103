# SPDX-License-Identifier: GPL-3.0-or-later
"""`muslin symmetry`: whether a garment is its own mirror image, in which plane, and where not."""

from dataclasses import asdict

import numpy as np

from .. import exits
from ..errors import MuslinError
from ..files import to_json, write_atomic
from ..obj import read_obj
from ..symmetry import find_symmetry
from . import replay_command, values
from .check import check_output, counted

PRINTED_PLACES = 5
LISTED_PLACES = 100
DESCRIPTION = """Looks for the mirror image of every vertex, face and loose edge of a mesh, and lists the first ones
without. Faces of four or more corners are also compared by the way Muslin cuts them into triangles. The exit code is
0 whatever is found."""
PLANE_HELP = """auto: the plane that fits the mesh best (the default); x, y or z: the plane through the origin across
that axis; or px,py,pz,nx,ny,nz: a point (m) and a normal"""
TOLERANCE_HELP = """how far a vertex may be from the image of its partner, in metres, at most the mean length of an
edge (1e-4 of the mesh's diagonal, and at most a quarter of the mean edge)"""
JSON_HELP = f"""also write the numbers, the partner of every vertex and face, and the first {LISTED_PLACES} places of
each kind to FILE"""


def add_command(commands):
    summary = "check whether a garment is symmetric, and where it is not"
    parser = commands.add_parser("symmetry", help=summary, description=DESCRIPTION)
    parser.add_argument("mesh", metavar="G.obj")
    parser.add_argument("--plane", metavar="PLANE", type=plane, help=PLANE_HELP)
    parser.add_argument("--tolerance", metavar="M", type=values.positive, help=TOLERANCE_HELP)
    parser.add_argument("--json", metavar="FILE", help=JSON_HELP)
    replay_command.add_option(parser)
    parser.set_defaults(run=run)


def plane(text):
    """None for auto, else a point and a normal."""
    return None if text == "auto" else values.plane(text, "auto")


def run(options):
    check_output(options.json, options.mesh)
    mesh = read_obj(options.mesh)
    try:
        found = find_symmetry(mesh, options.plane, options.tolerance)
    except MuslinError as error:
        raise error.speaking_of(options.mesh) from None
    if options.json is not None:
        write_atomic(options.json, to_json(as_numbers(options.mesh, mesh, found)).encode("utf-8"))
    print("\n".join(lines(options.mesh, mesh, found)))
    return exits.OK


def vector_text(vector):
    # Adding zero turns -0 into 0.
    return "(" + ", ".join(f"{number + 0.0:.6g}" for number in vector) + ")"


def plane_text(found):
    axis = next((name for name, normal in values.AXES.items() if found.normal == normal), None)
    if axis:
        return f"{axis} = {found.point['xyz'.index(axis)] + 0.0:.6g} m"
    return f"through {vector_text(found.point)} m, normal {vector_text(found.normal)}"


def unpaired_vertices(mesh, found, most):
    """The first vertices without a partner, with their places."""
    chosen = np.flatnonzero(found.partners < 0)[:most]
    return [{"vertex": int(v), "point": mesh.positions[v].tolist()} for v in chosen]


def unpaired_faces(mesh, found, most):
    """The first faces without an image, with their middles."""
    listed = []
    for face in np.flatnonzero(found.face_partners == -1)[:most]:
        corners = mesh.vertices_of(face)
        middle = mesh.positions[corners].astype(np.float64).mean(axis=0)
        listed.append({"face": int(face), "vertices": corners, "point": middle.tolist()})
    return listed


def as_numbers(path, mesh, found):
    return {
        "path": str(path),
        "vertex_count": mesh.vertex_count,
        "face_count": len(mesh.face_sizes),
        "symmetric": found.is_symmetric,
        "verdict": verdict(found),
        **asdict(found),
        "partners": found.partners.tolist(),
        "face_partners": found.face_partners.tolist(),
        "unpaired_places": unpaired_vertices(mesh, found, LISTED_PLACES),
        "faces_without_places": unpaired_faces(mesh, found, LISTED_PLACES),
    }


def lines(path, mesh, found):
    yield f"{path}: {counted(mesh)}"
    yield f"plane        {plane_text(found)}"
    paired = f"{found.paired} paired, {found.on_plane} on the plane"
    yield f"vertices     {paired}, {found.unpaired} without a partner"
    lengths = f"{found.rms:.3g} m RMS, {found.largest:.3g} m at most"
    tolerance = f"tolerance {found.tolerance:.3g} m"
    yield f"distance     {lengths}, between partners and images; {tolerance}"
    yield f"faces        {found.faces_without} of {len(mesh.face_sizes)} without a mirror image"
    if len(mesh.edges):
        yield f"loose edges  {found.edges_without} of {len(mesh.edges)} without a mirror image"
    cuts = f"{found.differing_cuts} faces triangulated differently from their image"
    yield f"cuts         {cuts}, {found.crossing_cuts} of them across the plane"
    for place in unpaired_vertices(mesh, found, PRINTED_PLACES):
        yield f"vertex {place['vertex']} at {vector_text(place['point'])} has no partner"
    for place in unpaired_faces(mesh, found, 0 if found.unpaired else PRINTED_PLACES):
        yield f"face {place['face']} around {vector_text(place['point'])} has no mirror image"
    more = (found.unpaired or found.faces_without) - PRINTED_PLACES
    if more > 0:
        yield f"... and {more} more"
    yield verdict(found)


def verdict(found):
    if found.is_symmetric:
        return "This mesh is symmetric enough to be mirrored: each half is the image of the other."
    if found.paired == 0:
        return (
            "This mesh is not symmetric: no vertex has a partner across this plane. If its sides "
            "differ a little everywhere, try a larger --tolerance."
        )
    if found.has_all_partners:
        return (
            "The vertices and faces of this mesh are symmetric, its triangles are not: triangulate "
            "the faces that differ, or put an edge on the plane."
        )
    if found.unpaired == 0:
        return "The vertices of this mesh are symmetric, but they are not connected symmetrically."
    return "This mesh is not symmetric enough to be mirrored."

# SPDX-License-Identifier: GPL-3.0-or-later
"""Defects of a mesh in plain words: what it is, and what Muslin does about it."""

from dataclasses import dataclass

from .._enums import Defect


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
        start = mesh.corner_starts[finding.element]
        size = mesh.face_sizes[finding.element]
        vertices = mesh.face_vertices[start : start + size].tolist()
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

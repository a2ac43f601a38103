# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks whether a garment is its own mirror image, as it will be simulated, and says where it is not."""

from dataclasses import dataclass

import numpy as np

from ..garment import garment_data
from ..muslin import Cloth, DetailCode, MuslinError, find_symmetry
from ..scene import arrays, place
from ..scene.problems import speaking_of
from ..words import counted
from . import mirror_plane

MARGIN = 0.1  # of the plane that is drawn, beyond the garment, as a share of its size
ARROW = 0.2  # its length, likewise


@dataclass(frozen=True)
class Report:
    """Plain data for panel and view; positions are in the object's own coordinates. asked: what it depends on, see key(). refusal: why
    one half cannot represent both, or "". cut: it is cut in halves: vertices need no partner, but the sides must look alike; doubt:
    that they hardly do, or ""; farthest: the vertex where they differ most, or none. unpaired, faces: indices without a mirror
    image. half: vertices of the half. corners, arrow: the plane as it is drawn."""

    asked: tuple
    vertices: int
    paired: int
    on_plane: int
    unpaired: tuple
    faces: tuple
    edges: int
    cuts: int
    largest: float  # m: of a vertex from the image of its partner
    half: int
    refusal: str
    cut: bool
    doubt: str
    farthest: tuple
    corners: tuple
    arrow: tuple
    points: tuple

    @property
    def is_symmetric(self):
        return not self.refusal


def key(obj):
    """What a report depends on, as far as every redraw can ask."""
    mesh, chosen = obj.data, obj.muslin.mirror
    counts = len(mesh.vertices), len(mesh.edges), len(mesh.polygons)
    return (*counts, chosen.plane, chosen.method, chosen.tolerance)


def look(obj, scene, depsgraph):
    """A Report on the garment as it is now; in Edit Mode, too."""
    if arrays.is_edited(obj):
        obj.update_from_editmode()
    matrix = place.as_matrix(obj.evaluated_get(depsgraph).matrix_world)
    unit = place.unit_of(scene)
    garment_data.refuse_matrix(obj, matrix)
    with speaking_of(obj.name):
        mesh = garment_data.rest_mesh(obj, matrix, unit)
        point, normal = mirror_plane.plane_of(obj, mesh, matrix)
        found = find_symmetry(mesh, (point, normal), mirror_plane.tolerance_of(obj))
        half, refusal, unlike = ask(obj, mesh, (point, normal))
    unpaired = np.flatnonzero(found.partners == -1)
    back = np.linalg.inv(matrix[:3, :3] * unit)
    corners, arrow = outline(mesh.positions.astype(np.float64), point, normal)
    return Report(
        asked=key(obj),
        vertices=mesh.vertex_count,
        paired=found.paired,
        on_plane=found.on_plane,
        unpaired=tuple(unpaired.tolist()),
        faces=tuple(np.flatnonzero(found.face_partners == -1).tolist()),
        edges=found.edges_without,
        cuts=found.differing_cuts,
        largest=found.largest,
        half=half,
        refusal=refusal,
        cut=obj.muslin.mirror.method == "halve",
        doubt="" if refusal or not unlike else str(unlike),
        farthest=unlike.elements if unlike else (),
        corners=as_points(corners @ back.T),
        arrow=as_points(arrow @ back.T),
        points=as_points(garment_data.rest_positions(obj)[unpaired]),
    )


def ask(obj, mesh, plane):
    """(vertices of the half, "") as the library halves this mesh, or (0, why it does not); and what it says of sides
    that are not alike, or None."""
    method, tolerance = obj.muslin.mirror.method, obj.muslin.mirror.tolerance
    settings = {"mirror": "exact" if method == "auto" else method, "mirror_tolerance": tolerance}
    try:
        cloth = Cloth(mesh, **settings, mirror_plane=plane, gravity=(0.0, 0.0, 0.0))
    except MuslinError as error:
        return 0, str(error), unlikeness(error.details)
    with cloth:
        return cloth.mirror().half_vertex_count, "", unlikeness(cloth.details)


def unlikeness(details):
    return next((detail for detail in details if detail.code == DetailCode.SIDES_DIFFER), None)


def as_points(array):
    return tuple(map(tuple, array.tolist()))


def outline(positions, point, normal):
    """Corners of the plane around a mesh, and an arrow from its upper edge, as lines; all 3D, m."""
    up = np.array((0.0, 0.0, 1.0) if abs(normal[2]) < 0.9 else (0.0, 1.0, 0.0))
    first = up - (up @ normal) * normal
    first /= np.linalg.norm(first)
    axes = np.stack((first, np.cross(normal, first)))
    flat = (positions - point) @ axes.T
    low, high = flat.min(axis=0), flat.max(axis=0)
    size = float(np.max(high - low)) or 1.0
    low, high = low - MARGIN * size, high + MARGIN * size
    corners = point + np.array([low, (high[0], low[1]), high, (low[0], high[1])]) @ axes
    start = 0.5 * (corners[1] + corners[2])
    end = start + ARROW * size * normal
    barbs = [end - 0.3 * ARROW * size * (normal + side * axes[1]) for side in (-0.6, 0.6)]
    return corners, np.array([start, end, end, barbs[0], end, barbs[1]])


def lines(report):
    """What was found, as (whether it is as it should be, sentence)."""
    found = [
        (True, f"{report.paired:,} vertices in pairs"),
        (True, f"{counted(report.on_plane, 'vertex', 'vertices')} on the plane"),
    ]
    missing = (
        (len(report.unpaired), "vertex", "vertices", "without a partner"),
        (len(report.faces), "face", "faces", "without a mirror image"),
        (report.edges, "loose edge", "loose edges", "without a mirror image"),
        (report.cuts, "face", "faces", "triangulated differently from the mirror image"),
    )
    found += [(report.cut, f"{counted(*noun)} {what}") for *noun, what in missing if noun[0]]
    return found


def summary(report):
    if report.doubt:
        return f"One half can be simulated, but {report.doubt}"
    if report.is_symmetric:
        return f"One half can be simulated: {report.half:,} of {report.vertices:,} vertices"
    wrong = "; ".join(text for good, text in lines(report) if not good)
    return f"Not symmetric: {wrong or report.refusal}"

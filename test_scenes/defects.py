# SPDX-License-Identifier: GPL-3.0-or-later
"""Small meshes with one thing wrong each, for tests of the mesh check. Written by hand for Muslin."""

import numpy as np

from test_scenes.mesh import Mesh

SQUARE = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]


def zero_area():
    """Face 1 has its three corners on one line: its area is zero."""
    return Mesh(SQUARE + [(2, 0, 0)], [(0, 1, 2), (0, 1, 4), (0, 2, 3)], name="zero area")


def repeated_corner():
    """Face 1 names vertex 2 twice: it has only two different corners."""
    return Mesh(SQUARE, [(0, 1, 2), (0, 2, 2)], name="repeated corner")


def duplicate_face():
    """Faces 0 and 2 have the same corners in the same direction."""
    return Mesh(SQUARE, [(0, 1, 2), (0, 2, 3), (1, 2, 0)], name="duplicate face")


def isolated_vertex():
    """Vertex 4 belongs to no face and no edge: nothing holds it."""
    return Mesh(SQUARE + [(2, 2, 0)], [(0, 1, 2), (0, 2, 3)], name="isolated vertex")


def coincident_vertices():
    """Vertices 2 and 4 are at the same place: the two faces look joined and are not."""
    positions = SQUARE + [(1, 1, 0)]
    return Mesh(positions, [(0, 1, 2), (0, 4, 3)], name="coincident vertices")


def non_manifold_edge():
    """Edge 0-1 has three faces: which pair bends is undefined."""
    positions = [(0, 0, 0), (1, 0, 0), (0.5, 1, 0), (0.5, -1, 0), (0.5, 0, 1)]
    return Mesh(positions, [(0, 1, 2), (1, 0, 3), (0, 1, 4)], name="non-manifold edge")


def flipped_neighbour():
    """Face 1 runs the other way round than its neighbour, face 0."""
    return Mesh(SQUARE, [(0, 1, 2), (0, 3, 2)], name="flipped neighbour")


def bow_tie():
    """Two faces share only vertex 0: the cloth hangs together by a point."""
    positions = [(0, 0, 0), (1, -0.5, 0), (1, 0.5, 0), (-1, 0.5, 0), (-1, -0.5, 0)]
    return Mesh(positions, [(0, 1, 2), (0, 3, 4)], name="bow tie")


def not_a_number():
    """Vertex 2 has a coordinate that is not a number."""
    positions = np.array(SQUARE, np.float32)
    positions[2, 1] = np.nan
    return Mesh(positions, [(0, 1, 2), (0, 2, 3)], name="not a number")


def infinite_coordinate():
    """Vertex 3 has an infinite coordinate."""
    positions = np.array(SQUARE, np.float32)
    positions[3, 0] = np.inf
    return Mesh(positions, [(0, 1, 2), (0, 2, 3)], name="infinite coordinate")


def index_out_of_range():
    """Face 1 names vertex 7 of a mesh with four vertices."""
    return Mesh(SQUARE, [(0, 1, 2), (0, 2, 7)], name="index out of range")


def negative_index():
    """Face 1 names vertex -1."""
    return Mesh(SQUARE, [(0, 1, 2), (0, 2, -1)], name="negative index")


def concave_polygon():
    """The one face is an arrowhead: a fan from its first corner would fold over itself."""
    positions = [(-1, -1, 0), (0, -0.4, 0), (1, -1, 0), (0, 1, 0)]
    return Mesh(positions, [(0, 1, 2, 3)], name="concave polygon")


def concave_ngon():
    """The one face is an L of six corners, concave at vertex 3."""
    positions = [(0, 0, 0), (2, 0, 0), (2, 1, 0), (1, 1, 0), (1, 2, 0), (0, 2, 0)]
    return Mesh(positions, [(0, 1, 2, 3, 4, 5)], name="concave n-gon")


def sliver():
    """Face 1 is a million times longer than wide; its angles are lost in rounding."""
    positions = SQUARE[:3] + [(0.5, 0.5 + 1e-6, 0)]
    return Mesh(positions, [(0, 1, 2), (0, 2, 3)], name="sliver")


def two_corners():
    """Face 1 has only two corners."""
    return Mesh(SQUARE, [(0, 1, 2), (2, 3)], name="two corners")


def empty():
    """There is nothing in it: no vertex, no face."""
    return Mesh(np.zeros((0, 3)), np.zeros((0, 3), np.int32), name="empty")


DEFECTS = {
    function.__name__: function
    for function in (
        zero_area,
        repeated_corner,
        duplicate_face,
        isolated_vertex,
        coincident_vertices,
        non_manifold_edge,
        flipped_neighbour,
        bow_tie,
        not_a_number,
        infinite_coordinate,
        index_out_of_range,
        negative_index,
        concave_polygon,
        concave_ngon,
        sliver,
        two_corners,
        empty,
    )
}


def statement(name):
    """What is wrong with the named mesh, in one line."""
    return DEFECTS[name].__doc__.strip()

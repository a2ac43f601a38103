"""Symmetric cloth, and cloth that is not, for the tests of mirrored simulation.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import numpy as np

from muslin import Mesh

STEP = 1 / 24
MIRROR = np.float32([-1, 1, 1])


def places(columns=9, rows=7, width=0.8, height=0.6):
    """Vertices of a roof: its ridge is on x = 0. To the bit symmetric; rows run along x."""
    half = np.linspace(0, width / 2, columns // 2 + 1, dtype=np.float32)
    x = np.concatenate([-half[:0:-1], half])
    y = np.linspace(-height / 2, height / 2, rows, dtype=np.float32)
    grid = np.stack([*np.meshgrid(x, y), np.zeros((rows, columns))], axis=-1).astype(np.float32)
    grid[..., 2] = 0.3 * np.abs(grid[..., 0]) + 0.1 * grid[..., 1]
    return grid.reshape(-1, 3)


def quads(columns, rows, first=0):
    corners = first + np.arange(columns * rows).reshape(rows, columns)
    parts = corners[:-1, :-1], corners[:-1, 1:], corners[1:, 1:], corners[1:, :-1]
    return np.stack([part.ravel() for part in parts], axis=1)


def triangles(columns, rows):
    """Every quad cut in two, as its mirror image is."""
    found = []
    for index, (a, b, c, d) in enumerate(quads(columns, rows)):
        left = index % (columns - 1) < (columns - 1) / 2
        found += [(a, b, c), (a, c, d)] if left else [(a, b, d), (b, c, d)]
    return found


def roof(columns=9, rows=7):
    return Mesh.from_faces(places(columns, rows), triangles(columns, rows))


def partners(columns=9, rows=7):
    """The partner of each vertex of roof()."""
    return np.arange(columns * rows).reshape(rows, columns)[:, ::-1].ravel()


def shuffled(mesh, partner, seed=5):
    """The same mesh with its vertices in no order, and its partners."""
    order = np.random.default_rng(seed).permutation(mesh.vertex_count)
    back = np.argsort(order)
    faces = [[int(back[vertex]) for vertex in face] for face in mesh.faces()]
    return Mesh.from_faces(mesh.positions[order], faces), back[partner[order]]


def strip_across(rows=7):
    """An even number of columns: the middle ones are faces across the plane."""
    grid = places(9, rows).reshape(rows, 9, 3)
    grid = np.delete(grid, 4, axis=1).reshape(-1, 3)
    return Mesh.from_faces(grid, quads(8, rows).tolist())


def slanted():
    """Another number of vertices left than right: no symmetry at all."""
    positions = places()
    positions[:, 2] += 0.2 * positions[:, 0] + 0.1 * np.sin(7 * positions[:, 0])
    return Mesh.from_faces(positions, triangles(9, 7))


def uneven():
    """The roof, with the vertices of the other side elsewhere on it: alike, and without partners."""
    positions = places()
    inner = (positions[:, 0] < -0.05) & (positions[:, 0] > -0.35)
    positions[inner, 0] -= np.float32(0.03)
    positions[:, 2] = 0.3 * np.abs(positions[:, 0]) + 0.1 * positions[:, 1]
    return Mesh.from_faces(positions, triangles(9, 7))


def with_hole():
    """One vertex and its faces are missing on one side."""
    faces = [face for face in triangles(9, 7) if 7 not in face]
    positions = np.delete(places(), 7, axis=0)
    return Mesh.from_faces(positions, [[v - (v > 7) for v in face] for face in faces])


def doubled():
    """Every vertex and face twice in the same place."""
    faces = triangles(9, 7)
    count = len(places())
    again = [[vertex + count for vertex in face] for face in faces]
    return Mesh.from_faces(np.concatenate([places()] * 2), faces + again)


def with_pocket(x=0.2):
    """roof() with a small piece of cloth above one side only; its vertices come last."""
    positions, pocket = places(), places(3, 3, 0.1, 0.1)
    pocket = pocket * np.float32([1, 1, 0]) + np.float32([x, 0.0, 0.3 * x + 0.02])
    faces = [list(face) for face in triangles(9, 7)]
    faces += quads(3, 3, len(positions)).tolist()
    return Mesh.from_faces(np.concatenate([positions, pocket]), faces)


def jacket(columns=25, rows=15, opening=0.15):
    """An upright tube, open at the front by `opening` rad on both sides of the plane."""
    angle = np.linspace(np.pi, opening, columns // 2 + 1)
    side = np.stack([0.2 * np.sin(angle), 0.2 * np.cos(angle)], axis=1).astype(np.float32)
    side[0, 0] = 0
    ring = np.concatenate([side[:0:-1] * np.float32([-1, 1]), side])
    levels = [np.insert(ring, 2, np.float32(0.04 * row), axis=1) for row in range(rows)]
    return Mesh.from_faces(np.concatenate(levels), triangles(columns, rows))


def turned(mesh, turn, shift):
    """The mesh somewhere else."""
    positions = mesh.positions @ np.asarray(turn, np.float32).T + np.float32(shift)
    return Mesh(positions, mesh.face_sizes, mesh.face_vertices)


def image(values, partner):
    """What the values would be if the mesh were exchanged for its mirror image in x = 0."""
    return values[partner] * MIRROR

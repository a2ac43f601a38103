"""Small meshes for the tests of intersections, and a count over all pairs by another formula.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import numpy as np

SQUARE = [(0, 1, 2), (0, 2, 3)]


def grid(columns, rows, size=1.0):
    """A square in the plane z = 0 from the origin, as (positions, triangles); diagonals one way."""
    x, y = np.meshgrid(np.linspace(0, size, columns + 1), np.linspace(0, size, rows + 1))
    positions = np.column_stack([x.ravel(), y.ravel(), np.zeros(x.size)])
    corner = (np.arange(rows)[:, None] * (columns + 1) + np.arange(columns)).ravel()
    right, above = corner + 1, corner + columns + 1
    lower = np.column_stack([corner, right, above + 1])
    return positions, np.concatenate([lower, np.column_stack([corner, above + 1, above])])


def upright(positions):
    """From the plane z = 0 to the plane x = 0."""
    return positions[:, [2, 0, 1]]


def joined(*meshes):
    """Several (positions, triangles) as one, not sewn."""
    starts = np.cumsum([0] + [len(positions) for positions, _ in meshes])
    faces = [np.asarray(faces) + start for (_, faces), start in zip(meshes, starts)]
    return np.concatenate([positions for positions, _ in meshes]), np.concatenate(faces)


def unsewn(positions, faces):
    """Every triangle with three vertices of its own."""
    faces = np.asarray(faces)
    return positions[faces].reshape(-1, 3), np.arange(faces.size).reshape(-1, 3)


def sphere(rings=9, around=14, radius=1.0):
    """A closed sphere around the origin."""
    up = np.linspace(0, np.pi, rings + 1)[1:-1, None]
    turn = np.arange(around) * 2 * np.pi / around
    ring = np.stack([np.sin(up) * np.cos(turn), np.sin(up) * np.sin(turn), np.cos(up) + 0 * turn])
    positions = np.concatenate([[[0, 0, 1.0]], ring.reshape(3, -1).T, [[0, 0, -1.0]]])
    last, faces = len(positions) - 1, []
    for k in range(around):
        after = (k + 1) % around
        faces.append((0, 1 + k, 1 + after))
        faces.append((last, last - 1 - k, last - 1 - (k + 1) % around))
        for row in range(rings - 2):
            a, b = 1 + row * around + k, 1 + row * around + after
            faces += [(a, a + around, b + around), (a, b + around, b)]
    return radius * positions, np.array(faces)


def rotation(seed):
    """A random rotation."""
    matrix, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return matrix * np.sign(np.linalg.det(matrix))


def edges_of(faces):
    faces = np.asarray(faces)
    sides = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    return np.unique(np.sort(sides, axis=1), axis=0)


def all_pairs(positions, edges, other_positions, faces, same=False):
    """Edges through faces, strictly inside both."""
    return int((inside_both(positions, edges, other_positions, faces, same) > 0).sum())


def inside_both(positions, edges, other_positions, faces, same=False):
    """Pair by pair, if their boxes overlap: how far inside an edge and a face they meet, as a part of their size.

    By the linear equations of the place; negative where they only would meet, were they larger.
    """
    faces, edges = np.asarray(faces), np.asarray(edges)
    corners, ends = other_positions[faces], positions[edges]
    low, high = corners.min(axis=1).T.copy(), corners.max(axis=1).T.copy()
    begin, end = ends.min(axis=1), ends.max(axis=1)
    pairs = []
    for number, edge in enumerate(edges):
        near = np.ones(len(faces), bool)
        for axis in range(3):
            near &= low[axis] <= end[number, axis]
            near &= high[axis] >= begin[number, axis]
        near = np.flatnonzero(near)
        if same:
            near = near[~(faces[near][:, :, None] == edge).any(axis=(1, 2))]
        pairs.append(np.column_stack([np.full(len(near), number), near]))
    which, face = np.concatenate(pairs).T
    start, stop = ends[which].transpose(1, 0, 2)
    a, b, c = corners[face].transpose(1, 0, 2)
    matrices = np.stack([b - a, c - a, start - stop], axis=-1)
    solvable = np.abs(np.linalg.det(matrices)) > 1e-14
    known = (start - a)[solvable][:, :, None]
    one, two, along = np.linalg.solve(matrices[solvable], known)[:, :, 0].T
    return np.minimum.reduce([one, two, 1 - one - two, along, 1 - along])


def all_pairs_between(positions, faces, other_positions, other_faces):
    """What count_between should give."""
    return (
        all_pairs(positions, edges_of(faces), other_positions, other_faces),
        all_pairs(other_positions, edges_of(other_faces), positions, faces),
    )

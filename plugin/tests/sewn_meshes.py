"""Sheets in pieces, and the same in one piece, for tests of sewing.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import numpy as np

from muslin import Mesh


def grid(columns, rows, spacing, start=(0.0, 0.0, 0.0)):
    """Positions (row after row along x) and triangles of a flat sheet in the plane z = 0."""
    y, x = np.mgrid[0:rows, 0:columns]
    places = np.column_stack([x.ravel(), y.ravel(), np.zeros(x.size)]) * spacing + start
    low = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    first = np.column_stack([low, low + 1, low + columns + 1])
    second = np.column_stack([low, low + columns + 1, low + columns])
    return places, np.stack([first, second], axis=1).reshape(-1, 3)


def one_strip(columns, rows, spacing):
    """A strip in one piece: its mesh."""
    return Mesh.from_faces(*grid(2 * columns - 1, rows, spacing))


def two_strips(columns, rows, spacing, apart=0.0):
    """The same in two pieces, `apart` m from each other: the mesh, and pairs of vertices to sew."""
    left, faces = grid(columns, rows, spacing)
    right, _ = grid(columns, rows, spacing, ((columns - 1) * spacing + apart, 0.0, 0.0))
    count = len(left)
    mesh = Mesh.from_faces(np.concatenate([left, right]), np.concatenate([faces, faces + count]))
    row = np.arange(rows)
    pairs = np.column_stack([row * columns + columns - 1, count + row * columns])
    return mesh, pairs

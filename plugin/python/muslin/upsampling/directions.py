# SPDX-License-Identifier: GPL-3.0-or-later
"""How the cloth around nodes is turned, a frame at each, of where its neighbours are; and where a garment as a whole is turned
to, about the vertical: what falls does so alike in any such direction."""

import numpy as np


def unit_rows(rows):
    """Rows over their lengths; those without a direction stay zero."""
    return rows / np.maximum(np.sqrt((rows * rows).sum(axis=-1)), 1e-20)[..., None]


def slopes_of(rest, normals, spokes):
    """p x 2 x s: what makes the derivatives along two tangents, in the sense of least squares, of the ways to the nodes
    `spokes` (p x s). rest: p x 3, m, and the cloth's normals there."""
    ways = rest[spokes] - rest[:, None]
    normals = unit_rows(normals)
    first = ways[:, 0] - (ways[:, 0] * normals).sum(1, keepdims=True) * normals
    first = unit_rows(first)
    tangents = np.stack([first, np.cross(normals, first)], axis=2)
    flat = ways @ tangents
    square = flat.swapaxes(1, 2) @ flat
    square += 1e-6 * np.trace(square, axis1=1, axis2=2)[:, None, None] * np.eye(2) + 1e-20
    return np.linalg.solve(square, flat.swapaxes(1, 2))


def frames_of(places, spokes, slopes):
    """p x 3 x 3, columns two tangents and the normal: rotations, which turn with the cloth (places: p x 3, m)."""
    along = np.matmul(slopes, places[spokes] - places[:, None])
    one, two = unit_rows(along[:, 0]), unit_rows(along[:, 1])
    normal = unit_rows(cross(one, two))
    # as far from one tangent as from the other, so that shear turns nothing
    first = unit_rows(one + cross(two, normal))
    return np.stack([first, cross(normal, first), normal], axis=2)


def cross(a, b):
    """As np.cross of rows, which takes several times as long."""
    x, y, z = a.T
    u, v, w = b.T
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=1)


def heading(places, rest):
    """The rotation about Z, 3 x 3, from the rest shape to these places (both p x 3, m), in the sense of least squares.

    Rows are turned back by `row @ heading`, and turned with the garment by `row @ heading.T`.
    """
    now, then = places[:, :2] - places[:, :2].mean(axis=0), rest[:, :2] - rest[:, :2].mean(axis=0)
    cosine = float((now * then).sum(dtype=np.float64))
    sine = float((now[:, 1] * then[:, 0] - now[:, 0] * then[:, 1]).sum(dtype=np.float64))
    length = np.hypot(cosine, sine)
    turn = np.eye(3, dtype=np.float32)
    if length > 0:
        turn[:2, :2] = np.array([[cosine, -sine], [sine, cosine]]) / length
    return turn

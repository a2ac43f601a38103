# SPDX-License-Identifier: GPL-3.0-or-later
"""Places on a mesh that points are nearest to: where a garment is tacked to a body."""

import numpy as np

from ..inspection.surface import surface_of


def nearest_places(points, mesh):
    """On which triangles of a mesh points (n x 3, m) are nearest: corners and weights, both n x 3."""
    surface = surface_of(mesh)
    triangles, corners = surface.triangles, surface.points[surface.triangles]
    found = [nearest_on(point, corners) for point in np.asarray(points, dtype=float).reshape(-1, 3)]
    at = np.array([index for index, _ in found], dtype=int)
    weights = np.array([weights for _, weights in found]).reshape(-1, 3)
    return triangles[at].astype(np.int32), weights.astype(np.float32)


def nearest_on(point, corners):
    """The triangle (of m x 3 x 3) that a point is nearest to, and the weights of the nearest place."""
    weights = clamped_weights(point, corners)
    places = (weights[:, :, None] * corners).sum(axis=1)
    best = int(np.argmin(((places - point) ** 2).sum(axis=1)))
    return best, weights[best]


def dot(first, second):
    return (first * second).sum(axis=1)


def clamped_weights(point, corners):
    """Weights of the nearest place on each triangle: inside it, or on one of its sides."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    ab, ac, ap = b - a, c - a, point - a
    d00, d01, d11 = dot(ab, ab), dot(ab, ac), dot(ac, ac)
    d20, d21 = dot(ap, ab), dot(ap, ac)
    denominator = np.maximum(d00 * d11 - d01 * d01, 1e-30)
    v = (d11 * d20 - d01 * d21) / denominator
    w = (d00 * d21 - d01 * d20) / denominator
    inside = np.column_stack([1 - v - w, v, w])
    candidates = [inside]
    for start, end in ((0, 1), (1, 2), (2, 0)):
        side = corners[:, end] - corners[:, start]
        t = np.clip(dot(point - corners[:, start], side) / np.maximum(dot(side, side), 1e-30), 0, 1)
        on_side = np.zeros_like(inside)
        on_side[:, start], on_side[:, end] = 1 - t, t
        candidates.append(on_side)
    stacked = np.stack(candidates)
    places = (stacked[..., None] * corners[None]).sum(axis=2)
    distances = ((places - point) ** 2).sum(axis=2)
    distances[0, (inside < 0).any(axis=1)] = np.inf
    return stacked[np.argmin(distances, axis=0), np.arange(len(corners))]

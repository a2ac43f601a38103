"""Geometry by brute force, for tests that judge meshes: volumes, sides, distances, crossings.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import numpy as np

CHUNK = 96


def corners_of(points, triangles):
    return np.asarray(points, float)[triangles]


def is_closed(triangles):
    """Whether each side of each triangle is met exactly once, the other way round, by another."""
    sides = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    there = {tuple(side) for side in sides.tolist()}
    return len(there) == len(sides) and all((b, a) in there for a, b in there)


def volume(corners):
    """The volume that triangles (t, 3, 3) enclose, by the divergence theorem; positive if outward."""
    return np.linalg.det(corners).sum() / 6


def heights(corners):
    """The smallest height of each triangle over its longest side, 0 for a degenerate one."""
    sides = np.linalg.norm(corners - np.roll(corners, 1, 1), axis=2).max(1)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return np.linalg.norm(normal, axis=1) / np.maximum(sides, 1e-300) ** 2


def winding(points, corners):
    """How often closed triangles go around each point: 1 inside, 0 outside (solid angles over 4 pi)."""
    result = np.empty(len(points))
    for k, point in enumerate(np.asarray(points, float)):
        a, b, c = np.moveaxis(corners - point, 1, 0)
        la, lb, lc = (np.sqrt((side * side).sum(1)) for side in (a, b, c))
        top = (a * np.cross(b, c)).sum(1)
        below = la * lb * lc + (a * b).sum(1) * lc + (b * c).sum(1) * la + (c * a).sum(1) * lb
        result[k] = np.arctan2(top, below).sum() / (2 * np.pi)
    return result


def distances(points, corners):
    """The distance of each point to the nearest of the triangles (t, 3, 3)."""
    return np.array([_distance(point, corners) for point in np.asarray(points, float)])


def _distance(point, corners):
    start = corners
    along = np.roll(corners, -1, 1) - start
    offset = point - start
    share = (offset * along).sum(2) / np.maximum((along * along).sum(2), 1e-300)
    nearest = offset - np.clip(share, 0, 1)[..., None] * along
    to_sides = np.sqrt((nearest**2).sum(2)).min(1)
    normal = np.cross(along[:, 0], along[:, 1])
    normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-300)[:, None]
    sides = (np.cross(along, offset) * normal[:, None]).sum(2)
    to_plane = np.abs((offset[:, 0] * normal).sum(1))
    return np.where((sides >= 0).all(1), to_plane, to_sides).min()


def crossings(points, segments, other_points, triangles, same=False):
    """Pairs (segment, triangle) that cross; `same` leaves out those that share a vertex."""
    order = np.argsort(points[segments[:, 0], 2], kind="stable")
    corners = corners_of(other_points, triangles)
    low, high = corners.min(1), corners.max(1)
    found = []
    for first in range(0, len(order), CHUNK):
        chosen = order[first : first + CHUNK]
        ends = corners_of(points, segments[chosen])
        floor, ceiling = ends.min(1), ends.max(1)
        near = np.flatnonzero(((low <= ceiling.max(0)) & (high >= floor.min(0))).all(1))
        boxes = (low[near] <= ceiling[:, None]) & (high[near] >= floor[:, None])
        which, triangle = np.nonzero(boxes.all(2))
        triangle = near[triangle]
        hit = _crosses(ends[which], corners[triangle])
        found.append(np.stack([chosen[which], triangle], 1)[hit])
    pairs = np.concatenate(found)
    if same:
        shared = (segments[pairs[:, 0]][:, :, None] == triangles[pairs[:, 1]][:, None]).any((1, 2))
        pairs = pairs[~shared]
    return pairs


def _crosses(ends, corners):
    """Whether segments (k, 2, 3) pass through the inside of triangles (k, 3, 3), by signed volumes."""
    a, b, c = np.moveaxis(corners - ends[:, :1], 1, 0)
    along = ends[:, 1] - ends[:, 0]
    normal = np.cross(b - a, c - a)
    before, after = -(a * normal).sum(1), ((along - a) * normal).sum(1)
    turns = np.stack([(along * np.cross(p, q)).sum(1) for p, q in ((a, b), (b, c), (c, a))])
    inside = (turns > 0).all(0) | (turns < 0).all(0)
    return (before * after < 0) & inside


def triangle_edges(triangles):
    sides = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    return np.unique(np.sort(sides, 1), axis=0)


def piercings(points, triangles, other_points, other_triangles):
    """How many edges of one mesh pass through triangles of the other, both ways."""
    first = crossings(points, triangle_edges(triangles), other_points, other_triangles)
    second = crossings(other_points, triangle_edges(other_triangles), points, triangles)
    return len(first) + len(second)


def self_piercings(points, triangles):
    return len(crossings(points, triangle_edges(triangles), points, triangles, same=True))

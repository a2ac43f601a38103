# SPDX-License-Identifier: GPL-3.0-or-later
"""Fills a polygon with an irregular, well-shaped triangulation of an exact number of vertices.

Interior points are thrown like darts with a minimum distance (blue noise), then moved a few times to
the middle of their triangles. The border is kept as given: its edges are edges of the mesh.
"""

import math

import numpy as np

from test_scenes.delaunay import delaunay


def fill_polygon(border, count, seed, rounds=3):
    """Points (count, 2) and counter-clockwise triangles of the polygon `border` (b, 2).

    The border's points come first in their order. The others follow from the border inward in bands
    five edges wide, within a band in the order they were thrown: between an advancing front and pure
    chance, as the published entry counts of unordered factors are (patterns.py has the numbers).
    """
    border = np.asarray(border, float)
    spacing, finest = _spacings(border, count)
    interior = _throw_darts(border, count - len(border), spacing, finest, seed)
    band = np.floor(distance_to_border(interior, border)[0] / (5 * spacing))
    points = np.concatenate([border, interior[np.argsort(band, kind="stable")]])
    for _ in range(rounds):
        triangles = _triangles_inside(points, border)
        points = _relaxed(points, triangles, border, spacing, finest)
    triangles = _triangles_inside(points, border)
    _require_border(triangles, len(border))
    return points, triangles


def polygon_area(border):
    following = np.roll(border, -1, 0)
    return 0.5 * float((border[:, 0] * following[:, 1] - border[:, 1] * following[:, 0]).sum())


def distance_to_border(points, border):
    """Distance of points (n, 2) to the closed polygon and whether each lies inside it."""
    distance = np.empty(len(points))
    inside = np.empty(len(points), bool)
    outline = _corners(border)
    (x, y), (dx, dy) = outline.T, (np.roll(outline, -1, 0) - outline).T
    for first in range(0, len(points), 1024):
        block = slice(first, first + 1024)
        right, above = points[block, :1] - x, points[block, 1:] - y
        along = np.clip((right * dx + above * dy) / (dx * dx + dy * dy), 0, 1)
        square = (right - along * dx) ** 2 + (above - along * dy) ** 2
        distance[block] = np.sqrt(square.min(1))
        crosses = (above < 0) != (above < dy)
        with np.errstate(divide="ignore", invalid="ignore"):
            left = right < dx * (above / dy)
        inside[block] = (crosses & left).sum(1) % 2 == 1
    return distance, inside


def _corners(border):
    """The polygon without the points in the middle of its straight sides: the same shape, sooner tested."""
    before, after = border - np.roll(border, 1, 0), np.roll(border, -1, 0) - border
    bend = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    return border[np.abs(bend) > 1e-9 * (before**2).sum(1)]


def _spacings(border, count):
    """The edge length that `count` points give the area, and the one the border has."""
    border_spacing = np.linalg.norm(np.roll(border, -1, 0) - border, axis=1).mean()
    triangle_count = 2 * count - 2 - len(border)
    interior_spacing = math.sqrt(polygon_area(border) / triangle_count * 4 / math.sqrt(3))
    return interior_spacing, min(border_spacing, interior_spacing)


def _size(distance, spacing, finest):
    """Wanted edge length at a distance from the border: it grows gently from the border's own."""
    if spacing < 1.05 * finest:
        return np.full(len(distance), spacing)
    return np.minimum(finest + 0.25 * distance, 1.2 * spacing)


def _throw_darts(border, count, spacing, finest, seed):
    random = np.random.default_rng(seed)
    low, high = border.min(0), border.max(0)
    cell = 1.2 * spacing
    buckets = {}
    for x, y in border.tolist():
        buckets.setdefault((int(x // cell), int(y // cell)), []).append((x, y))
    accepted = []
    reach = 0.84  # of the wanted edge length; lowered until the last dart finds a place
    while len(accepted) < count:
        candidates = low + random.random((max(256, count), 2)) * (high - low)
        distance, inside = distance_to_border(candidates, border)
        radius = reach * _size(distance, spacing, finest)
        usable = inside & (distance > 0.72 * radius)
        for x, y, r in np.column_stack([candidates, radius])[usable].tolist():
            if len(accepted) < count and _is_free(buckets, cell, x, y, min(r, cell)):
                buckets.setdefault((int(x // cell), int(y // cell)), []).append((x, y))
                accepted.append((x, y))
        reach *= 0.98
    return np.array(accepted).reshape(-1, 2)


def _is_free(buckets, cell, x, y, radius):
    column, row = int(x // cell), int(y // cell)
    limit = radius * radius
    for i in (column - 1, column, column + 1):
        for j in (row - 1, row, row + 1):
            for px, py in buckets.get((i, j), ()):
                if (px - x) * (px - x) + (py - y) * (py - y) < limit:
                    return False
    return True


def _triangles_inside(points, border):
    triangles = delaunay(points)
    centres = points[triangles].mean(1)
    # Triangles with an interior vertex are inside anyway; only the others need the polygon test.
    doubtful = (triangles < len(border)).all(1)
    keep = np.ones(len(triangles), bool)
    distance, inside = distance_to_border(centres[doubtful], border)
    # Flat triangles of three points of a straight side have their centre on the border.
    shortest = np.linalg.norm(np.roll(border, -1, 0) - border, axis=1).min()
    keep[doubtful] = inside & (distance > 1e-3 * shortest)
    return triangles[keep]


def _relaxed(points, triangles, border, spacing, finest):
    """Moves interior points to the weighted mean of their triangles' centres, as Lloyd's method does."""
    corners = points[triangles]
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    area = 0.5 * (first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0])
    centres = corners.mean(1)
    # A coarse region wants fewer points: its area weighs less, by the square of the wanted length.
    weight = area / _size(distance_to_border(centres, border)[0], spacing, finest) ** 4
    total = np.bincount(triangles.ravel(), np.repeat(weight, 3), len(points))
    moved = points.copy()
    for axis in range(2):
        summed = np.bincount(
            triangles.ravel(), np.repeat(weight * centres[:, axis], 3), len(points)
        )
        moved[len(border) :, axis] = summed[len(border) :] / total[len(border) :]
    return moved


def _require_border(triangles, border_count):
    sides = np.stack([triangles, np.roll(triangles, -1, 1)], 2).reshape(-1, 2)
    known = {(a, b) for a, b in sides.tolist()}
    for k in range(border_count):
        if (k, (k + 1) % border_count) not in known:
            raise ValueError(f"border edge {k} is not an edge of the triangulation")

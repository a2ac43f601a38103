# SPDX-License-Identifier: GPL-3.0-or-later
"""Which vertices are behind a surface: a judge that shares nothing with the simulation but the meshes.

Solids: rays counted with the way they pass each triangle. Sheets: each passage through the plane
within the outline changes the side. Cloth is judged at whole frames.
"""

import numpy as np

from test_scenes.contact.rig import turning

TOLERANCE = 1e-6  # m; float32 has a tenth of that around 1 m
CELLS = 64  # along each side of the grid that sorts points and triangles
BORDER = 0.01  # m: a straight line between two frames may cut so much off a way around a border

# Turned places are rounded to this, m: then areas are exact for bodies of up to 8 m.
GRID = 2.0**-23
# Rays along +z of a turned world, so that no edge of a box or a grid lies along them.
TURN = turning("x", 17.3) @ turning("y", 31.7) @ turning("z", 11.9)


def depths(points, body_points, triangles):
    """How deep each point is in the closed triangles, m; 0 outside."""
    result = np.zeros(len(points))
    points, body_points = np.asarray(points, float), np.asarray(body_points, float)
    low, high = body_points.min(0), body_points.max(0)
    near = np.flatnonzero(((points > low) & (points < high)).all(1))
    inside = near[winding(points[near], body_points, triangles) > 0]
    corners = body_points[triangles]
    for vertex in inside:
        result[vertex] = distance(points[vertex], corners)
    return result


def winding(points, body_points, triangles):
    """How often closed triangles go around each point, as a whole number: 1 inside, 0 outside."""
    points, body_points = (np.round(here @ TURN.T / GRID) * GRID for here in (points, body_points))
    count = np.zeros(len(points), int)
    if len(points) == 0:
        return count
    low, high = body_points[:, :2].min(0), body_points[:, :2].max(0)
    size = (high - low) / CELLS * (1 + 1e-9) + 1e-12
    which, triangle = _joined(points, body_points[triangles], low, size)
    corners = triangles[triangle]
    place = points[which, :2]
    turns = np.stack(
        [_turn(body_points, corners[:, k], corners[:, (k + 1) % 3], place) for k in range(3)]
    )
    below = (turns > 0).all(0) | (turns < 0).all(0)
    which, corners, turns = which[below], corners[below], turns[:, below]
    # The height where the ray meets the triangle: opposite turns are the weights of the corners.
    weights = np.stack([turns[1], turns[2], turns[0]]) / turns.sum(0)
    heights = (weights * body_points[corners, 2].T).sum(0)
    above = heights > points[which, 2]
    np.add.at(count, which[above], np.where(turns[0, above] > 0, 1, -1))
    return count


def _turn(points, first, second, place):
    """Twice the area of (first, second, place) in the plane, exact on the grid.

    Never zero: a point on a line counts as if moved by next to nothing, in one way for all edges.
    """
    swap = first > second
    a, b = points[np.where(swap, second, first), :2], points[np.where(swap, first, second), :2]
    along, offset = b - a, place - a
    area = along[:, 0] * offset[:, 1] - along[:, 1] * offset[:, 0]
    tie = np.where(along[:, 1] != 0, -along[:, 1], along[:, 0]) * 1e-200
    area = np.where(area == 0, tie, area)
    return np.where(swap, -area, area)


def _joined(points, corners, low, size):
    """Pairs (point, triangle) that share a cell of a grid over the plane."""
    first = np.clip(((corners.min(1)[:, :2] - low) / size).astype(int), 0, CELLS - 1)
    last = np.clip(((corners.max(1)[:, :2] - low) / size).astype(int), 0, CELLS - 1)
    spans = last - first + 1
    counts = spans.prod(1)
    triangle = np.repeat(np.arange(len(corners)), counts)
    number = np.arange(counts.sum()) - np.repeat(counts.cumsum() - counts, counts)
    row, column = np.divmod(number, spans[triangle, 0])
    cell = (first[triangle, 1] + row) * CELLS + first[triangle, 0] + column
    order = np.argsort(cell, kind="stable")
    cell, triangle = cell[order], triangle[order]
    spot = np.floor((points[:, :2] - low) / size).astype(int)
    within = np.flatnonzero(((spot >= 0) & (spot < CELLS)).all(1))
    key = spot[within, 1] * CELLS + spot[within, 0]
    begin, end = np.searchsorted(cell, key, "left"), np.searchsorted(cell, key, "right")
    found = end - begin
    number = np.arange(found.sum()) - np.repeat(found.cumsum() - found, found)
    return np.repeat(within, found), triangle[np.repeat(begin, found) + number]


def distance(point, corners):
    """From a point to the nearest of the triangles (t, 3, 3), m."""
    return distances(point, corners).min()


def distances(point, corners):
    """From a point to each of the triangles (t, 3, 3), m."""
    along = np.roll(corners, -1, 1) - corners
    offset = point - corners
    share = (offset * along).sum(2) / np.maximum((along * along).sum(2), 1e-300)
    nearest = offset - np.clip(share, 0, 1)[..., None] * along
    to_sides = np.sqrt((nearest**2).sum(2)).min(1)
    normal = np.cross(along[:, 0], along[:, 1])
    normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-300)[:, None]
    sides = (np.cross(along, offset) * normal[:, None]).sum(2)
    to_plane = np.abs((offset[:, 0] * normal).sum(1))
    return np.where((sides >= 0).all(1), to_plane, to_sides)


class Sheet:
    """A flat, still rectangle, its first two vertices along a side: knows where each vertex belongs."""

    def __init__(self, body_points, points):
        body_points = np.asarray(body_points, float)
        self.middle = (body_points.min(0) + body_points.max(0)) / 2
        around = body_points - self.middle
        side = (body_points[1] - body_points[0]) / np.linalg.norm(body_points[1] - body_points[0])
        normal = np.linalg.svd(around, full_matrices=False)[2][2]
        self.axes = np.stack([side, np.cross(normal, side), normal])
        self.extent = np.abs(around @ self.axes.T).max(0)
        if self.extent[2] > 1e-5:
            raise ValueError("the sheet is not flat")
        self.extent = self.extent - BORDER
        self.before = self._local(points)
        self.passed = np.zeros(len(points), bool)

    def _local(self, points):
        return (np.asarray(points, float) - self.middle) @ self.axes.T

    def _within(self, local):
        return (np.abs(local[:, :2]) < self.extent[:2]).all(1)

    def depths(self, points):
        """How far behind the sheet each vertex is, m, 0 where it came around the border or did not pass."""
        here, before = self._local(points), self.before
        heights, earlier = here[:, 2], before[:, 2]
        crosses = (heights > 0) != (earlier > 0)
        share = np.where(crosses, earlier / np.where(crosses, earlier - heights, 1), 0)
        place = before + share[:, None] * (here - before)
        self.passed ^= crosses & self._within(place)
        self.before = here
        return np.where(self.passed & self._within(here), np.abs(heights), 0.0)


class Judge:
    """Follows a scene frame by frame: the largest depth behind any of its bodies."""

    def __init__(self, scene):
        self.scene = scene
        start = scene.cloth.positions
        self.sheets = [
            None if body.closed else Sheet(body.positions(0), start) for body in scene.bodies
        ]
        self.triangles = [body.triangles() for body in scene.bodies]

    def depths(self, points, frame):
        """The largest depth of each vertex behind any body at a frame, m."""
        deepest = np.zeros(len(points))
        for body, triangles, sheet in zip(self.scene.bodies, self.triangles, self.sheets):
            if sheet is None:
                found = depths(points, body.positions(frame), triangles)
            else:
                found = sheet.depths(points)
            deepest = np.maximum(deepest, found)
        return deepest


def deep_frames(scene, track):
    """(frames with a vertex deeper than the tolerance, the largest depth in m) of a whole track."""
    judge = Judge(scene)
    largest = [judge.depths(points, frame).max() for frame, points in enumerate(track)]
    return sum(depth > TOLERANCE for depth in largest), float(max(largest))

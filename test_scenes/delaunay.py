# SPDX-License-Identifier: GPL-3.0-or-later
"""Delaunay triangulation in the plane: incremental Bowyer-Watson with a visibility walk.

Points are snapped to an integer lattice and every predicate is evaluated in exact integers, so there
is no tolerance to tune and collinear or cocircular points cannot break the structure. Points are
inserted along a Hilbert curve: each is near the one before, so the walk to it takes a few steps.
"""

import numpy as np

LATTICE_BITS = 24


def delaunay(points):
    """Counter-clockwise Delaunay triangles (t, 3) of distinct points (n, 2).

    Deterministic: the same points give the same triangles in the same order. Triangles flatter than
    about 1/4000 of the extent may be missing along the convex hull (they belong to the far triangle
    that encloses everything); borders sampled along straight lines come out complete.
    """
    lattice = _snap(points)
    xs, ys = lattice[:, 0].tolist(), lattice[:, 1].tolist()
    count = len(xs)
    far = 1 << (LATTICE_BITS + 12)
    xs += [-2 * far, 2 * far, 0]
    ys += [-far, -far, 2 * far]
    triangulation = _Triangulation(xs, ys, count)
    for vertex in hilbert_order(lattice).tolist():
        triangulation.insert(vertex)
    corners = np.array(triangulation.corners, np.int32)
    corners = corners[(corners < count).all(1)]
    first = corners.argmin(1)
    columns = (first[:, None] + np.arange(3)) % 3
    corners = np.take_along_axis(corners, columns, 1)
    return corners[np.lexsort(corners.T[::-1])]


def _snap(points):
    points = np.asarray(points, float)
    low, high = points.min(0), points.max(0)
    scale = ((1 << LATTICE_BITS) - 1) / max(float((high - low).max()), 1e-300)
    return np.rint((points - low) * scale).astype(np.int64)


def hilbert_order(lattice):
    """Indices that sort non-negative integer points (n, 2) along a Hilbert curve."""
    x, y = lattice[:, 0].copy(), lattice[:, 1].copy()
    key = np.zeros(len(lattice), np.int64)
    side = 1 << (LATTICE_BITS - 1)
    while side:
        right = (x & side) > 0
        upper = (y & side) > 0
        key = key * 4 + (3 * right ^ upper)
        swap = ~upper
        turn = swap & right
        x[turn], y[turn] = ~x[turn], ~y[turn]
        x[swap], y[swap] = y[swap].copy(), x[swap].copy()
        side >>= 1
    return np.argsort(key, kind="stable")


class _Triangulation:
    """Triangles with neighbours; neighbour k of a triangle lies across from its corner k."""

    def __init__(self, xs, ys, first_far):
        self.xs, self.ys = xs, ys
        self.corners = [(first_far, first_far + 1, first_far + 2)]
        self.neighbours = [[-1, -1, -1]]
        self.recent = 0

    def insert(self, vertex):
        cavity = self._cavity(vertex, self._locate(vertex))
        self._fill(vertex, cavity, self._rim(cavity))

    def _locate(self, vertex):
        """Walks from the latest triangle to the one that holds the point."""
        xs, ys = self.xs, self.ys
        px, py = xs[vertex], ys[vertex]
        current = self.recent
        while True:
            a, b, c = self.corners[current]
            ax, ay, bx, by, cx, cy = xs[a], ys[a], xs[b], ys[b], xs[c], ys[c]
            if (bx - ax) * (py - ay) < (by - ay) * (px - ax):
                current = self.neighbours[current][2]
            elif (cx - bx) * (py - by) < (cy - by) * (px - bx):
                current = self.neighbours[current][0]
            elif (ax - cx) * (py - cy) < (ay - cy) * (px - cx):
                current = self.neighbours[current][1]
            else:
                if any(xs[v] == px and ys[v] == py for v in (a, b, c)):
                    raise ValueError(f"point {vertex} coincides with another point")
                return current

    def _cavity(self, vertex, start):
        """All triangles whose circumcircle strictly holds the point: connected, found by flooding."""
        xs, ys = self.xs, self.ys
        px, py = xs[vertex], ys[vertex]
        cavity = {start}
        outside = {-1}
        pending = [start]
        while pending:
            for other in self.neighbours[pending.pop()]:
                if other in cavity or other in outside:
                    continue
                a, b, c = self.corners[other]
                ax, ay = xs[a] - px, ys[a] - py
                bx, by = xs[b] - px, ys[b] - py
                cx, cy = xs[c] - px, ys[c] - py
                determinant = (
                    (ax * ax + ay * ay) * (bx * cy - cx * by)
                    + (bx * bx + by * by) * (cx * ay - ax * cy)
                    + (cx * cx + cy * cy) * (ax * by - bx * ay)
                )
                if determinant > 0:
                    cavity.add(other)
                    pending.append(other)
                else:
                    outside.add(other)
        return cavity

    def _rim(self, cavity):
        """The cavity's outer sides as (from, to, triangle beyond, the side's place in that one)."""
        rim = []
        for triangle in sorted(cavity):
            a, b, c = self.corners[triangle]
            sides = ((b, c), (c, a), (a, b))
            for place, beyond in enumerate(self.neighbours[triangle]):
                if beyond not in cavity:
                    back = self.neighbours[beyond].index(triangle) if beyond >= 0 else -1
                    rim.append((*sides[place], beyond, back))
        return rim

    def _fill(self, vertex, cavity, rim):
        """Replaces the cavity by a fan of triangles around the new vertex."""
        slots = sorted(cavity)
        while len(slots) < len(rim):
            slots.append(len(self.corners))
            self.corners.append(None)
            self.neighbours.append(None)
        starting_at = {side[0]: slot for side, slot in zip(rim, slots)}
        ending_at = {side[1]: slot for side, slot in zip(rim, slots)}
        for (start, end, beyond, back), slot in zip(rim, slots):
            self.corners[slot] = (start, end, vertex)
            self.neighbours[slot] = [starting_at[end], ending_at[start], beyond]
            if beyond >= 0:
                self.neighbours[beyond][back] = slot
        self.recent = slots[0]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Strips, sheets and discs in four triangulations, at any angle to the cloth's edge.

The points of a lattice inside of the border, and even points on it, are joined by Delaunay's triangles; the squares
of the lattices that have them get their own diagonals. Where a clamp is two rows of vertices to pin, the strip begins at
the second of them.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from test_scenes.delaunay import delaunay

ALTERNATING, ONE_WAY, IRREGULAR, EQUILATERAL = "alternating", "one-way", "irregular", "equilateral"
KINDS = (ALTERNATING, ONE_WAY, IRREGULAR, EQUILATERAL)
JITTER = 0.25  # of the spacing, of the irregular points
MARGIN = 0.55  # of the spacing, that the lattice keeps from the border


@dataclass(frozen=True)
class Flat:
    """Triangles in the plane, and the vertices of the clamp."""

    points: np.ndarray
    triangles: np.ndarray
    clamp: np.ndarray

    def standing(self, axes):
        """Positions in space: the plane's two axes, each a vector."""
        return (self.points @ np.asarray(axes, float)).astype(np.float32)

    def masses(self):
        """Of each vertex, at density 1: a third of each of its triangles."""
        corners = self.points[self.triangles]
        (a, b), (c, d) = (corners[:, 1] - corners[:, 0]).T, (corners[:, 2] - corners[:, 0]).T
        thirds = np.abs(a * d - b * c) / 6
        return np.bincount(self.triangles.ravel(), np.repeat(thirds, 3), len(self.points))


def lattice(kind, spacing, reach):
    """Points (n, 2) around one at the origin, and their places (n, 2) as whole numbers."""
    count = int(reach / spacing) + 2
    i, j = np.meshgrid(np.arange(-count, count + 1), np.arange(-count, count + 1))
    place = np.column_stack([i.ravel(), j.ravel()])
    points = place.astype(float)
    if kind == EQUILATERAL:
        points = np.column_stack(
            [points[:, 0] + 0.5 * (place[:, 1] % 2), points[:, 1] * 0.75**0.5]
        )
    if kind == IRREGULAR:
        random = np.random.default_rng(7)
        points = points + JITTER * (2 * random.random(points.shape) - 1)
    return spacing * points, place


def turned(points, degrees):
    angle = np.radians(degrees)
    cosine, sine = np.cos(angle), np.sin(angle)
    return points @ np.array([[cosine, sine], [-sine, cosine]])


def joined(kind, border, points, place, kept):
    """All points, the border's first, then those of the lattice that are kept; and their triangles."""
    every = np.concatenate([border, points[kept]])
    triangles = delaunay(every)
    if kind in (ALTERNATING, ONE_WAY):
        number = {tuple(at): len(border) + k for k, at in enumerate(place[kept].tolist())}
        apart = np.linalg.norm(points[:, None] - border[None], axis=2)
        for at, k in zip(*np.nonzero(apart < 1e-6 * np.ptp(border))):
            number[tuple(place[at].tolist())] = int(k)  # the border has the lattice's own point
        triangles = _own_diagonals(kind, triangles, number)
    return every, triangles


def _own_diagonals(kind, triangles, number):
    """Delaunay's diagonal of a square is chance; each gets the one of its lattice."""
    found = {tuple(sorted(triangle)): k for k, triangle in enumerate(triangles.tolist())}
    triangles = triangles.copy()
    for (i, j), a in number.items():
        b, c, d = (number.get(at) for at in ((i + 1, j), (i + 1, j + 1), (i, j + 1)))
        if None in (b, c, d):
            continue
        halves = {False: ((a, b, c), (a, c, d)), True: ((a, b, d), (b, c, d))}
        other = kind == ALTERNATING and (i + j) % 2 == 1
        places = [found.get(tuple(sorted(half))) for half in halves[not other]]
        if None not in places:
            triangles[places] = halves[other]
    return triangles


def even(start, end, spacing):
    """Points from start to before end, about a spacing apart."""
    start, end = np.asarray(start, float), np.asarray(end, float)
    count = max(1, round(float(np.linalg.norm(end - start)) / spacing))
    return start + np.arange(count)[:, None] / count * (end - start)


@lru_cache(maxsize=64)
def sheet(kind, width, height, spacing, degrees=0.0):
    """A rectangle from (0, 0) on, without a clamp; `degrees` turn the lattice within it."""
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], float)
    border = np.concatenate([even(corners[k], corners[(k + 1) % 4], spacing) for k in range(4)])
    points, place = lattice(kind, spacing, np.hypot(width, height))
    points = turned(points, degrees)
    gap = MARGIN * spacing
    kept = ((points > gap) & (points < (width - gap, height - gap))).all(1)
    every, triangles = joined(kind, border, points, place, kept)
    return Flat(every, triangles, np.zeros(0, np.int32))


@lru_cache(maxsize=64)
def strip(kind, cells, length, share=0.2, degrees=0.0):
    """A strip along x with its clamp at x = 0, its end at x = length, its middle at y = 0.

    `share` of its length is its width; the row there and one a cell behind it are the clamp.
    """
    flat, points, spacing = _middled(kind, cells, length, share, degrees)
    edge = np.flatnonzero(points[:, 0] < 1e-9)
    edge = edge[np.argsort(points[edge, 1])]
    return _with_row(points, flat.triangles, edge, points[edge] - (spacing, 0))


@lru_cache(maxsize=64)
def wings(kind, cells, length, share=0.2, degrees=0.0):
    """Two strips of `length` to both sides of x = 0, each the other's mirror image, held by the row between them.

    Level there for symmetry's sake, each hangs from a perfect clamp, whatever a law makes of pinned rows.
    """
    flat, points, _ = _middled(kind, cells, length, share, degrees)
    held = np.abs(points[:, 0]) < 1e-9
    other = np.where(held, np.arange(len(points)), len(points) + np.cumsum(~held) - 1)
    triangles = np.concatenate([flat.triangles, other[flat.triangles][:, ::-1]])
    points = np.concatenate([points, points[~held] * (-1, 1)])
    return Flat(points, triangles.astype(np.int32), np.flatnonzero(held).astype(np.int32))


def _middled(kind, cells, length, share, degrees):
    spacing = length / cells
    width = max(2, round(share * length / spacing)) * spacing
    flat = sheet(kind, length, width, spacing, degrees)
    return flat, flat.points - (0, width / 2), spacing


def _with_row(points, triangles, edge, behind):
    """One more row of cells behind an edge, whose diagonals alternate; both rows are the clamp."""
    first = len(points) + np.arange(len(edge))
    added = []
    for k in range(len(edge) - 1):
        a, b, c, d = first[k], edge[k], edge[k + 1], first[k + 1]
        added += [(a, b, c), (a, c, d)] if k % 2 else [(a, b, d), (b, c, d)]
    triangles = np.concatenate([triangles, np.array(added)]).astype(np.int32)
    clamp = np.concatenate([edge, first]).astype(np.int32)
    return Flat(np.concatenate([points, behind]), triangles, clamp)


@lru_cache(maxsize=16)
def disc(kind, radius, spacing):
    """Around the origin, without a clamp."""
    border = ring(radius, spacing)
    points, place = lattice(kind, spacing, radius)
    kept = np.linalg.norm(points, axis=1) < radius - MARGIN * spacing
    return Flat(*joined(kind, border, points, place, kept), np.zeros(0, np.int32))


def ring(radius, spacing):
    count = round(2 * np.pi * radius / spacing)
    angle = 2 * np.pi * np.arange(count) / count
    return radius * np.column_stack([np.cos(angle), np.sin(angle)])

# SPDX-License-Identifier: GPL-3.0-or-later
"""Wrinkles where a coarse level is pressed together: no run is needed to learn from.

Cloth hardly gets shorter: what a coarse mesh loses in length, a fine one would have in wrinkles across the direction of
compression. Waves of one length in a few fixed directions lie on the rest shape. Each stands up where the cloth is
compressed along its own direction, as high as hides the missing length. Phases belong to the cloth, and heights follow
compression without a threshold, so that nothing crawls or pops.
"""

from math import pi, sqrt

import numpy as np

from ..arrays import floats, refuse
from ..inspection.surface import surface_of
from .nodes import choose_nodes, unit_rows

DIRECTIONS = 16  # spread over half a sphere
SHARPNESS = 6  # how much more than others the direction of most compression counts
SPACING = 3.0  # mean edges between the nodes at which compression is known
SMOOTHINGS = 2  # of what nodes know, from one to the next
LEAST_EDGES = 5.0  # of the mesh in a wave
HIGHEST = 1 / 8  # of a wave's length
STEEPEST = 0.2  # compression beyond which waves do not grow


def half_sphere(count):
    """Directions spread evenly: a spiral of the golden angle over half a sphere."""
    height = (np.arange(count) + 0.5) / count
    angle = pi * (3 - sqrt(5)) * np.arange(count)
    across = np.sqrt(1 - height**2)
    return np.column_stack([across * np.cos(angle), across * np.sin(angle), height])


class Gather:
    """Sums over what belongs to each of n places, in a fixed order."""

    def __init__(self, places, count):
        self.order = np.argsort(places, kind="stable")
        self.filled, self.starts = np.unique(places[self.order], return_index=True)
        self.count = count

    def __call__(self, values):
        sums = np.zeros((self.count, *values.shape[1:]), values.dtype)
        sums[self.filled] = np.add.reduceat(values[self.order], self.starts, axis=0)
        return sums


class Wrinkles:
    """The rest shape of a mesh, with the waves that may stand up on it."""

    def __init__(self, mesh):
        surface = surface_of(mesh)
        points, self.triangles = surface.points, surface.triangles
        self.edge = surface.mean_edge
        self.nodes = choose_nodes(surface, SPACING * self.edge)
        owner = self.nodes.owners[np.arange(len(points)), self.nodes.weights.argmax(axis=1)]
        count = len(self.nodes.vertices)
        self.corners = Gather(self.triangles.ravel(), len(points))
        self.regions = Gather(owner[self.triangles[:, 0]], count)
        self.ties = self.nodes.graph.nearest(np.arange(count), 6)
        self.weights = self.nodes.weights.astype(np.float32)
        self.directions = half_sphere(DIRECTIONS)
        self.phases = (points @ self.directions.T).astype(np.float32)  # m along each direction
        self._measure_rest(points)

    def _measure_rest(self, points):
        """What makes squared lengths along directions of the rest shape out of sides now.

        With shares G of the two sides a and b of a triangle, a direction v of its plane is (Gv)_1 a + (Gv)_2 b, and
        vᵀ Gᵀ Q G v its squared length now, where Q has the products of a and b.
        """
        corners = points[self.triangles]
        sides = corners[:, 1:] - corners[:, :1]
        normals = np.cross(sides[:, 0], sides[:, 1])
        areas = np.linalg.norm(normals, axis=1)
        square = np.einsum("tai,tbi->tab", sides, sides)
        square += 1e-9 * np.trace(square, axis1=1, axis2=2)[:, None, None] * np.eye(2) + 1e-30
        shares = np.linalg.solve(square, sides)
        one, two = shares[:, 0], shares[:, 1]
        outer = [
            np.einsum("ti,tj->tij", one, one),
            np.einsum("ti,tj->tij", one, two) + np.einsum("ti,tj->tij", two, one),
            np.einsum("ti,tj->tij", two, two),
        ]
        # Sums over a node's triangles and those around it: a node may have none of its own.
        self.metric = np.stack(outer, axis=3).reshape(len(areas), 9, 3) * areas[:, None, None]
        self.metric = self.metric.astype(np.float32)
        normal = unit_rows(self._around(normals))
        flat = self.directions[None] - (normal @ self.directions.T)[:, :, None] * normal[:, None]
        self.within = np.linalg.norm(flat, axis=2) ** 8  # 1: a direction of the surface itself
        self.flat = unit_rows(flat).astype(np.float32)
        self.rest = np.maximum(self._squares(points.astype(np.float32)), 1e-30)

    def _around(self, values):
        """Values of triangles, summed at nodes and smoothed from each to the next."""
        sums = self.regions(values)
        for _ in range(SMOOTHINGS):
            sums = sums[self.ties].mean(axis=1)
        return sums

    def _squares(self, positions):
        """Squared lengths around each node along each direction, times the area: p x d, m^2."""
        corners = positions[self.triangles]
        sides = corners[:, 1:] - corners[:, :1]
        one, two = sides[:, 0], sides[:, 1]
        products = np.stack([(one * one).sum(1), (one * two).sum(1), (two * two).sum(1)], axis=1)
        squares = self._around(np.matmul(self.metric, products[:, :, None])[:, :, 0])
        metric = squares.reshape(-1, 3, 3)
        return np.einsum("pdi,pij,pdj->pd", self.flat, metric, self.flat, optimize=True)

    def compression(self, positions):
        """How much shorter than at rest the surroundings of each node are along each direction: p x d, 0 and more."""
        shorter = 1 - np.sqrt(np.maximum(self._squares(positions), 0) / self.rest)
        return np.clip(shorter * self.within, 0, STEEPEST)

    def normals(self, positions):
        corners = positions[self.triangles]
        faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        return unit_rows(self.corners(np.repeat(faces, 3, axis=0)))

    def length_at(self, level):
        """The shortest wave that a level cannot carry, and that the mesh can: m."""
        return max(2 * sqrt(3) ** level, LEAST_EDGES) * self.edge

    def heights(self, positions, length):
        """How far each vertex goes along its normal, m."""
        compression = self.compression(positions)
        share = compression**SHARPNESS
        share /= np.maximum(share.sum(axis=1), 1e-30)[:, None]
        # a cosine of height A is longer than its base by the part (2 pi A / length)^2 / 4
        tall = np.minimum(length / pi * np.sqrt(compression.max(axis=1)), HIGHEST * length)
        waves = (tall[:, None] * share).astype(np.float32)
        mixed = np.einsum("nm,nmd->nd", self.weights, waves[self.nodes.owners])
        turns = np.float32(2 * pi / length) * self.phases + np.arange(DIRECTIONS, dtype=np.float32)
        return (mixed * np.cos(turns)).sum(axis=1)

    def apply(self, positions, length=None, level=2):
        """Positions (n x 3, m) with wrinkles of this length, m; None: those that suit the level. A new array."""
        positions = floats("positions", positions, self.phases.shape[:1] + (3,))
        length = self.length_at(level) if length is None else length
        if not 0 < length < np.inf:
            refuse(f"length: expected more than 0 m, got {length}")
        return positions + self.heights(positions, length)[:, None] * self.normals(positions)

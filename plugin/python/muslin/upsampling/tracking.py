# SPDX-License-Identifier: GPL-3.0-or-later
"""A fine run that tracks a coarse one: held to it in the large, and free in the small.

Soft pins pull every vertex to where it is embedded, but leave alone what is small of its way from there, which is
what an average over some edges takes away:

    target = e + d - L d,    d = x - e,    L: means over nodes, carried back to the vertices,

e the embedded place at the step's end, x and d at its start. At rest pins pull with k L d alone. After M. Bergou, S.
Mathur, M. Wardetzky, E. Grinspun, *TRACKS: toward directable thin shells*, 2007, as L. Kavan et al. 2011 use it.
"""

from math import sqrt

import numpy as np

from ..arrays import refuse
from ..inspection.surface import surface_of
from .nodes import choose_nodes

# weight of the pins: twice pin_stiffness, 4000/s^2 if that is the default; 2.5 mm bear the weight
PULL = 2 / 3
EDGES = 2.0  # of the coarser level between nodes


class Tracking:
    """run: frames x n x 3, m, of a mesh embedded in `level`. held: vertices that are pinned in both."""

    def __init__(self, mesh, run, level, held=()):
        if run.ndim != 3 or run.shape[1:] != (mesh.vertex_count, 3) or len(run) == 0:
            shape = " x ".join(map(str, run.shape))
            refuse(f"run to track: expected frames of {mesh.vertex_count} vertices, got {shape}")
        surface = surface_of(mesh)
        nodes = choose_nodes(surface, EDGES * sqrt(3) ** level * surface.mean_edge)
        self.run, self.held = run, np.asarray(held, dtype=int)
        self.owners, self.weights = nodes.owners, nodes.weights
        self.count = len(nodes.vertices)
        self.shares = np.bincount(self.owners.ravel(), self.weights.ravel(), self.count)

    def large(self, vectors):
        """L: n x 3 numbers, without what is small."""
        at, weights = self.owners.ravel(), self.weights
        parts = [(weights * part[:, None]).ravel() for part in vectors.T]
        sums = np.stack([np.bincount(at, part, self.count) for part in parts], axis=1)
        means = sums / self.shares[:, None]
        return np.einsum("nm,nmi->ni", weights, means[self.owners])

    def begin(self, cloth):
        """Set the pins of a cloth that is where the run's first frame is; those that it had are gone."""
        weights = np.full(len(self.owners), PULL)
        weights[self.held] = 1
        cloth.set_pins(np.arange(len(weights)), weights)

    def targets(self, positions, frame):
        """Where the pins shall be at the end of the step from positions (n x 3, m) at frame - 1 to `frame`."""
        last = len(self.run) - 1
        besides = positions - self.run[min(frame - 1, last)].astype(float)
        ways = besides - self.large(besides)
        ways[self.held] = 0
        return self.run[min(frame, last)] + ways

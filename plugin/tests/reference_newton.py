"""A cloth in NumPy to judge the library by: own energies, dense Newton steps. Shares no code with it.

Triangle meshes and ropes of a few dozen vertices; everything is a dense matrix in double precision.
Springs and fabric axes are both E = k/2 (|B x| - L)^2 with a linear map B from vertices to a vector;
hinges are E = k/2 |B x|^2. So an element is a row of weights, and all laws share their derivatives.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import numpy as np


def single(value):
    """A number as the library receives it."""
    return float(np.float32(value))


def triangle_edges(triangles):
    """{(a, b): [opposite vertices]} with a < b."""
    edges = {}
    for triangle in triangles:
        for corner in range(3):
            a, b, opposite = np.roll(triangle, -corner)
            edges.setdefault((min(a, b), max(a, b)), []).append(int(opposite))
    return edges


def areas_of(rest, triangles):
    first, second, third = (rest[triangles[:, corner]] for corner in range(3))
    return np.linalg.norm(np.cross(second - first, third - first), axis=1) / 2


class Reference:
    """rest: n x 3; triangles: m x 3; ropes: pairs of vertices; settings as the library's."""

    def __init__(self, rest, triangles=(), ropes=(), model="triangle", **settings):
        self.rest = np.asarray(rest, np.float32).astype(float)
        self.triangles = np.asarray(triangles, int).reshape(-1, 3)
        self.ropes = np.asarray(ropes, int).reshape(-1, 2)
        self.count = len(self.rest)
        self.settings = {name: single(value) for name, value in settings.items()}
        self.areas = areas_of(self.rest, self.triangles)
        self.mass = self._masses()
        rows, stiffness, lengths = [], [], []
        for add in (self._rope_springs, self._edges if model == "edge" else self._axes):
            for row, k, length in add():
                rows.append(row)
                stiffness.append(k)
                lengths.append(length)
        self.springs = np.array(rows).reshape(-1, self.count)
        self.stiffness = np.array(stiffness)
        self.lengths = np.array(lengths)
        self.bending = self._bending_matrix()

    def _masses(self):
        mass = np.zeros(self.count)
        for corner in range(3):
            np.add.at(mass, self.triangles[:, corner], self.settings["density"] * self.areas / 3)
        for a, b in self.ropes:
            length = np.linalg.norm(self.rest[b] - self.rest[a])
            mass[[a, b]] += self.settings["rope_density"] * length / 2
        return mass

    def _row(self, vertices, weights):
        row = np.zeros(self.count)
        row[list(vertices)] = weights
        return row

    def _rope_springs(self):
        for a, b in self.ropes:
            length = np.linalg.norm(self.rest[b] - self.rest[a])
            yield self._row((a, b), (-1, 1)), self.settings["rope_stretch"] / length, length

    def _edges(self):
        """Springs of 8/9 of the adjacent areas over length squared: an equilateral lattice has then
        the stiffness of the sheet."""
        mean = (self.settings["stretch_warp"] + self.settings["stretch_weft"]) / 2
        area_of = {}
        for triangle, area in zip(self.triangles, self.areas):
            for corner in range(3):
                a, b = sorted((triangle[corner], triangle[corner - 1]))
                area_of[a, b] = area_of.get((a, b), 0) + area
        for (a, b), area in area_of.items():
            length = np.linalg.norm(self.rest[b] - self.rest[a])
            yield self._row((a, b), (-1, 1)), mean * 8 / 9 * area / length**2, length

    def _axes(self):
        """Warp, weft and the two diagonals of each triangle; the sheet stands upright or lies flat:
        warp along z or y, as the library has it without a UV map."""
        for triangle, area in zip(self.triangles, self.areas):
            corners = self.rest[triangle]
            normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
            normal /= np.linalg.norm(normal)
            up = np.array([0, 1, 0] if abs(normal[2]) > 0.9 else [0, 0, 1], float)
            warp = up - (up @ normal) * normal
            warp /= np.linalg.norm(warp)
            weft = np.cross(normal, warp)
            flat = (corners - corners[0]) @ np.column_stack([warp, weft])
            # x = x0 + F (u, v), so F's columns are combinations of the corners
            inverse = np.linalg.inv(np.column_stack([flat[1], flat[2]]))
            u, v = (np.array([-inverse[:, c].sum(), *inverse[:, c]]) for c in range(2))
            shear = self.settings["shear"]
            warp, weft = (self.settings[name] - shear for name in ("stretch_warp", "stretch_weft"))
            diagonals = ((2 * shear, (u + v) / 2**0.5), (2 * shear, (u - v) / 2**0.5))
            for stiffness, weights in ((warp, u), (weft, v), *diagonals):
                yield self._row(triangle, weights), area * stiffness, 1.0

    def _bending_matrix(self):
        """Hinges of the flat rest sheet, each so stiff that rolling it to curvature 1 stores bend / 2 per
        area of its own, in the mean over the directions."""
        total, plane = np.zeros((self.count, self.count)), self._plane()
        rows = []
        for (k, l), tips in triangle_edges(self.triangles).items():
            for i, j in zip(tips, tips[1:]):
                rows.append(self._hinge(plane, i, j, k, l))
        if not rows:
            return total
        areas = np.array([area for _, area in rows])
        rows = np.array([row for row, _ in rows])
        # A parabola along each direction: what a hinge then shows of a gap, squared, in the mean.
        angles = np.pi * np.arange(8) / 8
        rises = (plane @ np.stack([np.cos(angles), np.sin(angles)])) ** 2 / 2
        squared_gaps = ((rows @ rises) ** 2).mean(1)
        stiffness = self.settings["bend"] * areas / squared_gaps * self.areas.sum() / areas.sum()
        return rows.T @ (stiffness[:, None] * rows)

    def _plane(self):
        """Coordinates of the vertices in the plane of the flat rest sheet."""
        if not len(self.triangles):
            return np.zeros((self.count, 2))
        centred = self.rest - self.rest.mean(0)
        return centred @ np.linalg.svd(centred, full_matrices=False)[2][:2].T

    def _hinge(self, plane, i, j, k, l):
        """alpha of one hinge, by signed areas, and a third of the area of its triangles."""

        def area(a, b, c):
            (x, y), (u, v) = plane[b] - plane[a], plane[c] - plane[a]
            return (x * v - y * u) / 2

        side = np.sign(area(k, l, i))
        n_i, n_j = side * area(k, l, i), -side * area(k, l, j)
        n_k, n_l = side * area(k, j, i), side * area(l, i, j)
        weights = [n_j / (n_i + n_j), n_i / (n_i + n_j), -n_l / (n_k + n_l), -n_k / (n_k + n_l)]
        return self._row((i, j, k, l), weights), (n_i + n_j) / 3

    # Energy and its derivatives

    def energy(self, x):
        stretch = np.linalg.norm(self.springs @ x, axis=1) - self.lengths
        return self.stiffness @ stretch**2 / 2 + np.sum(x * (self.bending @ x)) / 2

    def gradient(self, x):
        axes = self.springs @ x
        lengths = np.linalg.norm(axes, axis=1)
        pull = (self.stiffness * (1 - self.lengths / lengths))[:, None] * axes
        return self.springs.T @ pull + self.bending @ x

    def hessian(self, x, clamp):
        """3n x 3n, vertex by vertex. `clamp` drops the negative part of compressed springs."""
        axes = self.springs @ x
        lengths = np.linalg.norm(axes, axis=1)
        unit = axes / lengths[:, None]
        sideways = 1 - self.lengths / lengths
        if clamp:
            sideways = np.maximum(sideways, 0)
        along = 1 - sideways
        blocks = along[:, None, None] * unit[:, :, None] * unit[:, None, :]
        blocks += sideways[:, None, None] * np.eye(3)
        blocks *= self.stiffness[:, None, None]
        full = np.einsum("ei,eab,ej->iajb", self.springs, blocks, self.springs, optimize=True)
        size = 3 * self.count
        return full.reshape(size, size) + np.kron(self.bending, np.eye(3))

    # Newton

    def minimise(self, start, inertia, pull, held, weight=1.0, tolerance=1e-12, rounds=200):
        """x that makes inertia |x - pull|^2 / 2 + weight E(x) stationary, from `start`, `held`
        vertices staying there. inertia: per vertex; 0 for statics, then pull is minus a force."""
        free = np.setdiff1d(np.arange(self.count), held)
        unknown = (3 * free[:, None] + np.arange(3)).ravel()
        x = start.copy()

        def value(x):
            return inertia @ np.sum(x * x, 1) / 2 - np.sum(pull * x) + weight * self.energy(x)

        for _ in range(rounds):
            slope = (inertia[:, None] * x - pull + weight * self.gradient(x)).ravel()[unknown]
            size = np.abs(slope).max()
            if size < tolerance:
                return x
            step = self._direction(x, inertia, weight, unknown, slope).reshape(-1, 3)
            part, before, trial = 1.0, value(x), x.copy()
            rounding = 1e-14 * (abs(before) + inertia @ np.sum(x * x, 1))
            while part > 1e-8:
                trial[free] = x[free] + part * step
                wanted = before + 1e-4 * part * (slope @ step.ravel()) + rounding
                if value(trial) <= wanted:
                    break
                part /= 2
            x = trial.copy()
        raise AssertionError(f"Newton has not converged: {size}")

    def _direction(self, x, inertia, weight, unknown, slope):
        """A Newton step: exact where the Hessian is positive, else with compression clamped."""
        for clamp in (False, True):
            matrix = weight * self.hessian(x, clamp) + np.diag(np.repeat(inertia, 3))
            matrix = matrix[np.ix_(unknown, unknown)]
            try:
                lower = np.linalg.cholesky(matrix)
            except np.linalg.LinAlgError:
                continue
            return -np.linalg.solve(lower.T, np.linalg.solve(lower, slope))
        matrix += 1e-9 * np.trace(matrix) / len(matrix) * np.eye(len(matrix))
        return -np.linalg.solve(matrix, slope)

    def step(self, x, v, h, gravity, held=(), damping=0.0):
        """One converged step of backward Euler: M (1 + h d)(z - x) = h M v + h^2 (M g + F(z))."""
        inertia = self.mass * (1 + h * damping)
        drive = self.mass[:, None] * (h * v + h * h * np.asarray(gravity))
        start = x + h * v
        start[list(held)] = x[list(held)]
        return self.minimise(start, inertia, inertia[:, None] * x + drive, list(held), h * h)

    def rest_under(self, gravity, held, start):
        """The static solution near `start`."""
        weights = self.mass[:, None] * np.asarray(gravity)
        return self.minimise(start, np.zeros(self.count), weights, list(held), tolerance=1e-10)

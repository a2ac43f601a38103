# SPDX-License-Identifier: GPL-3.0-or-later
"""Rope and cloth as the slides print them [KIST 2008], in NumPy and apart from the library.

A sheet is an array (rows, columns, 3) of places; threads run along both axes, and a rope has one column. Its links have
one stiffness k (N/m) and one rest length (m).
"""

import numpy as np


class Sheet:
    """The springs of all threads where they are now. exact: with the l0/l that the slides leave out of G."""

    def __init__(self, places, rest, stiffness, exact=False):
        self.places, self.rest, self.stiffness = places, rest, stiffness
        self.ways = [np.diff(places, axis=axis) for axis in (0, 1)]
        self.lengths = [np.linalg.norm(way, axis=-1, keepdims=True) for way in self.ways]
        self.exact = exact

    def force(self):
        """f_i = g_i - g_(i-1), g = k (l - l0)/l d."""
        pulls = [self.stiffness * (1 - self.rest / n) * d for d, n in zip(self.ways, self.lengths)]
        return self._gather(pulls)

    def product(self, v):
        """J v by G e = alpha e - k (d.e)/l^2 d for the difference e of each link's ends."""
        pulls = []
        for axis, (d, length) in enumerate(zip(self.ways, self.lengths)):
            e = -np.diff(v, axis=axis)
            along = (d * e).sum(-1, keepdims=True) / length**2
            along = along * self.rest / length if self.exact else along
            pulls.append(self.stiffness * ((self.rest / length - 1) * e - along * d))
        return self._gather(pulls)

    def _gather(self, pulls):
        total = np.zeros_like(self.places)
        total[:-1] += pulls[0]
        total[1:] -= pulls[0]
        total[:, :-1] += pulls[1]
        total[:, 1:] -= pulls[1]
        return total

    def matrix(self, scale):
        """I - scale J, written out."""
        size = self.places.size
        columns = [self.product(unit.reshape(self.places.shape)).ravel() for unit in np.eye(size)]
        return np.eye(size) - scale * np.array(columns).T


def conjugate_gradients(sheet, scale, right, held, tolerance, limit):
    """Iterations of the slides' modified CG for (I - scale J) d = b until |r| <= tolerance |b|; `limit` if it never is."""
    right = right.copy()
    right[held] = 0
    residual, way = right.copy(), right.copy()
    square = goal = (right**2).sum()
    for done in range(limit):
        if square <= tolerance**2 * goal:
            return done
        image = way - scale * sheet.product(way)
        image[held] = 0
        residual -= square / (way * image).sum() * image
        before, square = square, (residual**2).sum()
        way = residual + square / before * way
    return limit


# --- area and bending: energies, and the forces beside them -----------------------------------------


def area_energy(five, spacing):
    """1/2 (g - 1)^2 over the spacing squared around the third of (left, right, below, above), for k_a = 1."""
    u, v = (five[1] - five[0]) / (2 * spacing), (five[3] - five[2]) / (2 * spacing)
    return 0.5 * spacing**2 * (u @ u * (v @ v) - (u @ v) ** 2 - 1) ** 2


def area_force(five, spacing):
    """As printed, of (left, right, below, above)."""
    u, v = (five[1] - five[0]) / (2 * spacing), (five[3] - five[2]) / (2 * spacing)
    g = u @ u * (v @ v) - (u @ v) ** 2
    along = (g - 1) * spacing / 2 * (v @ v * u - u @ v * v)
    across = (g - 1) * spacing / 2 * (u @ u * v - u @ v * u)
    return np.array([-along, along, -across, across])


def bending_energy(three, spacing):
    """1/2 kappa^2 over the spacing, kappa = 2 |c|/(spacing |e|), for k_b = 1."""
    c, e = three[2] - 2 * three[1] + three[0], three[2] - three[0]
    return 0.5 * spacing * (4 * (c @ c) / (spacing**2 * (e @ e)))


def bending_force(three, spacing):
    """As printed, of (before, at, behind)."""
    c, e = three[2] - 2 * three[1] + three[0], three[2] - three[0]
    size = 4 * (c @ c) / (spacing**2 * (e @ e)) * spacing
    behind = size * (c / (c @ c) - e / (e @ e))
    before = size * (c / (c @ c) + e / (e @ e))
    return np.array([before, -before - behind, behind])


def over_derivative(force, energy, points, spacing, step=1e-6):
    """The printed force in parts of minus the energy's derivative, and what is left of it over its length."""
    slope = np.zeros_like(points)
    for index in np.ndindex(points.shape):
        ends = []
        for side in (step, -step):
            moved = points.copy()
            moved[index] += side
            ends.append(energy(moved, spacing))
        slope[index] = (ends[0] - ends[1]) / (2 * step)
    printed = force(points, spacing)
    part = -(printed * slope).sum() / (slope**2).sum()
    return float(part), float(np.linalg.norm(printed + part * slope) / np.linalg.norm(printed))

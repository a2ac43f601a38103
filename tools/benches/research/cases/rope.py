# SPDX-License-Identifier: GPL-3.0-or-later
"""Rope and cloth without a matrix [KIST 2008]: what the slides say of their method, and how ours does.

The slides have formulas and counts of operations, but no scene, size, constant or time. So ropes of 1 m are held by one
end and squares of 1 m by two corners, of the reference fabric, in steps of 1/48 s with one Newton step each, as the
slides' implicit Euler has it. Their formulas stand here in NumPy, apart from the library.
"""

import numpy as np
from common.bench import heading, note
from common.measure import cloth_of, mean_drop
from test_scenes.fabric import REFERENCE
from test_scenes.mesh import Mesh
from test_scenes.sheets import grid, rope

STEP = 1 / 48  # s
TOLERANCE, LIMIT = 1e-3, 5000  # of conjugate gradients
ONE_STEP = {"solver": "threads", "iterations": 1, "pcg_tolerance": TOLERANCE, "pcg_limit": LIMIT}
CONVERGED = {**ONE_STEP, "iterations": 20}
STRETCH_ONLY = {"shear": 0, "area_stiffness": 0, "bend": 0, "rope_bend": 0}
ARC = np.pi / 2  # what the resting thread turns by from end to end


def measure(results, quick):
    heading("Rope and cloth without a matrix: what the slides say")
    _claims(results)
    _iterations(results, quick)
    _falls(results, quick)


# --- the slides' formulas --------------------------------------------------------------------------


class Sheet:
    """The springs of all threads where they are now: places (rows, columns, 3), threads along both axes; a rope has one
    column. Links have one stiffness k (N/m) and one rest length (m). exact: with the l0/l that the slides leave out of G.
    """

    def __init__(self, places, rest, stiffness, exact=False):
        self.places, self.rest, self.stiffness, self.exact = places, rest, stiffness, exact
        self.ways = [np.diff(places, axis=axis) for axis in (0, 1)]
        self.lengths = [np.linalg.norm(way, axis=-1, keepdims=True) for way in self.ways]

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


def conjugate_gradients(sheet, scale, right, held):
    """Iterations of the slides' modified CG for (I - scale J) d = b until |r| <= TOLERANCE |b|; LIMIT if it never is."""
    right = right.copy()
    right[held] = 0
    residual, way = right.copy(), right.copy()
    square = goal = (right**2).sum()
    for done in range(LIMIT):
        if square <= TOLERANCE**2 * goal:
            return done
        image = way - scale * sheet.product(way)
        image[held] = 0
        residual -= square / (way * image).sum() * image
        before, square = square, (residual**2).sum()
        way = residual + square / before * way
    return LIMIT


def area_energy(four):
    """1/2 (g - 1)^2 around the middle of (left, right, below, above), a spacing of 1, for k_a = 1."""
    u, v = (four[1] - four[0]) / 2, (four[3] - four[2]) / 2
    return 0.5 * (u @ u * (v @ v) - (u @ v) ** 2 - 1) ** 2


def area_force(four):
    """As printed."""
    u, v = (four[1] - four[0]) / 2, (four[3] - four[2]) / 2
    g = u @ u * (v @ v) - (u @ v) ** 2
    along = (g - 1) / 2 * (v @ v * u - u @ v * v)
    across = (g - 1) / 2 * (u @ u * v - u @ v * u)
    return np.array([-along, along, -across, across])


def bending_energy(three):
    """1/2 kappa^2 of (before, at, behind), kappa = 2 |c|/|e|, for k_b = 1."""
    c, e = three[2] - 2 * three[1] + three[0], three[2] - three[0]
    return 2 * (c @ c) / (e @ e)


def bending_force(three):
    """As printed."""
    c, e = three[2] - 2 * three[1] + three[0], three[2] - three[0]
    size = 4 * (c @ c) / (e @ e)
    behind = size * (c / (c @ c) - e / (e @ e))
    before = size * (c / (c @ c) + e / (e @ e))
    return np.array([before, -before - behind, behind])


def part_of_derivative(force, energy, points, step=1e-6):
    """The printed force in parts of minus the energy's derivative."""
    slope = np.zeros_like(points)
    for index in np.ndindex(points.shape):
        away = np.zeros_like(points)
        away[index] = step
        slope[index] = (energy(points + away) - energy(points - away)) / (2 * step)
    return float(-(force(points) * slope).sum() / (slope**2).sum())


# --- what the slides say ---------------------------------------------------------------------------


def _arc(count, columns, stretch=1.0):
    """Places (count, columns, 3) of threads that turn by ARC, each 1 m long; their links are stretched alike."""
    angle, across = np.linspace(0, ARC, count), np.linspace(0, 1, columns)
    x, z = np.sin(angle), 1 - np.cos(angle)
    scale = stretch / ((count - 1) * np.hypot(x[1], z[1]))
    places = np.zeros((count, columns, 3))
    places[..., 0], places[..., 2] = scale * x[:, None], scale * z[:, None]
    places[..., 1] = stretch * across
    return places


def _rope_of(stretch, exact=False, count=20):
    """The slides' rope, and h^2/m."""
    rest = 1 / (count - 1)
    sheet = Sheet(_arc(count, 1, stretch), rest, REFERENCE["rope_stretch"] / rest, exact)
    return sheet, STEP**2 / (REFERENCE["rope_density"] * rest)


def _jacobian_error(exact):
    sheet, _ = _rope_of(1.1, exact)
    v = np.random.default_rng(1).normal(size=sheet.places.shape)
    places = [sheet.places + away * v for away in (1e-7, -1e-7)]
    ends = [Sheet(place, sheet.rest, sheet.stiffness).force() for place in places]
    slope = (ends[0] - ends[1]) / 2e-7
    return float(np.linalg.norm(sheet.product(v) - slope) / np.linalg.norm(slope))


def _claims(results):
    sheet, scale = _rope_of(0.99)
    least = float(np.linalg.eigvalsh(sheet.matrix(scale)).min())
    sheet, scale = _rope_of(1.001)
    entries = np.abs(sheet.matrix(scale))
    around = np.array([[-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0.0]])
    around += np.random.default_rng(2).normal(0, 0.1, (4, 3))
    bent = np.array([[-1, 0, 0], [0, 0, 0.3], [1, 0.1, 0.0]])
    found = {
        "jacobian_error": _jacobian_error(False),
        "exact_jacobian_error": _jacobian_error(True),
        "least_eigenvalue": least,
        "dominant_rows": float((2 * np.diag(entries) > entries.sum(1)).mean()),
        "area_part": part_of_derivative(area_force, area_energy, around),
        "bending_part": part_of_derivative(bending_force, bending_energy, bent),
        "skew_power": _skew_power(),
    }
    for key, value in found.items():
        results.number(f"threads_{key}", value)
    results.table("threads_claims", [found])


def _skew_power():
    """Of the area's energy under a small angle and half of it: 2 is a spring."""
    energies = []
    for angle in (0.02, 0.04):
        turned = np.array([np.sin(angle), np.cos(angle), 0])
        energies.append(area_energy(np.array([[-1, 0, 0], [1, 0, 0], -turned, turned])))
    return float(np.log2(energies[1] / energies[0]))


def _iterations(results, quick):
    """The first step of a resting arc that begins to fall: the slides' CG has no preconditioner, ours has blocks."""
    note(f"Conjugate gradients to {TOLERANCE:g}, stretch alone, the first step of threads at rest.")
    shapes = [(count, 1) for count in ((10, 100) if quick else (10, 100, 1000))]
    shapes += [(side, side) for side in ((10, 20) if quick else (10, 20, 40, 80))]
    rows = []
    for count, columns in shapes:
        rest = 1 / (count - 1)
        stiffness, mass = REFERENCE["stretch_warp"], REFERENCE["density"] * rest**2
        if columns == 1:
            stiffness, mass = REFERENCE["rope_stretch"] / rest, REFERENCE["rope_density"] * rest
        sheet = Sheet(_arc(count, columns), rest, stiffness)
        right = np.zeros(sheet.places.shape)
        right[..., 2] = -9.81 * STEP
        held = np.zeros(sheet.places.shape[:2], bool)
        held[0, [0, -1]] = True
        theirs = conjugate_gradients(sheet, STEP**2 / mass, right, held)
        places, pins = sheet.places.reshape(-1, 3), np.flatnonzero(held.ravel())
        mesh = Mesh(places, grid(columns, count, diagonals="quads").faces)
        if columns == 1:
            mesh = Mesh(places, np.zeros((0, 3), np.int32), edges=rope(count).edges)
        with cloth_of(mesh, pins, **ONE_STEP, **STRETCH_ONLY) as cloth:
            cloth.step(STEP)
            ours = cloth.stats().pcg_iterations
        kind = "rope" if columns == 1 else "cloth"
        rows.append({"kind": kind, "vertices": len(places), "slides": theirs, "ours": ours})
    results.table("threads_cg", rows)


def _falls(results, quick):
    """One linearisation a step against the converged step, which the slides do not speak of."""
    count, side = (20, 11) if quick else (100, 41)
    corners = [side * (side - 1), side * side - 1]
    rows = []
    for kind, mesh, pins in (
        ("rope", rope(count), [0]),
        ("cloth", grid(side, side, 1.0, "quads"), corners),
    ):
        row = {"kind": kind}
        for name, settings in (("one", ONE_STEP), ("converged", CONVERGED)):
            with cloth_of(mesh, pins, **settings) as cloth:
                for _ in range(12):
                    cloth.step(STEP)
                row[f"drop_{name}"] = -mean_drop(cloth)
                row[f"largest_strain_{name}"] = cloth.stats().largest_strain
        rows.append(row)
        results.number(f"threads_response_{kind}", row["drop_one"] / row["drop_converged"])
    results.table("threads_falls", rows)

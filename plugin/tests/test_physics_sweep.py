"""The solver by sweeps: a step as Kim [2006] writes it, here once more with NumPy, and what holds for any cloth.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from body_meshes import sheet
from contact_plays import body_piercings, self_piercings
from muslin import Cloth, Mesh
from test_scenes.contact.catalogue import make
from test_scenes.contact.play import Play

WIDE, HIGH, SPACING = 7, 5, 1 / 16  # vertices of a grid of quads; m
LENGTH = 1 / 48  # s
DENSITY, STRETCH, BEND, DAMPING = 0.3, 4.0, 2e-6, 0.4
GRAVITY = 9.81
ALPHA = 0.8
PINS = [0, WIDE - 1]
MODEL = {"model": "edge", "tension_only": True, "bending": "spring", "bend_rest": "flat"}
FABRIC = {
    **{"density": DENSITY, "stretch_warp": STRETCH, "stretch_weft": STRETCH, "shear": 0},
    **{"bend": BEND, "damping": DAMPING, "stiffness_damping": 0, "air_drag": 0},
    **{"normal_drag": 0, "tangent_drag": 0, "gravity": (0, 0, -GRAVITY)},
}
METHOD = {"solver": "sweep", "integrator": "euler", "substeps": 1, "pcg_tolerance": 1e-9}


def numbers():
    return np.arange(WIDE * HIGH).reshape(HIGH, WIDE)


def grid():
    """Places and faces."""
    at = numbers()
    x, y = np.meshgrid(np.arange(WIDE), np.arange(HIGH))
    places = SPACING * np.stack([x.ravel(), y.ravel(), 0 * x.ravel()], axis=1)
    faces = np.stack([at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]], axis=-1).reshape(-1, 4)
    return places, faces


def masses():
    """A third of each triangle at its corners. Cells are cut to their corner farthest from the middle."""
    places, faces = grid()
    cells = np.zeros(len(places))
    for face in faces:
        away = np.linalg.norm(places[face] - places.mean(axis=0), axis=1)
        ends = np.arange(4) % 2 == np.argmax(away) % 2
        cells[face] += np.where(ends, 1 / 3, 1 / 6)
    return DENSITY * SPACING**2 * cells


def springs():
    """Pairs of vertices, stiffness (N/m), rest length (m), and whether they are strong ones."""
    at, found = numbers(), []
    for turned in (at, at.T):
        for row, line in enumerate(turned):
            rim = 0.5 if row in (0, len(turned) - 1) else 1  # half a cell on each side
            found += [(*pair, STRETCH * rim, SPACING, 1) for pair in zip(line, line[1:])]
            weak = 36 * BEND / (2 * SPACING) ** 2
            found += [(*pair, weak, 2 * SPACING, 0) for pair in zip(line, line[2:])]
    return [np.array(column) for column in zip(*found)]


def jacobian(method, length, rest):
    """Parts of the stiffness across and along a strong spring [Kim 2006, eq. 1, 7, 9, 12]."""
    stretch = length / rest
    one, none = np.ones_like(stretch), np.zeros_like(stretch)
    across = np.where(stretch > 1, 1 - 1 / stretch, 0)
    smoothed = np.where(stretch > 1, 1, np.clip((stretch - ALPHA) / (1 - ALPHA), 0, None))
    return {
        "kim": (across, smoothed),
        "choi_ko": (across, np.where(stretch > 1, 1.0, 0.0)),
        "kang1": (one, one),
        "desbrun": (one, one),
        "kang2": (none, one),
        "symplectic": (none, none),
    }[method]


def matrix_and_forces(method, places):
    """Equation 5 for the changes of place, as one matrix, and the forces (N)."""
    a, b, stiffness, rest, strong = springs()
    way = places[b] - places[a]
    length = np.linalg.norm(way, axis=1)
    excess = np.where(strong, np.maximum(length - rest, 0), length - rest)
    pull = (stiffness * excess / length)[:, None] * way
    forces = masses()[:, None] * [0, 0, -GRAVITY]
    np.add.at(forces, a, pull)
    np.subtract.at(forces, b, pull)
    across, along = jacobian(method, length, rest)
    matrix = np.kron(np.diag(masses() * (1 + LENGTH * DAMPING)), np.eye(3))
    for e in np.flatnonzero(strong):
        normal = np.outer(way[e], way[e]) / length[e] ** 2
        block = stiffness[e] * (across[e] * np.eye(3) + (along[e] - across[e]) * normal)
        for p, q, sign in ((a[e], a[e], 1), (b[e], b[e], 1), (a[e], b[e], -1), (b[e], a[e], -1)):
            matrix[3 * p : 3 * p + 3, 3 * q : 3 * q + 3] += sign * LENGTH**2 * block
    return matrix, forces


def published_step(method, sweeps, places, velocities):
    """Where vertices are after a step of LENGTH, m."""
    matrix, forces = matrix_and_forces(method, places)
    right = (LENGTH * masses()[:, None] * velocities + LENGTH**2 * forces).ravel()
    moved = LENGTH * velocities.ravel()
    free = [i for i in range(WIDE * HIGH) if i not in PINS]
    if method in ("choi_ko", "desbrun"):
        rows = np.concatenate([3 * np.array(free) + axis for axis in range(3)])
        moved[rows] = np.linalg.solve(matrix[np.ix_(rows, rows)], right[rows])
        return places + moved.reshape(-1, 3)
    # in place: a checkerboard of two by two, in which no two neighbours have one colour
    order = sorted(free, key=lambda i: (i % WIDE % 2 + 2 * (i // WIDE % 2), i))
    for _ in range({"kang1": 2, "symplectic": 1}.get(method, sweeps)):
        newest = moved if method == "kim" else moved.copy()
        for i in order:
            own = slice(3 * i, 3 * i + 3)
            rest = right[own] - matrix[own] @ moved + matrix[own, own] @ moved[own]
            newest[own] = np.linalg.solve(matrix[own, own], rest)
        moved = newest
    return places + moved.reshape(-1, 3)


class PublishedStepTest(unittest.TestCase):
    def check(self, method, sweeps):
        rest, faces = grid()
        random = np.random.default_rng(4)
        places, velocities = rest.copy(), np.zeros_like(rest)
        free = np.setdiff1d(np.arange(len(rest)), PINS)
        places[free] += random.uniform(-0.2, 0.2, (len(free), 3)) * SPACING
        velocities[free] = random.uniform(-0.3, 0.3, (len(free), 3))
        places, velocities = places.astype(np.float32), velocities.astype(np.float32)
        mesh = Mesh.from_faces(rest.astype(np.float32), faces)
        settings = {**MODEL, **FABRIC, **METHOD, "sweep_method": method, "sweeps": sweeps}
        with Cloth(mesh, **settings) as cloth:
            cloth.set_pins(PINS)
            cloth.set_state(places, velocities)
            cloth.step(LENGTH)
            wanted = published_step(
                method, sweeps, places.astype(np.float64), velocities.astype(np.float64)
            )
            apart = np.abs(cloth.positions() - wanted).max()
        self.assertLess(apart, 2e-7, (method, sweeps))  # positions come as floats
        self.assertGreater(np.abs(wanted - places).max(), 1e-3)

    def test_sweeps(self):
        for method in ("kim", "kang2"):
            for sweeps in (1, 2, 3, 8):
                self.check(method, sweeps)

    def test_the_rest_of_the_family(self):
        for method in ("kang1", "desbrun", "choi_ko", "symplectic"):
            self.check(method, 1)


def masses_of(mesh):
    """Shares of the area at the corners of triangles."""
    places = mesh.positions.astype(float)
    triangles = mesh.face_vertices.reshape(-1, 3)
    sides = places[triangles[:, 1:]] - places[triangles[:, :1]]
    areas = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
    return np.bincount(triangles.ravel(), np.repeat(areas, 3), len(places))


def momentum(mass, places, velocities):
    """Angular, about the centre of mass."""
    away, speed = (
        values - np.average(values, 0, mass)
        for values in (np.float64(places), np.float64(velocities))
    )
    return mass @ np.cross(away, speed)


class AnyClothTest(unittest.TestCase):
    """Every model and bending, bodies, threads, and a budget."""

    def test_models_and_bendings_stay_finite(self):
        for model in ("edge", "triangle", "membrane"):
            for bending in ("curvature", "hinge", "spring"):
                with Cloth(sheet(12), solver="sweep", model=model, bending=bending) as cloth:
                    cloth.set_pins([0, 11])
                    for _ in range(24):
                        cloth.step(1 / 24)
                    stats = cloth.stats()
                    total = stats.kinetic_energy + stats.elastic_energy + stats.gravity_energy
                    self.assertTrue(np.isfinite(total), (model, bending))
                    self.assertLess(total, 1e-3, (model, bending))  # it began with none

    def test_a_sheet_on_a_ball_stays_outside(self):
        for method, sweeps in (("kim", 2), ("kim", 12), ("choi_ko", 1), ("desbrun", 1)):
            with Play(
                make("sphere_centred", count=21), solver="sweep", sweep_method=method, sweeps=sweeps
            ) as play:
                play.run(48)
                self.assertEqual(body_piercings(play), 0, (method, sweeps))
                self.assertTrue(np.isfinite(play.positions()).all())

    def fold(self, frames, **settings):
        """A strip folded twice falls on the floor and itself. Crossings of its layers, of all even frames, and its height."""
        crossings = 0
        with Play(make("folded", spacing=0.03), solver="sweep", **settings) as play:
            for _ in range(frames // 2):
                play.run(2)
                crossings += self_piercings(play)
            crossings += body_piercings(play) if settings.get("self_contact", True) else 0
            return crossings, play.positions()[:, 2].max()

    def test_layers_stay_apart(self):
        for method, sweeps in (("kim", 8), ("kim", 32), ("choi_ko", 1)):
            crossings, height = self.fold(16, sweep_method=method, sweeps=sweeps)
            self.assertEqual(crossings, 0, (method, sweeps))
            self.assertLess(height, 0.16, (method, sweeps))  # m; it began at 0.21
        crossings, height = self.fold(16, sweep_method="kim", sweeps=32, self_contact=False)
        self.assertGreater(crossings, 0)  # the count sees what self-contact prevents

    def test_threads_do_not_change_the_bytes(self):
        ends = set()
        for threads in (1, 2):
            with Play(make("sphere", count=25), solver="sweep", threads=threads) as play:
                play.run(20)
                ends.add(play.positions().tobytes())
        self.assertEqual(len(ends), 1)

    def spin(self, method):
        """The angular momentum of a free sheet after half a turn about no axis of its own, as a share of what it began with:
        along that, and how far it is off."""
        mesh = sheet(12)
        mass = masses_of(mesh)
        places = mesh.positions.astype(float)
        around = np.cross((1.0, 2.0, 6.0), places - np.average(places, 0, mass))  # 1/s
        still = {"gravity": (0, 0, 0), "damping": 0, "stiffness_damping": 0, "air_drag": 0}
        drag = {"normal_drag": 0, "tangent_drag": 0}
        with Cloth(mesh, **MODEL, **still, **drag, **METHOD, sweep_method=method) as cloth:
            cloth.set_state(places, around.astype(np.float32))
            before = momentum(mass, *cloth.state())
            for _ in range(24):
                cloth.step(LENGTH)
            after = momentum(mass, *cloth.state())
        size = np.linalg.norm(before)
        return float(after @ before) / size**2, float(np.linalg.norm(after - before)) / size

    def test_desbrun_keeps_the_angular_momentum(self):
        """Its filter J = k I resists turning; what it took is given back after each step [Desbrun et al. 1999]. The exact
        J loses what backward Euler does."""
        self.assertLess(self.spin("desbrun")[1], 1e-5)
        self.assertGreater(self.spin("choi_ko")[1], 0.05)
        self.assertLess(self.spin("kang1")[0], 0.5)

    def test_a_budget_decides_how_many_sweeps(self):
        """Time for none leaves one, an hour all of them. A level that is held has all, whatever the clock says."""
        for budget, held, wanted in ((1e-3, -1, 1), (60000, -1, 9), (1e-3, 0, 9)):
            with Cloth(sheet(12), solver="sweep", sweeps=9, budget_ms=budget) as cloth:
                cloth.hold_level(held)
                cloth.step(1 / 24)
                self.assertEqual(cloth.report().iterations, wanted)


if __name__ == "__main__":
    unittest.main()

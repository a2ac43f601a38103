"""Where a cloth is tight: strain, pressure and gap against what they must be.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from body_meshes import STEP, ball, sheet, table
from mirror_meshes import with_pocket
from muslin import Cloth, Mesh
from test_scenes import hoop, sheets, solids
from test_scenes.levels import long_test

GRAVITY = 9.81
COUNT = 63  # vertices of roof()


def areas(mesh, positions):
    """A third of the faces around each vertex, m^2; triangles only."""
    corners = np.array(mesh.faces())
    a, b, c = positions[corners].astype(float).transpose(1, 0, 2)
    each = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 6
    return np.bincount(corners.ravel(), np.repeat(each, 3), mesh.vertex_count)


def bowl(radius):
    """The lower part of a sphere around the origin, a sheet with two sides."""
    scene = solids.uv_sphere(radius, (0, 0, 0), 64, 96)
    low = [list(f) for f in scene.faces if scene.positions[list(f), 2].max() < -0.2 * radius]
    used, faces = np.unique(np.concatenate(low), return_inverse=True)
    return Mesh(scene.positions[used], list(map(len, low)), faces)


def settled(mesh, bodies, frames=60, **settings):
    """A cloth after some steps on bodies without friction, which pulls sideways and may bear weight."""
    cloth = Cloth(mesh, damping=3.0, **settings)
    for body in bodies:
        cloth.add_body(body, friction=0.0)
    for _ in range(frames):
        cloth.step(STEP)
    return cloth


class StrainTest(unittest.TestCase):
    def setUp(self):
        scene = sheets.grid(9, 7, (0.4, 0.3))
        self.mesh = Mesh.from_faces(
            scene.positions, scene.faces, uvs=scene.uvs[scene.faces.ravel()]
        )

    def strain(self, change, **settings):
        """Of the sheet after a linear map of its plane."""
        with Cloth(self.mesh, **settings) as cloth:
            cloth.set_state(self.mesh.positions @ np.array(change, np.float32).T)
            return cloth.fit()

    def test_threads_are_measured_along_the_pattern(self):
        for model in ("triangle", "edge"):
            fit = self.strain([[1.1, 0, 0], [0, 0.97, 0], [0, 0, 1]], model=model)
            np.testing.assert_allclose(fit.warp, 0.1, atol=2e-6)
            np.testing.assert_allclose(fit.weft, -0.03, atol=2e-6)
            np.testing.assert_allclose(fit.shear, 0, atol=2e-5)

    def test_shear_is_an_angle(self):
        for angle in (0.2, -0.2):
            fit = self.strain([[1, np.sin(angle), 0], [0, np.cos(angle), 0], [0, 0, 1]])
            np.testing.assert_allclose(fit.shear, 0.2, atol=2e-5)
            np.testing.assert_allclose([fit.warp, fit.weft], 0, atol=2e-6)

    def test_turned_cloth_is_not_strained(self):
        turn = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
        np.testing.assert_allclose(self.strain(turn)[:3], 0, atol=1e-3)

    def test_uv_map_is_the_pattern(self):
        fit = self.strain(np.eye(3), pattern="uv", uv_scale=0.8)
        np.testing.assert_allclose([fit.warp, fit.weft], 0.25, atol=2e-6)

    def test_without_bodies(self):
        fit = self.strain(np.eye(3))
        self.assertEqual(fit.pressure.max(), 0)
        self.assertTrue(np.isposinf(fit.gap).all())


class WeightTest(unittest.TestCase):
    """What lies on a body presses on it with its weight, and with nothing else."""

    DENSITY = 0.3

    def test_sheet_on_a_table(self):
        mesh = sheet(16, 0.4, 0.01)
        with settled(mesh, [table()], quality="fit", density=self.DENSITY) as cloth:
            fit = cloth.fit()
            np.testing.assert_allclose(fit.pressure, self.DENSITY * GRAVITY, rtol=0.02)
            np.testing.assert_allclose(fit.gap, cloth.positions()[:, 2], atol=1e-6)

    @long_test
    def test_sheet_in_a_bowl(self):
        """Forces are along the bowl's radii; only what they have of the vertical bears."""
        mesh = sheet(20, 0.3, -0.36)
        with settled(mesh, [bowl(0.4)], 120, quality="fit", density=self.DENSITY) as cloth:
            positions, fit = cloth.positions(), cloth.fit()
            upright = -positions[:, 2] / np.linalg.norm(positions, axis=1)
            lifted = (fit.pressure * areas(mesh, positions) * upright).sum()
            self.assertAlmostEqual(lifted / (self.DENSITY * GRAVITY * 0.3**2), 1, delta=0.02)

    def test_layers_press_on_what_is_below_them(self):
        """Of two sheets on a table only the lower one meets it, with the weight of both."""
        low, high = sheet(12, 0.3, 0.006), sheet(12, 0.3, 0.014)
        faces = low.faces() + [[v + low.vertex_count for v in face] for face in high.faces()]
        both = Mesh.from_faces(np.concatenate([low.positions, high.positions]), faces)
        with Cloth(both, damping=3.0, quality="fit", density=self.DENSITY) as cloth:
            cloth.add_body(table(), friction=0.0)
            cloth.set_self_contact(True)
            for _ in range(80):
                cloth.step(STEP)
            fit, area = cloth.fit(), areas(both, cloth.positions())
            force = (fit.pressure * area).reshape(2, -1).sum(1)
            self.assertAlmostEqual(
                force[0] / (2 * self.DENSITY * GRAVITY * 0.3**2), 1, delta=0.03
            )
            self.assertEqual(force[1], 0)


class SleeveTest(unittest.TestCase):
    """Hoop tension and pressure of a tight sleeve, T = dW/dh and p = T/r: test_scenes/hoop.py."""

    def check(self, sleeve, allowed):
        error = hoop.errors(sleeve, *hoop.wear(sleeve, 40))
        self.assertLess(error.tension_worst, allowed)
        self.assertLess(error.pressure_worst, allowed)
        self.assertLess(error.gap, 1e-5)

    def test_upright_threads(self):
        self.check(hoop.Sleeve(tight=0.05, around=40), 0.01)

    @long_test
    def test_cut_on_the_bias(self):
        self.check(hoop.Sleeve(tight=0.1, around=40, bias=True, cut="triangles"), 0.01)

    @long_test
    def test_unlike_threads(self):
        self.check(hoop.Sleeve(tight=0.05, around=40, warp=400, weft=2000, shear=60), 0.01)


class GapTest(unittest.TestCase):
    def test_bodies_as_they_stand(self):
        """Before any step, after a step, and where a body was placed since."""
        mesh = sheet(8, 0.2, 0.5)
        with Cloth(mesh, gravity=(0, 0, 0)) as cloth:
            body = cloth.add_body(table())
            for height in (0.0, 0.1):
                body.place(table().positions + np.float32([0, 0, height]))
                np.testing.assert_allclose(cloth.fit().gap, 0.5 - height, atol=1e-6)
                cloth.step(STEP)
                np.testing.assert_allclose(cloth.fit().gap, 0.5 - height, atol=1e-6)
            body.move(table().positions)
            np.testing.assert_allclose(cloth.fit().gap, 0.4, atol=1e-6)  # it has not gone yet
            cloth.step(STEP)
            np.testing.assert_allclose(cloth.fit().gap, 0.5, atol=1e-6)

    def test_inside_is_negative(self):
        with Cloth(sheet(8, 0.1, 0.0)) as cloth:
            cloth.add_body(ball(0.3, (0, 0, 0)))
            cloth.add_body(ball(0.1, (0, 0, 0.5)))
            gap = cloth.fit().gap
            from_middle = np.linalg.norm(cloth.positions(), axis=1)
            np.testing.assert_allclose(gap, from_middle - 0.3, atol=4e-3)  # chords

    def test_looking_changes_nothing(self):
        ends = []
        for looks in (False, True):
            with Cloth(sheet(16, 0.4, 0.03), quality="draft") as cloth:
                body = cloth.add_body(ball())
                for frame in range(12):
                    body.move(ball().positions + np.float32([0.004 * frame, 0, 0]))
                    if looks:
                        cloth.fit()
                    cloth.step(STEP)
                ends.append(cloth.snapshot())
        self.assertEqual(*ends)


class MirrorTest(unittest.TestCase):
    """The arrays are those of the whole garment, also where its half is simulated."""

    def test_half_is_the_whole(self):
        """A sleeve has one rest, but for turning about its axis, so both must find it."""
        sleeve = hoop.Sleeve(tight=0.05, around=24)
        half, whole = (hoop.wear(sleeve, 40, mirror=mirror)[1] for mirror in ("exact", "off"))
        for name, reported, wanted in zip(half._fields, half, whole):
            size = max(np.abs(wanted).max(), 0.01)
            np.testing.assert_allclose(reported, wanted, atol=2e-3 * size, err_msg=name)

    def test_pocket_on_one_side(self):
        """It lies on the cloth, and presses on no body."""
        mesh = with_pocket()
        mesh.positions = mesh.positions - np.float32([0, 0, 0.4])
        with settled(mesh, [bowl(0.6)], 40, mirror="exact") as cloth:
            self.assertEqual(cloth.mirror().extra_count, 9)
            fit = cloth.fit()
            self.assertGreater(np.abs(fit.warp[COUNT:]).max(), 0)
            self.assertTrue(np.isfinite(fit.gap).all())


class LevelTest(unittest.TestCase):
    @long_test
    def test_what_rides_has_what_it_rides_on(self):
        mesh = sheet(40, 0.4, 0.01)
        with Cloth(mesh, budget_ms=100, quality="fit", density=0.3, damping=3.0) as cloth:
            cloth.hold_level(1)
            cloth.add_body(table(), friction=0.0)
            for _ in range(40):
                cloth.step(STEP)
            self.assertLess(cloth.levels().simulated_count, mesh.vertex_count)
            fit, positions = cloth.fit(), cloth.positions()
            force = (fit.pressure * areas(mesh, positions)).sum()
            self.assertAlmostEqual(force / (0.3 * GRAVITY * 0.4**2), 1, delta=0.05)
            np.testing.assert_allclose(fit.gap, positions[:, 2], atol=1e-6)


if __name__ == "__main__":
    unittest.main()

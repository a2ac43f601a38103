"""The air's drag: the square law and the linear one, against closed forms and in any storm.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest
from math import cosh, log, pi, sqrt, tanh

import numpy as np

from muslin import Cloth, Mesh, default_settings
from test_scenes import sheets
from test_scenes.fabric import REFERENCE

STEP = 1 / 24
SIDE = 8
GRAVITY = 9.81
AIR = {"normal_drag": 0.72, "tangent_drag": 0.03, "drag_law": "square"}  # half of 1.2 times 1.2
METHODS = (
    {"quality": "fit"},
    {"quality": "final", "integrator": "bdf2"},
    {"scheme": "plain", "iterations": 2},
    {"solver": "implicit"},
)


def sheet():
    scene = sheets.grid(SIDE, SIDE, 0.5)
    return Mesh.from_faces(scene.positions, scene.faces)


def falling(**settings):
    return Cloth(sheet(), **{**REFERENCE, **AIR, **settings})


def gliding(wind):
    """m/s: where 0.72 q^2 (4 + pi) v / (4 q + pi v) is the weight, q^2 = v^2 + wind^2."""
    low, high = 0.0, 10.0
    for _ in range(60):
        v = (low + high) / 2
        q = sqrt(v**2 + wind**2)
        light = 0.72 * q**2 * (4 + pi) * v / (4 * q + pi * v) < 0.2 * GRAVITY
        low, high = (v, high) if light else (low, v)
    return low


class FallTest(unittest.TestCase):
    def test_the_default_air_is_that_of_a_plate(self):
        settings = default_settings()
        for name, value in AIR.items():
            self.assertEqual(settings[name], value if isinstance(value, str) else np.float32(value))

    def test_a_flat_sheet_ends_at_the_speed_of_a_plate(self):
        """0.2 kg/m2: 1.65 m/s, whatever the method and the length of the step."""
        wanted = sqrt(2 * 0.2 * GRAVITY / (1.2 * 1.2))
        self.assertAlmostEqual(wanted, 1.65, places=2)
        for method in METHODS:
            for substeps in (1, 4):
                with falling(substeps=substeps, **method) as cloth:
                    for _ in range(72):
                        cloth.step(STEP)
                    speeds = -cloth.state()[1][:, 2]
                np.testing.assert_allclose(speeds, wanted, rtol=1e-4)

    def test_the_way_there(self):
        """v = u tanh(g t / u), z = u^2 / g log cosh(g t / u), to first order in the step."""
        end = sqrt(0.2 * GRAVITY / 0.72)
        for seconds in (0.125, 0.25, 0.5):
            with falling(substeps=64) as cloth:
                for _ in range(round(seconds / STEP)):
                    cloth.step(STEP)
                x, v = cloth.state()
            self.assertAlmostEqual(-v[:, 2].mean() / (end * tanh(GRAVITY * seconds / end)), 1, 2)
            way = end**2 / GRAVITY * log(cosh(GRAVITY * seconds / end))
            self.assertAlmostEqual(-x[:, 2].mean() / way, 1, delta=0.02)

    def test_the_linear_law_is_there(self):
        with falling(drag_law="linear", normal_drag=0.5) as cloth:
            for _ in range(120):
                cloth.step(STEP)
            speeds = -cloth.state()[1][:, 2]
        np.testing.assert_allclose(speeds, 0.2 * GRAVITY / 0.5, rtol=1e-3)

    def test_it_changes_while_running(self):
        with falling() as cloth:
            for _ in range(48):
                cloth.step(STEP)
            cloth.set_forces(drag_law="linear", normal_drag=0.5)
            for _ in range(120):
                cloth.step(STEP)
            self.assertAlmostEqual(float(-cloth.state()[1][:, 2].mean()), 3.924, places=2)


class StormTest(unittest.TestCase):
    def test_wind_presses_with_the_square_of_its_speed(self):
        """Soft pins everywhere hold a sheet in the wind; the way they give is the pressure.

        A stronger wind takes more substeps: a triangle's drag is at most 3/4 of its mass per area over h.
        """
        everything = np.arange(SIDE * SIDE)
        for speed, substeps in ((0.5, 2), (2.0, 2), (9.0, 2), (12.0, 3), (40.0, 9)):
            settings = {"gravity": (0, 0, 0), "wind": (0, 0, speed), "damping": 20}
            settings["substeps"] = substeps
            with falling(pin_stiffness=1e5, **settings) as cloth:
                cloth.set_pins(everything, np.full(len(everything), 0.5))
                for _ in range(72):
                    cloth.step(STEP)
                lift = cloth.positions()[:, 2].mean(dtype=float)
            self.assertAlmostEqual(lift * 1e5 * 0.2 / (0.72 * speed**2), 1, delta=0.01)

    def test_a_sheet_glides_in_wind_along_it(self):
        """It falls at the speed at which Rayleigh's plate carries it, whatever the method and the length of the step."""
        for method in METHODS:
            for wind, substeps in ((0.5, 2), (2, 2), (2, 6)):
                settings = {"wind": (wind, 0, 0), "tangent_drag": 0, "substeps": substeps}
                with falling(**settings, **method) as cloth:
                    for _ in range(36):
                        cloth.step(STEP)
                    speeds = -cloth.state()[1][:, 2]
                np.testing.assert_allclose(speeds, gliding(wind), rtol=2e-3)

    def test_in_still_air_nothing_glides(self):
        """A sheet that flies along itself falls as one that does not: no wind, no flow along it."""
        ways = []
        for speed in (0, 8):
            with falling(tangent_drag=0) as cloth:
                velocities = np.tile(np.float32([speed, 0, 0]), (SIDE**2, 1))
                cloth.set_state(sheet().positions, velocities)
                for _ in range(12):
                    cloth.step(STEP)
                ways.append(cloth.positions()[:, 2].astype(float).mean())
        self.assertAlmostEqual(ways[0], ways[1], places=4)

    def test_nothing_outruns_the_wind(self):
        """Light cloth, long steps, a hurricane: a free sheet comes to the wind's speed and stays below it."""
        for density in (0.01, 0.2):
            for method in METHODS:
                settings = {"gravity": (0, 0, 0), "wind": (0, 0, 60), "substeps": 1}
                with falling(density=density, **settings, **method) as cloth:
                    fastest = 0.0
                    for _ in range(96):
                        cloth.step(STEP)
                        speeds = cloth.state()[1][:, 2]
                        fastest = max(fastest, float(speeds.max()))
                    self.assertLess(fastest, 60.1 if "integrator" not in method else 75)
                    self.assertGreater(float(speeds.min()), 30)

    def test_fast_cloth_in_still_air_slows_down(self):
        for speed in (1, 100, 10000):
            with falling(gravity=(0, 0, 0), substeps=1, density=0.05) as cloth:
                cloth.set_state(
                    sheet().positions, np.tile(np.float32([0, 0, speed]), (SIDE**2, 1))
                )
                before = speed
                for _ in range(24):
                    cloth.step(STEP)
                    now = float(cloth.state()[1][:, 2].mean(dtype=float))
                    self.assertLessEqual(now, before * (1 + 1e-6))
                    self.assertGreaterEqual(now, -1e-3)
                    before = now


if __name__ == "__main__":
    unittest.main()

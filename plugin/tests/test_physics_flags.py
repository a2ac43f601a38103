"""Flags: they flutter in a steady wind and in gusts, hang still without one, and stand any storm.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from muslin import Cloth, Mesh, fabric
from muslin.turbulence import Turbulence
from test_scenes import sheets

STEP = 1 / 24
LENGTH, HEIGHT = 0.9, 0.6  # m
FASTER = {"draft": 0.5, "fit": 0.8, "final": 0.8}  # m/s, in a turbulent wind of 6 m/s


def flag(columns=21):
    """Upright in the plane y = 0, its pole at x = 0; the mesh and the vertices of the pole and of the free edge."""
    rows = round((columns - 1) * HEIGHT / LENGTH) + 1
    scene = sheets.grid(columns, rows, (LENGTH, HEIGHT))
    x, y = scene.positions[:, :2].T + np.float32([[LENGTH / 2], [0]])
    mesh = Mesh.from_faces(np.column_stack([x, 0 * x, y]).astype(np.float32), scene.faces)
    pole, tip = np.flatnonzero(x < 1e-6), np.flatnonzero(x > LENGTH - 1e-6)
    return mesh, pole.astype(np.int32), tip


def blown(wind, seconds, share=0.0, dent=1e-3, columns=21, last=1.0, **settings):
    """Root mean square speed of the free edge in the last second, m/s, and the fastest vertex in all of the time."""
    mesh, pole, tip = flag(columns)
    gusts = Turbulence((wind, 0, 0), share)
    tips, fastest = [], 0.0
    with Cloth(mesh, **{"threads": 1, "wind": (wind, 0, 0), **settings}) as cloth:
        cloth.set_pins(pole)
        start = mesh.positions.copy()
        start[:, 1] += dent * (start[:, 0] / LENGTH) ** 2
        cloth.set_state(start)
        for frame in range(round(seconds / STEP)):
            if share:
                cloth.set_fields(wind=gusts.at(cloth.positions(), frame * STEP))
            cloth.step(STEP)
            speeds = np.linalg.norm(cloth.state()[1].astype(float), axis=1)
            tips.append((speeds[tip] ** 2).mean())
            fastest = max(fastest, speeds.max())
        reach = np.linalg.norm(cloth.positions().astype(float) - mesh.positions[pole[0]], axis=1)
        assert np.isfinite(reach).all()
    return np.sqrt(np.mean(tips[-round(last / STEP) :])), fastest, reach.max()


class Flutter(unittest.TestCase):
    def test_it_flutters_in_a_turbulent_wind(self):
        for quality, speed in FASTER.items():
            self.assertGreater(blown(6.0, 3.0, 0.2, quality=quality)[0], speed, quality)

    def test_it_flutters_in_a_steady_wind(self):
        """By itself: the wind drives the waves that are slower than it, from a dent of a millimetre.

        In 20 m/s its own drag pulls it taut, and it moved by 0.08 m/s without flow along it.
        """
        for settings in ({"quality": "fit"}, {"quality": "fit", "integrator": "bdf2"}):
            self.assertGreater(blown(6.0, 3.0, **settings)[0], 1.0, settings)
        for quality, speed in FASTER.items():
            self.assertGreater(blown(20.0, 3.0, quality=quality)[0], speed, quality)

    def test_it_hangs_still_without_wind(self):
        """Once it is at rest nothing moves it: not even drag that flow along the cloth would turn about."""
        for quality in FASTER:
            mesh, pole, tip = flag(13)
            with Cloth(mesh, threads=1, quality=quality, damping=4) as cloth:
                cloth.set_pins(pole)
                for _ in range(192):
                    cloth.step(STEP)
                cloth.set_material(damping=0)
                squares = []
                for _ in range(48):
                    cloth.step(STEP)
                    squares.append((cloth.state()[1][tip].astype(float) ** 2).sum(1).mean())
            self.assertLess(np.sqrt(np.mean(squares[-24:])), 0.01, quality)


class Storm(unittest.TestCase):
    def test_any_storm_is_stood(self):
        """Light and heavy cloth, long and short steps, coarse and fine: nothing outruns the wind by much, or tears."""
        for name in ("silk", "denim"):
            for substeps in (1, 8):
                for columns in (9, 25):
                    for wind in (20.0, 60.0):
                        settings = {**fabric(name), "substeps": substeps, "columns": columns}
                        _, fastest, reach = blown(wind, 1.0, 0.2, **settings)
                        self.assertLess(fastest, 2 * wind, (name, substeps, columns, wind))
                        self.assertLess(reach, 1.3 * np.hypot(LENGTH, HEIGHT), (name, substeps))


class Gusts(unittest.TestCase):
    def setUp(self):
        self.wind, self.share = np.array([3.0, 4.0, 0.0]), 0.2
        self.gusts = Turbulence(self.wind, self.share)
        self.places = np.random.default_rng(3).uniform(-50, 50, (20000, 3))

    def test_they_are_as_strong_as_asked_for_in_every_direction(self):
        found = self.gusts.at(self.places, 0.0).astype(float)
        self.assertAlmostEqual(
            float((found**2).sum(1).mean()) / (3 * (0.2 * 5) ** 2), 1, delta=0.1
        )
        self.assertLess(np.abs(found.mean(0)).max(), 0.03)

    def test_the_wind_carries_them(self):
        late = self.gusts.at(self.places + 0.7 * self.wind, 1.7)
        np.testing.assert_allclose(self.gusts.at(self.places, 1.0), late, atol=1e-4)

    def test_no_air_comes_from_nowhere(self):
        """Divergence by differences, over the size of the gusts' gradient."""
        step, total, square = 1e-2, 0, 0
        for axis in range(3):
            way = step * np.eye(3)[axis]
            more, less = (self.gusts.at(self.places + k * way, 0.0).astype(float) for k in (1, -1))
            gradient = (more - less) / (2 * step)
            total = total + gradient[:, axis]
            square = square + (gradient**2).sum(1)
        self.assertLess(np.sqrt((total**2).mean() / square.mean()), 0.01)

    def test_the_same_seed_blows_the_same(self):
        again, other = Turbulence(self.wind, 0.2), Turbulence(self.wind, 0.2, seed=1)
        first = self.gusts.at(self.places, 0.3)
        np.testing.assert_array_equal(first, again.at(self.places, 0.3))
        self.assertGreater(np.abs(first - other.at(self.places, 0.3)).max(), 0.1)


if __name__ == "__main__":
    unittest.main()

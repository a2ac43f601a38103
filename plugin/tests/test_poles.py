"""Vertices with more faces around them than the fits of curvature, and the collapses of coarser levels, have room for.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from muslin import Cloth, Mesh

STEP = 1 / 24
RADIUS = 0.2  # m
STIFF = {"bend": 2e-4, "damping": 8, "scheme": "plain", "iterations": 12, "shear": 500}


def disc(spokes, rings):
    """A level disc, its own image in x = 0: triangles around the first vertex, quads beyond."""
    angles = 2 * np.pi * np.arange(spokes) / spokes
    around = np.column_stack([np.sin(angles), np.cos(angles), np.zeros(spokes)])
    around[0, 0] = around[spokes // 2, 0] = 0
    around[spokes // 2 + 1 :] = around[1 : spokes // 2][::-1] * [-1, 1, 1]
    radii = RADIUS * np.arange(1, rings + 1) / rings
    places = np.concatenate([[[0, 0, 0]], *(radius * around for radius in radii)])
    faces = [[0, 1 + k, 1 + (k + 1) % spokes] for k in range(spokes)]
    for ring in range(1, rings):
        first = 1 + (ring - 1) * spokes
        for k in range(spokes):
            a, b = first + k, first + (k + 1) % spokes
            faces.append([a, a + spokes, b + spokes, b])
    return Mesh.from_faces(np.float32(places), faces)


def drooped(spokes, rings=8, level=None, frames=40, **settings):
    """Where a disc lies that is held in a tenth of its radius: all of it, and how deep its rim is in the mean."""
    mesh = disc(spokes, rings)
    held = np.flatnonzero(np.linalg.norm(mesh.positions, axis=1) < 0.3 * RADIUS)
    budget = {} if level is None else {"budget_ms": 60000}
    with Cloth(mesh, **{**STIFF, **budget, **settings}) as cloth:
        if level is not None:
            cloth.hold_level(level)
        cloth.set_pins(held)
        for _ in range(frames):
            cloth.step(STEP)
        found = cloth.positions()
    return found, -found[-spokes:, 2].mean()


class PoleTest(unittest.TestCase):
    def test_droops_as_with_fewer_faces(self):
        _, wanted = drooped(24)
        self.assertGreater(wanted, 0.01)
        for spokes in (60, 100):
            _, found = drooped(spokes)
            self.assertAlmostEqual(found / wanted, 1, delta=0.1)

    def test_half_of_it(self):
        whole, _ = drooped(60, frames=12)
        half, _ = drooped(60, frames=12, mirror="exact")
        np.testing.assert_allclose(half, whole, rtol=0, atol=1e-3)

    def test_on_a_coarser_level(self):
        for mirror in ("off", "exact"):
            _, fine = drooped(60, 24, frames=24, mirror=mirror)
            found, coarse = drooped(60, 24, 1, frames=24, mirror=mirror)
            self.assertAlmostEqual(coarse / fine, 1, delta=0.3)  # it bends more easily
            np.testing.assert_array_equal(found[0], 0)

    def test_falls_freely_on_a_coarser_level(self):
        """Nothing is held, so the pole's neighbours may go; what is left falls as one."""
        for mirror in ("off", "exact"):
            with Cloth(disc(60, 24), budget_ms=60000, mirror=mirror, **STIFF) as cloth:
                cloth.hold_level(1)
                for _ in range(3):
                    cloth.step(STEP)
                self.assertLess(cloth.levels().simulated_count, 0.5 * cloth.vertex_count)
                heights = cloth.positions()[:, 2]
                self.assertLess(heights.max(), -0.03)
                self.assertLess(np.ptp(heights), 1e-4)


class PolygonTest(unittest.TestCase):
    def test_many_corners(self):
        """Cut into as many triangles as a polygon has corners, less two; all of its weight falls."""
        angles = 2 * np.pi * np.arange(100) / 100
        ring = np.column_stack([np.cos(angles), np.sin(angles), 0 * angles])
        with Cloth(Mesh.from_faces(np.float32(ring), [list(range(100))]), damping=0) as cloth:
            self.assertEqual(cloth.report().triangle_count, 98)
            cloth.step(STEP)
            np.testing.assert_allclose(np.ptp(cloth.positions()[:, 2]), 0, atol=1e-6)
            self.assertLess(cloth.positions()[:, 2].max(), -0.005)


if __name__ == "__main__":
    unittest.main()

"""Measured bending across the boundary: what is refused, and that it acts.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from body_meshes import sheet
from detail_checks import NAN, DetailTest, refused
from muslin import Cloth, DetailCode, MuslinError

STEP = 1 / 24
STIFF = tuple([2e-4] * 15)
SOFT = (2e-4, 1e-6, 1e-6, 1e-6, 1e-6) * 3  # once it is bent


def with_one(place, value):
    samples = list(STIFF)
    samples[place] = value
    return tuple(samples)


def hung(frames=40, **settings):
    """The mean height of a sheet that hangs from two vertices of it."""
    mesh = sheet()
    with Cloth(mesh, damping=2, threads=1, **settings) as cloth:
        cloth.set_pins([0, 1])
        energies = []
        for _ in range(frames):
            cloth.step(STEP)
            stats = cloth.stats()
            energies.append(stats.kinetic_energy + stats.elastic_energy + stats.gravity_energy)
        return cloth.positions(), energies


class RefusalTest(DetailTest):
    def test_wrong_numbers(self):
        for place, value in ((0, 0.0), (7, -1e-6), (14, NAN), (3, float("inf"))):
            samples = with_one(place, value)
            with self.assertRaises(MuslinError) as caught:
                Cloth(sheet(), bend_samples=samples)
            words = str(caught.exception)
            self.assertIn(f"bend_samples[{place}]", words)
            self.assertIn(f"row {place // 5}, column {place % 5}", words)
            details = refused(Cloth, sheet(), bend_samples=samples)
            self.assertEqual(details[0].code, DetailCode.RANGE)
            self.assertEqual(details[0].name, "bend_samples")

    def test_running_cloth(self):
        with Cloth(sheet()) as cloth:
            details = refused(cloth.set_material, bend_samples=STIFF)
            self.check(details, DetailCode.CONFLICT, name="bend_samples")
            cloth.step(STEP)
        with Cloth(sheet(), bend_samples=STIFF) as cloth:
            cloth.set_material(bend_samples=SOFT)
            cloth.set_material(bend_samples=(0,) * 15)  # back to the plain numbers
            self.check(
                refused(cloth.set_material, bend_samples=with_one(2, -1)),
                DetailCode.RANGE,
                name="bend_samples",
            )
            cloth.step(STEP)


class EffectTest(unittest.TestCase):
    def test_even_samples_are_the_plain_number(self):
        for bending in ("curvature", "hinge"):
            settings = {"bending": bending, "integrator": "euler"}
            measured, _ = hung(bend_samples=STIFF, **settings)
            plain, _ = hung(bend=STIFF[0], **settings)
            self.assertLess(np.abs(measured - plain).max(), 1e-3 * np.ptp(plain))

    def test_softer_when_bent(self):
        stiff, _ = hung(bend_samples=STIFF)
        soft, _ = hung(bend_samples=SOFT)
        self.assertGreater(np.abs(stiff - soft).max(), 0.02 * np.ptp(stiff))

    def test_energy_does_not_rise(self):
        for settings in ({}, {"quality": "draft"}, {"solver": "implicit"}):
            _, energies = hung(bend_samples=SOFT, **settings)
            scale = energies[0] - min(energies) + 1e-9
            self.assertLess(max(np.diff(energies)), 1e-3 * scale, settings)

    def test_threads_and_mirror(self):
        results = []
        for threads in (1, 3):
            with Cloth(sheet(), bend_samples=SOFT, threads=threads) as cloth:
                for _ in range(5):
                    cloth.step(STEP)
                results.append(cloth.positions().tobytes())
        self.assertEqual(results[0], results[1])


if __name__ == "__main__":
    unittest.main()

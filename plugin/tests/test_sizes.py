"""Cloth that shrinks and grows by a map: lengths at rest, while it runs, mirrored, on levels, and what is refused.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from detail_checks import DetailTest, refused
from mirror_meshes import partners, roof
from muslin import Cloth, DetailCode, Element, Mesh
from parts_meshes import Sheets, run, sheet

FREE = {"gravity": (0, 0, 0), "damping": 8, "normal_drag": 0, "tangent_drag": 0}
WAYS = (
    {},
    {"scheme": "plain", "iterations": 8},
    {"scheme": "plain", "iterations": 8, "estimate": "rotation"},
    {"solver": "implicit"},
    {"solver": "sweep", "sweeps": 60},
)


def flat(count=9):
    places, faces = sheet(count, (0, 0, 0))
    places[:, 2] = 0
    return Mesh.from_faces(places, faces)


def edges(mesh):
    faces = np.array(mesh.faces())
    sides = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    return np.unique(np.sort(sides, axis=1), axis=0)


def lengths(mesh, positions):
    ends = np.float64(positions)[edges(mesh)]
    return np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)


class LengthTest(unittest.TestCase):
    def test_uniform(self):
        """A free sheet has all of its edges s times as long, and is at rest so."""
        mesh = flat()
        rest = lengths(mesh, mesh.positions)
        for model in ("edge", "triangle", "membrane"):
            for way in WAYS:
                for size in (0.8, 1.2):
                    with self.subTest(model=model, size=size, **way):
                        with Cloth(mesh, model=model, **FREE, **way) as cloth:
                            cloth.step(1 / 24)
                            cloth.set_maps(size=np.full(mesh.vertex_count, size))
                            found = lengths(mesh, run(cloth, 40)) / rest
                            self.assertLess(cloth.stats().largest_strain, 1e-4)
                            self.assertLess(abs(cloth.fit().warp).max(), 1e-4)
                        np.testing.assert_allclose(found, size, rtol=1e-4)

    def test_measures_of_strain(self):
        mesh = flat()
        for model in ("edge", "membrane"):
            for measure in ("engineering", "green", "hencky"):
                with Cloth(mesh, model=model, strain_measure=measure, **FREE) as cloth:
                    cloth.set_maps(size=np.full(mesh.vertex_count, 0.85))
                    found = lengths(mesh, run(cloth, 40)) / lengths(mesh, mesh.positions)
                np.testing.assert_allclose(found, 0.85, rtol=1e-4)

    def test_as_made_so(self):
        """A sheet that hangs is as one that was made so small, of as much mass: to the bit of a float."""
        mesh = flat()
        small = Mesh.from_faces(np.float32(0.5) * mesh.positions, list(mesh.faces()))
        plain = {"scheme": "plain", "iterations": 8, "bend": 0, "substeps": 4}
        plain.update(normal_drag=0, tangent_drag=0)
        with Cloth(mesh, density=0.2, **plain) as one, Cloth(small, density=0.8, **plain) as other:
            one.set_maps(size=np.full(mesh.vertex_count, 0.5))
            one.set_state(small.positions)
            for cloth in (one, other):
                cloth.set_pins([0, 8])
            np.testing.assert_allclose(run(one, 12), run(other, 12), atol=1e-5)

    def test_back_again(self):
        mesh = flat()
        with Cloth(mesh, integrator="euler", **FREE) as cloth:
            cloth.set_maps(size=np.full(mesh.vertex_count, 0.8))
            run(cloth, 20)
            cloth.set_maps()
            np.testing.assert_allclose(
                lengths(mesh, run(cloth, 60)), lengths(mesh, mesh.positions), rtol=1e-4
            )

    def test_one_side(self):
        """A map that is not uniform: edges between are as long as the mean of their ends says."""
        mesh = flat()
        size = np.float32(1 - 0.2 * (mesh.positions[:, 0] > 0.3))
        with Cloth(mesh, model="edge", **FREE) as cloth:
            cloth.set_maps(size=size)
            ratio = lengths(mesh, run(cloth, 40)) / lengths(mesh, mesh.positions)
        inside = (size[edges(mesh)] < 1).all(axis=1)
        self.assertLess(ratio[inside].mean(), 0.83)
        self.assertGreater(ratio[~inside].mean(), 0.95)


class RunningTest(DetailTest):
    def test_ones_change_nothing(self):
        mesh = flat()
        found = []
        for given in (False, True):
            with Cloth(mesh) as cloth:
                cloth.set_pins([0, 8])
                if given:
                    cloth.set_maps(size=np.ones(mesh.vertex_count))
                found.append(run(cloth, 6).tobytes())
        self.assertEqual(*found)

    def test_other_maps_stay(self):
        """Maps are given one by one in C: none takes another away."""
        mesh = flat()
        with Cloth(mesh, **FREE) as cloth:
            cloth.set_maps(mass=np.full(mesh.vertex_count, 2), size=np.full(mesh.vertex_count, 0.8))
            found = lengths(mesh, run(cloth, 40)) / lengths(mesh, mesh.positions)
        np.testing.assert_allclose(found, 0.8, rtol=1e-3)

    def test_any_number_of_threads(self):
        mesh = flat(20)
        size = np.linspace(0.8, 1.2, mesh.vertex_count)
        found = []
        for threads in (1, 3):
            with Cloth(mesh, threads=threads) as cloth:
                cloth.set_maps(size=size)
                found.append(run(cloth, 4).tobytes())
        self.assertEqual(*found)

    def test_levels(self):
        sheets = Sheets((24,))
        with Cloth(sheets.mesh, budget_ms=1000, **FREE) as cloth:
            cloth.set_maps(size=np.full(sheets.mesh.vertex_count, 0.8))
            cloth.hold_level(1)
            found = lengths(sheets.mesh, run(cloth, 40))
        np.testing.assert_allclose(
            found.mean() / lengths(sheets.mesh, sheets.mesh.positions).mean(), 0.8, rtol=0.02
        )

    def test_mirrored(self):
        mesh = roof()
        size = np.float32(1 - 0.2 * np.abs(mesh.positions[:, 0]))
        found = []
        for mirror in ("off", "exact"):
            with Cloth(mesh, mirror=mirror, scheme="plain", iterations=20, **FREE) as cloth:
                cloth.set_maps(size=size)
                found.append(run(cloth, 20))
        np.testing.assert_allclose(*found, atol=1e-3)
        with Cloth(mesh, mirror="exact") as cloth:
            size[0] = 0.5
            self.assertNotEqual(partners()[0], 0)
            self.assertEqual(refused(cloth.set_maps, size=size)[0].code, DetailCode.MAPS_ASYMMETRIC)

    def test_refused(self):
        mesh = flat()
        with Cloth(mesh) as cloth:
            for wrong in (0.0, -1.0, 11.0, float("nan")):
                size = np.ones(mesh.vertex_count)
                size[5] = wrong
                details = refused(cloth.set_maps, size=size)
                self.assertEqual((details[0].element, details[0].elements), (Element.VERTEX, (5,)))
            run(cloth, 1)


if __name__ == "__main__":
    unittest.main()

"""The membrane model: what it stores, what it refuses, and that solving it never adds energy.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from muslin import Cloth, Mesh, MuslinError
from test_scenes import sheets
from test_scenes.levels import long_test

STEP = 1 / 24
SIDE = 12
# A made-up knit, soft at first and ten times as stiff along the weft when it is stretched by a sixth.
KNIT = [60, 10, 30, 80, 150, 20, 280, 60, 160, 30, 260, 70]
KNIT += [180, 40, 250, 90, 190, 30, 300, 80, 200, 20, 350, 70]
MEASURES = ("engineering", "green", "hencky")


def sheet(side=SIDE):
    scene = sheets.grid(side, side, 1.0)
    return Mesh.from_faces(scene.positions, scene.faces)


class EnergyTest(unittest.TestCase):
    def test_a_stretched_sheet_stores_what_the_textbook_says(self):
        """E / 2 (1 - n^2) (e_u^2 + e_v^2 + 2 n e_u e_v) + 2 G e_uv^2 per area, by Green's strain."""
        young, ratio, shear = 500.0, 0.3, 40.0
        numbers = {"stretch_warp": young, "stretch_weft": young, "shear": shear}
        mesh = sheet()
        given = {"model": "membrane", "poisson": ratio, "bend": 0, **numbers}
        with Cloth(mesh, **given) as cloth:
            for gradient in ([[1.1, 0.05], [0, 0.97]], [[0.98, -0.1], [0.1, 1.2]]):
                gradient = np.array(gradient)
                positions = mesh.positions.copy()
                positions[:, :2] = mesh.positions[:, :2] @ gradient.T
                cloth.set_state(positions)
                strain = (gradient.T @ gradient - np.eye(2)) / 2
                u, v, mixed = strain[0, 0], strain[1, 1], strain[0, 1]
                wanted = young / (2 * (1 - ratio**2)) * (u * u + v * v + 2 * ratio * u * v)
                wanted += 2 * shear * mixed**2
                self.assertAlmostEqual(cloth.stats().elastic_energy / wanted, 1, delta=1e-4)

    def run_free(self, **settings):
        """Energies, step by step, of a sheet that starts stretched and has no gravity."""
        mesh = sheet()
        positions = mesh.positions * np.array([1.25, 1.1, 1], np.float32)
        positions[:, 2] = 0.05 * np.sin(9 * mesh.positions[:, 0])
        calm = {"gravity": (0, 0, 0), "normal_drag": 0, "tangent_drag": 0}
        with Cloth(mesh, integrator="euler", **calm, **settings) as cloth:
            cloth.set_state(positions)
            stats = cloth.stats()
            energies = [stats.elastic_energy + stats.kinetic_energy]
            for _ in range(60):
                cloth.step(STEP)
                stats = cloth.stats()
                energies.append(stats.elastic_energy + stats.kinetic_energy)
        return np.array(energies)

    def test_edges_that_only_pull(self):
        """By any measure of strain: pressed together they store nothing, stretched what others do."""
        mesh = sheet(5)
        for measure in MEASURES:
            stored = []
            for only in (0, 1):
                settings = {"model": "edge", "strain_measure": measure, "tension_only": only}
                with Cloth(mesh, bend=0, **settings) as cloth:
                    for size in (0.8, 1.1):
                        cloth.set_state(mesh.positions * np.float32(size))
                        stored.append(cloth.stats().elastic_energy)
            self.assertGreater(stored[0], 1e-3)
            self.assertEqual(stored[2], 0)
            self.assertAlmostEqual(stored[3] / stored[1], 1, places=9)

    def test_a_sheet_that_is_stretched_far_too_much_comes_back(self):
        """There the membrane is thousands of times as stiff as the constant matrix has it."""
        mesh = sheet(20)
        given = {"model": "membrane", "quality": "fit", "substeps": 1, "bend": 1e-5, "damping": 2}
        given.update(density=0.2, stretch_warp=1000, stretch_weft=1000, shear=300)
        for limit in (0, 0.1):
            with Cloth(mesh, strain_limit=limit, **given) as cloth:
                cloth.set_pins([0])
                cloth.set_state(50 * mesh.positions)
                for _ in range(12):
                    cloth.step(STEP)
                size = np.ptp(cloth.positions(), axis=0).max()
            self.assertLess(size, 2, f"strain limit {limit}")

    @long_test
    def test_energy_never_rises(self):
        """Over a step, but for what its last round leaves open; test_contact_solve.c looks at every solve."""
        cases = [{"model": "membrane", "stretch_samples": KNIT}]
        cases += [{"model": "membrane", "poisson": 0.4, "strain_limit": 0.05}]
        cases += [
            {"model": model, "strain_measure": measure}
            for model in ("membrane", "edge")
            for measure in MEASURES
        ]
        for case in cases:
            with self.subTest(**case):
                energies = self.run_free(**case)
                self.assertGreater(energies[0], 1)
                self.assertLess(np.diff(energies).max(), 1e-4 * energies[0])
                self.assertLess(energies[-1], 0.2 * energies[0])


class SolvingTest(unittest.TestCase):
    def hang(self, frames=30, **settings):
        with Cloth(sheet(), **settings) as cloth:
            cloth.set_pins([0, SIDE - 1])
            for _ in range(frames):
                cloth.step(STEP)
            return cloth.positions()

    def test_any_number_of_threads_gives_the_same_bytes(self):
        case = {"model": "membrane", "stretch_samples": KNIT}
        one = self.hang(threads=1, **case)
        for threads in (2, 5):
            np.testing.assert_array_equal(one, self.hang(threads=threads, **case))

    @long_test
    def test_the_conventional_solver_agrees(self):
        """At rest: where both end is where the energy is least."""
        case = {"model": "membrane", "stretch_samples": KNIT, "damping": 4}
        quick = self.hang(150, quality="final", **case)
        slow = self.hang(150, solver="implicit", iterations=4, **case)
        self.assertLess(np.linalg.norm(quick - slow, axis=1).mean(), 0.004)

    def test_a_limit_holds_heavy_cloth(self):
        """A heavy knit that hangs from its upper edge."""
        mesh = sheet()
        stretches = {}
        for limit in (0, 0.05):
            case = {"model": "membrane", "stretch_samples": KNIT, "strain_limit": limit}
            with Cloth(mesh, density=1.5, damping=3, **case) as cloth:
                cloth.set_pins(list(range(SIDE)))
                for _ in range(60):
                    cloth.step(STEP)
                length = np.linalg.norm(np.diff(cloth.positions()[::SIDE], axis=0), axis=1)
            stretches[limit] = length.max() * (SIDE - 1)
        self.assertGreater(stretches[0], 1.1)
        self.assertLess(stretches[0.05], 1.06)


class ThinMeshTest(unittest.TestCase):
    def test_edges_without_length_hold_nothing_up(self):
        """Two vertices at one place: the rest of the sheet falls as it does without."""
        mesh = sheet()
        mesh.positions[SIDE + 1] = mesh.positions[SIDE]
        for model in ("edge", "membrane"):
            for measure in MEASURES:
                with self.subTest(model=model, measure=measure):
                    with Cloth(mesh, model=model, strain_measure=measure) as cloth:
                        cloth.set_pins([0, SIDE - 1])
                        for _ in range(8):
                            cloth.step(STEP)
                        self.assertTrue(np.isfinite(cloth.stats().elastic_energy))
                        self.assertLess(cloth.positions()[:, 2].min(), -0.3)


class RefusalTest(unittest.TestCase):
    def refused(self, words, **settings):
        with self.assertRaises(MuslinError) as caught:
            Cloth(sheet(3), **settings).close()
        self.assertIn(words, str(caught.exception))

    def test_what_only_membranes_have(self):
        for model in ("edge", "triangle"):
            for name, value in (("stretch_samples", KNIT), ("poisson", 0.3), ("strain_limit", 0.1)):
                with self.subTest(model=model, name=name):
                    self.refused(
                        f"{name} is given, but the {model} model", model=model, **{name: value}
                    )

    def test_what_membranes_have_not(self):
        self.refused("tension_only is given, but the membrane", model="membrane", tension_only=True)
        self.refused("strain_measure is given, but the triangle", strain_measure="green")

    def test_a_measured_fabric_has_a_ratio_of_its_own(self):
        measured = {"model": "membrane", "stretch_samples": KNIT}
        self.refused("poisson is given, but stretch_samples", poisson=0.3, **measured)

    def test_bad_tables(self):
        for place, value, words in (
            (0, 0, "stretch_samples[0] is 0, but c11"),
            (3, 0, "stretch_samples[3] is 0, but c33"),
            (5, -1, "stretch_samples"),
            (7, np.nan, "stretch_samples"),
            (1, 70, "does not resist being stretched"),
        ):
            table = list(KNIT)
            table[place] = value
            with self.subTest(place=place, value=value):
                self.refused(words, model="membrane", stretch_samples=table)
        self.refused("is not 24 numbers", model="membrane", stretch_samples=KNIT[:-1])

    def test_a_refused_change_changes_nothing(self):
        with Cloth(sheet(3)) as cloth:
            with self.assertRaises(MuslinError):
                cloth.set_material(poisson=0.3)
            cloth.set_material(density=0.3)
            cloth.step(STEP)


if __name__ == "__main__":
    unittest.main()

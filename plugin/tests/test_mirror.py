"""Mirrored simulation through the boundary: what goes in and comes out is the caller's whole garment.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import hashlib
import unittest

import numpy as np

from body_meshes import ball
from mirror_meshes import STEP, image, partners, roof, shuffled, turned
from muslin import Cloth, MuslinError, Status, default_settings

CORNERS = [0, 8]
METHODS = (
    {},
    {"solver": "implicit", "iterations": 1},
    {"scheme": "plain", "iterations": 4},
    {"integrator": "bdf2"},
    {"model": "edge", "bend_rest": "flat"},
)


def fall(cloth, frames):
    collected = []
    for _ in range(frames):
        cloth.step(STEP)
        state = np.concatenate(cloth.state()).tobytes()
        collected.append(hashlib.sha256(state).hexdigest()[:16])
    return collected


class OutputTest(unittest.TestCase):
    def test_output_is_mirrored_to_the_bit(self):
        mesh, partner = shuffled(roof(), partners())
        pins = [int(v) for v in np.flatnonzero(np.abs(mesh.positions[:, 0]) > 0.39)]
        for method in METHODS:
            for threads in (1, 3):
                settings = {"mirror": "exact", "threads": threads, **method}
                with self.subTest(method, threads=threads), Cloth(mesh, **settings) as cloth:
                    cloth.set_pins(pins)
                    fall(cloth, 6)
                    for values in cloth.state():
                        np.testing.assert_array_equal(values, image(values, partner))
                    self.assertGreater(np.abs(cloth.positions() - mesh.positions).max(), 0.003)

    def test_half_moves_as_the_whole(self):
        """A fine solve of the whole and of the half agree; a coarse one of the whole loses its symmetry."""
        settings = {"scheme": "plain", "iterations": 400, "substeps": 4}
        with Cloth(roof(), **settings) as whole, Cloth(roof(), mirror="exact", **settings) as half:
            for cloth in (whole, half):
                cloth.set_pins(CORNERS)
                for _ in range(5):
                    cloth.step(STEP)
            moved = np.abs(whole.positions() - roof().positions).max()
            difference = np.abs(whole.positions() - half.positions()).max()
            self.assertLess(difference, 1e-3 * moved)
            for name in ("kinetic_energy", "elastic_energy", "gravity_energy"):
                energies = [getattr(cloth.stats(), name) for cloth in (whole, half)]
                self.assertAlmostEqual(energies[1] / energies[0], 1, delta=0.01, msg=name)

    def test_kept_side_and_plane(self):
        """Either side of the plane may be kept, and the plane may be anywhere."""
        quarter = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
        cases = (
            (roof(), ((0, 5, 0), (-2, 0, 0))),
            (turned(roof(), quarter, (0, 0.25, 0)), ((0, 0.25, 0), (0, 1, 0))),
            (turned(roof(), quarter, (0, 0.25, 0)), "find"),
        )
        for mesh, plane in cases:
            with self.subTest(plane), Cloth(mesh, mirror="exact", mirror_plane=plane) as cloth:
                cloth.set_pins(CORNERS)
                fall(cloth, 4)
                report = cloth.mirror()
                self.assertEqual((report.mode, report.unpaired), ("exact", 0))
                positions = cloth.positions().astype(float)
                away = (positions - report.point) @ report.normal
                reflected = positions - 2 * np.outer(away, report.normal)
                np.testing.assert_allclose(reflected, positions[partners()], atol=2e-7)

    def test_report(self):
        with Cloth(roof(), mirror="exact") as cloth:
            report = cloth.mirror()
            self.assertEqual((report.paired, report.on_plane, report.unpaired), (56, 7, 0))
            self.assertEqual(report.half_vertex_count, 35)
            self.assertEqual((report.point, report.normal), ((0, 0, 0), (1, 0, 0)))
            self.assertEqual((report.body, report.body_vertex, report.solved_whole), (-1, -1, 0))
            self.assertEqual(cloth.report().vertex_count, 63)
            self.assertEqual(cloth.warnings, [])
        with Cloth(roof()) as cloth:
            self.assertEqual((cloth.mirror().mode, cloth.mirror().half_vertex_count), ("off", 0))

    def test_settings(self):
        settings = default_settings()
        self.assertEqual((settings["mirror"], settings["closure"]), ("off", "free"))
        self.assertEqual((settings["over"], settings["asymmetric_body"]), ("kept", "symmetrise"))
        self.assertEqual(settings["mirror_plane"], ((0, 0, 0), (1, 0, 0)))
        chosen = {"mirror": "auto", "mirror_plane": "find", "asymmetric_body": "whole"}
        with Cloth(roof(), **chosen) as cloth:
            self.assertEqual({name: cloth.settings[name] for name in chosen}, chosen)
            with Cloth(roof(), **cloth.settings) as again:
                self.assertEqual(again.settings, cloth.settings)


class MappingTest(unittest.TestCase):
    def test_pins(self):
        """Held, soft and moved, in the caller's numbers and order."""
        start = roof().positions
        with Cloth(roof(), mirror="exact") as cloth:
            cloth.set_pins([8, 0, 58, 31], [1, 1, 1, 0.5])
            self.assertEqual(cloth.report().pinned_count, 3)
            self.assertEqual(cloth.report().soft_count, 1)
            fall(cloth, 2)
            np.testing.assert_allclose(cloth.positions()[[0, 8, 58]], start[[0, 8, 58]], atol=1e-7)
            targets = start[[8, 0, 58, 31]] + np.float32(
                [[0.1, 0, 0.2], [-0.1, 0, 0.2], [0, 0.1, 0], [0, 0, 0.1]]
            )
            cloth.move_pins(targets)
            fall(cloth, 1)
            np.testing.assert_allclose(cloth.positions()[[8, 0, 58]], targets[:3], atol=1e-7)
            cloth.set_pins([])
            self.assertEqual(cloth.report().pinned_count, 0)
            with self.assertRaises(MuslinError):
                cloth.move_pins(targets)

    def test_scales(self):
        """A heavy side sinks as it does in the whole cloth."""
        heavy = np.where(np.abs(roof().positions[:, 0]) > 0.3, 30.0, 1.0)
        lowest = {}
        for mode in ("off", "exact"):
            for mass in (None, heavy):
                with Cloth(roof(), mirror=mode, scheme="plain", iterations=300) as cloth:
                    cloth.set_pins([4, 31, 58])
                    cloth.set_maps(mass=mass)
                    fall(cloth, 6)
                    lowest[mode, mass is None] = cloth.positions()[:, 2].min()
        self.assertGreater(abs(lowest["off", True] - lowest["off", False]), 1e-3)
        for plain in (True, False):
            self.assertAlmostEqual(lowest["exact", plain], lowest["off", plain], delta=1e-3)

    def test_state(self):
        start = roof().positions
        moved = start * np.float32([1.1, 1, 1]) + np.float32([0, 0, 0.5])
        speed = np.zeros_like(start)
        speed[:, 2] = 1 + np.abs(start[:, 0])
        with Cloth(roof(), mirror="exact") as cloth:
            cloth.set_state(moved, speed)
            np.testing.assert_array_equal(cloth.state()[0], moved)
            np.testing.assert_array_equal(cloth.state()[1], speed)
            cloth.set_state(start)
            np.testing.assert_array_equal(cloth.state()[0], start)
            self.assertEqual(np.abs(cloth.state()[1]).max(), 0)

    def test_snapshot(self):
        for method in METHODS:
            with self.subTest(method), Cloth(roof(), mirror="exact", **method) as cloth:
                cloth.set_pins(CORNERS)
                fall(cloth, 3)
                snapshot = cloth.snapshot()
                frames = fall(cloth, 3)
                cloth.restore(snapshot)
                self.assertEqual(fall(cloth, 3), frames)
                with Cloth(roof(), mirror="exact", **method) as other:
                    other.set_pins(CORNERS)
                    other.restore(snapshot)
                    self.assertEqual(fall(other, 3), frames)

    def test_snapshots_of_another_kind(self):
        with Cloth(roof()) as whole, Cloth(roof(), mirror="exact") as half:
            foreign = {whole: half.snapshot(), half: whole.snapshot()}
            for cloth, snapshot in foreign.items():
                before = cloth.positions()
                for bad in (snapshot, b"", b"x" * 20, snapshot[:-1]):
                    with self.assertRaises(MuslinError) as caught:
                        cloth.restore(bad)
                    self.assertEqual(caught.exception.status, Status.ERROR_SNAPSHOT)
                np.testing.assert_array_equal(cloth.positions(), before)

    def test_strain_is_reported_at_the_callers_vertices(self):
        with Cloth(roof(), mirror="exact", stretch_warp=20, stretch_weft=20) as cloth:
            cloth.set_pins(CORNERS)
            fall(cloth, 4)
            stats, positions = cloth.stats(), cloth.positions().astype(float)
            a, b = stats.largest_strain_edge
            rest = np.linalg.norm(roof().positions[a].astype(float) - roof().positions[b])
            strain = np.linalg.norm(positions[a] - positions[b]) / rest - 1
            self.assertAlmostEqual(abs(strain), stats.largest_strain, delta=1e-5)

    def test_changes_while_running(self):
        with Cloth(roof(), mirror="exact") as cloth:
            cloth.set_pins(CORNERS)
            cloth.set_material(density=0.4)
            cloth.set_forces(wind=(0, 5, 1))
            cloth.set_quality("draft")
            fall(cloth, 2)
            cloth.set_iterations(3, 2)
            cloth.set_self_contact(True)
            fall(cloth, 2)
            self.assertEqual(cloth.stats().substeps, 3)
            positions = cloth.positions()
            np.testing.assert_array_equal(positions, image(positions, partners()))

    def test_wind_and_gravity_along_the_plane(self):
        """They act on the half as on the whole, also in a frame that is not the caller's."""
        quarter = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
        mesh = turned(roof(), quarter, (0, 0, 0))
        for forces in ({"gravity": (3, 0, 0)}, {"gravity": (0, 0, 0), "wind": (2.4, 0, 1.2)}):
            speeds = []
            for mode in ("off", "exact"):
                with Cloth(mesh, mirror=mode, mirror_plane=((0, 0, 0), (0, 1, 0))) as cloth:
                    cloth.set_forces(**forces)
                    fall(cloth, 1)
                    speeds.append(cloth.state()[1].mean(axis=0))
            self.assertGreater(speeds[0][0], 0.01)
            np.testing.assert_allclose(speeds[1], speeds[0], atol=0.03 * speeds[0].max())

    def test_lost_vertex_is_the_callers(self):
        speed = np.zeros((63, 3), np.float32)
        speed[[10, 16], 2] = 1e9
        nothing = ("stretch_warp", "stretch_weft", "shear", "bend", "normal_drag", "tangent_drag")
        settings = {"iterations": 1, **dict.fromkeys(nothing, 0)}
        with Cloth(roof(), mirror="exact", **settings) as cloth:
            cloth.set_state(roof().positions, speed)
            with self.assertRaises(MuslinError) as caught:
                cloth.step(10)
            self.assertEqual(caught.exception.status, Status.ERROR_DIVERGED)
            self.assertIn("vertex 16 diverged", str(caught.exception))
            np.testing.assert_array_equal(cloth.positions(), roof().positions)

    def test_what_a_half_cannot_answer(self):
        with Cloth(roof(), mirror="exact") as cloth:
            cloth.set_pins(CORNERS)
            cloth.prepare(STEP)
            for ask in (cloth.eigenvalues, lambda: cloth.solve(np.zeros((63, 3)))):
                with self.assertRaises(MuslinError) as caught:
                    ask()
                self.assertIn("mirrored", str(caught.exception))

    def test_pins_of_one_side_move(self):
        """All of the garment is simulated for them, and they still go where they are sent."""
        with Cloth(roof(), mirror="auto") as cloth:
            cloth.set_pins([0, 60])
            cloth.step(STEP)
            self.assertEqual(cloth.mirror().solved_whole, 1)
            targets = roof().positions[[0, 60]] + np.float32([0.01, 0, 0.02])
            cloth.move_pins(targets)
            cloth.step(STEP)
            np.testing.assert_array_equal(cloth.positions()[[0, 60]], targets)

    def test_a_body_finer_than_the_tolerance(self):
        """Its partners are then looked for with a tolerance that fits its edges."""
        with Cloth(roof(), mirror="exact", mirror_tolerance=0.02) as cloth:
            cloth.add_body(ball(radius=0.02, middle=(0, 0, -0.5)))
            self.assertEqual(cloth.warnings, [])
            self.assertLess(cloth.mirror().body_asymmetry, 1e-6)


if __name__ == "__main__":
    unittest.main()

"""mirror="halve", where only the kept side counts, and closures of open fronts.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

import mirror_meshes as meshes
from mirror_meshes import STEP, image, jacket, partners, roof
from muslin import Cloth, Mesh, MuslinError
from test_mirror_bodies import ball

COLUMNS, ROWS = 25, 15
BACK = [(ROWS - 1) * COLUMNS + column for column in range(8, 17)]  # the upper rim, behind


def run(cloth, frames):
    for _ in range(frames):
        cloth.step(STEP)
    return cloth.positions()


def with_laces():
    """jacket() with a lace of three pieces at the middle of each front; its vertices come last."""
    mesh = jacket()
    corners = np.arange(mesh.vertex_count).reshape(ROWS, COLUMNS)[ROWS // 2, [0, -1]]
    places, edges = [mesh.positions], []
    for corner in corners:
        last = corner
        for piece in range(1, 4):
            number = sum(map(len, places))
            places.append(mesh.positions[[corner]] + np.float32([0, 0.03, -0.01]) * piece)
            edges.append((last, number))
            last = number
    return Mesh.from_faces(np.concatenate(places), mesh.faces(), edges)


class LooseEdgesTest(unittest.TestCase):
    def test_laces_at_the_fronts(self):
        """They keep their lengths and hang alike; on a buttoned front from the line that it is buttoned along."""
        mesh = with_laces()
        pieces = np.linalg.norm([0, 0.03, 0.01])
        for mirror in ("exact", "halve"):
            for closure in ("free", "zip", "button"):
                with self.subTest(mirror=mirror, closure=closure):
                    with Cloth(mesh, mirror=mirror, closure=closure, overlap=0.04) as cloth:
                        cloth.set_pins(BACK)
                        found = run(cloth, 32)[-6:].reshape(2, 3, 3)
                    lengths = np.linalg.norm(np.diff(found, axis=1), axis=2)
                    np.testing.assert_allclose(lengths, pieces, rtol=0.1)
                    np.testing.assert_allclose(found[0] * [-1, 1, 1], found[1], atol=4e-3)
                    self.assertLess(found[0, -1, 2], mesh.positions[-1, 2] - 0.02)

    def test_a_cord_in_the_plane(self):
        """It falls as it does alone, and stays in the plane."""
        cord = np.float32([[0, 0, -0.1], [0, 0.1, -0.1], [0, 0.2, -0.1]])
        cloth_mesh = meshes.uneven()
        count = cloth_mesh.vertex_count
        both = np.concatenate([cloth_mesh.positions, cord])
        edges = [(count, count + 1), (count + 1, count + 2)]
        with Cloth(Mesh.from_faces(both, cloth_mesh.faces(), edges), mirror="halve") as cloth:
            found = run(cloth, 4)[count:]
        with Cloth(Mesh(cord, edges=[(0, 1), (1, 2)])) as alone:
            np.testing.assert_allclose(found, run(alone, 4), rtol=0, atol=5e-5)
        np.testing.assert_array_equal(found[:, 0], 0)


class HalveTest(unittest.TestCase):
    def test_any_mesh_with_sides_alike_is_taken(self):
        for mesh in (roof(), meshes.uneven(), meshes.strip_across(), meshes.with_hole()):
            with Cloth(mesh, mirror="halve") as cloth:
                self.assertEqual((cloth.mirror().mode, cloth.warnings), ("halve", []))
                kept = mesh.positions[:, 0] > 0
                start = cloth.positions()
                np.testing.assert_array_equal(start[kept], mesh.positions[kept])
                cloth.set_pins([mesh.vertex_count - 1])
                self.assertGreater(np.abs(run(cloth, 4) - start).max(), 0.02)

    def test_of_a_symmetric_mesh_it_is_the_exact_half(self):
        with Cloth(roof(), mirror="halve") as cloth, Cloth(roof(), mirror="exact") as exact:
            for each in (cloth, exact):
                each.set_pins([0, 8])
            np.testing.assert_allclose(run(cloth, 4), run(exact, 4), atol=1e-6)

    def test_kept_side_decides(self):
        """Pins, forces, maps and states of the other side count for nothing."""
        with Cloth(roof(), mirror="halve") as cloth, Cloth(roof(), mirror="exact") as exact:
            cloth.set_pins([8])  # its partner would be 0
            cloth.set_maps(mass=np.where(roof().positions[:, 0] < 0, 9, 1))
            exact.set_pins([0, 8])
            self.assertEqual(cloth.warnings, [])
            cloth.set_forces(wind=(2, 1, 0))
            self.assertIn("that part is left out", cloth.warnings[0])
            exact.set_forces(wind=(0, 1, 0))
            positions = run(cloth, 4)
            np.testing.assert_allclose(positions, run(exact, 4), atol=1e-6)
            self.assertEqual(cloth.mirror().whole_steps, 0)
            cloth.set_state(positions + np.float32([[0, 0, 0.5 * (v % 9 < 4)] for v in range(63)]))
            np.testing.assert_allclose(cloth.positions(), positions, atol=1e-6)

    def test_pins_of_the_other_side_alone(self):
        with Cloth(roof(), mirror="halve") as cloth:
            cloth.set_pins([0])
            self.assertIn("none of the 1 pins is on the kept side", cloth.warnings[0])

    def test_state_and_snapshot(self):
        for mesh in (meshes.uneven(), meshes.strip_across()):
            with Cloth(mesh, mirror="halve") as cloth:
                cloth.set_pins([mesh.vertex_count - 1])
                positions = run(cloth, 4)
                snapshot = cloth.snapshot()
                after = run(cloth, 2).tobytes()
                cloth.restore(snapshot)
                np.testing.assert_array_equal(cloth.positions(), positions)
                self.assertEqual(run(cloth, 2).tobytes(), after)
                cloth.set_state(positions)
                np.testing.assert_allclose(cloth.positions(), positions, atol=2e-7)

    def test_whole_where_a_body_is_asymmetric(self):
        with Cloth(meshes.uneven(), mirror="halve", asymmetric_body="whole") as cloth:
            before = run(cloth, 2)
            cloth.add_body(ball(x=3))
            cloth.step(1e-6)
            self.assertEqual(cloth.mirror().solved_whole, 1)
            self.assertLess(np.abs(cloth.positions() - before).max(), 1e-5)

    def test_half_again_when_the_body_is_gone(self):
        """Both sides go on where the whole cloth was, also the one whose mesh is another."""
        settings = {"mirror": "halve", "asymmetric_body": "whole", "mirror_tolerance": 0.01}
        with Cloth(meshes.uneven(), **settings) as cloth:
            body = cloth.add_body(ball(x=3))
            cloth.step(1e-6)
            self.assertEqual(cloth.mirror().solved_whole, 1)
            before = cloth.positions()
            body.remove()
            cloth.step(1e-6)
            self.assertEqual(cloth.mirror().solved_whole, 0)
            self.assertLess(np.abs(cloth.positions() - before).max(), 1e-4)
            self.assertGreater(np.abs(run(cloth, 2) - before).max(), 0.01)  # it goes on

    def test_refusals(self):
        for plane in (((3, 0, 0), (1, 0, 0)), ((-3, 0, 0), (1, 0, 0))):
            with self.assertRaises(MuslinError) as caught:
                Cloth(roof(), mirror="halve", mirror_plane=plane)
            self.assertIn("misses the mesh", str(caught.exception))


class ClosureTest(unittest.TestCase):
    def fronts(self, positions):
        """Places of the two front edges, rows x 3 each."""
        grid = positions.reshape(ROWS, COLUMNS, 3)
        return grid[:, 0], grid[:, -1]

    def draped(self, frames=15, **settings):
        with Cloth(jacket(), gravity=(0, 0, 0), **settings) as cloth:
            self.assertEqual(cloth.warnings, [])
            cloth.set_pins(BACK)
            return run(cloth, frames), cloth.mirror()

    def test_free(self):
        positions, report = self.draped(mirror="exact")
        left, right = self.fronts(positions)
        self.assertGreater((right - left)[:, 0].min(), 0.05)
        self.assertEqual(report.front_count, 0)

    def test_zip(self):
        for mode in ("exact", "halve", "auto"):
            positions, report = self.draped(mirror=mode, closure="zip")
            left, right = self.fronts(positions)
            self.assertEqual(np.abs(left).max(axis=0)[0], 0)
            np.testing.assert_array_equal(left, right)
            self.assertEqual(report.front_count, ROWS)

    def test_button(self):
        """The fronts lie over each other by the overlap, a little apart, the kept one over or under."""
        for over, sign in (("kept", 1), ("other", -1)):
            settings = {"closure": "button", "overlap": 0.04, "over": over, "integrator": "euler"}
            positions, report = self.draped(mirror="exact", **settings)
            left, right = self.fronts(positions)
            self.assertGreater(report.front_count, 0)
            overlap = (left - right)[:, 0]
            np.testing.assert_allclose(overlap, 0.04, atol=0.01)
            apart = (right - left)[:, 1]  # outwards is +y
            self.assertTrue((apart * sign > 0.0005).all(), apart)

    def test_state_of_a_buttoned_front(self):
        for mode in ("exact", "halve"):
            with Cloth(jacket(), mirror=mode, closure="button", gravity=(0, 0, 0)) as cloth:
                cloth.set_pins(BACK)
                positions = run(cloth, 10)
                cloth.set_state(positions)
                np.testing.assert_allclose(cloth.positions(), positions, atol=1e-5)

    def test_without_a_front(self):
        with Cloth(roof(), mirror="exact", closure="zip") as cloth:
            self.assertIn("no open front", cloth.warnings[0])
            cloth.set_pins([0, 8])
            positions = run(cloth, 2)
            np.testing.assert_array_equal(positions, image(positions, partners()))

    def test_closed_fronts_cannot_be_solved_whole(self):
        for mode in ("exact", "auto", "halve"):
            with self.assertRaises(MuslinError) as caught:
                Cloth(jacket(), mirror=mode, closure="zip", asymmetric_body="whole")
            self.assertIn("closed fronts", str(caught.exception))
        with Cloth(jacket(), mirror="auto", closure="zip") as cloth:
            cloth.set_pins([BACK[0]])
            self.assertIn("with its fronts open", cloth.warnings[0])
        with Cloth(meshes.slanted(), mirror="auto", closure="zip") as cloth:
            self.assertIn("nothing closed", cloth.warnings[0])


if __name__ == "__main__":
    unittest.main()

"""Links when more are added, when what was let go holds again, and when the bodies that they are on change.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from body_meshes import ball
from muslin import Cloth, Mesh, MuslinError, links
from sewn_meshes import grid, two_strips

STEP = 1 / 24


class AddedTest(unittest.TestCase):
    def test_one_more_set_leaves_the_others_as_long_as_they_were_measured(self):
        mesh = Mesh.from_faces(*grid(3, 3, 0.1))
        with Cloth(mesh, gravity=(0, 0, 0), integrator="euler") as cloth:
            share = cloth.elastic([[0, 2]], 0.5, stiffness=3000.0)
            apart = cloth.tack([6], [8], length=None)
            shorter = mesh.positions * np.float32([0.5, 1, 1])
            cloth.set_state(shorter)
            self.assertEqual(cloth.tack([3], [5], length=None), 2)
            self.assertAlmostEqual(cloth.link_report(apart).largest_gap, 0.1, places=6)
            self.assertLess(cloth.link_report(2).largest_gap, 1e-6)
            cloth.release(apart)
            cloth.release(2)
            cloth.step(STEP)
            self.assertEqual(cloth.link_report(share).count, 1)
            # It is as long as it wants to be, so only the cloth around it pushes.
            ends = cloth.positions()[[0, 2]].astype(float)
            self.assertGreater(np.linalg.norm(ends[1] - ends[0]), 0.08)

    def test_one_more_set_keeps_what_a_snapshot_brought_back(self):
        mesh, pairs = two_strips(3, 3, 0.02, apart=0.1)
        with Cloth(mesh, gravity=(0, 0, 0)) as cloth:
            seam = cloth.sew(pairs)
            cloth.step(STEP)
            snapshot = cloth.snapshot()
            cloth.release(seam)
            cloth.restore(snapshot)
            added = cloth.elastic([[0, 1]], 0.5)
            self.assertNotEqual(seam, added)
            self.assertEqual(cloth.link_report(seam).closing, 3)
            cloth.release(added)
            cloth.tack([0], [1], length=None)
            self.assertEqual(cloth.link_report(added).released, 1)  # and what was let go stays so


class HeldAgainTest(unittest.TestCase):
    def test_what_holds_again_is_as_long_as_it_was_measured_first(self):
        mesh = Mesh.from_faces(*grid(3, 3, 0.1))
        with Cloth(mesh, gravity=(0, 0, 0)) as cloth:
            apart = cloth.tack([6], [8], length=None)
            other = cloth.tack([3], [5], length=None)
            cloth.release(apart)
            cloth.set_state(mesh.positions * np.float32([0.5, 1, 1]))
            cloth.hold(apart)
            report = cloth.link_report(apart)
            self.assertEqual((report.released, report.count), (0, 1))
            self.assertAlmostEqual(report.largest_gap, 0.1, places=6)
            with self.assertRaisesRegex(MuslinError, "no set 7"):
                cloth.hold(7)
            cloth.hold(other)  # it was never let go
            self.assertAlmostEqual(cloth.link_report(other).largest_gap, 0.1, places=6)

    def test_letting_go_and_holding_at_once_changes_no_bytes(self):
        """The lengths, the matrix and how long gravity waits are those of a cloth that was left alone."""
        mesh, pairs = two_strips(3, 3, 0.02, apart=0.1)
        found = []
        for taken_back in (False, True):
            with Cloth(mesh) as cloth:
                cloth.set_pins(range(9))
                seam = cloth.sew(pairs, speed=0.2)
                waist = cloth.elastic([[9, 10], [10, 11]], 0.6)
                for _ in range(24):
                    if taken_back:
                        cloth.release(waist)
                        cloth.hold(waist)
                    cloth.step(STEP)
                self.assertLess(cloth.link_report(seam).largest_gap, 1e-3)
                found.append(cloth.positions().tobytes())
        self.assertEqual(found[0], found[1])

    def test_gravity_waits_for_what_closes_again(self):
        mesh, pairs = two_strips(3, 3, 0.02, apart=0.1)
        with Cloth(mesh) as cloth:
            cloth.set_pins(range(9))
            seam = cloth.sew(pairs)
            cloth.release(seam)
            cloth.step(STEP)
            fallen = cloth.positions()[9:, 2].mean()
            self.assertLess(fallen, -0.005)
            cloth.set_state(mesh.positions)
            cloth.hold(seam)
            cloth.step(STEP)
            self.assertLess(np.abs(cloth.positions()[9:, 2]).max(), 1e-6)
            for _ in range(12):
                cloth.step(STEP)
            self.assertLess(cloth.link_report(seam).largest_gap, 1e-3)


class BodyTest(unittest.TestCase):
    def test_a_tack_goes_with_its_body(self):
        """Where the body is removed, or rebuilt without the tack's vertices, its vertex falls."""
        body, smaller = ball(0.1), Mesh.from_faces(*grid(2, 2, 0.02))
        mesh = Mesh.from_faces(*grid(3, 3, 0.03, (0.0, 0.0, 0.3)))
        last = body.vertex_count - 1
        for change in (lambda solid: solid.remove(), lambda solid: solid.replace(smaller)):
            with self.subTest(change), Cloth(mesh) as cloth:
                solid = cloth.add_body(body)
                tacks = links.tack_to_body([0], solid, [[last] * 3], [[1, 0, 0]], length=None)
                cloth.set_links([tacks])
                cloth.step(STEP)
                change(solid)
                cloth.hold(0)
                self.assertEqual(cloth.link_report().released, 1)
                for _ in range(12):
                    cloth.step(STEP)
                self.assertLess(cloth.positions()[0, 2], -0.3)

    def test_a_tack_stays_on_a_body_that_still_has_its_place(self):
        body = ball(0.1)
        mesh = Mesh.from_faces(*grid(3, 3, 0.03, (0.0, 0.0, 0.3)))
        with Cloth(mesh) as cloth:
            solid = cloth.add_body(body)
            cloth.set_links([links.tack_to_body([0], solid, [[0, 1, 2]], [[1, 0, 0]], length=None)])
            solid.replace(body)
            self.assertEqual(cloth.link_report().released, 0)

    def test_a_body_that_was_refused_before_leaves_nothing_behind(self):
        """A tack to the one that was taken after it goes where it goes without the refusal, to the bit."""
        body, nothing = ball(0.1), Mesh(np.zeros((3, 3), np.float32))
        mesh = Mesh.from_faces(*grid(5, 5, 0.03, (-0.06, 0.0, 0.3)))
        for mirror in ("off", "auto"):
            ends = []
            for refused in (0, 1, 3):
                with self.subTest(mirror=mirror, refused=refused), Cloth(
                    mesh, mirror=mirror
                ) as cloth:
                    cloth.add_body(ball(0.05, (0, 0, -1)))
                    for _ in range(refused):
                        with self.assertRaises(MuslinError):
                            cloth.add_body(nothing)
                    solid = cloth.add_body(body)
                    self.assertEqual(solid.number, 1)
                    tack = links.tack_to_body([2], solid, [[0, 1, 2]], [[1, 0, 0]], length=None)
                    cloth.set_links([tack])
                    for frame in range(6):
                        solid.move(body.positions + np.float32([0, 0.02 * frame, 0.01 * frame]))
                        cloth.step(STEP)
                    ends.append(cloth.positions())
                    np.testing.assert_array_equal(ends[-1], ends[0])


class InspectionTest(unittest.TestCase):
    def test_what_is_sewn_does_not_pierce_itself(self):
        """A strip that goes through the rim of the one that it is sewn to; with one stitch only the others are reported."""
        flat, pairs = two_strips(6, 5, 0.02)
        places = flat.positions.copy()
        right = places[flat.vertex_count // 2 :]
        right += np.float32([-0.006, 0.003, 0.004])
        right[:, 2] -= right[:, 0] - right[:, 0].min()
        mesh = Mesh(places, flat.face_sizes, flat.face_vertices)
        found = []
        for stitches in (0, 1, len(pairs)):
            with Cloth(mesh, gravity=(0, 0, 0)) as cloth:
                cloth.sew(pairs[:stitches])
                found.append(cloth.inspect().self_piercings)
        self.assertEqual(found[-1], 0)
        self.assertTrue(0 < found[1] < found[0], found)


if __name__ == "__main__":
    unittest.main()

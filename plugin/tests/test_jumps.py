"""Bodies that jump: they are placed, and what they wear is carried along.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from body_meshes import STEP, ball, moved, sheet
from muslin import Cloth, DetailCode, jumps
from test_scenes.contact.rig import turning

FAR = (3.0, 1.0, 0.5)  # m


def lying(shape, frames=12):
    """A sheet that has come to lie on a ball, with the body; the caller closes it."""
    cloth = Cloth(sheet(12, 0.6, 0.0), threads=1)
    body = cloth.add_body(shape)
    for _ in range(frames):
        cloth.step(STEP)
    return cloth, body


class JumpTest(unittest.TestCase):
    def setUp(self):
        self.ball = ball(0.2, (0, 0, -0.21))
        self.cloth, self.body = lying(self.ball)
        self.addCleanup(self.cloth.close)

    def jump_to(self, after):
        return jumps.move(self.body, self.ball.positions, np.float32(after))

    def test_what_is_told(self):
        """Its number, how far, and how far it may be; no cloth is moved."""
        before = self.cloth.positions()
        jump = self.jump_to(moved(self.ball, FAR))
        self.assertAlmostEqual(jump.distance, np.linalg.norm(FAR), places=5)
        (detail,) = self.cloth.details
        self.assertEqual((detail.code, detail.body), (DetailCode.BODY_JUMPED, 0))
        self.assertAlmostEqual(detail.limit, np.linalg.norm(np.ptp(self.ball.positions, axis=0)), 5)
        self.assertIn("body 0 jumped 3.2 m", detail)
        self.cloth.step(STEP)
        gone = np.linalg.norm(self.cloth.positions() - before, axis=1).max()
        self.assertLess(gone, 0.1)  # it falls

    def test_what_is_no_jump(self):
        """A ball may be thrown by more than its size, and a part of a body may move far."""
        self.assertIsNone(self.jump_to(moved(self.ball, (0, 0, -0.5))))
        some = self.ball.positions.copy()
        some[: len(some) // 2 - 1] += np.float32(FAR)
        self.assertIsNone(self.jump_to(some))
        bullet = ball(0.02, (0, 0, 1.0))
        body = self.cloth.add_body(bullet)
        self.assertIsNone(body.move(moved(bullet, (0, 0, -0.35))))
        self.assertEqual(self.cloth.details, [])

    def test_it_is_carried_along(self):
        """Shifted and turned, and lies there as before."""
        rotation = turning("z", 90.0)
        there = self.ball.positions @ rotation.T + FAR
        before = self.cloth.positions()
        found = jumps.carry(self.cloth, [self.jump_to(there)])
        self.assertEqual(found, jumps.Outcome.CARRIED)
        wanted = before @ rotation.T + FAR
        np.testing.assert_allclose(self.cloth.positions(), wanted, atol=1e-5)
        for _ in range(6):
            self.cloth.step(STEP)
        other, _ = lying(self.ball, 18)
        with other:
            unmoved = other.positions() @ rotation.T + FAR
        apart = np.linalg.norm(self.cloth.positions() - unmoved, axis=1)
        self.assertLess(apart.max(), 0.02)
        self.assertEqual(self.cloth.inspect().inside_count, 0)

    def test_what_is_left_of_the_way_is_a_motion(self):
        there = self.ball.positions + np.float32(FAR)
        there[self.ball.positions[:, 2] < -0.3] += np.float32([0, 0, -0.05])
        found = jumps.carry(self.cloth, [self.jump_to(there)])
        self.assertEqual(found, jumps.Outcome.CARRIED)
        self.cloth.step(STEP)
        self.assertEqual(self.cloth.inspect().inside_count, 0)

    def test_another_pose_is_lost(self):
        flat = self.ball.positions * np.float32([4, 1, 0.1]) + np.float32(FAR)
        found = jumps.carry(self.cloth, [self.jump_to(flat)])
        self.assertEqual(found, jumps.Outcome.LOST)

    def test_what_is_not_worn_stays(self):
        aside = ball(0.2, (0, 2.0, 0))
        body = self.cloth.add_body(aside)
        before = self.cloth.positions()
        jump = jumps.move(body, aside.positions, moved(aside, FAR))
        self.assertEqual(jumps.carry(self.cloth, [jump]), jumps.Outcome.LEFT)
        np.testing.assert_array_equal(self.cloth.positions(), before)

    def test_rigid_motions(self):
        draw = np.random.default_rng(3)
        points = draw.normal(size=(40, 3))
        rotation = turning("y", 130.0) @ turning("x", 40.0)
        found, shift, left = jumps.rigid_motion(points, points @ rotation.T + FAR)
        np.testing.assert_allclose(found, rotation, atol=1e-12)
        np.testing.assert_allclose(shift, FAR, atol=1e-12)
        self.assertLess(left, 1e-12)
        mirrored, _, left = jumps.rigid_motion(points, points * (-1, 1, 1))
        self.assertAlmostEqual(np.linalg.det(mirrored), 1.0)
        self.assertGreater(left, 0.1)


class AppearingTest(unittest.TestCase):
    def test_cloth_around_a_new_body_comes_out(self):
        """A ball appears in the middle of a sheet that hangs: no vertex is thrown, and the sheet is whole."""
        mesh = sheet(17, 1.0, 0.0)
        with Cloth(mesh, threads=1, quality="draft") as cloth:
            hung = mesh.positions[:, [0, 2, 1]].copy()  # upright
            cloth.set_state(hung)
            cloth.set_pins(np.flatnonzero(hung[:, 2] > 0.49).astype(np.int32))
            cloth.set_self_contact(True)
            cloth.add_body(ball(0.2, (0.05, 0.03, 0.0)))
            before = hung
            for _ in range(16):
                cloth.step(STEP)
                now = cloth.positions()
                self.assertLess(np.linalg.norm(now - before, axis=1).max(), 0.3)
                before = now
            found = cloth.inspect()
            self.assertEqual((found.inside_count, found.body_piercings), (0, 0))
            self.assertLess(found.largest_stretch, 1.6)


if __name__ == "__main__":
    unittest.main()

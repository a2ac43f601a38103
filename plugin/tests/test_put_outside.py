"""Points that a caller has made of a cloth's, put before its bodies: which, where to, and what is refused.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import ctypes
import unittest

import numpy as np

from body_meshes import STEP, ball, moved, sheet, table
from muslin import Cloth, MuslinError, library
from muslin.inspection.intersections import count_between

THICKNESS = 0.004  # m
KEPT = THICKNESS / 4
RADIUS = 0.1


def lots(count, size, seed=3):
    """Points in a cube around the origin."""
    return np.random.default_rng(seed).uniform(-size, size, (count, 3)).astype(np.float32)


class WhereTest(unittest.TestCase):
    def setUp(self):
        self.cloth = Cloth(sheet(8, 0.2, 0.5), gravity=(0, 0, 0))
        self.addCleanup(self.cloth.close)

    def add_ball(self, middle=(0, 0, 0)):
        return self.cloth.add_body(ball(RADIUS, middle), thickness=THICKNESS)

    def test_without_bodies_nothing_moves(self):
        points = lots(50, 0.2)
        np.testing.assert_array_equal(self.cloth.put_outside(points), points)
        self.assertEqual(self.cloth.put_outside(np.empty((0, 3))).shape, (0, 3))

    def test_what_is_inside_goes_straight_out(self):
        self.add_ball()
        points = lots(500, 0.13)
        before = np.linalg.norm(points, axis=1)
        points = points[np.abs(before - RADIUS - KEPT) > 2e-3]  # a ball of flat faces
        before = np.linalg.norm(points, axis=1)
        found = self.cloth.put_outside(points, reach=0.15)
        after = np.linalg.norm(found, axis=1)
        inside = before < RADIUS + KEPT
        self.assertGreater(inside.sum(), 50)
        np.testing.assert_array_equal(found[~inside], points[~inside])
        np.testing.assert_allclose(after[inside], RADIUS + KEPT, atol=1.5e-3)
        shallow = inside & (before > 0.8 * RADIUS)
        straight = (found * points).sum(1) / (after * before)
        self.assertGreater(straight[shallow].min(), 0.98)

    def test_what_is_deeper_than_the_reach_stays(self):
        self.add_ball()
        points = np.float32([[0, 0, 0.05], [0, 0, 0.09]])
        found = self.cloth.put_outside(points, reach=0.03)
        np.testing.assert_array_equal(found[0], points[0])
        self.assertGreater(found[1, 2], RADIUS)

    def test_bodies_as_they_stand(self):
        """Before any step, where a body was placed, and not yet where it is to go."""
        body, middle = self.add_ball(), np.float32([[0, 0, 0.09]])
        mesh = ball(RADIUS, (0, 0, 0))
        self.assertGreater(self.cloth.put_outside(middle)[0, 2], RADIUS)
        body.place(moved(mesh, [0.3, 0, 0]))
        np.testing.assert_array_equal(self.cloth.put_outside(middle), middle)
        body.move(mesh.positions)
        np.testing.assert_array_equal(self.cloth.put_outside(middle), middle)
        self.cloth.step(STEP)
        self.assertGreater(self.cloth.put_outside(middle)[0, 2], RADIUS)

    def test_mirrored_half(self):
        mesh = sheet(9, 0.2, 0.5)
        with Cloth(mesh, mirror="exact", gravity=(0, 0, 0)) as cloth:
            cloth.add_body(ball(RADIUS, (0, 0, 0)), thickness=THICKNESS)
            points = lots(200, 0.06)
            found = cloth.put_outside(points, reach=0.15)
            np.testing.assert_allclose(
                cloth.put_outside(points * [-1, 1, 1], reach=0.15), found * [-1, 1, 1], atol=1e-6
            )
            self.assertGreater(np.linalg.norm(found, axis=1).min(), RADIUS - 1e-3)

    def test_points_are_copied(self):
        self.add_ball()
        points = np.float32([[0, 0, 0.09]])
        self.cloth.put_outside(points)
        self.assertEqual(points[0, 2], np.float32(0.09))


class StepTest(unittest.TestCase):
    def test_asking_changes_nothing(self):
        ends = []
        for asks in (False, True):
            with Cloth(sheet(16, 0.4, 0.03), quality="draft") as cloth:
                body = cloth.add_body(ball())
                for frame in range(12):
                    body.move(moved(ball(), [0.004 * frame, 0, 0]))
                    if asks:
                        cloth.put_outside(cloth.positions() - np.float32([0, 0, 0.02]))
                    cloth.step(STEP)
                ends.append(cloth.snapshot())
        self.assertEqual(*ends)

    def test_judged_from_elsewhere(self):
        """An embedded cloth that is pushed into a ball pierces it, and no longer where it was put outside."""
        mesh, body = sheet(40, 0.4, 0.005), ball(0.1, (0, 0, -0.1))
        with Cloth(mesh, budget_ms=1000) as cloth:
            cloth.hold_level(1)
            cloth.add_body(body, thickness=THICKNESS)
            for _ in range(6):
                cloth.step(STEP)
            pushed = cloth.positions() - np.float32([0, 0, 0.012])
            found = cloth.put_outside(pushed)
        faces, solid = mesh.faces(), (body.positions, body.faces())
        self.assertGreater(count_between(pushed, faces, *solid)[0], 20)
        self.assertEqual(count_between(found, faces, *solid), (0, 0))


class RefusedTest(unittest.TestCase):
    def setUp(self):
        self.cloth = Cloth(sheet())
        self.addCleanup(self.cloth.close)
        self.cloth.add_body(table())

    def test_numbers(self):
        points = lots(4, 0.1)
        broken = points.copy()
        broken[2, 1] = np.nan
        for given, reach, words in (
            (points, 0.0, "reach is 0 m"),
            (points, -1.0, "reach is -1 m"),
            (points, float("inf"), "inf m|finite"),
            (points, float("nan"), "nan m|finite"),
            (broken, 0.05, "point 2 is"),
            (points[:, :2], 0.05, "points"),
        ):
            with self.subTest(words=words), self.assertRaisesRegex(MuslinError, words):
                self.cloth.put_outside(given, reach)

    def test_pointers_and_counts(self):
        put = library.get().muslin_cloth_put_outside
        handle = self.cloth._handle
        points = (ctypes.c_float * 3)()
        self.assertLess(put(handle, 0.05, 1, None), 0)
        self.assertLess(put(handle, 0.05, -1, points), 0)
        self.assertEqual(put(handle, 0.05, 0, None), 0)
        self.assertLess(put(handle + 1000, 0.05, 1, points), 0)


if __name__ == "__main__":
    unittest.main()

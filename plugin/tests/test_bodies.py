"""Bodies through the binding: what may be done with them, and that cloth notices.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from body_meshes import STEP, ball, fall, moved, sheet, table
from muslin import Body, Cloth, MuslinError, Status
from test_scenes.levels import long_test

METHODS = (
    {},
    {"model": "edge", "shear": 0},
    {"scheme": "plain", "iterations": 1},
    {"scheme": "anderson", "iterations": 1},
    {"integrator": "bdf2"},
)

PARTS = ("force", "assemble", "solve", "contact")


def lowest(cloth):
    return float(cloth.positions()[:, 2].min())


class BodyTest(unittest.TestCase):
    def test_sheet_stays_on_a_table(self):
        for method in METHODS:
            with self.subTest(method), Cloth(sheet(), **method) as cloth:
                body = cloth.add_body(table())
                self.assertIsInstance(body, Body)
                self.assertEqual(cloth.warnings, [])
                fall(cloth, 24)
                self.assertTrue(np.isfinite(cloth.positions()).all())
                self.assertGreater(lowest(cloth), 0.0)
                self.assertLess(lowest(cloth), 0.01, "it has come down to the table")

    def test_sheet_falls_without_one(self):
        """What the test above compares to."""
        with Cloth(sheet()) as cloth:
            fall(cloth, 24)
            self.assertLess(lowest(cloth), -0.5)
            stats = cloth.stats()
            self.assertEqual((stats.contacts, stats.touching, stats.stuck), (0, 0, 0))
            self.assertEqual((stats.deepest, stats.contact_seconds), (0, 0))

    def test_defaults_are_the_librarys(self):
        with Cloth(sheet()) as cloth:
            body = cloth.add_body(table())
            self.assertAlmostEqual(body.thickness, 0.004, places=8)
            self.assertAlmostEqual(body.friction, 0.3, places=6)
            body.set_surface(friction=0.7)
            self.assertAlmostEqual(body.thickness, 0.004, places=8)
            self.assertEqual(body.friction, 0.7)

    def test_arrays_instead_of_a_mesh(self):
        mesh = table()
        faces = np.array(mesh.faces())
        results = set()
        for given in (mesh, (mesh.positions, faces), (mesh.positions.tolist(), faces.tolist())):
            with Cloth(sheet()) as cloth:
                cloth.add_body(given)
                results.add(fall(cloth, 6)[-1])
        self.assertEqual(len(results), 1)

    def test_arrays_are_copied(self):
        mesh = table()
        with Cloth(sheet()) as cloth, Cloth(sheet()) as other:
            for each in (cloth, other):
                each.add_body(mesh)
                mesh.positions[:] = 99
                mesh = table()
            self.assertEqual(fall(cloth, 6), fall(other, 6))
            self.assertGreater(cloth.stats().contacts, 0)

    def test_stats_tell_of_contact(self):
        with Cloth(sheet()) as cloth:
            cloth.add_body(table())
            fall(cloth, 12)
            stats = cloth.stats()
            self.assertGreater(stats.contacts, 0)
            self.assertGreater(stats.touching, 0)
            self.assertEqual(stats.stuck, 0)
            self.assertGreaterEqual(stats.deepest, 0)
            self.assertGreater(stats.detection_seconds, 0)
            self.assertGreater(stats.response_seconds, 0)
            both = stats.detection_seconds + stats.response_seconds
            self.assertAlmostEqual(stats.contact_seconds, both)
            self.assertLess(stats.contact_seconds, stats.total_seconds)

    def test_times_are_parts_of_the_step(self):
        """No second is counted twice: what contacts take is in no other part."""
        for method in (*METHODS, {"solver": "implicit", "iterations": 1}):
            with self.subTest(method), Cloth(sheet(), **method) as cloth:
                cloth.add_body(table())
                fall(cloth, 12)
                stats = cloth.stats()
                parts = [getattr(stats, f"{name}_seconds") for name in PARTS]
                self.assertGreater(stats.contacts, 0)
                self.assertGreater(min(parts), 0)
                self.assertLessEqual(sum(parts), stats.total_seconds)
                self.assertLessEqual(stats.coarse_seconds, stats.solve_seconds)
                self.assertEqual(cloth.stats(), stats, "looking at it costs it nothing")

    def test_thickness_is_the_distance_kept(self):
        heights = []
        for thickness in (0.002, 0.03):
            with Cloth(sheet(height=0.05)) as cloth:
                cloth.add_body(table(), thickness=thickness)
                fall(cloth, 24)
                heights.append(float(np.median(cloth.positions()[:, 2])))
        self.assertLess(heights[0], 0.01)
        self.assertGreater(heights[1], 0.02)

    def test_thickness_set_later_is_the_same_as_given(self):
        """Thin shells let the cloth come near to more edges than thick ones."""

        def drape(thickness, later):
            with Cloth(sheet()) as cloth:
                body = cloth.add_body(table(0.25), thickness=thickness)
                body.set_surface(thickness=later)
                return fall(cloth, 12)

        self.assertEqual(drape(0.1, 0.002), drape(0.002, 0.002))

    def test_surface_may_change_while_running(self):
        with Cloth(sheet()) as cloth:
            body = cloth.add_body(table(), thickness=0.002)
            fall(cloth, 12)
            before = float(np.median(cloth.positions()[:, 2]))
            body.set_surface(thickness=0.03)
            fall(cloth, 12)
            self.assertGreater(float(np.median(cloth.positions()[:, 2])), before + 0.01)

    def test_moving_body_lifts_the_sheet(self):
        mesh = table()
        with Cloth(sheet()) as cloth:
            body = cloth.add_body(mesh)
            for frame in range(1, 7):
                body.move(moved(mesh, (0, 0, 0.04 * frame)))
                cloth.step(STEP)
            self.assertGreater(lowest(cloth), 0.24)
            fall(cloth, 12)  # not moved: it stands still
            self.assertGreater(lowest(cloth), 0.24)
            self.assertLess(lowest(cloth), 0.26)

    def test_several_bodies(self):
        with Cloth(sheet()) as cloth:
            bodies = [cloth.add_body(table()), cloth.add_body(ball(middle=(0, 0, -0.11)))]
            self.assertEqual([body.number for body in bodies], [0, 1])
            middle = np.linalg.norm(cloth.positions()[:, :2], axis=1).argmin()
            fall(cloth, 12)
            bodies[0].remove()
            self.assertEqual(cloth.add_body(ball(middle=(3, 0, 0))).number, 2)
            fall(cloth, 24)
            self.assertGreater(cloth.positions()[middle, 2], -0.02, "held by the ball")
            self.assertLess(lowest(cloth), -0.05, "hanging from it")

    def test_body_that_appears_and_vanishes(self):
        with Cloth(sheet(height=0.3)) as cloth:
            fall(cloth, 3)
            body = cloth.add_body(table())
            fall(cloth, 24)
            self.assertGreater(lowest(cloth), 0)
            body.remove()
            fall(cloth, 12)
            self.assertLess(lowest(cloth), -0.3)
            self.assertEqual(cloth.stats().contacts, 0)

    def test_body_that_appears_around_the_cloth(self):
        with Cloth(sheet(height=-0.01)) as cloth:
            cloth.add_body(table())
            fall(cloth, 48)
            self.assertTrue(np.isfinite(cloth.positions()).all())
            self.assertLess(float(np.abs(cloth.positions()).max()), 2, "it does not explode")

    def test_no_matrix_is_made_anew(self):
        with Cloth(sheet(), integrator="euler") as cloth:
            cloth.prepare(STEP)
            before = cloth.report()
            body = cloth.add_body(table())
            cloth.step(STEP)
            body.replace(ball())
            cloth.step(STEP)
            body.remove()
            cloth.step(STEP)
            after = cloth.report()
        self.assertEqual(after.analysis_count, before.analysis_count)
        self.assertEqual(after.factor_count, before.factor_count)

    def test_self_contact_is_taken(self):
        with Cloth(sheet()) as cloth:
            cloth.set_self_contact(True, thickness=0.003, friction=0.5)
            fall(cloth, 2)
            cloth.set_self_contact(False)
            fall(cloth, 2)
            self.assertTrue(np.isfinite(cloth.positions()).all())


class ReplaceTest(unittest.TestCase):
    def test_another_mesh_is_no_warning(self):
        before, after = table(), ball()
        with Cloth(sheet()) as cloth:
            body = cloth.add_body(before, thickness=0.007)
            body.replace(after)
            self.assertEqual(cloth.warnings, [])
            body.move(moved(after, (0, 0, 0.01)))
            cloth.step(STEP)
            self.assertEqual(body.thickness, 0.007)

    def test_it_is_there_at_once(self):
        """The table is far below, then under the cloth; it does not travel through the cloth."""
        with Cloth(sheet()) as cloth:
            far = table()
            far.positions[:, 2] -= 5
            body = cloth.add_body(far)
            fall(cloth, 1)
            body.replace(table())
            fall(cloth, 24)
            self.assertGreater(lowest(cloth), 0)
            self.assertLess(lowest(cloth), 0.02)

    def test_defects_are_reported_as_well(self):
        with Cloth(sheet()) as cloth:
            body = cloth.add_body(table())
            mesh = table()
            faces = [*mesh.faces(), [0, 0, 1]]
            body.replace((mesh.positions, faces))
            self.assertIn("name a vertex twice", cloth.warnings[0])


class WarningTest(unittest.TestCase):
    def warned(self, positions, faces, part):
        with Cloth(sheet()) as cloth:
            body = cloth.add_body((positions, faces))
            self.assertEqual(len(cloth.warnings), 1)
            self.assertIn(part, cloth.warnings[0])
            body.move(np.asarray(positions) + np.float32(0.01))
            fall(cloth, 3)
            self.assertTrue(np.isfinite(cloth.positions()).all())

    def test_faces_that_name_a_vertex_twice(self):
        mesh = table()
        self.warned(mesh.positions, [*mesh.faces(), [3, 3, 5]], "1 triangle")

    def test_nothing_but_degenerate_faces(self):
        points = np.float32([[0, 0, 0], [1, 0, 0], [2, 0, 0]])
        self.warned(points, [[0, 1, 2], [2, 1, 0]], "have no area")
        self.warned(points, [[0, 0, 1], [1, 2, 2]], "name a vertex twice")
        self.warned(np.zeros((3, 3), np.float32), [[0, 1, 2]], "have no area")

    def test_solid_that_is_inside_out(self):
        mesh = table()
        self.warned(mesh.positions, [face[::-1] for face in mesh.faces()], "inside out")

    def test_vertices_of_no_face(self):
        mesh = table()
        with Cloth(sheet()) as cloth:
            cloth.add_body((np.vstack([mesh.positions, [[9, 9, 9]]]), mesh.faces()))
            self.assertEqual(cloth.warnings, [])
            fall(cloth, 12)
            self.assertGreater(lowest(cloth), 0)


class SameBytesTest(unittest.TestCase):
    def run_with(self, threads):
        mesh = ball(radius=0.15, middle=(0.02, 0.01, -0.16))
        with Cloth(sheet(33), threads=threads) as cloth:
            body = cloth.add_body(mesh)
            cloth.add_body(table(2.0))
            collected = []
            for frame in range(1, 7):
                body.move(moved(mesh, (0, 0, 0.04 * frame)))
                collected += fall(cloth, 1)
            self.assertGreater(cloth.stats().contacts, 0)
        return collected

    @long_test
    def test_by_two_threads(self):
        self.assertEqual(self.run_with(2), self.run_with(1))

    @long_test
    def test_twice_and_by_three_threads(self):
        expected = self.run_with(1)
        for threads in (1, 3):
            with self.subTest(threads):
                self.assertEqual(self.run_with(threads), expected)


class CancelTest(unittest.TestCase):
    def test_step_that_fails_leaves_the_body_usable(self):
        with Cloth(sheet(), normal_drag=0, tangent_drag=0) as cloth:
            body = cloth.add_body(table())
            fast = np.full_like(cloth.positions(), 1e9)
            cloth.set_iterations(1, 1)
            cloth.set_state(sheet().positions, fast)
            with self.assertRaises(MuslinError) as caught:
                cloth.step(10)
            self.assertEqual(caught.exception.status, Status.ERROR_DIVERGED)
            cloth.set_state(sheet().positions)
            body.move(table().positions)
            fall(cloth, 12)
            self.assertGreater(lowest(cloth), 0)


if __name__ == "__main__":
    unittest.main()

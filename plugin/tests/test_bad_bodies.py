"""Bad bodies: each has a status and a message that names what is wrong, and the cloth lives on.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import ctypes
import unittest

import numpy as np

from body_meshes import STEP, ball, moved, sheet, table
from muslin import Cloth, MuslinError, Status, _enums, library
from muslin.body import BodySurface, struct_of
from muslin.calls import message

NAN, INFINITY = float("nan"), float("inf")
POINTS = np.float32([[0, 0, -0.1], [1, 0, -0.1], [0, 1, -0.1]])
FACES = [[0, 1, 2]]
BAD_THICKNESS = (0, -0.001, NAN, INFINITY, 0.11, 1e300)
BAD_FRICTION = (-0.1, NAN, INFINITY, 10.5)


class BadBodyTest(unittest.TestCase):
    def setUp(self):
        self.cloth = Cloth(sheet())
        self.addCleanup(self.cloth.close)
        self.mesh = table()
        self.body = self.cloth.add_body(self.mesh)

    def tearDown(self):
        """Whatever was refused: the cloth, and the body it has, still work."""
        self.body.move(self.mesh.positions)
        for _ in range(12):
            self.cloth.step(STEP)
        self.assertGreater(float(self.cloth.positions()[:, 2].min()), 0)

    def refused(self, status, parts, function, *arguments, **settings):
        with self.assertRaises(MuslinError) as caught:
            function(*arguments, **settings)
        self.assertEqual(caught.exception.status, status, str(caught.exception))
        for part in parts:
            self.assertIn(part, str(caught.exception))

    def bad_mesh(self, positions, faces, *parts, status=Status.ERROR_MESH):
        """Refused as a new body and as another mesh for one."""
        for function in (self.cloth.add_body, self.body.replace):
            with self.subTest(function.__name__):
                self.refused(status, parts, function, (positions, faces))

    def test_coordinate_that_is_not_finite(self):
        for bad in (NAN, INFINITY, -INFINITY, 1e300):
            points = POINTS.astype(float)
            points[2, 1] = bad
            self.bad_mesh(points, FACES, "body's vertex 2")

    def test_no_vertices(self):
        self.bad_mesh(np.zeros((0, 3)), [], "body", "no vertices")

    def test_no_faces(self):
        self.bad_mesh(POINTS, [], "body", "no faces")

    def test_face_index_out_of_range(self):
        for bad in (3, -1, 2**31 - 1, -(2**31)):
            self.bad_mesh(POINTS, [[0, 1, 2], [0, 1, bad]], "face 1", f"vertex {bad},", "0 to 2")

    def test_face_index_that_int32_cannot_hold(self):
        argument = Status.ERROR_ARGUMENT
        self.bad_mesh(POINTS, [[0, 1, 2**31]], "face_vertices", status=argument)

    def test_face_too_small(self):
        for face in ([0, 1], [0], []):
            self.bad_mesh(POINTS, [[0, 1, 2], face], "face 1", f"{len(face)} corners")

    def test_what_is_no_mesh(self):
        for value in ("ball", None, 5, POINTS, (POINTS,), (POINTS, 3), (POINTS, [1, 2])):
            for function in (self.cloth.add_body, self.body.replace):
                self.refused(Status.ERROR_ARGUMENT, [], function, value)

    def test_thickness(self):
        for bad in BAD_THICKNESS:
            with self.subTest(bad):
                parts = ["thickness"]
                argument = Status.ERROR_ARGUMENT
                self.refused(argument, parts, self.cloth.add_body, ball(), thickness=bad)
                self.refused(argument, parts, self.body.set_surface, thickness=bad)
                self.refused(argument, parts, self.cloth.set_self_contact, True, thickness=bad)
        self.assertAlmostEqual(self.body.thickness, 0.004, places=8)
        self.cloth.add_body(ball(middle=(5, 0, 0)), thickness=0.1)

    def test_friction(self):
        for bad in BAD_FRICTION:
            with self.subTest(bad):
                parts = ["friction"]
                argument = Status.ERROR_ARGUMENT
                self.refused(argument, parts, self.cloth.add_body, ball(), friction=bad)
                self.refused(argument, parts, self.body.set_surface, friction=bad)
                self.refused(argument, parts, self.cloth.set_self_contact, True, friction=bad)
        self.cloth.add_body(ball(middle=(5, 0, 0)), friction=0)
        self.cloth.add_body(ball(middle=(5, 0, 0)), friction=10)

    def test_values_of_the_wrong_type(self):
        for bad in ("thick", [1, 2], "x"):
            self.refused(Status.ERROR_ARGUMENT, ["thickness"], self.cloth.add_body, ball(), bad)
            self.refused(Status.ERROR_ARGUMENT, ["friction"], self.cloth.add_body, ball(), 0.1, bad)
        for bad in ("on", 2, -1, 0.5, None):
            self.refused(Status.ERROR_ARGUMENT, ["enabled"], self.cloth.set_self_contact, bad)

    def test_move_with_another_count(self):
        count = self.mesh.vertex_count
        for wrong in (count - 1, count + 1, 0):
            parts = [f"{wrong} positions", f"{count} vertices of body 0", "replace_body"]
            self.refused(Status.ERROR_ARGUMENT, parts, self.body.move, np.zeros((wrong, 3)))

    def test_move_to_what_is_not_finite(self):
        for bad in (NAN, INFINITY, 1e39):
            places = self.mesh.positions.astype(float)
            places[5, 2] = bad
            self.refused(Status.ERROR_ARGUMENT, ["body's vertex 5"], self.body.move, places)

    def test_move_to_what_is_no_array(self):
        for bad in ("up", None, np.zeros(3), np.zeros((4, 2))):
            self.refused(Status.ERROR_ARGUMENT, ["positions"], self.body.move, bad)

    def test_body_that_was_removed(self):
        gone = self.cloth.add_body(ball(middle=(5, 0, 0)))
        gone.remove()
        positions = ball().positions
        for call in (
            gone.remove,
            lambda: gone.move(positions),
            lambda: gone.replace(ball()),
            lambda: gone.set_surface(friction=0.1),
        ):
            self.refused(Status.ERROR_BODY, ["no body 1"], call)

    def test_body_that_never_was(self):
        for number in (-1, 1, 7, 2**31 - 1, -(2**31)):
            self.body.number = number
            places = self.mesh.positions
            for call in (self.body.remove, lambda: self.body.move(places)):
                self.refused(Status.ERROR_BODY, [f"no body {number}"], call)
        self.body.number = 0

    def test_cloth_that_was_closed(self):
        other = Cloth(sheet())
        body = other.add_body(ball())
        other.close()
        for call in (
            body.remove,
            lambda: body.move(ball().positions),
            lambda: body.replace(ball()),
            lambda: body.set_surface(friction=0.1),
            lambda: other.add_body(ball()),
            lambda: other.set_self_contact(True),
        ):
            self.refused(Status.ERROR_HANDLE, ["no such cloth"], call)


class PointerTest(unittest.TestCase):
    """What only a caller in C can do wrong."""

    def setUp(self):
        self.cloth = Cloth(sheet())
        self.addCleanup(self.cloth.close)
        self.handle = self.cloth._handle
        self.library = library.get()
        self.number = ctypes.c_int32(77)

    def add(self, change=lambda struct: None):
        struct, keep = struct_of(ball(), BodySurface())
        change(struct)
        code = self.library.muslin_cloth_add_body(self.handle, struct, ctypes.byref(self.number))
        del keep
        return code, message(self.handle)

    def test_null_pointers(self):
        for name in ("positions", "face_sizes", "face_vertices"):
            code, text = self.add(lambda struct: setattr(struct, name, None))
            self.assertEqual(code, Status.ERROR_ARGUMENT)
            self.assertIn(f"{name} of the body is null", text)
            self.assertEqual(self.number.value, -1)
        number = ctypes.byref(self.number)
        code = self.library.muslin_cloth_add_body(self.handle, None, number)
        self.assertEqual((code, message(self.handle)), (Status.ERROR_ARGUMENT, "body is null"))
        struct, keep = struct_of(ball(), BodySurface())
        code = self.library.muslin_cloth_add_body(self.handle, struct, None)
        self.assertEqual((code, message(self.handle)), (Status.ERROR_ARGUMENT, "number is null"))
        self.assertEqual(self.library.muslin_default_body(None), Status.ERROR_ARGUMENT)
        self.assertEqual(self.add()[0], Status.OK)
        self.assertEqual(self.number.value, 0)
        code = self.library.muslin_cloth_move_body(self.handle, 0, ball().vertex_count, None)
        self.assertEqual((code, message(self.handle)), (Status.ERROR_ARGUMENT, "positions is null"))
        code = self.library.muslin_cloth_replace_body(self.handle, 0, None)
        self.assertEqual((code, message(self.handle)), (Status.ERROR_ARGUMENT, "body is null"))
        del keep

    def test_negative_counts(self):
        for name in ("vertex_count", "face_count"):
            code, _ = self.add(lambda struct: setattr(struct, name, -5))
            self.assertEqual(code, Status.ERROR_MESH)

    def test_struct_of_another_size(self):
        for size in (0, 8, 10000):
            code, text = self.add(lambda struct: setattr(struct, "size", size))
            self.assertEqual(code, Status.ERROR_ARGUMENT)
            self.assertIn("MuslinBody.size", text)

    def test_handle_that_never_was(self):
        for function, arguments in (
            ("muslin_cloth_add_body", (None, None)),
            ("muslin_cloth_replace_body", (0, None)),
            ("muslin_cloth_move_body", (0, 0, None)),
            ("muslin_cloth_set_body_surface", (0, 0.1, 0.1)),
            ("muslin_cloth_remove_body", (0,)),
            ("muslin_cloth_put_outside", (0.05, 0, None)),
            ("muslin_cloth_set_self_contact", (1, 0.1, 0.1)),
            ("muslin_cloth_destroy", ()),
            ("muslin_cloth_cancel", ()),
            ("muslin_cloth_get_progress", (None,)),
        ):
            for handle in (0, 2**63):
                self.library.muslin_default_body(None)  # leaves another sentence
                code = getattr(self.library, function)(handle, *arguments)
                self.assertEqual(code, Status.ERROR_HANDLE)
                self.assertIn("no such cloth", message(0), function)

    def test_every_status_has_a_text(self):
        for status in _enums.Status:
            self.assertNotIn(b"unknown", self.library.muslin_status_text(status))


class LargeTest(unittest.TestCase):
    def test_move_far_away_and_back(self):
        """As far as float32 goes: a step may fail with its own status; the state stays finite."""
        mesh = table()
        with Cloth(sheet()) as cloth:
            body = cloth.add_body(mesh)
            for place in (1e30, 0, 3e38, -3e38, 0):
                body.move(moved(mesh, (0, 0, place)))
                try:
                    cloth.step(STEP)
                except MuslinError as error:
                    self.assertEqual(error.status, Status.ERROR_DIVERGED)
                self.assertTrue(np.isfinite(cloth.positions()).all())


if __name__ == "__main__":
    unittest.main()

"""What messages are about, in codes and numbers: arguments, steps, and the calls that tell of it.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import ctypes
import pickle
import re
import threading
import unittest
from pathlib import Path

import numpy as np

from body_meshes import sheet, table
from detail_checks import NAN, SQUARE, DetailTest, refused
from muslin import Cloth, DetailCode, Element, Mesh, MuslinError, Status, _abi, library
from muslin.calls import call, message, new_struct


class ArgumentTest(DetailTest):
    def test_numbers(self):
        mesh = sheet()
        for name, value, limit in (
            ("density", -1.0, 0.0),
            ("pcg_tolerance", 2.0, 1.0),
            ("threads", 1000.0, 256.0),
            ("substeps", -1.0, 0.0),
        ):
            details = refused(Cloth, mesh, **{name: int(value) if name != "density" else value})
            self.check(details, DetailCode.RANGE, name=name, value=value, limit=limit)
        self.check(refused(Cloth, mesh, gravity=(0, 0, NAN)), DetailCode.NOT_FINITE, name="gravity")
        self.check(refused(Cloth, mesh, pattern="uv"), DetailCode.CONFLICT, name="pattern")
        self.check(refused(Cloth, mesh, closure="zip"), DetailCode.CONFLICT, name="closure")
        with Cloth(mesh) as cloth:
            details = refused(cloth.step, 11)
            self.check(details, DetailCode.RANGE, name="seconds", value=11.0, limit=10.0)
            details = refused(cloth.set_self_contact, True, thickness=-1)
            self.check(details, DetailCode.RANGE, name="thickness", value=-1.0, limit=0.0)

    def test_arrays(self):
        bad = sheet().positions.copy()
        bad[7, 1] = NAN
        scale = np.ones(len(bad))
        scale[5] = -1
        with Cloth(sheet()) as cloth:
            cloth.set_pins([2, 4])
            vertex = {"element": Element.VERTEX, "elements": [7]}
            details = refused(cloth.set_state, bad)
            self.check(details, DetailCode.NOT_FINITE, name="positions", **vertex)
            details = refused(cloth.set_state, sheet().positions, bad)
            self.check(details, DetailCode.NOT_FINITE, name="velocities", **vertex)
            details = refused(cloth.move_pins, bad[6:8])
            pin = {"element": Element.PIN, "elements": [1]}
            self.check(details, DetailCode.NOT_FINITE, name="targets", **pin)
            details = refused(cloth.set_maps, mass=scale)
            vertex["elements"] = [5]
            self.check(details, DetailCode.RANGE, name="mass", value=-1.0, **vertex)

    def test_meshes(self):
        self.check(refused(Cloth, Mesh(np.zeros((0, 3)))), DetailCode.EMPTY)
        self.check(refused(Cloth, Mesh(SQUARE)), DetailCode.EMPTY)
        short = {"name": "face_sizes", "value": 2.0, "limit": 3.0, "elements": [1]}
        mesh = Mesh(SQUARE, [3, 2], [0, 1, 2, 0, 1])
        self.check(refused(Cloth, mesh), DetailCode.FACE_CORNERS, element=Element.FACE, **short)
        with Cloth(sheet()) as cloth:
            body = cloth.add_body(table())
            face = {"element": Element.BODY_FACE}
            for add, number in ((cloth.add_body, None), (body.replace, 0)):
                of = {"body": number}
                self.check(refused(add, mesh), DetailCode.FACE_CORNERS, **short, **face, **of)
                outside = Mesh(SQUARE, [3, 3], [0, 1, 2, 0, 1, 9])
                details = refused(add, outside)
                numbers = {"name": "face_vertices", "value": 9.0, "limit": 3.0, "elements": [1]}
                self.check(details, DetailCode.INDEX_RANGE, **numbers, **face, **of)
                broken = Mesh(SQUARE.copy(), [3], [0, 1, 2])
                broken.positions[2, 0] = NAN
                vertex = {"element": Element.BODY_VERTEX, "elements": [2], "name": "positions"}
                self.check(refused(add, broken), DetailCode.NOT_FINITE, **vertex, **of)
                self.check(refused(add, Mesh(SQUARE)), DetailCode.EMPTY, **of)

    def test_structs(self):
        call_ = library.get().muslin_cloth_create
        self.assertEqual(call_(None, None, None), Status.ERROR_ARGUMENT)
        self.check(message().details, DetailCode.NULL, name="cloth")
        handle = _abi.Handle(0)
        struct, keep = sheet().to_struct()
        struct.size = 4000
        self.assertEqual(call_(struct, None, ctypes.byref(handle)), Status.ERROR_ARGUMENT)
        size = float(ctypes.sizeof(struct))
        sizes = {"value": 4000.0, "limit": size}
        self.check(message().details, DetailCode.STRUCT_SIZE, name="MuslinMesh", **sizes)
        del keep


class StepTest(DetailTest):
    def test_cancelled(self):
        """Asked for before and while a step runs, until it ends."""
        with Cloth(sheet(), substeps=10000) as cloth:
            found = []
            worker = threading.Thread(target=lambda: found.extend(refused(cloth.step, 10)))
            worker.start()
            while worker.is_alive():
                cloth.cancel()
                worker.join(0.001)
            done = found[0].count
            self.check(found, DetailCode.CANCELLED, count=done, limit=10000.0)
            self.assertLess(done, 10000)

    def test_cancel_ends_with_the_step_that_was_refused(self):
        with Cloth(sheet(), substeps=1) as cloth:
            cloth.cancel()
            refused(cloth.step, -1.0)
            cloth.step(0.01)

    def test_diverged(self):
        fast = np.full((len(sheet().positions), 3), 1e9, np.float32)
        with Cloth(sheet(), normal_drag=0, tangent_drag=0) as cloth:
            cloth.set_state(sheet().positions, fast)
            details = refused(cloth.step, 10)
            vertex = details[0].elements
            self.check(details, DetailCode.DIVERGED, element=Element.VERTEX, elements=vertex)


class BoundaryTest(DetailTest):
    def test_every_code_is_tested(self):
        """In these two files, or where its C test says so."""
        texts = [path.read_text() for path in Path(__file__).parent.glob("test_details*.py")]
        tested = set(re.findall(r"DetailCode\.([A-Z_]+)", "".join(texts)))
        self.assertEqual(set(DetailCode.__members__) - tested, {"UNKNOWN", "FRONTS_THICK"})

    def test_calls(self):
        """Neither call changes the message, whatever it is given."""
        with Cloth(sheet()) as cloth:
            refused(cloth.set_pins, [2, 2])
            native, handle = library.get(), cloth._handle
            count, struct = ctypes.c_int32(-1), new_struct(_abi.Detail)
            before = message(handle)
            self.assertEqual(native.muslin_get_detail_count(handle, None), Status.ERROR_ARGUMENT)
            self.assertEqual(
                native.muslin_get_detail_count(77, ctypes.byref(count)), Status.ERROR_HANDLE
            )
            self.assertEqual(count.value, 0)
            for index in (-1, 1, 2**31 - 1):
                status = native.muslin_get_detail(handle, index, ctypes.byref(struct))
                self.assertEqual(status, Status.ERROR_ARGUMENT)
            self.assertEqual(native.muslin_get_detail(handle, 0, None), Status.ERROR_ARGUMENT)
            struct.size = 2
            status = native.muslin_get_detail(handle, 0, ctypes.byref(struct))
            self.assertEqual(status, Status.ERROR_ARGUMENT)
            self.assertEqual(
                native.muslin_get_detail(77, 0, ctypes.byref(struct)), Status.ERROR_HANDLE
            )
            self.assertEqual((message(handle), message(handle).details), (before, before.details))
            cloth.positions()
            self.assertEqual(message(handle).details, (), "of the last call")

    def test_a_stale_handle(self):
        with self.assertRaises(MuslinError) as caught:
            call("muslin_cloth_step", 77, 0.1, handle=77)
        self.assertEqual(caught.exception.status, Status.ERROR_HANDLE)
        self.assertEqual(caught.exception.details, ())

    def test_errors_travel(self):
        with Cloth(sheet()) as cloth, self.assertRaises(MuslinError) as caught:
            cloth.set_pins([2, 2])
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual(again.details, caught.exception.details)
        self.assertEqual(again.details[0].elements, (2,))
        renamed = again.speaking_of("shirt.obj")
        self.assertEqual(str(renamed), "shirt.obj: vertex 2 is pinned twice")
        self.assertEqual(renamed.details[0].code, DetailCode.PINNED_TWICE)


if __name__ == "__main__":
    unittest.main()

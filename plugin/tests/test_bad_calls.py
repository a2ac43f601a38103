"""Every function of muslin.h with null pointers, counts below 0 and counts too large, as C callers could give them.

The binding lets none of these through, so the functions are called without it.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import ctypes
import unittest

import numpy as np

from body_meshes import STEP, sheet, table
from muslin import Cloth, Status, _abi, library
from muslin._abi import FUNCTIONS
from muslin.calls import message, new_struct
from muslin.table import MAPS

MOST = 2**31 - 1
THREADS = 3  # MUSLIN_SOLVER_THREADS
STALE = 77  # a handle that never was
FLOATS = (3 * 200 * ctypes.c_float)()  # more than any call below may look at
INTS = (200 * ctypes.c_int32)()
REPORTS = {
    "muslin_cloth_get_report": "MuslinReport",
    "muslin_cloth_get_stats": "MuslinStats",
    "muslin_cloth_get_mirror": "MuslinMirrorReport",
    "muslin_cloth_get_settling": "MuslinSettleReport",
    "muslin_cloth_get_levels": "MuslinLevelReport",
}
# These take nothing that could be wrong but the handle, any number, or any pointer: null means something.
FREE = {
    *("muslin_version", "muslin_abi_version", "muslin_status_text", "muslin_cloth_destroy"),
    *(
        "muslin_cloth_cancel",
        "muslin_cloth_settle",
        "muslin_cloth_get_fit",
        "muslin_cloth_get_tension",
    ),
}
# They tell of messages, and leave none.
SILENT = ("muslin_get_message", "muslin_get_detail_count", "muslin_get_detail")


def changed(struct, **fields):
    """A copy of a struct with other fields."""
    copy = type(struct).from_buffer_copy(struct)
    for name, value in fields.items():
        setattr(copy, name, value)
    return copy


def defaults(kind, function):
    """A struct with its defaults."""
    struct = new_struct(kind)
    getattr(library.get(), function)(ctypes.byref(struct))
    return struct


class BadCallTest(unittest.TestCase):
    def setUp(self):
        self.cloth = Cloth(sheet())
        self.addCleanup(self.cloth.close)
        self.cloth.add_body(table())
        self.cloth.set_pins([0, 1])
        self.mesh, self.kept = sheet().to_struct()
        self.definition = defaults(_abi.ClothDef, "muslin_default_cloth_def")
        self.handle = ctypes.byref(_abi.Handle(0))

    def bad_meshes(self):
        """(what the message names, struct); arrays are far shorter than the counts tell."""
        mesh = self.mesh
        huge = (ctypes.c_int32 * 2)(MOST, MOST)
        yield "mesh", None
        yield "no vertices", changed(mesh, vertex_count=0)
        yield "positions", changed(mesh, positions=None)
        for count in (-1, -MOST - 1, MOST):
            yield "vertex_count", changed(mesh, vertex_count=count)
            yield "face_count", changed(mesh, face_count=count)
            yield "edge_count", changed(mesh, edge_count=count, edges=INTS)
        yield "face_sizes", changed(mesh, face_sizes=None)
        yield "face_vertices", changed(mesh, face_vertices=None)
        yield "edges", changed(mesh, edge_count=1, edges=None)
        yield "face_sizes", changed(
            mesh, face_count=2, face_sizes=huge
        )  # their sum exceeds 32 bits
        yield "no face", changed(mesh, face_count=0)

    def bad_bodies(self):
        """Likewise for bodies."""
        body = defaults(_abi.Body, "muslin_default_body")
        for name, struct in self.bad_meshes():
            if struct is None:
                yield "body", None
            elif name != "edges" and struct.edge_count == 0:
                arrays = ("positions", "face_sizes", "face_vertices")
                fields = {name: getattr(struct, name) for name in ("vertex_count", "face_count")}
                fields.update({name: getattr(struct, name) or None for name in arrays})
                yield name, changed(body, **fields)

    def refuses(self, function, named, *arguments, handle=0, status=None):
        """The call is refused, and what its message is about has this name, or its words have."""
        with self.subTest(function, named=named):
            reported = getattr(library.get(), function)(*arguments)
            wanted = {status} if status else {Status.ERROR_ARGUMENT, Status.ERROR_MESH}
            self.assertIn(reported, wanted)
            text = message(handle)
            names = [detail.name for detail in text.details]
            self.assertTrue(named in names or named in text, (text, names))
        self.called.add(function)

    def refuses_of_cloth(self, function, named, *arguments, **options):
        """The same of a function of a cloth."""
        handle = self.cloth._handle
        self.refuses(function, named, handle, *arguments, handle=handle, **options)

    def call_without_cloth(self):
        """Functions that have no handle."""
        self.refuses("muslin_default_cloth_def", "def", None)
        self.refuses("muslin_default_material", "material", None)
        self.refuses("muslin_default_forces", "forces", None)
        self.refuses("muslin_default_body", "body", None)
        symmetry = new_struct(_abi.Symmetry)
        for name, mesh in self.bad_meshes():
            self.refuses("muslin_mesh_get_report", name, mesh, None, None, 0, None)
            self.refuses("muslin_mesh_get_symmetry", name, mesh, ctypes.byref(symmetry), None, None)
            self.refuses("muslin_mesh_get_fronts", name, mesh, None)
            self.refuses("muslin_cloth_create", name, mesh, self.definition, self.handle)
        mesh = self.mesh
        self.refuses("muslin_mesh_get_fronts", "fronts", mesh, None)
        report = _abi.MeshReport(size=2)
        self.refuses("muslin_mesh_get_report", "MuslinMeshReport", mesh, report, None, 0, None)
        self.refuses("muslin_mesh_get_symmetry", "symmetry", mesh, None, None, None)
        for size in (2, 8, 4000):
            symmetry = _abi.Symmetry(size=size)
            self.refuses("muslin_mesh_get_symmetry", "MuslinSymmetry", mesh, symmetry, None, None)
        symmetry = changed(new_struct(_abi.Symmetry), find=2)
        self.refuses("muslin_mesh_get_symmetry", "find", mesh, symmetry, None, None)
        self.refuses("muslin_cloth_create", "def", mesh, None, self.handle)
        self.refuses("muslin_cloth_create", "cloth", mesh, self.definition, None)

    def call_create_parts(self):
        materials = (2 * _abi.Material)(*2 * [defaults(_abi.Material, "muslin_default_material")])
        threads = changed(self.definition, solver=THREADS)
        models = (ctypes.c_int32 * 2)(0, 9)
        start = ("muslin_cloth_create_parts",)
        for count in (0, -1, -MOST - 1, 17, MOST):
            arguments = (self.mesh, self.definition, INTS, count, materials, None, self.handle)
            self.refuses(*start, "part_count", *arguments)
        for named, definition, parts, count, of, model in (
            ("vertex_parts", self.definition, None, 2, materials, None),
            ("materials", self.definition, INTS, 2, None, None),
            ("part_count", threads, INTS, 2, materials, None),
            ("model", self.definition, INTS, 2, materials, models),
            ("def", None, INTS, 2, materials, None),
        ):
            arguments = (self.mesh, definition, parts, count, of, model, self.handle)
            self.refuses(*start, named, *arguments)

    def call_settings(self):
        refuses = self.refuses_of_cloth
        refuses("muslin_cloth_set_material", "material", None)
        for part in (-1, 1, MOST, -MOST - 1):
            refuses("muslin_cloth_set_part_material", "part", part, None)
        refuses("muslin_cloth_set_part_material", "material", 0, None)
        refuses("muslin_cloth_set_forces", "forces", None)
        bad = (3 * self.cloth.vertex_count * ctypes.c_float)(0, 0, float("nan"))
        refuses("muslin_cloth_set_fields", "wind", bad, None)
        refuses("muslin_cloth_set_fields", "traction", None, bad)
        for number in (-1, -MOST - 1):
            refuses("muslin_cloth_set_iterations", "substeps", number, 1)
        for number in (0, -1, -MOST - 1):
            refuses("muslin_cloth_set_iterations", "iterations", 1, number)
        for number in (-1, 4, MOST, -MOST - 1):
            refuses("muslin_cloth_set_quality", "quality", number)
        for kind, name in enumerate(MAPS):
            refuses("muslin_cloth_set_map", name, kind, bad)
        for kind in (-1, len(MAPS), MOST):
            refuses("muslin_cloth_set_map", "kind", kind, None)
        for enabled in (-1, 2, MOST):
            refuses("muslin_cloth_set_self_contact", "enabled", enabled, 0.004, 0.3)
        refuses("muslin_cloth_hold_level", "level", -2)
        for seconds in (0, -1, float("inf"), float("nan")):
            for name in ("prepare", "step", "refine"):
                refuses("muslin_cloth_" + name, "seconds", seconds)

    def call_pins_and_links(self):
        refuses = self.refuses_of_cloth
        for count in (-1, -MOST - 1, self.cloth.vertex_count + 1, MOST):
            refuses("muslin_cloth_set_pins", "count", count, INTS, None, None)
            refuses("muslin_cloth_move_pins", "count", count, FLOATS)
        refuses("muslin_cloth_set_pins", "vertices", 1, None, None, None)
        refuses("muslin_cloth_move_pins", "targets", 2, None)
        links = new_struct(_abi.Links)
        for name in ("muslin_cloth_set_links", "muslin_cloth_add_links"):
            for kind in ("seam", "tack", "elastic", "button"):
                for count in (-1, -MOST - 1, 2**26 + 1, MOST):
                    refuses(name, f"{kind}_count", changed(links, **{f"{kind}_count": count}))
                refuses(name, f"{kind}s", changed(links, **{f"{kind}_count": 1}))
            refuses(name, "links", None)
            refuses(name, "MuslinLinks", changed(links, size=8))
        for number in (-1, 0, MOST):
            refuses("muslin_cloth_release_links", "set", number)
            refuses("muslin_cloth_hold_links", "set", number)
        refuses("muslin_cloth_get_links", "MuslinLinkReport", -1, None)

    def call_bodies(self):
        refuses = self.refuses_of_cloth
        number = ctypes.c_int32(5)
        for named, body in self.bad_bodies():
            refuses("muslin_cloth_add_body", named, body, ctypes.byref(number))
            self.assertEqual(number.value, -1)
            refuses("muslin_cloth_replace_body", named, 0, body)
        refuses("muslin_cloth_add_body", "number", None, None)
        for name in ("muslin_cloth_move_body", "muslin_cloth_place_body"):
            for count in (-1, 0, -MOST - 1, MOST):
                refuses(name, "positions", 0, count, FLOATS)
            refuses(name, "positions", 0, len(table().positions), None)
        missing = {"status": Status.ERROR_BODY}
        for body in (-1, 1, MOST, -MOST - 1):
            refuses("muslin_cloth_replace_body", f"body {body}", body, None, **missing)
            refuses("muslin_cloth_move_body", f"body {body}", body, 0, None, **missing)
            refuses("muslin_cloth_place_body", f"body {body}", body, 0, None, **missing)
            refuses("muslin_cloth_set_body_surface", f"body {body}", body, 0.004, 0.3, **missing)
            refuses("muslin_cloth_remove_body", f"body {body}", body, **missing)
        refuses("muslin_cloth_set_body_surface", "thickness", 0, -1, 0.3)
        refuses("muslin_cloth_put_outside", "reach", 0, 1, FLOATS)
        refuses("muslin_cloth_put_outside", "count", 0.1, -1, FLOATS)
        refuses("muslin_cloth_put_outside", "points", 0.1, 1, None)

    def call_states(self):
        refuses = self.refuses_of_cloth
        refuses("muslin_cloth_get_state", "positions", None, FLOATS)
        refuses("muslin_cloth_set_state", "positions", None, None)
        refuses("muslin_cloth_get_snapshot_size", "bytes", None)
        refuses("muslin_cloth_get_snapshot", "bytes", None, MOST)
        refuses("muslin_cloth_get_snapshot", "capacity", FLOATS, 8)
        refuses("muslin_cloth_restore", "bytes", None, 4000)
        refuses("muslin_cloth_restore", "0 bytes", FLOATS, 0, status=Status.ERROR_SNAPSHOT)
        refuses("muslin_debug_eigenvalues", "smallest", None, ctypes.c_double())
        refuses("muslin_debug_eigenvalues", "largest", ctypes.c_double(), None)
        refuses("muslin_debug_solve", "right_hand_side", None, 1, None)
        refuses("muslin_debug_solve", "iterations", ctypes.c_double(), 0, None)
        self.refuses("muslin_cloth_get_progress", "fraction", self.cloth._handle, None)
        for function, named in REPORTS.items():
            refuses(function, named, None)
        refuses("muslin_cloth_get_inspection", "MuslinInspection", None, None, 0, None)

    def call_messages(self):
        native, handle = library.get(), self.cloth._handle
        text = ctypes.create_string_buffer(8)
        for arguments in ((None, 8), (text, 0)):
            self.assertEqual(native.muslin_get_message(handle, *arguments), Status.ERROR_ARGUMENT)
        self.assertEqual(native.muslin_get_detail_count(handle, None), Status.ERROR_ARGUMENT)
        for index in (-1, MOST, -MOST - 1):
            self.assertEqual(native.muslin_get_detail(handle, index, None), Status.ERROR_ARGUMENT)
        self.called.update(SILENT)

    def test_every_function(self):
        """All are refused by name, and the cloth is none the worse."""
        self.called = set()
        before = self.cloth.state()
        self.call_without_cloth()
        self.call_create_parts()
        self.call_settings()
        self.call_pins_and_links()
        self.call_bodies()
        self.call_states()
        self.call_messages()
        self.assertEqual(set(FUNCTIONS) - self.called, FREE)
        for wanted, got in zip(before, self.cloth.state()):
            np.testing.assert_array_equal(got, wanted)
        self.cloth.step(STEP)
        with Cloth(sheet()) as other:
            other.add_body(table())
            other.set_pins([0, 1])
            other.step(STEP)
            np.testing.assert_array_equal(self.cloth.positions(), other.positions())

    def test_capacities_below_zero(self):
        """Nothing is written, and what there is is counted all the same."""
        native, found = library.get(), ctypes.c_int32(-1)
        findings, places = (1 * _abi.Finding)(), (1 * _abi.Place)()
        mesh = sheet()
        mesh.positions[3] = mesh.positions[4]
        struct, kept = mesh.to_struct()
        empty = bytes(findings), bytes(places)
        for capacity in (-1, -MOST - 1, 0):
            reported = native.muslin_mesh_get_report(
                struct, None, findings, capacity, ctypes.byref(found)
            )
            self.assertEqual(reported, Status.WARNING_MESH)
            self.assertGreater(found.value, 0)
            reported = native.muslin_cloth_get_inspection(
                self.cloth._handle, new_struct(_abi.Inspection), places, capacity, None
            )
            self.assertEqual(reported, Status.OK)
        self.assertEqual((bytes(findings), bytes(places)), empty)
        del kept

    def test_stale_handles(self):
        """Told by every function that has one, whatever else it is given."""
        for function, (_, arguments) in FUNCTIONS.items():
            if arguments[:1] == [_abi.Handle] and function not in SILENT:
                with self.subTest(function):
                    others = [
                        0 if issubclass(kind, ctypes._SimpleCData) else None for kind in arguments
                    ]
                    status = getattr(library.get(), function)(STALE, *others[1:])
                    self.assertEqual(status, Status.ERROR_HANDLE)
                    self.assertEqual(message(), "no such cloth: the handle is null or stale")


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver Threads in Blender: ropes of loose edges, grids of quads, and what is none, refused in words."""

import unittest

import bmesh
import bpy
import numpy as np

import scenes
from support import addon

LINKS = 20  # of a rope of 1 m


def rope(name="Rope"):
    """Loose edges along X, held at one end."""
    mesh = bpy.data.meshes.new(name)
    points = [(link / LINKS, 0.0, 1.0) for link in range(LINKS + 1)]
    mesh.from_pydata(points, [(link, link + 1) for link in range(LINKS)], [])
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    obj.vertex_groups.new(name="Pins").add([0], 1.0, "REPLACE")
    scenes.select(obj)
    bpy.ops.muslin.add()
    obj.muslin.pin_group, obj.muslin.output = "Pins", "pc2"
    obj.muslin.solver = "threads"
    return obj


class ThreadsTest(unittest.TestCase):
    def setUp(self):
        self.scene = scenes.empty_scene()
        self.addCleanup(lambda: scenes.running().stop_everything())

    def check_rope(self, places):
        lengths = np.linalg.norm(np.diff(places, axis=0), axis=1)
        np.testing.assert_allclose(lengths, 1 / LINKS, rtol=0.02)
        np.testing.assert_allclose(places[0], (0, 0, 1), atol=1e-6)
        self.assertLess(places[-1, 2], 0.7)

    def test_a_rope_drapes_with_the_usual_budget(self):
        obj = rope()
        self.assertGreater(obj.muslin.budget_ms, 0)
        bpy.ops.muslin.drape_now(frames=8)
        preview = scenes.running().previews[obj.muslin.uid]
        self.assertEqual(preview.cloth.settings["solver"], "threads")
        self.check_rope(preview.shown)

    def test_a_rope_is_baked(self):
        obj = rope()
        bpy.ops.muslin.bake()
        self.check_rope(scenes.cached(obj)[9])
        bpy.ops.muslin.free()

    def test_a_grid_drapes(self):
        obj = scenes.garment(size=9)
        obj.muslin.solver = "threads"
        bpy.ops.muslin.drape_now(frames=8)
        self.assertLess(scenes.seen(obj)[40, 2], 0.9)

    def test_half_of_a_grid_drapes_for_all_of_it(self):
        for size, method in ((9, "exact"), (9, "auto"), (10, "halve")):
            obj = scenes.garment(f"{method} {size}", size=size)
            obj.muslin.solver = "threads"
            obj.muslin.mirror.enabled = True
            obj.muslin.mirror.method = method
            bpy.ops.muslin.drape_now(frames=8)
            rows = scenes.seen(obj).reshape(size, size, 3)
            np.testing.assert_array_equal(rows[:, ::-1] * np.float32([-1, 1, 1]), rows)
            self.assertLess(rows[size // 2, size // 2, 2], 0.9)

    def cut(self, obj):
        """A quad becomes two triangles."""
        edited = bmesh.new()
        edited.from_mesh(obj.data)
        edited.faces.ensure_lookup_table()
        bmesh.ops.triangulate(edited, faces=[edited.faces[10]])
        edited.to_mesh(obj.data)
        edited.free()

    def test_what_is_no_grid_is_refused_with_the_reason(self):
        obj = scenes.garment(size=9)
        obj.muslin.solver = "threads"
        self.cut(obj)
        for button in (lambda: bpy.ops.muslin.drape_now(frames=1), bpy.ops.muslin.bake):
            with self.assertRaisesRegex(
                RuntimeError, r"Sheet: threads need a grid of quads, but face \d+ has 3 corners"
            ):
                button()
        self.assertFalse(scenes.running().is_busy())
        self.assertEqual(len(obj.modifiers), 0)

    def test_edited_into_no_grid_it_waits_for_the_next_edit(self):
        obj = scenes.garment(size=9)
        obj.muslin.solver = "threads"
        preview = addon("preview.preview").begin(obj, self.scene, "drape")
        for _ in range(4):
            preview.advance(None)
        bpy.ops.object.mode_set(mode="EDIT")
        edited = bmesh.from_edit_mesh(obj.data)
        edited.faces.ensure_lookup_table()
        bmesh.ops.triangulate(edited, faces=[edited.faces[-1]])
        bmesh.update_edit_mesh(obj.data)
        steps = preview.steps
        for _ in range(2):
            preview.advance(None)
        self.assertEqual(preview.steps, steps)
        self.assertRegex(preview.text, "paused: Sheet: threads need a grid of quads, but face")
        edited.faces.ensure_lookup_table()
        bmesh.ops.delete(edited, geom=list(edited.faces)[-2:], context="FACES")
        bmesh.update_edit_mesh(obj.data)
        preview._edits._next_look = 0.0  # some time has passed
        for _ in range(3):
            preview.advance(None)
        self.assertGreater(preview.steps, steps)
        self.assertNotIn("waits", preview.text)
        bpy.ops.object.mode_set(mode="OBJECT")


if __name__ == "__main__":
    unittest.main()

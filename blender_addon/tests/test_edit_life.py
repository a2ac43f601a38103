# SPDX-License-Identifier: GPL-3.0-or-later
"""Drape Now that begins on an edited mesh, and what else happens meanwhile: undo, refusals, the end."""

import unittest

import bmesh
import bpy
import numpy as np

import scenes
from edit_support import GONE, SIDE, EditTest, delete_corner, modelled
from support import addon


class BeginTest(EditTest):
    def test_begins_in_edit_mode(self):
        obj = scenes.garment(size=SIDE)
        self.edit(obj, delete_corner)  # which the mesh itself does not know yet
        bpy.ops.muslin.drape_now(frames=4)
        preview = scenes.running().previews[obj.muslin.uid]
        self.assertEqual(len(preview.shown), SIDE * SIDE - GONE)
        self.assertEqual(preview.mode, "held")
        preview = addon("preview.preview").begin(obj, self.scene, "drape")
        self.until_linear(preview)
        self.leave()
        self.advance(preview, 2)

    def test_what_modifiers_bend_cannot_begin_there(self):
        obj = scenes.garment(size=SIDE)
        obj.modifiers.new("Bendy", "SIMPLE_DEFORM")
        bpy.ops.object.mode_set(mode="EDIT")
        with self.assertRaisesRegex(RuntimeError, "Edit Mode.*leave it first"):
            bpy.ops.muslin.drape_now(frames=1)
        self.leave()

    def test_bakes_do_not_begin_there(self):
        scenes.garment(size=SIDE)
        bpy.ops.object.mode_set(mode="EDIT")
        with self.assertRaisesRegex(RuntimeError, "Edit Mode"):
            bpy.ops.muslin.bake()
        self.leave()

    def test_edited_while_it_was_held(self):
        obj, preview = self.drape()
        preview.hold()
        before = self.state(preview)
        self.edit(obj, delete_corner)
        self.leave()
        with self.assertRaisesRegex(RuntimeError, "has changed"):
            bpy.ops.muslin.keep(mode="mesh")
        again = addon("preview.preview").begin(obj, self.scene, "drape")
        self.assertIs(again, preview)
        preview.advance(None)
        np.testing.assert_allclose(preview.shown[:9], before[:9], atol=1e-6)
        self.assertEqual(self.solver(preview), "sweep")


class LifeTest(EditTest):
    """What else happens meanwhile."""

    def test_what_cannot_be_simulated_waits_for_the_next_edit(self):
        obj, preview = self.drape()
        before = np.array(preview.shown)
        kept = bmesh.new()
        self.edit(obj, lambda mesh: kept.from_mesh(obj.data))
        self.edit(obj, lambda mesh: bmesh.ops.delete(mesh, geom=list(mesh.verts), context="VERTS"))
        steps = preview.steps
        for _ in range(3):
            self.tick(preview)
        self.assertEqual(preview.steps, steps)
        self.assertIn("paused: Sheet has no face", preview.text)
        self.leave()
        kept.to_mesh(obj.data)  # as an undo does
        bpy.ops.object.mode_set(mode="EDIT")
        self.tick(preview)
        self.assertNotIn("waits", preview.text)
        np.testing.assert_allclose(preview.shown, before, atol=0.2)
        self.advance(preview, 2)
        self.leave()

    def test_undo(self):
        obj, preview = self.drape()
        uid = obj.muslin.uid
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.ed.undo_push(message="In edit mode")
        bpy.ops.mesh.select_all(action="SELECT")
        bpy.ops.mesh.subdivide()
        bpy.ops.ed.undo_push(message="Cut")
        self.advance(preview, 2)
        self.assertEqual(len(preview.shown), (2 * SIDE - 1) ** 2)
        bpy.ops.ed.undo()
        self.advance(preview, 2)
        self.assertEqual(len(preview.shown), SIDE * SIDE)
        bpy.ops.ed.redo()
        self.advance(preview, 2)
        self.assertEqual(len(preview.shown), (2 * SIDE - 1) ** 2)
        self.leave()
        self.advance(preview, 2)
        bpy.ops.ed.undo_push(message="Left")
        bpy.ops.ed.undo()
        self.advance(preview, 2)
        self.assertIs(scenes.running().previews[uid], preview)

    def test_undo_out_of_edit_mode(self):
        """To before it was entered: nothing that was read there may be left in the mesh."""
        obj, preview = self.drape()
        bpy.ops.ed.undo_push(message="Modelled")
        before = modelled(obj).tobytes()
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="SELECT")
        bpy.ops.mesh.subdivide()
        bpy.ops.ed.undo_push(message="Cut")
        self.advance(preview, 2)
        self.assertEqual(len(preview.shown), (2 * SIDE - 1) ** 2)
        bpy.ops.ed.undo()
        obj = bpy.data.objects["Sheet"]
        self.assertEqual((obj.mode, modelled(obj).tobytes()), ("OBJECT", before))
        self.advance(preview, 2)
        self.assertEqual(len(preview.shown), SIDE * SIDE)

    def test_stop_deletion_and_another_file_do_not_wait_for_the_factor(self):
        for end in ("stop", "delete", "file"):
            scenes.empty_scene()
            self.scene = bpy.context.scene
            obj, preview = self.drape()
            making = self.begin_factor(obj, preview)
            if end == "stop":
                bpy.ops.muslin.stop()
                self.assertEqual(preview.mode, "held")
            elif end == "delete":
                self.leave()
                bpy.data.objects.remove(obj)
                with self.assertRaisesRegex(Exception, "was deleted") as raised:
                    preview.advance(None)
                addon("preview.preview").end(preview, raised.exception)
            else:
                scenes.empty_scene()
                self.assertEqual(scenes.running().previews, {})
            self.assertIsNone(preview._edits._making)
            self.assertTrue(making.cloth.ready(60))
            with self.assertRaisesRegex(Exception, "abandoned"):
                making.cloth.take()

    def test_changed_in_object_mode(self):
        obj, preview = self.drape()
        obj.data.vertices.add(1)
        preview.advance(None)
        self.assertEqual(len(preview.shown), SIDE * SIDE + 1)
        self.assertEqual(self.solver(preview), "sweep")
        self.advance(preview, 2)

    def test_a_mirrored_garment_is_whole_until_it_is_symmetric_again(self):
        obj, preview = self.drape(pins=False)
        obj.muslin.mirror.enabled = True
        self.advance(preview, 2)
        self.assertEqual(preview.cloth.mirror().mode, "exact")
        self.edit(obj, lambda mesh: bmesh.ops.delete(mesh, geom=[mesh.faces[-1]], context="FACES"))
        self.advance(preview, 2)
        self.assertEqual(preview.cloth.mirror().mode, "off")
        self.edit(
            obj,
            lambda mesh: bmesh.ops.delete(mesh, geom=[mesh.faces[-SIDE + 2]], context="FACES"),
        )
        self.advance(preview, 2)
        self.assertEqual(preview.cloth.mirror().mode, "exact")
        self.until_linear(preview)
        self.assertEqual(preview.cloth.mirror().mode, "exact")


if __name__ == "__main__":
    unittest.main()

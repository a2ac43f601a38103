# SPDX-License-Identifier: GPL-3.0-or-later
"""Live preview without a window: along the timeline, draping, keeping and discarding."""

import unittest

import bpy
import numpy as np

import scenes
from support import addon


class PreviewTest(unittest.TestCase):
    def setUp(self):
        self.scene = scenes.empty_scene()

    def preview(self, obj):
        return scenes.running().previews.get(obj.muslin.uid)


class TimelineTest(PreviewTest):
    def test_playing_simulates_and_equals_a_bake(self):
        obj = scenes.garment()
        before = scenes.modelled(obj)
        bpy.ops.muslin.preview()
        for frame in range(2, 8):
            self.scene.frame_set(frame)
        shown = np.array(scenes.seen(obj))
        self.assertEqual(self.preview(obj).frame, 7)
        self.assertLess(shown[40, 2], 0.9)
        bpy.ops.muslin.discard()
        self.assertEqual(scenes.modelled(obj), before)
        self.assertEqual(len(obj.modifiers), 0)
        bpy.ops.muslin.bake()
        self.assertTrue(np.array_equal(scenes.cached(obj)[6], shown))
        bpy.ops.muslin.free()

    def test_first_frame_begins_anew_as_looping_does(self):
        obj = scenes.garment()
        bpy.ops.muslin.preview()
        shapes = []
        for _ in range(2):
            for frame in range(1, 6):
                self.scene.frame_set(frame)
            shapes.append(np.array(scenes.seen(obj)))
        self.assertTrue(np.array_equal(*shapes))
        self.scene.frame_set(1)
        self.assertEqual(scenes.seen(obj).tobytes(), scenes.modelled(obj))

    def test_beginning_anew_needs_no_new_analysis_and_sees_what_changed(self):
        obj = scenes.garment(pins=False, height=0.65)
        obj.muslin.colliders.add().object = scenes.ball()
        scenes.select(obj)
        self.scene.frame_set(1)
        bpy.ops.muslin.preview()
        cloth, shapes = self.preview(obj).cloth, []
        for _ in range(2):
            for frame in range(1, 9):
                self.scene.frame_set(frame)
            shapes.append(np.array(scenes.seen(obj)))
        self.assertIs(self.preview(obj).cloth, cloth)
        self.assertTrue(np.array_equal(*shapes))
        obj.data.vertices[40].co.x += 0.05  # another rest shape
        self.scene.frame_set(1)
        self.assertIsNot(self.preview(obj).cloth, cloth)

    def test_jump_holds_with_a_note_and_goes_on_where_it_was(self):
        obj = scenes.garment()
        bpy.ops.muslin.preview()
        self.scene.frame_set(2)
        self.scene.frame_set(3)
        held = np.array(scenes.seen(obj))
        self.scene.frame_set(8)
        self.assertTrue(np.array_equal(held, scenes.seen(obj)))
        self.assertIn("jumped to 8", self.preview(obj).note)
        self.assertIn("frame 4", self.preview(obj).note)
        self.scene.frame_set(4)
        self.assertEqual(self.preview(obj).note, "")
        self.assertLess(scenes.seen(obj)[40, 2], held[40, 2])

    def test_pressing_again_stops_and_holds(self):
        obj = scenes.garment()
        bpy.ops.muslin.preview()
        self.scene.frame_set(2)
        bpy.ops.muslin.preview()
        held = np.array(scenes.seen(obj))
        self.scene.frame_set(3)
        self.assertTrue(np.array_equal(held, scenes.seen(obj)))
        self.assertEqual(self.preview(obj).mode, "held")

    def test_two_garments_at_once(self):
        pair = [scenes.garment(name) for name in ("One", "Two")]
        for obj in pair:
            scenes.select(obj)
            bpy.ops.muslin.preview()
        self.scene.frame_set(2)
        self.scene.frame_set(3)
        one, two = (np.array(scenes.seen(obj)) for obj in pair)
        self.assertTrue(np.array_equal(one, two))
        self.assertLess(one[40, 2], 1.0)

    def test_other_scene_is_left_alone(self):
        obj = scenes.garment()
        bpy.ops.muslin.preview()
        other = bpy.data.scenes.new("Other")
        other.frame_set(2)
        self.assertEqual(self.preview(obj).frame, 1)

    def test_stiffness_is_a_numeric_refactor(self):
        obj = scenes.garment()
        bpy.ops.muslin.preview()
        self.scene.frame_set(2)
        cloth = self.preview(obj).cloth
        before = cloth.report()
        obj.muslin.bend *= 10
        obj.muslin.stretch_warp *= 1.5
        self.scene.frame_set(3)
        after = cloth.report()
        self.assertIs(self.preview(obj).cloth, cloth)
        self.assertEqual((before.analysis_count, after.analysis_count), (1, 1))
        self.assertGreater(after.factor_count, before.factor_count)

    def test_other_solver_is_built_anew_and_keeps_the_state(self):
        obj = scenes.garment()
        bpy.ops.muslin.preview()
        for frame in (2, 3, 4):
            self.scene.frame_set(frame)
        fallen = scenes.seen(obj)[40, 2]
        cloth = self.preview(obj).cloth
        obj.muslin.solver = "implicit"
        self.scene.frame_set(5)
        self.assertIsNot(self.preview(obj).cloth, cloth)
        self.assertLess(scenes.seen(obj)[40, 2], fallen)

    def test_changed_mesh_stops_with_words(self):
        obj = scenes.garment()
        bpy.ops.muslin.preview()
        self.scene.frame_set(2)
        uid = obj.muslin.uid
        obj.data.vertices.add(1)
        self.scene.frame_set(3)
        self.assertIsNone(self.preview(obj))
        self.assertIn("82", scenes.running().last_words[uid])
        self.assertEqual(len(obj.modifiers), 0)

    def test_deleted_collider_is_no_end(self):
        obj = scenes.garment(pins=False, height=0.65)
        body = scenes.ball()
        obj.muslin.colliders.add().object = body
        scenes.select(obj)
        self.scene.frame_set(1)
        bpy.ops.muslin.preview()
        self.scene.frame_set(2)
        bpy.data.objects.remove(body)
        self.scene.frame_set(3)
        self.scene.frame_set(4)
        self.assertEqual(self.preview(obj).frame, 4)
        self.assertEqual(self.preview(obj).mode, "timeline")

    def test_render_does_not_step(self):
        obj = scenes.garment()
        bpy.ops.muslin.preview()
        handlers = addon("handlers")

        class Rendering:
            mode = "RENDER"

        self.scene.frame_set(2)
        frame = self.preview(obj).frame
        self.preview(obj)._simulation.frame = 1  # it would step if it were asked to
        handlers.frame_change_post(self.scene, Rendering())
        self.assertEqual((frame, self.preview(obj).frame), (2, 1))

    def test_edit_mode_pauses_and_goes_on(self):
        obj = scenes.garment()
        bpy.ops.muslin.preview()
        self.scene.frame_set(2)
        bpy.ops.object.mode_set(mode="EDIT")
        self.scene.frame_set(3)
        self.assertIn("Edit Mode", self.preview(obj).note)
        self.assertEqual(self.preview(obj).frame, 2)
        bpy.ops.object.mode_set(mode="OBJECT")
        self.scene.frame_set(2)
        self.scene.frame_set(3)
        self.assertEqual(self.preview(obj).frame, 3)


class DrapeTest(PreviewTest):
    def test_drapes_on_a_fixed_frame(self):
        obj = scenes.garment()
        self.scene.frame_set(3)
        bpy.ops.muslin.drape_now(frames=12)
        self.assertEqual(self.scene.frame_current, 3)
        self.assertEqual(self.preview(obj).mode, "held")
        self.assertGreater(self.preview(obj).frames_per_second, 0.0)
        self.assertLess(scenes.seen(obj)[40, 2], 0.8)
        shown = scenes.running().statistics[obj.muslin.uid]
        self.assertIn("Largest stretch", [label for label, _ in shown])
        for label, value in shown:  # what fits a sidebar that nobody widened
            self.assertLessEqual(len(label), 15, label)
            self.assertLessEqual(len(value), 14, value)

    def test_goes_on_from_where_it_was(self):
        obj = scenes.garment()
        bpy.ops.muslin.drape_now(frames=3)
        early = scenes.seen(obj)[40, 2]
        bpy.ops.muslin.drape_now(frames=3)
        self.assertLess(scenes.seen(obj)[40, 2], early - 0.01)

    def test_slider_acts_at_once_without_a_new_analysis(self):
        obj = scenes.garment()
        preview = addon("preview.preview")
        now = preview.begin(obj, self.scene, "drape")
        for _ in range(4):
            now.advance(None)
        before = now.cloth.report()
        obj.muslin.stretch_weft *= 1.5
        for _ in range(4):
            now.advance(None)
        now.hold()
        after = now.cloth.report()
        self.assertEqual((before.analysis_count, after.analysis_count), (1, 1))
        self.assertGreater(after.factor_count, before.factor_count)

    def test_follows_the_object_that_is_moved(self):
        obj = scenes.garment()
        bpy.ops.muslin.drape_now(frames=2)
        obj.location.z = 1.0
        bpy.context.view_layer.update()
        bpy.ops.muslin.drape_now(frames=2)
        corner = scenes.seen(obj)[0]  # held at its place in the moved object
        self.assertLess(abs(corner - np.float32([-0.5, -0.5, 1.0])).max(), 1e-5)

    def test_object_that_is_flattened_during_a_step(self):
        obj = scenes.garment()
        now = addon("preview.preview").begin(obj, self.scene, "drape")
        now.advance(None)
        obj.scale.z = 0.0
        bpy.context.view_layer.update()
        with self.assertRaisesRegex(addon("scene.problems").Problem, "is flattened"):
            now.advance(None)
        now.hold()


class KeepTest(PreviewTest):
    def draped(self, **where):
        obj = scenes.garment(**where)
        bpy.ops.muslin.drape_now(frames=6)
        return obj, np.array(scenes.seen(obj))

    def test_discard_restores_to_the_bit(self):
        obj = scenes.garment()
        before = scenes.modelled(obj), scenes.seen(obj).tobytes()
        bpy.ops.muslin.drape_now(frames=6)
        bpy.ops.muslin.discard()
        self.assertEqual((scenes.modelled(obj), scenes.seen(obj).tobytes()), before)
        self.assertEqual(len(obj.modifiers), 0)
        self.assertIsNone(obj.data.shape_keys)
        self.assertIsNone(self.preview(obj))

    def test_keep_as_mesh(self):
        obj, shown = self.draped()
        bpy.ops.muslin.keep(mode="mesh")
        self.assertEqual(scenes.modelled(obj), shown.tobytes())
        self.assertEqual(len(obj.modifiers), 0)
        self.assertIsNone(self.preview(obj))

    def test_keep_as_named_key(self):
        obj, shown = self.draped()
        before = scenes.modelled(obj)
        bpy.ops.muslin.keep(mode="key", name="First Fitting")
        keys = obj.data.shape_keys.key_blocks
        self.assertEqual([key.name for key in keys], ["Basis", "First Fitting"])
        self.assertEqual(scenes.modelled(obj), before)
        self.assertLess(abs(scenes.seen(obj) - shown).max(), 1e-6)
        keys[1].value = 0.0
        self.assertEqual(scenes.seen(obj).tobytes(), before)

    def test_keep_beside_a_key_in_use_adds_up_to_what_was_shown(self):
        obj = scenes.garment()
        obj.shape_key_add(name="Basis")
        wide = obj.shape_key_add(name="Wide")
        for index, vertex in enumerate(obj.data.vertices):
            wide.data[index].co = vertex.co * 1.2
        wide.value = 0.5
        bpy.context.view_layer.update()
        bpy.ops.muslin.drape_now(frames=6)
        shown = np.array(scenes.seen(obj))
        bpy.ops.muslin.keep(mode="key", name="Fit")
        self.assertLess(abs(scenes.seen(obj) - shown).max(), 1e-5)
        self.assertEqual(wide.value, 0.5)

    def test_moved_object_keeps_in_its_own_space(self):
        obj = scenes.garment()
        obj.location, obj.scale = (1.0, 2.0, 3.0), (2.0, 2.0, 2.0)
        bpy.context.view_layer.update()
        bpy.ops.muslin.drape_now(frames=6)
        shown = np.array(scenes.seen(obj))
        bpy.ops.muslin.keep(mode="mesh")
        self.assertTrue(np.array_equal(scenes.seen(obj), shown))

    def test_a_deforming_modifier_before_is_refused_in_words(self):
        obj = scenes.garment()
        obj.modifiers.new("Bendy", "SIMPLE_DEFORM")
        bpy.context.view_layer.update()
        bpy.ops.muslin.drape_now(frames=2)
        for mode in ("mesh", "key"):
            with self.assertRaisesRegex(RuntimeError, "Bendy.*second time"):
                bpy.ops.muslin.keep(mode=mode)
        self.assertIsNotNone(self.preview(obj))

    def test_shared_mesh_is_refused_in_words(self):
        obj, _ = self.draped()
        other = bpy.data.objects.new("Other", obj.data)
        self.scene.collection.objects.link(other)
        with self.assertRaisesRegex(RuntimeError, "used by 2 objects"):
            bpy.ops.muslin.keep(mode="mesh")

    def test_mesh_with_keys_is_refused_in_words(self):
        obj = scenes.garment()
        obj.shape_key_add(name="Basis")
        bpy.ops.muslin.drape_now(frames=2)
        with self.assertRaisesRegex(RuntimeError, "has shape keys"):
            bpy.ops.muslin.keep(mode="mesh")

    def test_subdivision_after_the_cloth_stays(self):
        obj = scenes.garment()
        obj.modifiers.new("Smooth", "SUBSURF")
        bpy.context.view_layer.update()
        bpy.ops.muslin.drape_now(frames=2)
        self.assertEqual([m.type for m in obj.modifiers], ["MESH_CACHE", "SUBSURF"])
        bpy.ops.muslin.keep(mode="mesh")
        self.assertEqual([m.name for m in obj.modifiers], ["Smooth"])


if __name__ == "__main__":
    unittest.main()

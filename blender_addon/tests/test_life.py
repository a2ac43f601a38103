# SPDX-License-Identifier: GPL-3.0-or-later
"""What else happens to a file: saving, loading, undo, duplicates, deletion, linked data, two scenes,
the add-on switched off. Nothing crashes, gets lost or stays stuck."""

import os
import sys
import unittest

import bpy
import numpy as np

import scenes
from life import LifeTest
from support import addon, package


class FileTest(LifeTest):
    def test_saved_file_has_no_preview_and_the_session_still_has(self):
        obj = self.garment()
        bpy.ops.muslin.drape_now(frames=4)
        shown = np.array(scenes.seen(obj))
        bpy.ops.wm.save_as_mainfile(filepath=self.blend, copy=True)
        self.assertTrue(np.array_equal(scenes.seen(obj), shown))
        with bpy.data.libraries.load(self.blend) as (_, into):
            into.objects = ["Sheet"]
        self.assertEqual(len(into.objects[0].modifiers), 0)

    def test_undo_and_save_load_no_module(self):
        """NumPy may come with the first button, not with the first undo of somebody else's work."""
        parts = [(addon("preview"), "preview"), (addon("preview"), "preview_view")]
        parts.append((addon("output"), "results"))
        kept = [
            (parent, name, addon(f"{parent.__name__.rpartition('.')[2]}.{name}"))
            for parent, name in parts
        ]
        handlers = addon("handlers")
        for parent, name, module in kept:
            del sys.modules[module.__name__]
            delattr(parent, name)
        try:
            handlers.undo_redo_post()
            handlers.save_pre()
            handlers.save_post()
            found = [module.__name__ for _, _, module in kept if module.__name__ in sys.modules]
        finally:
            for parent, name, module in kept:
                sys.modules[module.__name__] = module
                setattr(parent, name, module)
        self.assertEqual(found, [])

    def test_load_ends_previews(self):
        obj = self.garment()
        bpy.ops.wm.save_as_mainfile(filepath=self.blend)
        before = scenes.modelled(obj)
        bpy.ops.muslin.preview()
        self.scene.frame_set(2)
        bpy.ops.wm.open_mainfile(filepath=self.blend)
        self.assertEqual(scenes.running().previews, {})
        obj = bpy.data.objects["Sheet"]
        self.assertEqual(scenes.modelled(obj), before)
        bpy.context.scene.frame_set(2)  # the handlers are there and find nothing to do
        scenes.select(obj)
        bpy.ops.muslin.drape_now(frames=2)

    def test_load_closes_the_files_of_previews(self):
        self.garment()
        bpy.ops.wm.save_as_mainfile(filepath=self.blend)
        bpy.ops.muslin.drape_now(frames=1)
        view = addon("preview.preview_view")
        folder = view.folder()
        self.assertEqual(len(os.listdir(folder)), 1)
        bpy.ops.wm.open_mainfile(filepath=self.blend)
        self.assertFalse(os.path.exists(folder))
        self.assertEqual(view._files, {})

    def test_load_that_fails_leaves_no_preview(self):
        obj = self.garment()
        bpy.ops.muslin.drape_now(frames=1)
        with open(self.blend, "wb") as file:
            file.write(b"BLENDER-v300" + bytes(100))
        with self.assertRaises(RuntimeError):
            bpy.ops.wm.open_mainfile(filepath=self.blend)
        if hasattr(bpy.app.handlers, "load_post_fail"):  # else Blender does not tell
            self.assertEqual(len(obj.modifiers), 0)

    def test_left_over_preview_is_removed_on_load(self):
        obj = self.garment()
        obj.modifiers.new("Muslin Preview", "MESH_CACHE")
        bpy.ops.wm.save_as_mainfile(filepath=self.blend)
        bpy.ops.wm.open_mainfile(filepath=self.blend)
        self.assertEqual(len(bpy.data.objects["Sheet"].modifiers), 0)

    def test_bake_survives_save_and_load(self):
        obj = self.garment()
        obj.muslin.cache_folder = "//cache"
        bpy.ops.wm.save_as_mainfile(filepath=self.blend)
        bpy.ops.muslin.bake()
        frames = np.array(scenes.cached(obj))
        bpy.ops.wm.save_mainfile()
        bpy.ops.wm.open_mainfile(filepath=self.blend)
        obj = bpy.data.objects["Sheet"]
        self.assertEqual(obj.muslin.baked.frame_end, 10)
        bpy.context.scene.frame_set(6)
        self.assertTrue(np.array_equal(scenes.seen(obj), frames[5]))
        bpy.context.scene.frame_end = 12
        bpy.ops.muslin.continue_bake()
        self.assertEqual(len(scenes.cached(obj)), 12)
        self.assertTrue(np.array_equal(scenes.cached(obj)[:10], frames))

    def test_add_on_switched_off_and_on(self):
        import addon_utils

        obj = self.garment()
        bpy.ops.muslin.drape_now(frames=3)
        before = scenes.modelled(obj)
        addon_utils.disable(package())
        self.assertEqual(len(obj.modifiers), 0)
        self.assertEqual(scenes.modelled(obj), before)
        self.scene.frame_set(2)
        package()
        self.assertTrue(obj.muslin.enabled)
        scenes.select(obj)
        bpy.ops.muslin.drape_now(frames=3)

    def test_add_on_switched_off_during_a_bake_keeps_the_frames(self):
        import addon_utils

        obj = self.garment()
        plans, bakequeue = addon("bake.plans"), addon("bake.bake_queue")
        queue = bakequeue.BakeQueue([plans.plan(obj, self.scene)], self.scene)
        self.advance_to(queue, 4)
        addon_utils.disable(package())
        cache = os.path.join(self.folder, "cache")
        self.assertTrue(any(name.endswith(".pc2") for name in os.listdir(cache)))
        package()
        self.assertIsNone(scenes.running().bake)


class UndoTest(LifeTest):
    """Undo works without a window once a step has been pushed."""

    def setUp(self):
        super().setUp()
        self.obj = self.garment()
        self.uid = self.obj.muslin.uid
        bpy.ops.ed.undo_push(message="Ready")

    def found(self):
        return bpy.data.objects["Sheet"]

    def test_undo_during_a_preview_goes_on(self):
        bpy.ops.muslin.preview()
        self.scene.frame_set(2)
        self.found().location.x = 1.0
        bpy.ops.ed.undo_push(message="Moved")
        bpy.ops.ed.undo()
        scene = bpy.context.scene
        frame = scenes.running().previews[self.uid].frame
        scene.frame_set(frame)
        scene.frame_set(frame + 1)
        self.assertEqual(scenes.running().previews[self.uid].frame, frame + 1)

    def test_undo_brings_no_discarded_preview_back(self):
        bpy.ops.muslin.drape_now(frames=3)
        bpy.ops.ed.undo_push(message="With the preview shown")
        bpy.ops.muslin.discard()
        bpy.ops.ed.undo_push(message="Discarded")
        bpy.ops.ed.undo()
        self.assertEqual(len(self.found().modifiers), 0)
        bpy.ops.ed.redo()
        self.assertEqual(len(self.found().modifiers), 0)

    def test_undo_during_a_bake(self):
        plans, bakequeue = addon("bake.plans"), addon("bake.bake_queue")
        scene = bpy.context.scene
        queue = bakequeue.BakeQueue([plans.plan(self.found(), scene)], scene)
        self.advance_to(queue, 4)
        bpy.ops.ed.undo_push(message="A step")
        bpy.ops.ed.undo()
        self.assertFalse(queue.advance(60.0))
        self.assertEqual(queue.bakes[0].error, "")
        self.assertEqual(self.found().muslin.baked.frame_end, 10)

    def test_undo_of_the_garment_itself_ends_its_preview(self):
        for obj in list(bpy.data.objects):
            bpy.data.objects.remove(obj)
        bpy.ops.ed.undo_push(message="Nothing there")
        obj = self.garment("Late")
        bpy.ops.ed.undo_push(message="Garment")
        bpy.ops.muslin.drape_now(frames=2)
        bpy.ops.ed.undo_push(message="Draped")
        while "Late" in bpy.data.objects:
            bpy.ops.ed.undo()
        self.assertEqual(scenes.running().previews, {})
        del obj


class ObjectTest(LifeTest):
    def test_duplicate_has_its_own_bake(self):
        obj = self.garment()
        bpy.ops.muslin.bake()
        frames = np.array(scenes.cached(obj))
        bpy.ops.object.duplicate()
        copy = bpy.context.active_object
        copy.muslin.gravity = 0.5
        bpy.ops.muslin.bake(scope="ACTIVE")
        self.assertNotEqual(copy.muslin.uid, obj.muslin.uid)
        self.assertTrue(np.array_equal(scenes.cached(obj), frames))
        self.assertFalse(np.array_equal(scenes.cached(copy), frames))
        bpy.ops.muslin.free(scope="ACTIVE")
        self.assertTrue(np.array_equal(scenes.cached(obj), frames))

    def test_duplicate_during_a_preview_shows_no_preview_of_its_own(self):
        obj = self.garment()
        bpy.ops.muslin.drape_now(frames=3)
        bpy.ops.object.duplicate()
        copy = bpy.context.active_object
        bpy.ops.muslin.drape_now(frames=3)
        self.assertIsNot(self.preview(copy), self.preview(obj))
        self.assertEqual(len(scenes.running().previews), 2)

    def test_discarded_preview_leaves_a_duplicate_as_it_is_modelled(self):
        obj = self.garment()
        bpy.ops.muslin.drape_now(frames=3)
        bpy.ops.object.duplicate()
        scenes.select(obj)
        bpy.ops.muslin.discard()
        self.assertEqual([len(each.modifiers) for each in bpy.data.objects], [0, 0])

    def test_garment_that_becomes_a_curve_ends_its_preview(self):
        self.garment()
        bpy.ops.muslin.preview()
        self.scene.frame_set(2)
        bpy.ops.object.convert(target="CURVE")
        self.scene.frame_set(3)
        self.assertEqual(scenes.running().previews, {})

    def test_deleted_garment_ends_its_preview(self):
        obj = self.garment()
        bpy.ops.muslin.preview()
        self.scene.frame_set(2)
        bpy.data.objects.remove(obj)
        self.scene.frame_set(3)
        self.assertEqual(scenes.running().previews, {})

    def test_renamed_garment_goes_on(self):
        obj = self.garment()
        bpy.ops.muslin.preview()
        self.scene.frame_set(2)
        obj.name = "Other / näme"
        self.scene.frame_set(3)
        self.assertEqual(self.preview(obj).frame, 3)

    def test_removed_cloth_ends_its_preview(self):
        obj = self.garment()
        bpy.ops.muslin.drape_now(frames=2)
        bpy.ops.muslin.remove()
        self.assertFalse(obj.muslin.enabled)
        self.assertEqual(scenes.running().previews, {})
        self.assertEqual(len(obj.modifiers), 0)

    def linked(self):
        """A garment of another file."""
        bpy.ops.wm.save_as_mainfile(filepath=self.blend)
        scene = scenes.empty_scene()
        with bpy.data.libraries.load(self.blend, link=True) as (_, into):
            into.objects = ["Sheet"]
        scene.collection.objects.link(into.objects[0])
        scenes.select(into.objects[0])
        return into.objects[0]

    def test_linked_bake_is_neither_freed_nor_removed_here(self):
        self.garment()
        bpy.ops.muslin.bake()
        obj = self.linked()
        for button in (bpy.ops.muslin.free, bpy.ops.muslin.remove):
            with self.assertRaisesRegex(RuntimeError, "Sheet.*linked"):
                button()
        self.assertTrue(obj.muslin.enabled and obj.muslin.baked.kind)
        self.assertEqual(len(obj.modifiers), 1)

    def test_linked_garment_does_not_stop_the_bake_of_others(self):
        self.garment()
        self.linked()
        mine = self.garment("Mine")
        bpy.ops.muslin.bake(scope="ALL")
        self.assertEqual(mine.muslin.baked.frame_end, 10)

    def test_linked_object_is_refused_in_words(self):
        self.garment()
        self.linked()
        with self.assertRaisesRegex(RuntimeError, "Sheet.*linked"):
            bpy.ops.muslin.bake()
        with self.assertRaisesRegex(RuntimeError, "Sheet.*linked"):
            bpy.ops.muslin.drape_now(frames=1)
        self.assertFalse(scenes.running().is_busy())

    def test_hidden_garment_is_refused_in_words(self):
        obj = self.garment()
        obj.hide_viewport = True
        with self.assertRaisesRegex(RuntimeError, "Sheet"):
            bpy.ops.muslin.bake()
        self.assertIsNone(scenes.running().bake)

    def test_mesh_shared_by_two_garments(self):
        first = self.garment("One")
        second = bpy.data.objects.new("Two", first.data)
        self.scene.collection.objects.link(second)
        scenes.select(second)
        bpy.ops.muslin.add()
        second.muslin.output = "pc2"
        second.muslin.cache_folder = first.muslin.cache_folder
        second.muslin.gravity = 0.5
        bpy.ops.muslin.bake()
        self.assertFalse(np.array_equal(scenes.cached(first)[9], scenes.cached(second)[9]))


class SceneTest(LifeTest):
    def test_garment_of_another_scene_bakes_with_that_scene(self):
        obj = self.garment()
        other = bpy.data.scenes.new("Other")
        other.frame_start, other.frame_end = 1, 4
        self.scene.collection.objects.unlink(obj)
        other.collection.objects.link(obj)
        plans, bakequeue = addon("bake.plans"), addon("bake.bake_queue")
        queue = bakequeue.BakeQueue([plans.plan(obj, other)], other)
        self.assertFalse(queue.advance(None))
        self.assertEqual(queue.bakes[0].error, "")
        self.assertEqual(obj.muslin.baked.frame_end, 4)

    def test_deleted_scene_ends_a_bake_in_words(self):
        obj = self.garment()
        other = bpy.data.scenes.new("Other")
        other.collection.objects.link(obj)
        other.frame_start, other.frame_end = 1, 200
        plans, bakequeue = addon("bake.plans"), addon("bake.bake_queue")
        queue = bakequeue.BakeQueue([plans.plan(obj, other)], other)
        self.advance_to(queue, 3)
        bpy.data.scenes.remove(other)
        self.assertFalse(queue.advance(60.0))
        self.assertIn("scene Other is gone", queue.summary()[0][1])


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Baking without a window: frames, ranges, stopping, going on, and what it leaves alone."""

import os
import shutil
import tempfile
import time
import unittest
from unittest import mock

import bpy
import numpy as np

import scenes
from support import addon


class InFolder(unittest.TestCase):
    def setUp(self):
        self.scene = scenes.empty_scene()
        self.folder = tempfile.mkdtemp(prefix="muslin-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def garment(self, name="Sheet", **where):
        obj = scenes.garment(name, **where)
        obj.muslin.cache_folder = self.folder
        return obj


class BakeTest(InFolder):
    def test_unsaved_file_is_reported_once_and_only_of_a_cache(self):
        obj = self.garment()
        obj.muslin.cache_folder = "//muslin"
        for kind, times in (("pc2", 1), ("keys", 0)):
            obj.muslin.output = kind
            bpy.ops.muslin.bake()
            said = scenes.running().last_words[obj.muslin.uid]
            self.assertEqual(said.count("moves next to the .blend"), times, said)

    def test_bakes_the_scene_range_and_puts_the_frame_back(self):
        obj = self.garment()
        self.scene.frame_set(4, subframe=0.5)
        before = scenes.modelled(obj)
        self.assertEqual(bpy.ops.muslin.bake(), {"FINISHED"})
        self.assertEqual((self.scene.frame_current, self.scene.frame_subframe), (4, 0.5))
        baked = obj.muslin.baked
        self.assertEqual((baked.frame_start, baked.frame_end, baked.vertex_count), (1, 10, 81))
        self.assertEqual(scenes.modelled(obj), before)
        self.assertIsNone(scenes.running().bake)

    def test_the_view_shows_the_cached_bytes(self):
        obj = self.garment()
        bpy.ops.muslin.bake()
        frames = scenes.cached(obj)
        self.assertEqual(len(frames), 10)
        for frame in (1, 2, 7, 10):
            self.scene.frame_set(frame)
            self.assertTrue(np.array_equal(scenes.seen(obj), frames[frame - 1]), frame)
        self.assertLess(frames[9][40, 2], frames[0][40, 2] - 0.2)  # the middle fell
        self.assertTrue(np.array_equal(frames[9][0], frames[0][0]))  # the pinned corner did not

    def test_own_range(self):
        obj = self.garment()
        obj.muslin.use_scene_range = False
        obj.muslin.frame_start, obj.muslin.frame_end = 3, 6
        bpy.ops.muslin.bake()
        baked = obj.muslin.baked
        self.assertEqual((baked.frame_start, baked.frame_end), (3, 6))
        self.assertEqual(len(scenes.cached(obj)), 4)

    def test_range_that_ends_before_it_begins_is_refused_in_words(self):
        obj = self.garment()
        obj.muslin.use_scene_range = False
        obj.muslin.frame_start, obj.muslin.frame_end = 6, 3
        with self.assertRaisesRegex(RuntimeError, "Sheet.*last frame, 3,.*first, 6"):
            bpy.ops.muslin.bake()
        self.assertIsNone(scenes.running().bake)

    def test_keys_in_a_file_never_saved_ask_for_no_saving(self):
        """The frames are in the file itself; only who bakes a cache is told that it moves."""
        for output, reported in (("keys", False), ("pc2", True)):
            obj = self.garment()
            obj.muslin.cache_folder, obj.muslin.output = "//muslin", output
            bpy.ops.muslin.bake()
            said = scenes.running().last_words[obj.muslin.uid]
            self.assertEqual("moves next to the .blend" in said, reported, said)
            bpy.ops.muslin.free()

    def test_collider_is_met_as_it_moves(self):
        obj = self.garment(pins=False, height=0.65)
        body = scenes.ball()
        item = obj.muslin.colliders.add()
        item.object = body
        scenes.select(obj)
        bpy.ops.muslin.bake()
        middle = scenes.cached(obj)[9][40]
        self.assertGreater(middle[2], 0.88)  # the ball's top is at 0.9

    def test_bakes_all_garments_without_an_active_object(self):
        first, second = self.garment("One"), self.garment("Two")
        bpy.context.view_layer.objects.active = None
        for obj in (first, second):
            obj.select_set(False)
        self.assertEqual(bpy.ops.muslin.bake(), {"FINISHED"})
        for obj in (first, second):
            self.assertEqual(obj.muslin.baked.frame_end, 10)
        self.assertNotEqual(first.muslin.uid, second.muslin.uid)

    def test_no_garment_at_all_is_reported(self):
        with self.assertRaisesRegex(RuntimeError, "has no garments"):
            bpy.ops.muslin.bake()

    def test_moved_and_scaled_object_gives_the_same_drape(self):
        plain, moved = self.garment("Plain"), self.garment("Moved")
        scale = 0.5
        moved.data.transform(bpy.data.objects["Moved"].matrix_world.Scale(1 / scale, 4))
        moved.scale = (scale,) * 3
        moved.location = (3.0, 0.0, 0.0)
        bpy.context.view_layer.update()
        bpy.ops.muslin.bake()
        here = scenes.cached(plain)[9]
        there = scenes.cached(moved)[9] * scale
        self.assertLess(abs(here - there).max(), 2e-3)

    def test_two_bakes_give_the_same_bytes(self):
        obj = self.garment()
        bpy.ops.muslin.bake()
        first = np.array(scenes.cached(obj))
        bpy.ops.muslin.bake()
        self.assertTrue(np.array_equal(first, scenes.cached(obj)))


class TakeUpTest(InFolder):
    """Continue, bake from the current frame, and free."""

    def test_continue_is_exact(self):
        obj = self.garment()
        bpy.ops.muslin.bake()
        whole = np.array(scenes.cached(obj))
        self.scene.frame_end = 5
        bpy.ops.muslin.bake()
        self.assertEqual(obj.muslin.baked.frame_end, 5)
        self.scene.frame_end = 10
        bpy.ops.muslin.continue_bake()
        self.assertEqual(obj.muslin.baked.frame_end, 10)
        self.assertTrue(np.array_equal(whole, scenes.cached(obj)))

    def test_continue_without_a_bake_is_refused(self):
        self.garment()
        with self.assertRaisesRegex(RuntimeError, "there is no bake"):
            bpy.ops.muslin.continue_bake()

    def test_continue_of_a_whole_bake_is_refused(self):
        self.garment()
        bpy.ops.muslin.bake()
        with self.assertRaisesRegex(RuntimeError, "already baked up to frame 10"):
            bpy.ops.muslin.continue_bake()

    def test_from_current_keeps_what_is_before(self):
        obj = self.garment()
        bpy.ops.muslin.bake()
        whole = np.array(scenes.cached(obj))
        self.scene.frame_set(4)
        obj.muslin.gravity = 0.0
        bpy.ops.muslin.bake_from_current()
        again = scenes.cached(obj)
        self.assertEqual(len(again), 10)
        self.assertTrue(np.array_equal(whole[:4], again[:4]))
        self.assertGreater(again[9][40, 2], whole[9][40, 2] + 0.01)
        speed = again[4][40, 2] - again[3][40, 2]  # it flies on, without falling faster
        self.assertLess(speed, -0.01)

    def test_from_current_without_a_bake_begins_there(self):
        obj = self.garment()
        self.scene.frame_set(4)
        bpy.ops.muslin.bake_from_current()
        self.assertEqual((obj.muslin.baked.frame_start, obj.muslin.baked.frame_end), (4, 10))

    def test_other_vertices_cannot_go_on(self):
        obj = self.garment()
        self.scene.frame_end = 5
        bpy.ops.muslin.bake()
        self.scene.frame_end = 10
        obj.data.vertices.add(1)
        with self.assertRaisesRegex(RuntimeError, "81 vertices and has 82"):
            bpy.ops.muslin.continue_bake()

    def test_free_leaves_nothing(self):
        obj = self.garment()
        bpy.ops.muslin.bake()
        path = addon("output.cache").locate(obj)
        self.assertTrue(os.path.exists(path))
        bpy.ops.muslin.free()
        self.assertEqual(obj.muslin.baked.kind, "")
        self.assertEqual(len(obj.modifiers), 0)
        self.assertEqual(os.listdir(self.folder), [])

    def test_free_means_the_active_garment_unless_asked(self):
        one, other = self.garment("One"), self.garment("Other")
        bpy.ops.muslin.bake(scope="ALL")
        scenes.select(one)
        bpy.ops.muslin.free()
        self.assertEqual((one.muslin.baked.kind, other.muslin.baked.kind), ("", "pc2"))
        bpy.ops.muslin.free(scope="ALL")
        self.assertEqual(other.muslin.baked.kind, "")


class StopTest(InFolder):
    """Bakes in pieces, as in a window, stopped on the way."""

    def queue(self):
        plans, bakequeue = addon("bake.plans"), addon("bake.bake_queue")
        found = addon("scene.lookup").garments(self.scene)
        return bakequeue.BakeQueue([plans.plan(obj, self.scene) for obj in found], self.scene)

    def advance_to(self, queue, frames):
        while queue.bakes[-1].done < frames:
            self.assertTrue(queue.advance(0.001))

    def stored(self):
        """The frames of the only cache in the folder."""
        files = [name for name in os.listdir(self.folder) if name.endswith(".pc2")]
        self.assertEqual(len(files), 1)
        return addon("output.cache").read(os.path.join(self.folder, files[0])).positions[:]

    def test_pieces_give_the_same_bytes_as_one_go(self):
        obj = self.garment()
        bpy.ops.muslin.bake()
        whole = np.array(scenes.cached(obj))
        queue = self.queue()
        seen = set()
        while queue.advance(0.001):
            seen.add(queue.progress)
            self.assertIs(scenes.running().bake, queue)
        self.assertIsNone(scenes.running().bake)
        self.assertGreater(len(seen), 2)
        self.assertTrue(np.array_equal(whole, scenes.cached(obj)))

    def test_time_left_never_rises_within_a_frame(self):
        self.garment()
        queue = self.queue()
        self.advance_to(queue, 3)
        first = queue.seconds_left
        time.sleep(0.05)
        second = queue.seconds_left
        time.sleep(4.0 * first)  # a frame that takes longer than all the others
        third = queue.seconds_left
        self.assertLess(second, first)
        self.assertLessEqual(third, second)
        self.assertGreater(third, 0.0)
        queue.stop()
        queue.advance(10.0)

    def test_time_of_a_garment_is_its_own(self):
        self.garment("One")
        self.garment("Other")
        queue = self.queue()
        while len(queue.bakes) < 2:
            self.assertTrue(queue.advance(0.001))
        before = queue.bakes[0].seconds_each
        self.assertGreater(before, 0.0)
        time.sleep(0.1)
        self.assertFalse(queue.advance(None))
        self.assertEqual(queue.bakes[0].seconds_each, before)

    def test_no_body_is_shown_ahead_of_the_cloth(self):
        """What the view gets, and the scene it is drawn in, are of the same frame."""
        obj = self.garment(pins=False, height=0.65)
        obj.muslin.colliders.add().object = scenes.ball()
        bpy.ops.muslin.bake(scope="ALL")
        whole = np.array(scenes.cached(obj))
        shown, view = [], addon("preview.preview_view")
        with mock.patch.object(
            view, "show", lambda _obj, places, _maps: shown.append(places.copy())
        ):
            queue, frames = self.queue(), []
            while queue.advance(0.001):
                queue._shown = 0.0  # it is always time for it
                queue.show()
                if len(shown) > len(frames):
                    frames.append(self.scene.frame_current)
        self.assertGreater(len(frames), 2)
        for frame, places in zip(frames, shown):
            self.assertTrue(np.array_equal(places, whole[frame - 1]), frame)
        self.assertTrue(np.array_equal(whole, scenes.cached(obj)))

    def test_stop_keeps_finished_frames_and_continue_is_exact(self):
        obj = self.garment()
        bpy.ops.muslin.bake()
        whole = np.array(scenes.cached(obj))
        bpy.ops.muslin.free()
        queue = self.queue()
        self.advance_to(queue, 4)
        queue.stop()
        self.assertFalse(queue.advance(10.0))
        kept = len(scenes.cached(obj))
        self.assertGreaterEqual(kept, 4)
        self.assertLess(kept, 10)
        self.assertEqual(obj.muslin.baked.frame_end, kept)
        self.assertEqual(queue.summary()[0][0], "WARNING")
        bpy.ops.muslin.continue_bake()
        self.assertTrue(np.array_equal(whole, scenes.cached(obj)))

    def test_interrupted_long_step_continues_exactly(self):
        obj = self.garment()
        bpy.ops.muslin.bake()
        whole = np.array(scenes.cached(obj))
        bpy.ops.muslin.free()
        bake = addon("bake.bake")
        patience, bake.PATIENCE = bake.PATIENCE, 0.0  # every step counts as a long one
        self.addCleanup(setattr, bake, "PATIENCE", patience)
        queue = self.queue()
        self.advance_to(queue, 4)
        queue.stop()
        queue.advance(10.0)
        bpy.ops.muslin.continue_bake()
        self.assertTrue(np.array_equal(whole, scenes.cached(obj)))

    def test_deleted_garment_ends_in_words(self):
        obj = self.garment()
        queue = self.queue()
        self.advance_to(queue, 4)
        bpy.data.objects.remove(obj)
        self.assertFalse(queue.advance(10.0))
        kind, words = queue.summary()[0]
        self.assertEqual(kind, "ERROR")
        self.assertIn("Sheet was deleted", words)
        self.assertIsNone(scenes.running().bake)

    def test_changed_mesh_ends_in_words_and_keeps_frames(self):
        obj = self.garment()
        queue = self.queue()
        self.advance_to(queue, 4)
        obj.data.vertices.add(3)
        self.assertFalse(queue.advance(10.0))
        self.assertIn("81", queue.summary()[0][1])
        self.assertGreaterEqual(len(self.stored()), 4)

    def test_renamed_garment_is_baked_to_its_end(self):
        obj = self.garment()
        queue = self.queue()
        self.advance_to(queue, 4)
        obj.name = "Renamed"
        self.assertFalse(queue.advance(10.0))
        self.assertEqual(obj.muslin.baked.frame_end, 10)

    def test_frame_changed_by_the_user_meanwhile_changes_nothing(self):
        obj = self.garment(pins=False, height=0.65)
        obj.muslin.colliders.add().object = scenes.ball()
        bpy.ops.muslin.bake(scope="ALL")
        whole = np.array(scenes.cached(obj))
        queue = self.queue()
        while queue.advance(0.001):
            self.scene.frame_set(7)
        self.assertTrue(np.array_equal(whole, scenes.cached(obj)))

    def test_full_disk_keeps_frames_and_says_so(self):
        self.garment()
        queue = self.queue()
        self.advance_to(queue, 4)
        (writer,) = queue.bakes[0]._writers.values()

        class Full:
            def __getattr__(self, name):
                return getattr(file, name)

            def write(self, data):
                raise OSError(28, "No space left on device")

        file, writer._file = writer._file, Full()
        more = True
        while more and not queue.bakes[0].error:
            more = queue.advance(0.001)
        self.assertIn("disk is full", queue.bakes[0].error)
        self.assertIn("kept", queue.summary()[0][1])

    def test_file_loaded_meanwhile_keeps_the_frames_on_disk(self):
        self.garment()
        queue = self.queue()
        self.advance_to(queue, 4)
        bpy.ops.wm.read_homefile(use_empty=True)
        self.assertIsNone(scenes.running().bake)
        self.assertGreaterEqual(len(self.stored()), 4)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Fit maps of baked garments: each frame against the library, the worst of all, and how they live beside the cache."""

import os
import tempfile
import unittest

import bpy
import numpy as np
import scenes
from fit_scenes import drape, maps, vector
from support import addon


class BakedTest(unittest.TestCase):
    """Frames 1 to 6 of a sheet on a ball that rises."""

    def setUp(self):
        scenes.empty_scene()
        self.addCleanup(lambda: scenes.running().stop_everything())
        folder = tempfile.TemporaryDirectory(prefix="muslin-test-")
        self.addCleanup(folder.cleanup)
        self.folder, self.path = folder.name, os.path.join(folder.name, "fit.blend")
        self.scene = bpy.context.scene
        self.scene.frame_end = 6
        bpy.ops.wm.save_as_mainfile(filepath=self.path)

    def baked(self, output="pc2", fit=True):
        ball = scenes.ball()
        obj = scenes.garment(size=9, pins=False, height=0.52)
        obj.muslin.colliders.add().object = ball
        obj.muslin.output, obj.muslin.fit.enabled = output, fit
        bpy.ops.muslin.bake()
        return obj

    def each_frame(self, obj):
        found = []
        for frame in range(1, 7):
            self.scene.frame_set(frame)
            found.append(maps(obj))
        return found

    def recomputed(self, obj):
        """The same frames by a simulation of our own, and its cloth asked directly."""
        Simulation = addon("simulation.simulation").Simulation
        obj.muslin.fit.enabled = False
        self.scene.frame_set(1)
        graph = bpy.context.evaluated_depsgraph_get
        simulation, found = Simulation(obj, self.scene, graph()), []
        for frame in range(2, 7):
            self.scene.frame_set(frame)
            simulation.feed(obj, self.scene, graph())
            simulation.step()
            found.append(simulation.cloth.fit())
        simulation.close()
        obj.muslin.fit.enabled = True
        return found

    def test_frames_are_the_librarys(self):
        for output in ("pc2", "keys"):
            obj = self.baked(output)
            obj.muslin.settle_first = False
            bpy.ops.muslin.bake()
            reported = self.each_frame(obj)
            for now, fit in zip(reported[1:], self.recomputed(obj)):
                np.testing.assert_allclose(now["ease"], 1e3 * fit.gap, rtol=1e-3)
                np.testing.assert_allclose(now["pressure"], fit.pressure, rtol=1e-3, atol=1e-6)
                np.testing.assert_allclose(now["warp"], 100 * fit.warp, rtol=1e-3, atol=1e-6)
            self.assertGreater(max(now["pressure"].max() for now in reported), 1.0)
            bpy.ops.muslin.free()
            self.assertEqual(maps(obj), {})

    def test_ease_of_a_moving_body(self):
        from mathutils.bvhtree import BVHTree

        obj = self.baked()
        ball = bpy.data.objects["Ball"]
        for frame in (1, 4, 6):
            self.scene.frame_set(frame)
            tree = BVHTree.FromObject(ball, bpy.context.evaluated_depsgraph_get())
            back = ball.matrix_world.inverted()
            points = [back @ obj.matrix_world @ vector(p) for p in scenes.seen(obj)]
            found = [1e3 * tree.find_nearest(point)[3] for point in points]
            np.testing.assert_allclose(maps(obj)["ease"], found, rtol=1e-3, atol=0.02)

    def test_worst(self):
        obj = self.baked()
        reported = self.each_frame(obj)
        obj.muslin.fit.when = "worst"
        self.scene.frame_set(2)
        worst = maps(obj)
        for name in ("pressure", "tension", "warp"):
            wanted = np.max([now[name] for now in reported], axis=0)
            np.testing.assert_array_equal(worst[name], wanted)
        np.testing.assert_array_equal(worst["ease"], np.min([n["ease"] for n in reported], axis=0))
        obj.muslin.fit.when = "frame"
        np.testing.assert_array_equal(maps(obj)["ease"], reported[1]["ease"])

    def test_saved_and_read_again(self):
        obj = self.baked()
        reported = self.each_frame(obj)
        bpy.ops.wm.save_mainfile()
        bpy.ops.wm.open_mainfile(filepath=self.path)
        self.scene, obj = bpy.context.scene, bpy.data.objects["Sheet"]
        np.testing.assert_array_equal(maps(obj)["ease"], reported[-1]["ease"])
        for now, before in zip(self.each_frame(obj), reported):
            np.testing.assert_array_equal(now["ease"], before["ease"])
        self.assertTrue(scenes.running().follows_fit)
        scenes.empty_scene().frame_set(3)
        self.assertFalse(scenes.running().follows_fit, "nothing to look for at every frame")

    def test_a_preview_has_its_own_and_gives_way(self):
        obj = self.baked()
        self.scene.frame_set(6)
        before = maps(obj)["ease"]
        drape(obj, 2)
        self.assertFalse(np.array_equal(maps(obj)["ease"], before))
        bpy.ops.muslin.discard()
        np.testing.assert_array_equal(maps(obj)["ease"], before)

    def test_undo_of_free(self):
        obj = self.baked()
        before = maps(obj)["ease"]
        bpy.ops.ed.undo_push(message="baked")
        addon("output.results").free(obj, undoable=True)
        self.assertEqual(maps(obj), {})
        bpy.ops.ed.undo_push(message="freed")
        bpy.ops.ed.undo()
        obj = bpy.data.objects["Sheet"]
        np.testing.assert_array_equal(maps(obj)["ease"], before)
        self.assertIsNotNone(addon("fit_map.fit_frames").path_of(obj))

    def test_files(self):
        """One more on the list; baking again without a map, and freeing, take it away."""
        obj = self.baked()
        place = os.path.join(self.folder, "muslin")
        self.assertIn("Sheet.muslin.fit", os.listdir(place))
        size = os.path.getsize(os.path.join(place, "Sheet.muslin.fit"))
        self.assertEqual(size, 24 + 6 * 6 * 2 * 81)
        obj.muslin.fit.enabled = False
        bpy.ops.muslin.bake()
        self.assertNotIn("Sheet.muslin.fit", os.listdir(place))
        bpy.ops.muslin.free()
        self.assertEqual(os.listdir(place), [])

    def unfinished(self, obj, maps_of_frames):
        """What a Blender that died while baking leaves."""
        cache, manifest = addon("output.cache"), addon("output.manifest")
        folder, count = obj.muslin.cache_folder, len(obj.data.vertices)
        writer = cache.CacheWriter(obj, folder, count, 1, fit=True)
        for reported in maps_of_frames:
            writer.append(np.zeros((count, 3), np.float32), reported)
        manifest.writing.discard(writer.token)
        part = manifest.Manifest.load(writer.manifest.folder, writer.manifest.name)
        part.data["parts"][writer.token]["process"] = 2**22 + 1  # nobody has this number
        part.save()

    def test_rescued(self):
        obj = self.baked()
        ease = np.arange(81, dtype=np.float32)
        self.unfinished(obj, [{"ease": ease}, {"ease": ease + 1}])
        self.assertEqual(bpy.ops.muslin.rescue(), {"FINISHED"})
        self.scene.frame_set(2)
        np.testing.assert_array_equal(maps(obj)["ease"], ease + 1)
        self.assertNotIn("warp", maps(obj))
        self.unfinished(obj, [{"ease": ease}])
        bpy.ops.muslin.bake()
        self.assertEqual(
            len(os.listdir(os.path.join(self.folder, "muslin"))), 4
        )  # with list and state

    def test_a_file_that_gets_its_place_later(self):
        bpy.ops.wm.read_homefile(use_empty=True)
        self.scene = bpy.context.scene
        self.scene.frame_end = 3
        obj = self.baked()
        before = addon("fit_map.fit_frames").path_of(obj)
        bpy.ops.wm.save_as_mainfile(filepath=self.path)
        self.scene.frame_set(2)
        after = addon("fit_map.fit_frames").path_of(obj)
        self.assertEqual(after, os.path.join(self.folder, "muslin", "Sheet.muslin.fit"))
        self.assertNotEqual(before, after)
        self.assertIn("ease", maps(obj))

    def test_continued(self):
        """Frames that were reported stay, those that were not are left out."""
        obj = self.baked()
        before = self.each_frame(obj)
        self.scene.frame_set(3)
        bpy.ops.muslin.bake_from_current()
        for now, then in zip(self.each_frame(obj)[:3], before):
            np.testing.assert_array_equal(now["ease"], then["ease"])
        obj.muslin.fit.enabled = False
        bpy.ops.muslin.bake()
        obj.muslin.fit.enabled = True
        self.scene.frame_set(3)
        bpy.ops.muslin.bake_from_current()
        reported = self.each_frame(obj)
        self.assertEqual([bool(now) for now in reported], 3 * [False] + 3 * [True])

    def test_deleted_files_are_no_trouble(self):
        obj = self.baked()
        os.remove(os.path.join(self.folder, "muslin", "Sheet.muslin.fit"))
        self.scene.frame_set(2)
        obj.muslin.fit.when = "worst"
        self.assertEqual(addon("fit_map.fit_frames").limits(obj)[0], 0.0)

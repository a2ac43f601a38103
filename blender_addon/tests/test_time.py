# SPDX-License-Identifier: GPL-3.0-or-later
"""How much time goes by between frames: frame rate, time remapping, the garment's own speed, subframes."""

import os
import shutil
import tempfile
import unittest

import bpy
import numpy as np
import scenes
from support import addon


class TimeTest(unittest.TestCase):
    def setUp(self):
        self.scene = scenes.empty_scene()
        self.scene.frame_end = 7
        self.folder = tempfile.mkdtemp(prefix="muslin-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def sheet(self, **where):
        obj = scenes.garment(pins=False, **where)
        obj.muslin.air_drag = obj.muslin.damping = obj.muslin.normal_drag = 0.0
        obj.muslin.cache_folder = os.path.join(self.folder, "cache")
        return obj

    def fallen(self, obj):
        """m, in the bake's six frames."""
        bpy.ops.muslin.bake()
        frames = scenes.cached(obj)
        return float(frames[0][:, 2].mean() - frames[-1][:, 2].mean())

    def test_free_fall(self):
        """s = g t (t + h) / 2 of backward Euler with steps h, two a frame."""
        obj = self.sheet()
        obj.muslin.integrator = "euler"
        render = self.scene.render
        for name, seconds in (
            ("as it is", 1.0),
            ("stretched in time", 0.5),
            ("slow motion", 0.25),
        ):
            if name == "stretched in time":
                render.frame_map_new = 200
            if name == "slow motion":
                render.frame_map_new, obj.muslin.time_scale = 100, 0.25
            step = seconds * render.fps_base / render.fps
            obj.muslin.substeps = 2  # the fall depends on them
            h, t = step / obj.muslin.substeps, 6 * step
            with self.subTest(name):
                self.assertAlmostEqual(
                    self.fallen(obj), 0.5 * 9.81 * t * (t + h), delta=1e-3 * 9.81 * t * t
                )

    def test_remapped_bakes_play_in_step(self):
        self.scene.render.frame_map_new = 200
        obj = self.sheet()
        bpy.ops.muslin.bake()
        frames = scenes.cached(obj)
        for frame in (1, 4, 7):
            self.scene.frame_set(frame)
            self.assertTrue(np.array_equal(scenes.seen(obj), frames[frame - 1]), frame)

    def test_bodies_are_read_between_frames(self):
        """A paddle that turns by half a turn a frame goes around with subframes, and straight through without."""
        found = {}
        for parts in (1, 8):
            obj = self.swept(parts)
            bpy.ops.muslin.bake()
            found[parts] = np.array(scenes.cached(obj))
            self.assertEqual(len(found[parts]), 3)
            self.setUp()
        off = np.abs(found[8][-1] - found[1][-1]).max()
        self.assertGreater(off, 0.05)

    def swept(self, parts):
        self.scene.frame_end = 3
        obj = self.sheet(size=13, side=0.3, height=0.0)
        obj.location.x = 0.5
        obj.muslin.subframes, obj.muslin.gravity = parts, 0.0
        bpy.ops.mesh.primitive_cube_add(size=1.0)
        paddle = bpy.context.active_object
        paddle.scale = (2.0, 0.1, 0.6)
        paddle.rotation_euler.z = 0.5 * np.pi
        paddle.keyframe_insert("rotation_euler", frame=1)
        paddle.rotation_euler.z = 1.5 * np.pi
        paddle.keyframe_insert("rotation_euler", frame=2)
        obj.muslin.colliders.add().object = paddle
        scenes.select(obj)
        return obj

    def test_leaving_within_a_frame_keeps_whole_frames(self):
        obj = self.sheet(height=0.5)
        obj.muslin.colliders.add().object = scenes.ball()
        scenes.select(obj)
        obj.muslin.subframes = 4
        bpy.ops.muslin.bake()
        whole = np.array(scenes.cached(obj))
        bpy.ops.muslin.free()
        plans, bakequeue = addon("bake.plans"), addon("bake.bake_queue")
        self.scene.frame_set(2, subframe=0.5)
        queue = bakequeue.BakeQueue([plans.plan(obj, self.scene)], self.scene)
        bake = queue.bakes[0]
        while bake.done < 3 or bake._ends_frame:
            self.assertTrue(queue.advance(0.0005))
        self.assertEqual(queue.user_frame()[1], 2.5)
        queue.leave()
        (name,) = [each for each in os.listdir(obj.muslin.cache_folder) if each.endswith(".pc2")]
        path = os.path.join(obj.muslin.cache_folder, name)
        kept = addon("output.cache").read(path).positions[:]
        self.assertTrue(np.array_equal(kept, whole[: len(kept)]))

    def test_without_subframes_nothing_changes_and_with_them_continue_is_exact(self):
        obj = self.sheet(height=0.5)
        obj.muslin.colliders.add().object = scenes.ball()
        scenes.select(obj)
        obj.muslin.subframes = 3
        bpy.ops.muslin.bake()
        whole = np.array(scenes.cached(obj))
        self.scene.frame_end = 4
        bpy.ops.muslin.bake()
        self.scene.frame_end = 7
        bpy.ops.muslin.continue_bake()
        self.assertTrue(np.array_equal(whole, scenes.cached(obj)))
        self.assertEqual(self.scene.frame_subframe, 0.0)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Settle First: a bake begins with the garment at rest on its body, whatever pose it was made for."""

import os
import shutil
import tempfile
import unittest

import bpy
import numpy as np
import scenes
from arm_scenes import RADIUS, arm, tube
from support import addon
from test_scenes.levels import long_test


class Case(unittest.TestCase):
    def setUp(self):
        self.scene = scenes.empty_scene()
        self.scene.frame_end = 3
        self.folder = tempfile.mkdtemp(prefix="muslin-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def clothe(self, obj, body):
        scenes.select(obj)
        bpy.ops.muslin.add()
        obj.muslin.output = "pc2"
        obj.muslin.cache_folder = os.path.join(self.folder, "cache")
        obj.muslin.colliders.add().object = body
        bpy.context.view_layer.update()
        return obj

    def sleeve(self, degrees):
        return self.clothe(tube("Sleeve", RADIUS + 0.015, -0.25, 0.3), arm(degrees))

    def bake(self, obj, settle_first=True):
        obj.muslin.settle_first = settle_first
        scenes.select(obj)
        self.assertEqual(bpy.ops.muslin.bake(), {"FINISHED"})
        return np.array(scenes.cached(obj))

    def placement(self, obj, positions):
        """How a shape lies on the bodies where they are in frame 1."""
        Feed, Cloth = addon("garment.feed").Feed, addon("muslin").Cloth
        self.scene.frame_set(1)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        with addon("scene.place").quiet(obj, bpy.context.view_layer):
            feed = Feed(obj, self.scene, depsgraph)
        with Cloth(feed.garment.mesh, **feed.garment.settings) as cloth:
            feed.begin(cloth, obj, self.scene, depsgraph)
            cloth.set_state(positions)
            return cloth.inspect()


class BallTest(Case):
    def test_what_starts_inside_is_outside_in_the_first_frame(self):
        obj = self.clothe(scenes.grid("Sheet", 25, 0.5, height=0.28), scenes.ball(moving=False))
        rough = self.bake(obj, settle_first=False)
        self.assertGreater(self.placement(obj, rough[0]).inside_count, 0)
        frames = self.bake(obj)
        first = self.placement(obj, frames[0])
        self.assertEqual((first.inside_count, first.body_piercings), (0, 0))
        self.assertLess(np.abs(frames[1] - frames[0]).max(), 1e-3)  # at rest
        self.assertGreater(np.abs(frames[0] - rough[0]).max(), 0.05)

    def test_what_falls_from_above_is_left_alone(self):
        obj = self.clothe(scenes.grid("Sheet", 9, 0.5, height=0.6), scenes.ball(moving=False))
        start = scenes.modelled(obj)
        self.assertEqual(self.bake(obj)[0].tobytes(), start)

    def test_what_does_not_come_to_rest_is_reported_in_the_panel(self):
        """A sheet that slides from a ball; the status bar has no room for all that there is to say."""
        obj = self.clothe(scenes.grid("Sheet", 9, 0.5, height=0.302), scenes.ball(moving=False))
        obj.location.x = 0.22
        self.bake(obj)
        self.assertIn("did not come to rest before the first frame", obj.muslin.baked.verdict)
        self.assertNotIn("PC2", obj.muslin.baked.verdict)

    def test_stopped_on_the_way_nothing_is_baked_and_the_old_bake_stays(self):
        obj = self.clothe(scenes.grid("Sheet", 25, 0.5, height=0.28), scenes.ball(moving=False))
        frames = self.bake(obj)
        plans, bakequeue = addon("bake.plans"), addon("bake.bake_queue")
        queue = bakequeue.BakeQueue([plans.plan(obj, self.scene)], self.scene)
        while "settling" not in queue.text:
            self.assertTrue(queue.advance(0.001))
        self.assertEqual(queue.bakes[0].done, 0)
        queue.stop()
        self.assertFalse(queue.advance(10.0))
        self.assertIn("stopped before the first frame; nothing was", queue.summary()[0][1])
        self.assertTrue(np.array_equal(scenes.cached(obj), frames))
        queue = bakequeue.BakeQueue([plans.plan(obj, self.scene)], self.scene)
        while "settling" not in queue.text:
            self.assertTrue(queue.advance(0.001))
        queue.leave()
        self.assertTrue(np.array_equal(scenes.cached(obj), frames))

    @long_test
    def test_continue_does_not_settle_again(self):
        obj = self.clothe(scenes.grid("Sheet", 25, 0.5, height=0.28), scenes.ball(moving=False))
        whole = self.bake(obj)
        self.scene.frame_end = 2
        self.bake(obj)
        self.scene.frame_end = 3
        bpy.ops.muslin.continue_bake()
        self.assertTrue(np.array_equal(scenes.cached(obj), whole))


class ArmTest(Case):
    """A sleeve that was made around a straight arm, which is bent in the first frame."""

    def test_the_body_comes_from_the_pose_that_the_garment_was_made_for(self):
        obj = self.sleeve(80)
        rough = self.placement(obj, self.bake(obj, settle_first=False)[0])
        self.assertGreater(rough.inside_count + rough.body_piercings, 20)
        frames = self.bake(obj)
        first = self.placement(obj, frames[0])
        self.assertEqual((first.inside_count, first.body_piercings), (0, 0))
        self.assertEqual(first.openings_empty, 0)
        self.assertLess(first.stretch_p99, 1.15)

    @long_test
    def test_a_motion_from_a_point_cache(self):
        """A body that was exported as a cache is modelled in its mesh, too."""
        obj = self.sleeve(80)
        body = bpy.data.objects["Arm"]
        path = os.path.join(self.folder, "arm.pc2")
        with addon("muslin").Pc2Writer(path, len(body.data.vertices)) as writer:
            for _ in range(self.scene.frame_end):
                writer.write(scenes.seen(body))
        body.modifiers.clear()
        cache = body.modifiers.new("Motion", "MESH_CACHE")
        cache.cache_format, cache.filepath, cache.frame_start = "PC2", path, 1
        bpy.context.view_layer.update()
        first = self.placement(obj, self.bake(obj)[0])
        self.assertEqual(
            (first.inside_count, first.body_piercings, first.openings_empty), (0, 0, 0)
        )
        self.assertTrue(cache.show_viewport)

    def test_the_armature_is_left_as_it_was(self):
        obj = self.sleeve(80)
        self.bake(obj)
        self.assertTrue(bpy.data.objects["Arm"].modifiers["Armature"].show_viewport)
        self.assertEqual(self.scene.frame_current, 1)

    @long_test
    def test_a_garment_that_fits_the_first_frame_is_not_taken_elsewhere(self):
        """Modelled around the bent arm: in the arm's own pose it would be through it."""
        straight = self.sleeve(80)
        settled = self.bake(straight)[0]
        bpy.ops.muslin.free()
        straight.data.vertices.foreach_set("co", settled.ravel())
        straight.data.update()
        again = self.bake(straight)[0]
        self.assertLess(np.abs(again - settled).max(), 0.03)


class PreviewTest(Case):
    """Preview on Play shows what a bake would: without a budget the same, to the bit."""

    def play(self, obj):
        """Frames 1 to 3 as the view shows them; nobody waits at the first."""
        obj.muslin.budget_ms = 0.0
        self.scene.frame_set(1)
        scenes.select(obj)
        bpy.ops.muslin.preview()
        return self.frames(obj)

    def frames(self, obj):
        shapes = []
        for frame in (2, 3):
            self.scene.frame_set(frame)
            shapes.append(scenes.seen(obj).copy())
        return shapes

    def preview(self, obj):
        return scenes.running().previews[obj.muslin.uid]

    def check(self, obj):
        baked = self.bake(obj)
        bpy.ops.muslin.free()
        for seen, kept in zip(self.play(obj), baked[1:]):
            self.assertTrue(np.array_equal(seen, kept))
        return baked

    def test_on_a_ball(self):
        obj = self.clothe(scenes.grid("Sheet", 25, 0.5, height=0.28), scenes.ball())
        self.check(obj)

    def test_from_the_pose_that_the_garment_was_made_for(self):
        self.check(self.sleeve(80))

    def test_while_the_timeline_stands_it_is_seen(self):
        obj = self.clothe(scenes.grid("Sheet", 25, 0.5, height=0.28), scenes.ball(moving=False))
        obj.muslin.budget_ms = 0.0
        baked = self.bake(obj)
        bpy.ops.muslin.free()
        self.scene.frame_set(1)
        bpy.ops.muslin.preview()
        preview = self.preview(obj)
        self.assertIn("settles before the first frame", preview.text)
        for _ in range(500):
            preview.pause()
            preview._simulation.ready(None)
            if not preview._at_rest.is_under_way:
                break
        self.assertNotIn("settles", preview.text)
        self.assertTrue(np.array_equal(scenes.seen(obj), baked[0]))
        self.assertTrue(np.array_equal(self.frames(obj)[1], baked[2]))

    def test_a_loop_settles_once_unless_something_was_moved(self):
        ball = scenes.ball(moving=False)
        obj = self.clothe(scenes.grid("Sheet", 25, 0.5, height=0.28), ball)
        first = self.play(obj)
        self.scene.frame_set(1)
        self.assertFalse(self.preview(obj)._at_rest.is_under_way)
        self.assertIsNotNone(self.preview(obj).shown)
        self.assertTrue(np.array_equal(first, self.frames(obj)))
        ball.location.z += 0.01
        self.scene.frame_set(1)
        self.assertTrue(self.preview(obj)._at_rest.is_under_way)

    def test_switched_off_or_not_worn_it_begins_as_it_is(self):
        obj = self.clothe(scenes.grid("Sheet", 9, 0.5, height=0.6), scenes.ball(moving=False))
        bpy.ops.muslin.preview()
        self.assertFalse(self.preview(obj)._at_rest.is_under_way)
        bpy.ops.muslin.discard()
        obj.location.z = -0.32
        obj.muslin.settle_first = False
        bpy.context.view_layer.update()
        bpy.ops.muslin.preview()
        self.assertFalse(self.preview(obj)._at_rest.is_under_way)
        self.assertIsNone(self.preview(obj).shown)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Previews of garments that are too fine for their budget: a coarser one is simulated, and refined at rest."""

import unittest

import bpy
import numpy as np

import scenes
from support import addon
from test_scenes.levels import long_test

SIDE = 41  # vertices: one coarser level, of 560
TIGHT = 0.01  # ms: never enough, so that the clock decides nothing
MOST_STEPS = 400


class LiveTest(unittest.TestCase):
    def setUp(self):
        self.scene = scenes.empty_scene()

    def garment(self, budget=TIGHT, **more):
        obj = scenes.garment(size=SIDE, **more)
        obj.muslin.budget_ms = budget
        return obj

    def preview(self, obj):
        return scenes.running().previews[obj.muslin.uid]

    def settle(self, preview):
        for _ in range(MOST_STEPS):
            if preview.settled:
                return
            preview.advance(None)
        self.fail(f"not settled: {preview.text}")

    def drape(self, obj):
        """A preview as the button leaves it running."""
        bpy.ops.muslin.drape_now(frames=2)
        preview = self.preview(obj)
        preview.mode = "drape"
        return preview


class DrapeTest(LiveTest):
    def test_a_coarser_garment_is_simulated_and_reported(self):
        obj = self.garment()
        preview = self.drape(obj)
        self.assertIn("simulating 560 of 1,681 vertices", preview.text)
        self.assertEqual(len(scenes.seen(obj)), SIDE * SIDE)
        rows = dict(scenes.running().statistics[obj.muslin.uid])
        self.assertEqual((rows["Vertices"], rows["  Simulated"]), ("1,681", "560"))

    def test_without_a_budget_the_garment_itself(self):
        preview = self.drape(self.garment(budget=0.0))
        self.assertNotIn("vertices", preview.text)
        self.assertEqual(preview.cloth.levels().level, 0)

    def test_what_rests_is_refined_and_what_moves_is_live_again(self):
        obj = self.garment(height=0.6)
        obj.muslin.damping = 8.0
        ball = scenes.ball(moving=False)
        obj.muslin.colliders.add().object = ball
        scenes.select(obj)
        preview = self.drape(obj)
        seen = []
        for _ in range(MOST_STEPS):
            preview.advance(None)
            if not seen or preview.level_text != seen[-1]:
                seen.append(preview.level_text)
            if preview.settled:
                break
        self.assertEqual(
            seen,
            [
                "simulating 560 of 1,681 vertices",
                "refining: 560 of 1,681 vertices",
                "refining: all 1,681 vertices",
                "refined and at rest: all 1,681 vertices",
            ],
        )
        steps = preview.steps
        for _ in range(5):
            preview.advance(None)
        self.assertEqual(preview.steps, steps)  # there is nothing to do
        ball.location.z += 0.02
        bpy.context.view_layer.update()
        preview._next_look = 0.0
        preview.advance(None)
        preview.advance(None)
        self.assertEqual(preview.level_text, "simulating 560 of 1,681 vertices")

    @long_test
    def test_draping_again_sees_what_was_moved(self):
        """Without a window: a second call must not take the first one's rest for its own."""
        obj = self.garment(height=0.6)
        obj.muslin.damping = 8.0
        ball = scenes.ball(moving=False)
        obj.muslin.colliders.add().object = ball
        scenes.select(obj)
        bpy.ops.muslin.drape_now(frames=MOST_STEPS)
        preview = self.preview(obj)
        self.assertTrue(preview.settled)
        steps = preview.steps
        bpy.ops.muslin.drape_now(frames=5)
        self.assertEqual(preview.steps, steps)  # nothing was moved
        ball.location.z += 0.02
        bpy.context.view_layer.update()
        bpy.ops.muslin.drape_now(frames=5)
        self.assertEqual(preview.steps, steps + 5)

    def test_another_budget_keeps_the_state(self):
        """It goes on falling, no slower and from where it was; how many steps it has fallen is a matter of the clock."""
        obj = self.garment()
        preview = self.drape(obj)
        for _ in range(2):
            preview.advance(None)
        obj.muslin.budget_ms = 0.0
        before, after = (self.way_of_step(preview) for _ in range(2))
        self.assertEqual(preview.cloth.levels().level, 0)
        self.assertGreater(after, 0.9 * before)
        self.assertLess(after, 2.0 * before)

    def way_of_step(self, preview):
        """Of the vertex that went farthest, m; settings that were changed before it count for the step after it."""
        before = np.array(preview.shown)
        preview.advance(None)
        return np.abs(preview.shown - before).max()

    def test_what_swings_goes_on(self):
        """Nobody moves it, but it is not at rest: it must not stop in the air."""
        preview = self.drape(self.garment())
        for _ in range(30):
            preview.advance(None)
        self.assertEqual(preview.level_text, "simulating 560 of 1,681 vertices")


class WorkerTest(unittest.TestCase):
    def test_an_error_that_nobody_asked_for_is_none_of_the_next_job(self):
        worker = addon("simulation.worker").Worker()
        worker.start(lambda: 1 / 0)
        worker.wait()
        worker.start(lambda: None)
        worker.finish()
        worker.close()


class TimelineTest(LiveTest):
    def play(self, pause_at=None):
        """The shape of the last frame, in the view."""
        self.scene.frame_set(1)
        obj = self.garment()
        bpy.ops.muslin.preview()
        preview = self.preview(obj)
        for frame in range(2, 9):
            self.scene.frame_set(frame)
            if frame == pause_at:
                self.pause(preview)
        shape = np.array(scenes.seen(obj))
        bpy.ops.muslin.discard()
        bpy.data.objects.remove(obj)
        return shape

    def pause(self, preview):
        self.assertGreater(scenes.refine(preview), 0.01)
        self.assertIn("refined and at rest", preview.text)

    def test_pausing_refines_and_leaves_the_motion_as_it_is(self):
        self.assertTrue(np.array_equal(self.play(pause_at=5), self.play()))

    def paused(self):
        """A garment whose timeline stands at frame 4, refined, and its preview."""
        self.scene.frame_set(1)
        obj = self.garment()
        bpy.ops.muslin.preview()
        preview = self.preview(obj)
        for frame in range(2, 5):
            self.scene.frame_set(frame)
        self.pause(preview)
        return obj, preview

    @long_test
    def test_the_first_frame_is_as_it_is_in_the_scene(self):
        _, preview = self.paused()
        self.scene.frame_set(1)
        self.assertNotIn("refined", preview.text)
        preview._followed = 0.0
        preview.pause()
        self.assertFalse(preview._simulation.started)
        self.assertIsNone(preview.shown)

    def test_what_becomes_another_mesh_meanwhile(self):
        obj, preview = self.paused()
        obj.data.vertices.add(1)
        preview._followed = 0.0
        with self.assertRaisesRegex(Exception, "has changed"):
            preview.pause()

    def test_bakes_take_no_budget(self):
        shapes = []
        for budget in (TIGHT, 0.0):
            obj = self.garment(budget=budget)
            self.scene.frame_end = 5
            bpy.ops.muslin.bake()
            shapes.append(np.array(scenes.cached(obj)[4]))
            bpy.ops.muslin.free()
            bpy.data.objects.remove(obj)
        self.assertTrue(np.array_equal(*shapes))


if __name__ == "__main__":
    unittest.main()

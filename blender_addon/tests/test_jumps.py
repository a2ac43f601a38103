# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that jump and bodies that appear, along the timeline and while cloth drapes."""

import unittest

import bpy
import numpy as np

import scenes

JUMP = 5  # the frame before the jump
SHIFT = 3.0  # m


class JumpTest(unittest.TestCase):
    """A sheet that has come to lie on a ball, which is elsewhere from one frame to the next."""

    def setUp(self):
        self.scene = scenes.empty_scene()
        self.ball = scenes.ball(moving=False)
        self.obj = scenes.garment(pins=False, height=0.31, side=0.8)
        self.obj.muslin.settle_first = False
        self.obj.muslin.colliders.add().object = self.ball

    def keys(self, path, value):
        """Of the ball, from one frame to the next."""
        before = getattr(self.ball, path).copy()
        self.ball.keyframe_insert(path, frame=JUMP)
        setattr(self.ball, path, value)
        self.ball.keyframe_insert(path, frame=JUMP + 1)
        setattr(self.ball, path, before)

    def bake(self):
        bpy.ops.muslin.bake()
        return scenes.cached(self.obj)

    def test_a_bake_carries_the_cloth_along(self):
        self.keys("location", (SHIFT, 0.0, 0.5))
        frames = self.bake()
        self.assertEqual(len(frames), 10)
        moved = frames[JUMP] - frames[JUMP - 1]
        np.testing.assert_allclose(moved.mean(axis=0), (SHIFT, 0.0, 0.5), atol=0.05)
        said = scenes.running().last_words[self.obj.muslin.uid]
        self.assertIn(f"Ball jumped 3 m in frame {JUMP + 1}: the cloth was carried along", said)
        self.assertEqual(scenes.running().errors, {})

    def test_a_bake_ends_where_the_pose_jumps_too(self):
        """With all frames before it, and with an error that stays in the panel."""
        self.keys("location", (SHIFT, 0.0, 0.5))
        self.keys("scale", (3.0, 0.1, 1.0))
        with self.assertRaisesRegex(RuntimeError, "kept: 5 frames"):
            bpy.ops.muslin.bake()
        self.assertEqual(len(scenes.cached(self.obj)), JUMP)
        error = scenes.running().errors[self.obj.muslin.uid]
        self.assertRegex(
            error.text, f"Ball jumped .* m in frame {JUMP + 1}. Use Settle First or re-dress"
        )

    def test_cloth_that_is_held_elsewhere_stays(self):
        group = self.obj.vertex_groups.new(name="Pins")
        group.add([0, 8, 72, 80], 1.0, "REPLACE")
        self.obj.muslin.pin_group = "Pins"
        self.keys("location", (SHIFT, 0.0, 0.5))
        frames = self.bake()
        self.assertEqual(len(frames), 10)
        np.testing.assert_allclose(frames[-1][0], frames[0][0], atol=1e-5)
        said = scenes.running().last_words[self.obj.muslin.uid]
        self.assertIn("the cloth stayed where it was", said)

    def test_while_it_drapes(self):
        """The artist moves the body with the cloth on it."""
        bpy.ops.muslin.drape_now(frames=6)
        before = np.array(scenes.seen(self.obj))
        self.ball.location.x = SHIFT
        bpy.ops.muslin.drape_now(frames=4)
        preview = scenes.running().previews[self.obj.muslin.uid]
        self.assertIn("the cloth was carried along", " ".join(preview._simulation.notes()))
        moved = scenes.seen(self.obj) - before
        np.testing.assert_allclose(moved.mean(axis=0), (SHIFT, 0.0, 0.0), atol=0.1)

    def test_a_body_that_appears_in_the_cloth(self):
        """It comes out, at a bounded speed and whole."""
        other = scenes.ball("Other", 0.15, moving=False)
        other.location = 0.3, 0.25, 0.25
        self.obj.muslin.enabled = False
        self.obj = scenes.garment("Fine", 25, pins=False, height=0.31, side=0.8)
        self.obj.muslin.colliders.add().object = self.ball
        bpy.ops.muslin.drape_now(frames=6)
        self.obj.muslin.colliders.add().object = other
        before = np.array(scenes.seen(self.obj))
        for _ in range(8):
            bpy.ops.muslin.drape_now(frames=1)
            now = np.array(scenes.seen(self.obj))
            self.assertLess(np.linalg.norm(now - before, axis=1).max(), 0.25)
            before = now
        cloth = scenes.running().previews[self.obj.muslin.uid].cloth
        found = cloth.inspect()
        self.assertEqual((found.inside_count, found.body_piercings), (0, 0))
        self.assertLess(found.largest_stretch, 1.6)

    def test_what_stays_trapped_is_said(self):
        """A sheet that is held everywhere, with a ball in its middle."""
        self.ball.location.z = 0.31
        group = self.obj.vertex_groups.new(name="Pins")
        group.add(list(range(81)), 1.0, "REPLACE")
        self.obj.muslin.pin_group = "Pins"
        bpy.ops.muslin.drape_now(frames=1)
        said = scenes.running().previews[self.obj.muslin.uid].text
        self.assertRegex(said, "[0-9]+ edges through a body")

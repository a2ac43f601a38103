# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast a preview says that cloth moves: not by what settles it before the first frame, nor by what refines it."""

import unittest

import bpy
import numpy as np
import scenes
from fit_scenes import live_layers, preview_of, worn

FINE, TIGHT = 41, 0.01  # vertices of a side: one coarser level; ms: never enough
MOST_STEPS = 400


def velocity(obj):
    return live_layers(obj)[0]


class Case(unittest.TestCase):
    def setUp(self):
        self.scene = scenes.empty_scene()
        self.addCleanup(lambda: scenes.running().stop_everything())


class SettledTest(Case):
    def settled(self):
        """A sheet that lies in a ball comes to rest a hand's breadth away."""
        obj = worn(frames=0, size=17)[0]
        obj.location.z, obj.muslin.budget_ms, obj.muslin.settle_first = 0.0, 0.0, True
        for vertex in obj.data.vertices:
            vertex.co.z = 0.25
        bpy.context.view_layer.update()
        scenes.select(obj)
        bpy.ops.muslin.preview()
        self.assertIn("settles before the first frame", preview_of(obj).text)
        return obj

    def check_loops(self, obj):
        """Frames 2 and 3 move by the way from the frame before: the first one is that at rest."""
        start = np.array([vertex.co for vertex in obj.data.vertices])
        rate, preview = self.scene.render.fps, preview_of(obj)
        for _ in range(2):
            shapes, reported = [], []
            for frame in (2, 3, 1):
                self.scene.frame_set(frame)
                shapes.append(preview.shown)
                reported.append(velocity(obj))
            second, third, rest = shapes
            np.testing.assert_allclose(reported[0], rate * (second - rest), atol=1e-5)
            np.testing.assert_allclose(reported[1], rate * (third - second), atol=1e-5)
            self.assertEqual(np.abs(reported[2]).max(), 0.0)
            self.assertGreater(np.abs(rest - start).max(), 0.02)

    def test_nobody_waits(self):
        self.check_loops(self.settled())

    def test_all_of_it_is_seen(self):
        obj = self.settled()
        preview = preview_of(obj)
        for _ in range(MOST_STEPS):
            if not preview._at_rest.is_under_way:
                break
            preview.pause()
            preview._simulation.ready(None)
        self.assertFalse(preview._at_rest.is_under_way)
        self.check_loops(obj)


class PausedTest(Case):
    def play(self, pause):
        """Velocities of the frames 4 and 5, and of frame 4 while the timeline pauses there."""
        self.scene.frame_set(1)
        obj = scenes.garment(size=FINE)
        obj.muslin.budget_ms, obj.muslin.fit.enabled = TIGHT, True
        bpy.ops.muslin.preview()
        preview, found = preview_of(obj), []
        for frame in (2, 3, 4):
            self.scene.frame_set(frame)
        found.append(velocity(obj))
        if pause:
            self.assertGreater(scenes.refine(preview), 0.01)
        found.append(velocity(obj))
        self.scene.frame_set(5)
        found.append(velocity(obj))
        bpy.ops.muslin.discard()
        bpy.data.objects.remove(obj)
        return found

    def test_refining_is_no_motion(self):
        paused, played = self.play(True), self.play(False)
        self.assertGreater(np.abs(played[2] - played[1]).max(), 0.1)
        for one, other in zip(paused, played):
            np.testing.assert_array_equal(one, other)


class RateTest(Case):
    def test_it_is_that_of_the_garments_own_scene(self):
        obj = worn(frames=0)[0]
        self.scene.render.fps = 24
        other = bpy.data.scenes.new("Other")
        self.addCleanup(lambda: bpy.data.scenes.remove(other))
        other.render.fps = 12
        scenes.select(obj)
        bpy.ops.muslin.preview()
        before = np.array([vertex.co for vertex in obj.data.vertices])
        with bpy.context.temp_override(scene=other):
            self.scene.frame_set(2)
        way = preview_of(obj).shown - before
        self.assertGreater(np.abs(way).max(), 1e-3)
        np.testing.assert_allclose(velocity(obj), 24 * way, atol=1e-4)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins that let go: by an animated strength, and at a frame."""

import unittest

import numpy as np
import feed_scenes as scenes
from support import addon

feed = addon("garment.feed")
muslin = addon("muslin")


class LettingGo(unittest.TestCase):
    def setUp(self):
        self.scene = scenes.empty()
        self.scene.frame_set(1)
        self.cloth = scenes.garment()
        scenes.group(self.cloth, "Pin", {0: 1.0, 4: 0.5})
        self.cloth.muslin.pin_group = "Pin"

    def run_frames(self, last):
        """Where the pinned vertices are in each frame, and how many are held exactly."""
        depsgraph = scenes.depsgraph()
        made = feed.Feed(self.cloth, self.scene, depsgraph)
        heights, counts = [], []
        with muslin.Cloth(made.garment.mesh, **made.garment.settings) as running:
            made.begin(running, self.cloth, self.scene, depsgraph)
            for frame in range(2, last + 1):
                self.scene.frame_set(frame)
                made.follow(running, self.cloth, self.scene, scenes.depsgraph())
                running.step(1 / 24)
                heights.append(running.positions()[[0, 4], 2])
                counts.append(running.report().pinned_count)
        return np.array(heights), counts

    def test_at_a_frame(self):
        self.cloth.muslin.use_pin_release = True
        self.cloth.muslin.pin_release = 5
        heights, counts = self.run_frames(8)
        self.assertEqual(counts, [1, 1, 1, 0, 0, 0, 0])
        np.testing.assert_allclose(heights[:3, 0], heights[0, 0], atol=1e-6)
        self.assertTrue((np.diff(heights[2:, 0]) < -1e-4).all())
        self.cloth.muslin.use_pin_release = False
        self.scene.frame_set(1)
        self.assertEqual(self.run_frames(8)[1], [1] * 7)

    def test_by_an_animated_strength(self):
        settings = self.cloth.muslin
        for frame, strength in ((3, 1.0), (5, 0.0), (7, 0.0), (8, 1.0)):
            settings.pin_strength = strength
            self.cloth.keyframe_insert("muslin.pin_strength", frame=frame)
        self.scene.frame_set(1)
        heights, counts = self.run_frames(9)
        self.assertEqual(counts, [1, 1, 0, 0, 0, 0, 1, 1])
        np.testing.assert_allclose(heights[:2, 0], heights[0, 0], atol=1e-6)
        self.assertLess(heights[5, 0], heights[1, 0] - 1e-2)
        # taken hold of again, the vertex is back where it belongs
        np.testing.assert_allclose(heights[6:, 0], heights[0, 0], atol=1e-5)

    def test_a_garment_that_starts_released(self):
        self.cloth.muslin.pin_strength = 0.0
        self.assertEqual(self.run_frames(3)[1], [0, 0])


if __name__ == "__main__":
    unittest.main()

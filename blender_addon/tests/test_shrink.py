# SPDX-License-Identifier: GPL-3.0-or-later
"""Shrink, among Property Maps: a vertex group makes cloth smaller, also while it runs."""

import unittest

import bpy
import numpy as np

from fake_layout import draw
from scenes import empty_scene, garment, running, seen
from support import addon


def widths(places):
    return np.ptp(places[:, :2], axis=0)


class ShrinkTest(unittest.TestCase):
    def setUp(self):
        self.scene = empty_scene()
        self.addCleanup(lambda: running().stop_everything())
        self.obj = garment(pins=False)
        settings = self.obj.muslin
        settings.gravity, settings.damping = 0, 8
        group = self.obj.vertex_groups.new(name="Small")
        group.add(range(len(self.obj.data.vertices)), 1.0, "REPLACE")

    def test_baked(self):
        self.obj.muslin.size_group, self.obj.muslin.size_factor = "Small", 0.8
        bpy.ops.muslin.bake()
        self.scene.frame_set(10)
        np.testing.assert_allclose(widths(seen(self.obj)), 0.8, rtol=0.02)

    def test_panel(self):
        panels = addon("panels")
        section = next(one for one in panels.SECTIONS if one.name == "maps")
        self.assertNotIn(("prop", "size_factor"), draw(section, self.obj).drawn)
        self.obj.muslin.size_group = "Small"
        drawn = draw(section, self.obj).drawn
        self.assertIn(("prop", "size_factor"), drawn)

    def test_missing_group_is_reported(self):
        self.obj.muslin.size_group = "Gone"
        with self.assertRaisesRegex(RuntimeError, "size needs"):
            bpy.ops.muslin.bake()


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Air in a closed garment: the panel, a ball that is blown up, and what the panel says of an open one."""

import unittest

import bpy
import numpy as np

from fake_layout import draw
from scenes import empty_scene, garment, running, seen, select
from support import addon

RADIUS = 0.3


def balloon():
    """A ball of rubber, as cloth, without gravity."""
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3, radius=RADIUS, location=(0, 0, 0))
    obj = bpy.context.active_object
    select(obj)
    bpy.ops.muslin.add()
    settings = obj.muslin
    settings.output = "pc2"
    settings.gravity = 0
    settings.stretch_warp = settings.stretch_weft = 200
    settings.shear = 100
    settings.damping = 8
    return obj


def radius(obj):
    return float(np.linalg.norm(seen(obj), axis=1).mean())


def section():
    panels = addon("panels")
    return next(one for one in panels.SECTIONS if one.name == "pressure")


class PressureTest(unittest.TestCase):
    def setUp(self):
        self.scene = empty_scene()
        self.addCleanup(lambda: running().stop_everything())

    def test_blown_up(self):
        obj = balloon()
        obj.muslin.pressure = 100
        bpy.ops.muslin.bake()
        self.scene.frame_set(10)
        self.assertGreater(radius(obj), 1.03 * RADIUS)

    def test_volume(self):
        obj = balloon()
        obj.muslin.pressure = 100
        obj.muslin.volume_stiffness = 1e5
        bpy.ops.muslin.bake()
        self.scene.frame_set(10)
        self.assertAlmostEqual(radius(obj) / RADIUS, 1, delta=0.01)

    def test_why_an_open_garment_is_refused_is_reported(self):
        obj = garment()
        obj.muslin.pressure = 100
        with self.assertRaisesRegex(RuntimeError, "closed surface"):
            bpy.ops.muslin.bake()

    def test_panel(self):
        obj = balloon()
        self.assertIn(("prop", "pressure"), draw(section(), obj).drawn)
        obj.muslin.volume_stiffness = 100
        self.assertNotIn("linear solver", draw(section(), obj).text())
        obj.muslin.solver = "implicit"
        self.assertIn("linear solver", draw(section(), obj).text())

    def test_solvers_that_keep_no_volume_go_on(self):
        settings = addon("garment.garment_settings")
        obj = balloon()
        obj.muslin.pressure, obj.muslin.volume_stiffness = 50, 1e4
        self.assertEqual(settings.material(obj)["volume_stiffness"], 1e4)
        self.assertEqual(settings.material(obj, sweeping=True)["volume_stiffness"], 0)
        obj.muslin.solver = "threads"
        self.assertEqual(settings.material(obj)["pressure"], 0)

    def test_fabric_leaves_the_air(self):
        obj = balloon()
        obj.muslin.pressure = 70
        obj.muslin.fabric = "denim"
        self.assertEqual(obj.muslin.pressure, 70)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Fit a Suit: half, closure and fit map with one button."""

import unittest

import bpy
import fake_layout
import numpy as np
import scenes
from arm_scenes import RADIUS, arm, tube
from mirror_scenes import mesh_object, slit_sheet, suit_meshes
from support import addon
from test_scenes import garments

ROOT = addon("ui.panels")


def press(*objects):
    scenes.select(objects[0])
    for each in objects:
        each.select_set(True)
    return bpy.ops.muslin.fit_suit()


class SuitTest(unittest.TestCase):
    def setUp(self):
        self.scene = scenes.empty_scene()
        self.addCleanup(lambda: scenes.running().stop_everything())

    def choose(self, obj):
        depsgraph = bpy.context.evaluated_depsgraph_get()
        return addon("scene.suiting").choose(obj, self.scene, depsgraph)

    def test_a_symmetric_garment_settles_by_half_and_ends_with_its_fit_map(self):
        shirt, figure = suit_meshes()
        body = mesh_object("Figure", figure.positions, figure.faces)
        obj = mesh_object("Shirt", shirt.positions, shirt.faces)
        self.assertEqual(press(obj, body), {"FINISHED"})
        self.assertTrue(obj.muslin.mirror.enabled)
        self.assertEqual((obj.muslin.mirror.method, obj.muslin.mirror.plane), ("auto", "x"))
        self.assertEqual(obj.muslin.mirror.closure, "free")
        preview = scenes.running().previews[obj.muslin.uid]
        self.assertTrue(preview.settled)
        self.assertEqual(preview.cloth.mirror().solved_whole, 0)
        self.assertIn("half:", scenes.running().solved[obj.muslin.uid][1])
        self.assertTrue(obj.muslin.fit.enabled)
        mesh = obj.data
        pressure = np.zeros(len(mesh.vertices), np.float32)
        mesh.attributes["muslin_pressure"].data.foreach_get("value", pressure)
        self.assertGreater(pressure.max(), 0.0)

    def test_a_jackets_front_comes_together(self):
        jacket, figure = garments.jacket(0.05), suit_meshes()[1]
        body = mesh_object("Figure", figure.positions, figure.faces)
        obj = mesh_object("Jacket", jacket.positions, jacket.faces)
        press(obj, body)
        self.assertEqual(obj.muslin.mirror.closure, "zip")
        report = scenes.running().previews[obj.muslin.uid].cloth.mirror()
        across = np.sort(np.abs(scenes.seen(obj)[:, 0]))
        self.assertGreater(report.front_count, 5)
        self.assertLess(across[2 * report.front_count - 1], 1e-5)

    def test_an_open_front_is_closed_and_the_artists_choice_stays(self):
        obj = slit_sheet()
        self.assertIn("its front closed: Zip", self.choose(obj))
        self.assertEqual(obj.muslin.mirror.closure, "zip")
        obj.muslin.mirror.closure = "button"
        self.assertIn("its front closed: Button", self.choose(obj))
        self.assertEqual(obj.muslin.mirror.closure, "button")

    def test_what_is_closed_gets_no_closure(self):
        obj = tube("Sleeve", RADIUS + 0.015, -0.25, 0.3)
        obj.muslin.mirror.closure = "zip"
        self.assertNotIn("front", self.choose(obj))
        self.assertEqual(obj.muslin.mirror.closure, "free")

    def test_what_is_nearly_symmetric_is_cut_in_halves(self):
        obj = slit_sheet()
        obj.data.vertices[3].co.z += 0.002
        self.assertIn("one half is simulated", self.choose(obj))
        self.assertEqual(obj.muslin.mirror.method, "halve")

    def test_what_is_not_symmetric_is_taken_whole_and_the_reason_told(self):
        body = arm(0)
        obj = tube("Sleeve", RADIUS + 0.015, -0.25, 0.3)
        places = np.frombuffer(scenes.modelled(obj), np.float32).reshape(-1, 3).copy()
        twist = 0.4 * (places[:, :1] - places[:, :1].min())
        places += twist * np.sin(9 * places[:, [1, 2, 0]])
        obj.data.vertices.foreach_set("co", places.ravel())
        obj.data.update()
        said = self.choose(obj)
        self.assertIn("the whole garment is simulated, since", said)
        self.assertFalse(obj.muslin.mirror.enabled)
        self.assertEqual((obj.muslin.mirror.method, obj.muslin.mirror.plane), ("auto", "x"))
        del body

    def test_the_button_is_there_for_two_meshes(self):
        obj, body = slit_sheet(), arm(0)
        for chosen, there in (((obj, body), True), ((obj,), False)):
            layout = fake_layout.Layout()
            context = fake_layout.context_of(obj)
            context.selected_objects = list(chosen)
            ROOT.draw_dress(layout, context)
            self.assertEqual(("operator", "muslin.fit_suit") in layout.drawn, there)


if __name__ == "__main__":
    unittest.main()

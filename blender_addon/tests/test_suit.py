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

ROOT = addon("dress.dress_ui")


def press(*objects):
    scenes.select(objects[0])
    for each in objects:
        each.select_set(True)
    return bpy.ops.muslin.fit_suit()


def twist(obj):
    """So that it has no mirror plane."""
    places = np.frombuffer(scenes.modelled(obj), np.float32).reshape(-1, 3).copy()
    by = 0.4 * (places[:, :1] - places[:, :1].min())
    places += by * np.sin(9 * places[:, [1, 2, 0]])
    obj.data.vertices.foreach_set("co", places.ravel())
    obj.data.update()


class SuitTest(unittest.TestCase):
    def setUp(self):
        self.scene = scenes.empty_scene()
        self.addCleanup(lambda: scenes.running().stop_everything())

    def choose(self, obj):
        depsgraph = bpy.context.evaluated_depsgraph_get()
        return addon("dress.dressing").choose_mirroring(obj, self.scene, depsgraph)

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

    def test_what_is_not_symmetric_is_taken_whole_and_the_reason_reported(self):
        body = arm(0)
        obj = tube("Sleeve", RADIUS + 0.015, -0.25, 0.3)
        twist(obj)
        said = self.choose(obj)
        self.assertIn("the whole garment is simulated, since", said)
        self.assertFalse(obj.muslin.mirror.enabled)
        self.assertEqual((obj.muslin.mirror.method, obj.muslin.mirror.plane), ("auto", "x"))
        del body

    def test_one_of_two_garments(self):
        body = arm(0)
        obj = tube("Sleeve", RADIUS + 0.012, -0.25, 0.25)
        other = tube("Cuff", RADIUS + 0.03, -0.2, 0.2)
        self.assertEqual(press(obj, other, body), {"FINISHED"})
        self.assertTrue(obj.muslin.mirror.enabled and obj.muslin.fit.enabled)
        self.assertFalse(obj.muslin.together or other.muslin.enabled or len(other.muslin.colliders))
        self.assertEqual(list(scenes.running().previews), [obj.muslin.uid])

    def test_what_is_simulated_with_others_is_whole(self):
        body = arm(0)
        obj = tube("Sleeve", RADIUS + 0.012, -0.25, 0.25)
        other = tube("Cuff", RADIUS + 0.03, -0.2, 0.2)
        for each in (obj, other):
            each.muslin.enabled = each.muslin.together = True
            each.muslin.colliders.add().object = body
        self.assertIn("whole garment is simulated, since it is simulated together with Cuff",
                      self.choose(obj))  # fmt: skip
        self.assertFalse(obj.muslin.mirror.enabled)

    def test_a_chosen_button_stays_where_it_closes_nothing(self):
        obj = tube("Sleeve", RADIUS + 0.015, -0.25, 0.3)
        obj.muslin.mirror.closure = "button"
        self.choose(obj)
        self.assertEqual(obj.muslin.mirror.closure, "button")
        twist(obj)
        self.assertIn("whole", self.choose(obj))
        self.assertEqual(obj.muslin.mirror.closure, "button")

    def bent_suit(self):
        """A jacket and its figure; neither has a mirror plane."""
        jacket, figure = garments.jacket(0.05), suit_meshes()[1]
        body = mesh_object("Figure", figure.positions, figure.faces)
        places = jacket.positions + 0.02 * np.sin(7 * jacket.positions[:, [1, 2, 0]])
        obj = mesh_object("Jacket", places, jacket.faces)
        body.location.x = 0.004
        return obj, body

    def test_a_whole_jackets_front_is_sewn(self):
        obj, body = self.bent_suit()
        press(obj, body)
        self.assertEqual((obj.muslin.mirror.enabled, obj.muslin.mirror.closure), (False, "zip"))
        preview = scenes.running().previews[obj.muslin.uid]
        report = preview.cloth.link_report()
        self.assertGreater(report.count, 10)
        self.assertLess(report.largest_gap, 1e-3)
        self.assertEqual((report.closing, preview.cloth.inspect().inside_count), (0, 0))

    def test_a_whole_jacket_is_buttoned(self):
        obj, body = self.bent_suit()
        obj.muslin.mirror.closure = "button"
        press(obj, body)
        self.assertEqual((obj.muslin.mirror.enabled, obj.muslin.mirror.closure), (False, "button"))
        cloth = scenes.running().previews[obj.muslin.uid].cloth
        report, lies = cloth.link_report(), cloth.inspect()
        self.assertGreater(report.count, 10)
        self.assertLess(report.largest_gap, 1e-3)
        self.assertEqual((report.closing, lies.inside_count, lies.self_piercings), (0, 0, 0))

    def test_the_button_is_there_for_two_meshes(self):
        obj, body = slit_sheet(), arm(0)
        for chosen, there in (((obj, body), True), ((obj,), False)):
            layout = fake_layout.Layout()
            context = fake_layout.context_of(obj)
            context.selected_objects = list(chosen)
            ROOT.draw_dress(layout, context)
            self.assertEqual(("operator", "muslin.fit_suit") in layout.drawn, there)


class WholeClosureTest(unittest.TestCase):
    """The closure of a garment that is not mirrored."""

    def setUp(self):
        self.scene = scenes.empty_scene()
        self.addCleanup(lambda: scenes.running().stop_everything())
        jacket = garments.jacket(0.05)
        self.obj = mesh_object("Jacket", jacket.positions, jacket.faces)
        scenes.select(self.obj)
        bpy.ops.muslin.add()
        self.obj.muslin.budget_ms = 0.0

    def drape(self, steps):
        preview = addon("preview.preview").begin(self.obj, self.scene, "drape")
        for _ in range(steps + 1):
            preview.advance(None)
        preview._simulation.ready(None)
        return preview

    def test_it_closes_and_opens_when_another_is_chosen(self):
        self.obj.muslin.mirror.closure = "zip"
        preview = self.drape(8)
        self.assertLess(preview.cloth.link_report().largest_gap, 1e-3)
        self.obj.muslin.mirror.closure = "free"
        preview = self.drape(2)
        self.assertEqual(preview.cloth.link_report().count, 0)

    def rest(self):
        return addon("garment.garment_data").rest_mesh(self.obj, self.obj.matrix_world, 1.0)

    def links(self):
        (found,) = addon("sewing.seams").front_links(self.obj, self.rest())
        return found

    def test_buttons_lay_one_side_over_the_other(self):
        mirror = self.obj.muslin.mirror
        mirror.closure, mirror.overlap = "button", 0.04
        places = np.array([vertex.co[:] for vertex in self.obj.data.vertices])
        jacket = garments.jacket(0.05)
        mesh = addon("muslin").Mesh.from_faces(jacket.positions, jacket.faces)
        first, second = addon("muslin.sewing.plackets").open_fronts(mesh)[0]
        if places[first, 0].mean() < places[second, 0].mean():
            first, second = second, first
        self.obj.muslin.self_contact = True
        preview = self.drape(12)
        now = preview.cloth.positions()
        self.assertAlmostEqual(np.median((now[first] - now[second])[:, 0]), -0.04, delta=0.015)
        self.assertEqual(preview.cloth.link_report().closing, 0)
        self.obj.rotation_euler.z = np.pi  # the object's own X tells which is which
        bpy.context.view_layer.update()
        for links in (self.links(), preview._simulation.feeder.garment.closing[0]):
            upper = np.unique(links["vertices"][:, :2])
            self.assertTrue(np.isin(first, upper).any())
            self.assertFalse(np.isin(second, upper).any())
        mirror.overlap = 0.03  # takes another cloth
        self.assertTrue(preview._simulation.feeder.settings_changed(preview.cloth, self.obj))

    def test_buttons_follow_the_plane_that_is_found(self):
        mirror = self.obj.muslin.mirror
        mirror.closure, mirror.plane = "button", "found"
        upright = self.links()
        turn = np.array(((0.0, 1.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
        for (
            vertex
        ) in (
            self.obj.data.vertices
        ):  # the mesh, not the object: its own X goes through front and back
            vertex.co = turn @ np.array(vertex.co)
        sideways = self.links()
        self.assertEqual(len(sideways), len(upright))
        uppers = [set(np.unique(links["vertices"][:, :2])) for links in (upright, sideways)]
        lowers = [set(np.unique(links["vertices"][:, 2:])) for links in (upright, sideways)]
        self.assertIn(uppers[1], (uppers[0], lowers[0]))
        normal = addon("sewing.seams").across(self.obj, self.rest())
        self.assertTrue(np.allclose(np.abs(normal), (0, 1, 0), atol=1e-3))

    def test_together_with_a_shirt(self):
        shirt = mesh_object("Shirt", suit_meshes()[0].positions, suit_meshes()[0].faces)
        shirt.muslin.enabled = shirt.muslin.together = self.obj.muslin.together = True
        self.obj.muslin.layer, self.obj.muslin.mirror.closure = 2, "button"
        preview = self.drape(2)
        facing = preview._simulation.feeder.garment.closing[0]["below"]
        self.assertGreaterEqual(facing.min(), len(shirt.data.vertices))
        vertices = preview._simulation.feeder.garment.closing[0]["vertices"]
        begin, count = len(shirt.data.vertices), len(self.obj.data.vertices)
        self.assertEqual(len(preview._simulation.members), 2)
        self.assertTrue((vertices[vertices >= 0] >= begin).all())
        self.assertLess(vertices.max(), begin + count)
        self.assertGreater(preview.cloth.link_report().count, 10)

    def test_along_the_timeline_it_begins_open_again(self):
        self.obj.muslin.mirror.closure = "zip"
        bpy.ops.muslin.preview()
        for _ in range(2):
            self.scene.frame_set(2)
            report = scenes.running().previews[self.obj.muslin.uid].cloth.link_report()
            self.assertGreater(report.count, 10)
            first = scenes.seen(self.obj).copy()
            self.scene.frame_set(3)
            self.scene.frame_set(1)
        self.scene.frame_set(2)
        self.assertTrue(np.array_equal(first, scenes.seen(self.obj)))

    def test_what_closes_nothing_is_reported(self):
        look = addon("check.check_mirror").closure_findings
        sleeve = tube("Sleeve", RADIUS, -0.25, 0.3)
        for closure, name in (("zip", "Zip"), ("free", ""), ("button", "Button")):
            self.obj.muslin.mirror.closure = sleeve.muslin.mirror.closure = closure
            self.assertEqual(look(self.obj, self.scene), [])
            texts = [f"{name} closes nothing: Sleeve has no open front"] if name else []
            self.assertEqual([each.text for each in look(sleeve, self.scene)], texts)
        self.obj.muslin.mirror.overlap = 1.0
        (found,) = look(self.obj, self.scene)
        text = "Button closes nothing: Jacket has no open front that is wider than Overlap"
        self.assertEqual(found.text, text)


if __name__ == "__main__":
    unittest.main()

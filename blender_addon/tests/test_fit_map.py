# SPDX-License-Identifier: GPL-3.0-or-later
"""The fit map: strain against closed forms, ease against Blender's own search, and how it lives in a file."""

import os
import tempfile
import unittest
from math import cos, sin

import bpy
import fake_layout
import numpy as np
import scenes
from fit_scenes import NAMES, drape, live_layers, maps, preview_of, vector, worn
from support import addon


class StretchedSheetTest(unittest.TestCase):
    """Every vertex is pinned where a linear map of the cut cloth puts it. Lying cloth has its warp along y."""

    def setUp(self):
        scenes.empty_scene()

    def reported(self, change, quantity="pressure", **settings):
        obj = scenes.garment(size=5, pins=False, height=0.0)
        obj.shape_key_add(name="Basis", from_mix=False)
        cut = obj.shape_key_add(name="Cut", from_mix=False)
        cut.value = 0.0
        for vertex, basis in zip(obj.data.vertices, obj.data.shape_keys.key_blocks[0].data):
            x, y, _ = vertex.co
            basis.co = (*(np.array(change) @ (x, y)), 0.0)
        obj.vertex_groups.new(name="All").add(range(25), 1.0, "REPLACE")
        obj.muslin.pin_group, obj.muslin.rest, obj.muslin.rest_key = "All", "key", "Cut"
        for name, value in settings.items():
            setattr(obj.muslin, name, value)
        obj.muslin.fit.enabled, obj.muslin.fit.quantity = True, quantity
        drape(obj)
        return maps(obj)

    def test_stretch(self):
        found = self.reported([[0.97, 0], [0, 1.1]])
        np.testing.assert_allclose(found["warp"], 10.0, atol=2e-3)
        np.testing.assert_allclose(found["weft"], -3.0, atol=2e-3)
        np.testing.assert_allclose(found["shear"], 0.0, atol=0.1)
        self.assertNotIn("ease", found, "without a body there is none")
        np.testing.assert_array_equal(found["pressure"], 0.0)

    def test_shear(self):
        found = self.reported([[1, sin(0.2)], [0, cos(0.2)]])
        np.testing.assert_allclose(found["shear"], np.degrees(0.2), atol=1e-2)
        np.testing.assert_allclose(found["warp"], 0.0, atol=2e-3)

    def test_tension(self):
        """Of a strip that gets no narrower: k e of its own, and what the diagonals add."""
        warp, shear, e = 2000.0, 100.0, 0.05
        numbers = {"stretch_warp": warp, "stretch_weft": 900.0, "shear": shear}
        found = self.reported([[1, 0], [0, 1 + e]], "tension", **numbers)
        diagonal = np.sqrt((1 + (1 + e) ** 2) / 2)
        pull = (warp - shear) * e + 2 * shear * (1 - 1 / diagonal) * (1 + e)
        np.testing.assert_allclose(found["tension"], pull, rtol=1e-3)

    def test_springs_tell_tension(self):
        """Of quads without shear, their sides alone: the mean of both stiffnesses."""
        numbers = {"stretch_warp": 1000.0, "stretch_weft": 1000.0, "shear": 0.0}
        found = self.reported([[1, 0], [0, 1.05]], "tension", model="edge", **numbers)
        np.testing.assert_allclose(found["tension"], 50.0, rtol=1e-3)
        np.testing.assert_allclose(found["warp"], 5.0, atol=2e-3)


class WornTest(unittest.TestCase):
    def setUp(self):
        scenes.empty_scene()
        self.addCleanup(lambda: scenes.running().stop_everything())

    def test_numbers_are_the_librarys(self):
        obj, _ = worn()
        fit, found = preview_of(obj).cloth.fit(), maps(obj)
        np.testing.assert_array_equal(found["pressure"], fit.pressure)
        self.assertGreater(found["pressure"].max(), 1.0)
        for name, factor in (("warp", 100), ("weft", 100), ("shear", 180 / np.pi)):
            np.testing.assert_allclose(found[name], getattr(fit, name) * factor, rtol=1e-5)

    def test_ease_is_the_distance_that_blender_finds(self):
        from mathutils.bvhtree import BVHTree

        obj, ball = worn()
        shown, ease = scenes.seen(obj), maps(obj)["ease"]
        evaluated = ball.evaluated_get(bpy.context.evaluated_depsgraph_get())
        points = [evaluated.matrix_world @ v.co for v in evaluated.data.vertices]
        evaluated.data.calc_loop_triangles()
        triangles = [tuple(t.vertices) for t in evaluated.data.loop_triangles]
        tree = BVHTree.FromPolygons(points, triangles)
        found = [tree.find_nearest(obj.matrix_world @ vector(p))[3] for p in shown]
        np.testing.assert_allclose(ease, 1e3 * np.array(found), atol=0.01)  # mm
        self.assertGreater(np.ptp(ease), 5.0)

    def test_modifiers_after_the_cloth_carry_it(self):
        obj, _ = worn()
        obj.modifiers.new("Fine", "SUBSURF").levels = 1
        bpy.context.view_layer.update()
        fine = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        found = maps(obj, fine)["ease"]
        self.assertGreater(len(found), len(obj.data.vertices))
        coarse = maps(obj)["ease"]
        self.assertTrue((found >= coarse.min()).all() and (found <= coarse.max()).all())
        self.assertGreater(np.ptp(found), 0.8 * np.ptp(coarse))

    def test_it_is_reported_only_where_it_is_wanted(self):
        obj, _ = worn()
        obj.muslin.fit.enabled = False
        self.assertEqual(maps(obj), {})
        drape(obj)
        self.assertEqual(maps(obj), {})
        obj.muslin.fit.enabled = True  # of the cloth as it lies, without a step
        np.testing.assert_array_equal(maps(obj)["pressure"], preview_of(obj).cloth.fit().pressure)

    def test_tension_is_reported_where_it_is_shown_or_kept(self):
        """It takes longer than all other maps."""
        obj, _ = worn()
        self.assertNotIn("tension", maps(obj))
        obj.muslin.fit.quantity = "tension"  # of the cloth as it lies, without a step
        pulls = np.maximum(*preview_of(obj).cloth.tensions())
        np.testing.assert_array_equal(maps(obj)["tension"], pulls)
        obj.muslin.fit.quantity = "ease"
        drape(obj)
        self.assertNotIn("tension", maps(obj))
        pulls = np.maximum(*preview_of(obj).cloth.tensions())
        bpy.ops.muslin.keep(mode="mesh")
        np.testing.assert_array_equal(maps(obj)["tension"], pulls)

    def test_velocity_and_contact_while_it_drapes_and_plays(self):
        """Each step is a frame: what is shown now, less what was shown before it; the first comes from the mesh."""
        obj, _ = worn(frames=0)
        obj.location, obj.scale = (0.02, 0.0, 0.31), (0.5, 0.5, 0.5)
        bpy.context.view_layer.update()
        rate = bpy.context.scene.render.fps
        for begin, step in (
            (lambda: None, lambda _frame: drape(obj)),
            (bpy.ops.muslin.preview, bpy.context.scene.frame_set),
        ):
            scenes.select(obj)
            begin()
            before = np.reshape([vertex.co for vertex in obj.data.vertices], (-1, 3))
            for frame in (2, 3, 4):
                step(frame)
                shown = preview_of(obj).shapes[obj.muslin.uid]
                velocity, contact = live_layers(obj)
                np.testing.assert_allclose(velocity, rate * (shown - before), atol=1e-4)
                self.assertGreater(np.abs(velocity).max(), 0.1)
                np.testing.assert_array_equal(contact, maps(obj)["pressure"] >= 1.0)
                before = shown.copy()
            obj.muslin.fit.enabled = False
            self.assertNotIn("muslin_velocity", obj.data.attributes)
            obj.muslin.fit.enabled = True  # the same shape: it is not known from where it came
            self.assertEqual(np.abs(live_layers(obj)[0]).max(), 0.0)
            bpy.ops.muslin.discard()
            self.assertNotIn("muslin_velocity", obj.data.attributes)

    def test_discarding_takes_it_away_and_keeping_keeps_it(self):
        obj, _ = worn()
        before = maps(obj)
        bpy.ops.muslin.keep(mode="mesh")
        np.testing.assert_array_equal(maps(obj)["ease"], before["ease"])
        drape(obj)
        bpy.ops.muslin.discard()
        self.assertEqual(maps(obj), {})

    def test_a_deleted_garment(self):
        obj, _ = worn()
        bpy.data.objects.remove(obj)
        addon("preview.preview").tidy()
        self.assertEqual(scenes.running().previews, {})

    def test_edit_mode_and_linked_meshes_are_left_alone(self):
        obj, _ = worn(0)
        bpy.ops.object.mode_set(mode="EDIT")
        self.assertFalse(addon("fit_map.fit_attributes").write(obj, {"warp": np.zeros(289)}))
        bpy.ops.object.mode_set(mode="OBJECT")
        self.assertEqual(maps(obj), {})

    def test_it_is_taken_away_in_edit_mode(self):
        for leave in (bpy.ops.muslin.discard, self.switch_off):
            obj, _ = worn(2)
            self.assertIn("warp", maps(obj))
            bpy.ops.object.mode_set(mode="EDIT")
            leave()
            bpy.ops.object.mode_set(mode="OBJECT")
            self.assertEqual([one.name for one in obj.data.attributes if "muslin" in one.name], [])

    @staticmethod
    def switch_off():
        bpy.context.object.muslin.fit.enabled = False

    def test_undo(self):
        obj, _ = worn()
        name = obj.name
        bpy.ops.ed.undo_push(message="draped")
        bpy.ops.muslin.discard()
        bpy.ops.ed.undo_push(message="discarded")
        bpy.ops.ed.undo()
        obj = bpy.data.objects[name]
        self.assertFalse([m for m in obj.modifiers if m.name.startswith("Muslin")])
        self.assertEqual(maps(obj), {}, "a map without the shape that has it")


class FileTest(unittest.TestCase):
    def setUp(self):
        scenes.empty_scene()
        self.addCleanup(lambda: scenes.running().stop_everything())
        folder = tempfile.TemporaryDirectory(prefix="muslin-test-")
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "fit.blend")

    def test_a_preview_goes_into_no_file(self):
        obj, _ = worn()
        before = maps(obj)
        bpy.ops.wm.save_as_mainfile(filepath=self.path)
        self.assertEqual(maps(obj).keys(), before.keys())
        bpy.ops.wm.open_mainfile(filepath=self.path)
        obj = bpy.data.objects["Sheet"]
        self.assertTrue(obj.muslin.fit.enabled)
        self.assertEqual(maps(obj), {})

    def test_nor_when_it_is_saved_in_edit_mode(self):
        obj, _ = worn(2)
        before = maps(obj)
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.wm.save_as_mainfile(filepath=self.path)
        bpy.ops.object.mode_set(mode="OBJECT")
        after = maps(obj)
        self.assertEqual(before.keys(), after.keys())
        for name, numbers in before.items():
            np.testing.assert_array_equal(numbers, after[name])
        bpy.ops.wm.open_mainfile(filepath=self.path)
        self.assertEqual(maps(bpy.data.objects["Sheet"]), {})

    def test_what_is_kept_does(self):
        obj, _ = worn()
        bpy.ops.muslin.keep(mode="mesh")
        before = maps(obj)
        obj.muslin.fit.quantity = "ease"
        self.assertEqual(bpy.ops.muslin.fit_colours(), {"FINISHED"})
        bpy.ops.wm.save_as_mainfile(filepath=self.path)
        bpy.ops.wm.open_mainfile(filepath=self.path)
        obj = bpy.data.objects["Sheet"]
        for name, values in maps(obj).items():
            np.testing.assert_array_equal(values, before[name])
        self.assertEqual(set(before), set(NAMES))
        self.assertEqual(obj.data.color_attributes[0].name, "Fit Ease")

    def test_vertex_colours_are_those_of_the_legend(self):
        obj, _ = worn()
        colours = addon("fit_map.fit_colours")
        for name in ("ease", "warp"):
            obj.muslin.fit.quantity = name
            bpy.ops.muslin.fit_colours()
            quantity = addon("fit_map.fit_quantities").BY_NAME[name]
            values = maps(obj)[name]
            limits = colours.span(quantity, values)
            layer = obj.data.color_attributes[f"Fit {quantity.label}"]
            linear = np.array([tuple(each.color) for each in layer.data])[:, :3]
            srgb = np.where(
                linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055
            )
            wanted = colours.colours(quantity, values, limits)[:, :3]
            np.testing.assert_allclose(srgb, wanted, atol=0.01)  # a byte has 256 steps

    def test_exporters_write_them(self):
        if "obj_export" not in dir(bpy.ops.wm):
            self.skipTest("this Blender has no such exporter")
        obj, _ = worn()
        bpy.ops.muslin.keep(mode="mesh")
        bpy.ops.muslin.fit_colours()
        path = self.path.replace(".blend", ".obj")
        bpy.ops.wm.obj_export(filepath=path, export_colors=True, export_selected_objects=True)
        with open(path) as file:
            numbers = [line.split()[1:] for line in file if line.startswith("v ")]
        self.assertEqual({len(each) for each in numbers}, {6})
        self.assertGreater(np.ptp(np.array(numbers, float)[:, 3:]), 0.3)

    def test_without_a_map_it_says_so(self):
        worn(0)
        with self.assertRaisesRegex(RuntimeError, "no map of pressure yet"):
            bpy.ops.muslin.fit_colours()


class LegendTest(unittest.TestCase):
    def setUp(self):
        scenes.empty_scene()
        self.addCleanup(lambda: scenes.running().stop_everything())
        self.colours = addon("fit_map.fit_colours")
        self.quantities = addon("fit_map.fit_quantities").BY_NAME

    def test_ranges_are_round_and_leave_out_the_outermost(self):
        values = np.concatenate((np.linspace(0, 37, 999), [1e6]))
        self.assertEqual(self.colours.span(self.quantities["pressure"], values), (0.0, 40.0))
        self.assertEqual(self.colours.span(self.quantities["warp"], -values[:-1]), (-40.0, 40.0))
        self.assertEqual(self.colours.span(self.quantities["warp"], values, (3, 2)), (3, 4))

    def test_ticks(self):
        texts = [text for _, text in self.colours.ticks((-50.0, 50.0))]
        self.assertEqual(texts, ["-40", "-20", "0", "20", "40"])
        self.assertEqual([t for _, t in self.colours.ticks((0.0, 0.5))], ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5"])  # fmt: skip
        self.assertEqual(self.colours.ticks((0.0, 5000.0))[-1], (5000.0, "5,000"))

    def test_colours_get_lighter_and_zero_is_grey(self):
        """For those who do not tell red from green: by luminance alone."""
        numbers = np.linspace(0, 1, 50)
        luminance = np.array([0.2126, 0.7152, 0.0722])
        for name, sign in (("pressure", 1), ("ease", -1)):
            found = self.colours.colours(self.quantities[name], numbers, (0, 1))[:, :3] @ luminance
            self.assertTrue((sign * np.diff(found) > 0).all(), name)
        grey = self.colours.colours(self.quantities["warp"], [0.0], (-1, 1))[0, :3]
        self.assertLess(np.ptp(grey), 1e-6)

    def test_what_is_drawn_and_that_nothing_is_without_a_window(self):
        overlay = addon("fit_map.fit_overlay")
        panel = addon("fit_map.fit_map_ui")
        self.assertEqual(panel._drawing._handlers, [])
        obj, _ = worn()
        bpy.context.view_layer.update()
        mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        seen = overlay.surface(mesh, obj)
        np.testing.assert_array_equal(seen.places, scenes.seen(obj))
        np.testing.assert_array_equal(seen.values, maps(obj)["pressure"])
        self.assertEqual(addon("scene.arrays").triangles(mesh).shape, (512, 3))
        colours = overlay.colours_of(mesh, seen)
        self.assertEqual(colours.shape, (289, 4))
        self.assertGreater(np.ptp(colours[:, :3]), 0.3)
        self.assertEqual(panel.shown_garment(bpy.context), obj)
        obj.muslin.fit.show = False
        self.assertIsNone(panel.shown_garment(bpy.context))

    def test_panel(self):
        obj, _ = worn(0)
        section = next(s for s in addon("panels").SECTIONS if s.name == "fit")
        self.assertIn("Drape or bake the garment", fake_layout.draw(section, obj).text())
        drape(obj)
        obj.muslin.fit.is_automatic = False
        drawn = fake_layout.draw(section, obj)
        self.assertEqual(drawn.text(), "")
        self.assertIn(("name", "To (Pa)"), drawn.drawn)
        obj.muslin.colliders.clear()
        drape(obj)
        obj.muslin.fit.quantity = "ease"
        self.assertIn("Without a body", fake_layout.draw(section, obj).text())

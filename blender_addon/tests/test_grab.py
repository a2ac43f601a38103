# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth that is pulled and pinned by hand while it drapes."""

import unittest

import bpy
import numpy as np

import scenes
from edit_support import SIDE, EditTest, cut_a_face, delete_corner
from fake_layout import Layout, context_of
from support import addon

LAST = SIDE * SIDE - 1
FINE = 41  # vertices: one coarser level, of 560
TIGHT = 0.01  # ms: never enough, so that the coarser level is simulated


class GrabTest(EditTest):
    def place(self, preview, vertex):
        return np.array(preview.shown[vertex])

    def pin(self, preview, obj, vertex):
        addon("preview.grab_ui").pin(preview, obj, vertex)

    def pull(self, obj, preview, vertex, way, steps=10):
        addon("preview.grab_ui").take(preview, obj, vertex)
        preview.hands_of(preview.uid).way = np.array(way)
        self.advance(preview, steps)

    def fine(self, **more):
        obj = scenes.garment(size=FINE, **more)
        obj.muslin.budget_ms = TIGHT
        preview = addon("preview.preview").begin(obj, self.scene, "drape")
        self.advance(preview, 4)
        self.assertEqual(preview.cloth.levels().level, 1)
        return obj, preview


class PullTest(GrabTest):
    def test_it_follows_and_falls_when_let_go(self):
        obj, preview = self.drape()
        start = self.place(preview, LAST)
        self.pull(obj, preview, LAST, (0.0, 0.0, 0.3), steps=3)  # one was under way
        self.assertGreater(self.place(preview, LAST)[2], start[2] + 0.1)
        self.advance(preview, 12)
        np.testing.assert_allclose(self.place(preview, LAST), start + (0, 0, 0.3), atol=0.05)
        preview.hands_of(preview.uid).pull = None
        self.advance(preview, 12)
        self.assertLess(self.place(preview, LAST)[2], start[2] + 0.1)
        self.assertEqual(preview.cloth.report().pinned_count, 2)

    def test_what_the_group_holds_stays(self):
        obj, preview = self.drape()
        self.pull(obj, preview, 0, (0.0, 0.0, 0.3))
        np.testing.assert_allclose(self.place(preview, 0), (-0.5, -0.5, 1.0), atol=1e-5)

    def test_in_the_scenes_unit_and_the_objects_place(self):
        self.scene.unit_settings.scale_length = 0.1
        obj = scenes.garment(size=SIDE, side=10.0, height=10.0)
        obj.location.x = 3.0
        bpy.context.view_layer.update()
        preview = addon("preview.preview").begin(obj, self.scene, "drape")
        self.advance(preview, 6)
        start = self.place(preview, LAST)
        self.pull(obj, preview, LAST, (0.0, 0.0, 0.3), steps=14)  # m
        np.testing.assert_allclose(self.place(preview, LAST), start + (0, 0, 3.0), atol=0.5)

    def test_a_coarser_level_follows(self):
        obj, preview = self.fine()
        last = FINE * FINE - 1
        start = self.place(preview, last)
        self.pull(obj, preview, last, (0.0, 0.0, 0.3), steps=14)
        self.assertEqual(preview.cloth.levels().level, 1)
        np.testing.assert_allclose(self.place(preview, last), start + (0, 0, 0.3), atol=0.06)

    def test_a_mirrored_garment_is_pulled_on_both_sides(self):
        for vertex in (LAST, SIDE * (SIDE - 1), LAST - SIDE // 2):
            with self.subTest(vertex=vertex):
                obj = scenes.garment(size=SIDE)
                obj.muslin.mirror.enabled = True
                preview = addon("preview.preview").begin(obj, self.scene, "drape")
                self.advance(preview, 6)
                start = self.place(preview, vertex)
                self.pull(obj, preview, vertex, (0.1, 0.0, 0.2), steps=14)
                report = preview.cloth.mirror()
                self.assertEqual((report.mode, report.solved_whole), ("exact", 0))
                shape = np.array(preview.shown).reshape(SIDE, SIDE, 3)
                np.testing.assert_allclose(shape, shape[:, ::-1] * (-1, 1, 1), atol=1e-5)
                self.assertGreater(self.place(preview, vertex)[2], start[2] + 0.14)
                scenes.running().stop_everything()
                bpy.data.objects.remove(obj)

    def test_stopping_drops_it(self):
        obj, preview = self.drape()
        self.pull(obj, preview, LAST, (0.0, 0.0, 0.3))
        preview.hold()
        self.assertIsNone(preview.hands_of(preview.uid).pull)


class PinTest(GrabTest):
    def pinned(self):
        """A garment pinned where it was pulled to."""
        obj, preview = self.drape()
        self.pull(obj, preview, LAST, (0.0, 0.0, 0.3))
        self.pin(preview, obj, LAST)
        preview.hands_of(preview.uid).pull = None
        place = self.place(preview, LAST)
        self.advance(preview, 8)
        return obj, preview, place

    def test_a_pin_stays_until_it_is_let_go(self):
        obj, preview, place = self.pinned()
        np.testing.assert_allclose(self.place(preview, LAST), place, atol=1e-5)
        bpy.ops.muslin.let_go(index=0)
        self.advance(preview, 8)
        self.assertLess(self.place(preview, LAST)[2], place[2] - 0.1)
        self.assertEqual(preview.hands_of(preview.uid).pins(obj), ())

    def test_undo_takes_back_the_last_pin_and_redo_sets_it_again(self):
        """What undo does to the garment is to give its property the value that it had."""
        obj, preview, place = self.pinned()
        one = obj.muslin.live_pins
        self.pin(preview, obj, SIDE * (SIDE - 1))
        two = obj.muslin.live_pins
        self.assertEqual(len(preview.hands_of(preview.uid).pins(obj)), 2)
        obj.muslin.live_pins = one
        self.assertEqual([hold.vertex for hold in preview.hands_of(preview.uid).pins(obj)], [LAST])
        self.advance(preview, 4)
        np.testing.assert_allclose(self.place(preview, LAST), place, atol=1e-5)
        obj.muslin.live_pins = two
        self.assertEqual(len(preview.hands_of(preview.uid).pins(obj)), 2)
        obj.muslin.live_pins = 0
        self.assertEqual(preview.hands_of(preview.uid).pins(obj), ())

    def test_a_new_run_begins_without(self):
        obj, preview, _ = self.pinned()
        bpy.ops.muslin.discard()
        preview = addon("preview.preview").begin(obj, self.scene, "drape")
        self.assertEqual(preview.hands_of(preview.uid).pins(obj), ())

    def test_editing_keeps_pins_whose_vertices_are_left(self):
        obj, preview, place = self.pinned()
        self.pin(preview, obj, SIDE * (SIDE - 1))
        self.edit(obj, delete_corner)  # where the first pin is
        self.edit(obj, cut_a_face)
        self.advance(preview, 3)
        (hold,) = preview.hands_of(preview.uid).pins(obj)
        rest = preview._simulation.members[0].garment.modelled.positions[hold.vertex]
        np.testing.assert_allclose(rest, (-0.5, 0.5, 1.0))
        was = self.place(preview, hold.vertex)
        self.until_linear(preview)
        self.advance(preview, 3)
        np.testing.assert_allclose(self.place(preview, hold.vertex), was, atol=1e-4)

    def test_on_a_coarser_level(self):
        obj, preview = self.fine()
        self.pin(preview, obj, 5 * FINE + 7)
        place = self.place(preview, 5 * FINE + 7)
        self.advance(preview, 6)
        np.testing.assert_allclose(self.place(preview, 5 * FINE + 7), place, atol=1e-4)

    def test_pins_are_kept_in_the_group(self):
        obj, preview, _ = self.pinned()
        self.assertEqual(bpy.ops.muslin.keep_pins(), {"FINISHED"})
        vertices, weights = addon("garment.vertex_groups").pins(obj)
        self.assertEqual(vertices.tolist(), [0, SIDE - 1, LAST])
        np.testing.assert_allclose(weights, 1.0)
        self.assertEqual(obj.muslin.pin_group, "Pins")
        self.advance(preview, 2)  # and the run goes on with both

    def test_without_a_group_one_is_made(self):
        obj, preview = self.drape(pins=False)
        self.pin(preview, obj, LAST)
        bpy.ops.muslin.keep_pins()
        self.assertEqual(obj.muslin.pin_group, "Pins")
        self.assertEqual(addon("garment.vertex_groups").pins(obj)[0].tolist(), [LAST])

    def test_the_panel_lists_them(self):
        obj, preview, _ = self.pinned()
        layout = Layout()
        addon("preview.grab_ui").draw(layout, context_of(obj), obj)
        self.assertIn("Pin 1", layout.text())
        self.assertIn(("operator", "muslin.keep_pins"), layout.drawn)
        bpy.ops.muslin.let_go()
        layout = Layout()
        addon("preview.grab_ui").draw(layout, context_of(obj), obj)
        self.assertEqual(layout.drawn, [("operator", "muslin.grab")])


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Find Symmetry, Select Unpaired, the panel, the check and the plane in the view, without simulating."""

import math
import unittest

import bmesh
import bpy
import fake_layout
import mirror_scenes as made
import numpy as np
import scenes
from life import LifeTest
from support import addon

PANEL = next(each for each in addon("panels").SECTIONS if each.name == "mirror")


def look(obj):
    bpy.ops.muslin.find_symmetry()
    return scenes.running().symmetries[obj.muslin.uid]


def spoil(obj, *vertices):
    for vertex in vertices:
        obj.data.vertices[vertex].co.y += 0.02
    obj.data.update()


def selected(obj):
    mesh = bmesh.from_edit_mesh(obj.data)
    return [vertex.index for vertex in mesh.verts if vertex.select]


class FindTest(LifeTest):
    def test_symmetric(self):
        obj = made.mirrored(made.roof())
        report = look(obj)
        self.assertTrue(report.is_symmetric, report.refusal)
        self.assertEqual((report.paired, report.on_plane, report.unpaired), (56, 7, ()))
        self.assertEqual((report.vertices, report.half), (63, 35))
        self.assertEqual(obj.data.vertices[8].co.x, np.float32(0.4))
        drawn = fake_layout.draw(PANEL, obj)
        self.assertIn("35 of 63 vertices", drawn.text())
        self.assertNotIn("ERROR", drawn.icons())

    def test_not_symmetric(self):
        obj = made.mirrored(made.roof())
        spoil(obj, 10)
        report = look(obj)
        self.assertFalse(report.is_symmetric)
        self.assertEqual(report.unpaired, (10, 16))
        self.assertEqual(len(report.points), 2)
        self.assertEqual(report.points[0], tuple(obj.data.vertices[10].co))
        drawn = fake_layout.draw(PANEL, obj)
        self.assertIn("2 vertices without a partner", drawn.text())
        self.assertIn("faces without a mirror image", drawn.text())
        self.assertIn("ERROR", drawn.icons())

    def test_an_even_number_of_columns_lies_across_the_plane(self):
        """All has an image, but the middle faces would have to be cut: the library's words are shown."""
        obj = made.mirrored(scenes.grid("Sheet", 8))
        report = look(obj)
        self.assertEqual((report.unpaired, report.faces), ((), ()))
        self.assertFalse(report.is_symmetric)
        self.assertIn("plane", report.refusal)
        self.assertIn(report.refusal.split()[0], fake_layout.draw(PANEL, obj).text())
        obj.muslin.mirror.method = "halve"
        self.assertTrue(look(obj).is_symmetric)

    def test_cut_in_halves(self):
        """Sides need no partners but have to look alike; where they hardly do, that is reported before the bake."""
        obj = made.mirrored(made.roof(), method="halve")
        spoil(obj, 10)
        report = look(obj)
        self.assertTrue(report.is_symmetric)
        self.assertNotIn("ERROR", fake_layout.draw(PANEL, obj).icons())
        for far, stops in ((0.01, False), (0.1, True)):
            for vertex in obj.data.vertices:
                vertex.co.z += far * (vertex.co.x > 0.15)
            obj.data.update()
            report = look(obj)
            self.assertEqual((report.is_symmetric, bool(report.doubt)), (not stops, not stops))
            self.assertEqual(len(report.farthest), 1)
            self.assertIn("alike", fake_layout.draw(PANEL, obj).text())

    def test_where_it_is_does_not_matter(self):
        obj = made.mirrored(made.roof())
        obj.location = (0.7, -3.0, 2.0)
        obj.rotation_euler = (0.4, 0.9, -2.0)
        for scale in ((1, 1, 1), (2.0, 0.5, 1.3), (-1.5, 1.5, 1.5)):
            obj.scale = scale
            bpy.context.view_layer.update()
            report = look(obj)
            self.assertTrue(report.is_symmetric, report.refusal)
            self.assertEqual((report.paired, report.on_plane), (56, 7))
            corners = np.array(report.corners)
            np.testing.assert_allclose(corners[:, 0], 0, atol=1e-6)  # in the object's own space
            self.assertGreater(report.arrow[1][0], 0.02)

    def test_other_planes(self):
        turns = {"y": (0, 0, math.pi / 2), "z": (0, math.pi / 2, 0)}
        for plane, turn in turns.items():
            obj = made.mirrored(made.roof(plane))
            obj.rotation_euler = turn
            scenes.select(obj)
            bpy.ops.object.transform_apply(rotation=True)
            self.assertFalse(look(obj).is_symmetric)
            obj.muslin.mirror.plane = plane
            self.assertTrue(look(obj).is_symmetric, plane)

    def test_found(self):
        obj = made.mirrored(made.roof(), plane="found")
        for vertex in obj.data.vertices:
            vertex.co.x += 0.3  # the plane is where no axis is
        obj.location = (0, 5.0, 0)
        obj.rotation_euler = (0.2, 0.1, 0.7)
        bpy.context.view_layer.update()
        report = look(obj)
        self.assertTrue(report.is_symmetric, report.refusal)
        np.testing.assert_allclose(np.array(report.corners)[:, 0], 0.3, atol=1e-5)

    def test_tolerance(self):
        obj = made.mirrored(made.roof())
        spoil(obj, 10)
        obj.muslin.mirror.tolerance = 0.03
        self.assertTrue(look(obj).is_symmetric)

    def test_a_change_makes_the_report_old(self):
        obj = made.mirrored(made.roof())
        look(obj)
        obj.muslin.mirror.plane = "y"
        self.assertIn("check again", fake_layout.draw(PANEL, obj).text())
        obj.muslin.mirror.plane = "x"
        self.assertNotIn("check again", fake_layout.draw(PANEL, obj).text())

    def test_in_edit_mode(self):
        obj = made.mirrored(made.roof())
        bpy.ops.object.mode_set(mode="EDIT")
        mesh = bmesh.from_edit_mesh(obj.data)
        mesh.verts.ensure_lookup_table()
        mesh.verts[10].co.z += 0.05
        bmesh.update_edit_mesh(obj.data)
        self.assertEqual(look(obj).unpaired, (10, 16))


class SelectTest(LifeTest):
    def test_from_object_and_edit_mode(self):
        obj = made.mirrored(made.roof())
        spoil(obj, 10)
        for mode in ("OBJECT", "EDIT"):
            bpy.ops.object.mode_set(mode=mode)
            look(obj)
            self.assertEqual(bpy.ops.muslin.select_unpaired(), {"FINISHED"})
            self.assertEqual((obj.mode, selected(obj)), ("EDIT", [10, 16]))

    def test_nothing_to_select(self):
        obj = made.mirrored(made.roof())
        look(obj)
        self.assertEqual(bpy.ops.muslin.select_unpaired(), {"CANCELLED"})
        self.assertEqual(obj.mode, "OBJECT")

    def test_faces_where_all_vertices_have_a_partner(self):
        obj = made.mirrored(made.roof())
        mesh = bmesh.new()
        mesh.from_mesh(obj.data)
        mesh.faces.ensure_lookup_table()
        mesh.faces.remove(mesh.faces[3])
        mesh.to_mesh(obj.data)
        mesh.free()
        self.assertEqual(len(look(obj).faces), 1)
        bpy.ops.muslin.select_unpaired()
        bpy.ops.object.mode_set(mode="OBJECT")
        self.assertEqual(sum(face.select for face in obj.data.polygons), 1)

    def test_old_report_is_refused(self):
        obj = made.mirrored(made.roof())
        with self.assertRaisesRegex(RuntimeError, "Find Symmetry again"):
            bpy.ops.muslin.select_unpaired()
        spoil(obj, 10)
        look(obj)
        obj.muslin.mirror.plane = "y"
        with self.assertRaisesRegex(RuntimeError, "Find Symmetry again"):
            bpy.ops.muslin.select_unpaired()

    def test_undo(self):
        obj = made.mirrored(made.roof())
        spoil(obj, 10)
        bpy.context.preferences.edit.use_global_undo = True
        bpy.ops.ed.undo_push(message="before")
        look(obj)
        bpy.ops.muslin.select_unpaired()
        bpy.ops.ed.undo_push(message="selected")
        bpy.ops.ed.undo()
        obj = bpy.data.objects["Roof"]
        scenes.select(obj)
        self.assertEqual(obj.mode, "OBJECT")
        self.assertEqual(look(obj).unpaired, (10, 16))


class CheckTest(LifeTest):
    def kinds(self, obj):
        bpy.ops.muslin.check()
        return {f.kind: f for f in addon("check.check_ui").last_findings(obj)}

    def test_nothing_is_wrong(self):
        obj = made.mirrored(made.roof(height=0.4))
        obj.muslin.colliders.add().object = scenes.ball(moving=False)
        scenes.select(obj)
        self.assertEqual(self.kinds(obj), {})

    def test_mesh(self):
        obj = made.mirrored(made.roof())
        spoil(obj, 10)
        found = self.kinds(obj)["mirror_mesh"]
        self.assertEqual((found.stops, found.element, found.indices), (False, "VERT", [10, 16]))
        self.assertIn("the whole garment is simulated", found.text)
        obj.muslin.mirror.method = "exact"
        self.assertTrue(self.kinds(obj)["mirror_mesh"].stops)
        obj.muslin.mirror.enabled = False
        self.assertEqual(self.kinds(obj), {})

    def test_sides_that_are_not_alike(self):
        obj = made.mirrored(made.roof(), method="halve")
        spoil(obj, 10)
        self.assertEqual(self.kinds(obj), {})
        for far, kind, stops in ((0.01, "mirror_sides", False), (0.1, "mirror_mesh", True)):
            for vertex in obj.data.vertices:
                vertex.co.z += far * (vertex.co.x > 0.15)
            obj.data.update()
            found = self.kinds(obj)
            self.assertEqual((list(found), found[kind].stops), ([kind], stops))
            self.assertEqual((found[kind].element, len(found[kind].indices)), ("VERT", 1))
            self.assertIn("alike", found[kind].text)

    def test_pins_maps_and_wind(self):
        obj = made.mirrored(made.roof())
        for name in ("pin", "mass"):
            group = obj.vertex_groups.new(name=name)
            group.add([0, 1], 1.0, "REPLACE")
            setattr(obj.muslin, f"{name}_group", name)
        obj.muslin.wind = (2.0, 1.0, 0.0)
        self.assertEqual(set(self.kinds(obj)), {"mirror_pins", "mirror_maps", "mirror_forces"})

    def test_body(self):
        obj = made.mirrored(made.roof())
        ball = scenes.ball(moving=False)
        ball.location.x = 0.016
        obj.muslin.colliders.add().object = ball
        scenes.select(obj)
        found = self.kinds(obj)["mirror_body"]
        self.assertIn("Ball is 3.2 cm from its mirror image", found.text)
        self.assertFalse(found.stops)

    def test_a_zip_that_closes_nothing(self):
        obj = made.mirrored(made.roof(), closure="zip")
        self.assertRegex(self.kinds(obj)["closes_nothing"].text, "^Zip closes nothing: Roof has no")
        bpy.ops.muslin.fix_problem(index=0)
        self.assertEqual((obj.muslin.mirror.closure, self.kinds(obj)), ("free", {}))

    def test_moved_object_with_a_body_there(self):
        """Garment and body stand to one side together: nothing is wrong with that."""
        obj = made.mirrored(made.roof(height=0.4))
        ball = scenes.ball(moving=False)
        for each in (obj, ball):
            each.location = (1.5, -2.0, 0.3)
            each.rotation_euler.z = 0.8
        obj.muslin.colliders.add().object = ball
        scenes.select(obj)
        self.assertEqual(self.kinds(obj), {})


class PanelTest(LifeTest):
    def test_all_choices(self):
        obj = made.mirrored(made.roof())
        mirror = obj.muslin.mirror
        for name in ("method", "plane", "closure", "over", "asymmetric_body"):
            for choice in mirror.bl_rna.properties[name].enum_items:
                setattr(mirror, name, choice.identifier)
                drawn = fake_layout.draw(PANEL, obj).drawn
                self.assertEqual(("prop", "overlap") in drawn, mirror.closure == "button")
        mirror.enabled = False
        self.assertIn(("prop", "enabled"), fake_layout.draw(PANEL, obj).drawn)

    def test_switched_off_it_shows_nothing(self):
        obj = made.mirrored(made.roof())
        bpy.ops.muslin.find_symmetry()
        self.assertIsNotNone(addon("mirror.mirror_overlay").shown(bpy.context, obj))
        obj.muslin.mirror.enabled = False
        self.assertIsNone(addon("mirror.mirror_overlay").shown(bpy.context, obj))

    def test_no_tolerance_reads_automatic(self):
        obj = made.mirrored(made.roof())
        for tolerance, text in ((0.0, "Tolerance (automatic)"), (0.001, "Tolerance")):
            obj.muslin.mirror.tolerance = tolerance
            self.assertIn(("name", text), fake_layout.draw(PANEL, obj).drawn)

    def test_off_by_default(self):
        self.assertFalse(self.garment().muslin.mirror.enabled)

    def test_settings_survive_saving(self):
        obj = made.mirrored(made.roof(), method="exact", plane="found", closure="button")
        obj.muslin.mirror.overlap, obj.muslin.mirror.over = 0.05, "other"
        look(obj)
        bpy.ops.wm.save_as_mainfile(filepath=self.blend)
        bpy.ops.wm.open_mainfile(filepath=self.blend)
        mirror = bpy.data.objects["Roof"].muslin.mirror
        self.assertEqual((mirror.enabled, mirror.method, mirror.plane), (True, "exact", "found"))
        self.assertEqual((mirror.closure, mirror.over), ("button", "other"))
        self.assertAlmostEqual(mirror.overlap, 0.05)
        self.assertEqual(scenes.running().symmetries, {})


class OverlayTest(LifeTest):
    def test_draws_nothing_without_a_window(self):
        self.assertFalse(addon("mirror.mirror_overlay")._drawing._handlers)

    def test_comes_and_goes(self):
        """As in a window, where Blender only has to call it."""
        overlay = addon("mirror.mirror_overlay")
        calls = []
        view = bpy.types.SpaceView3D

        class Fake:
            draw_handler_add = staticmethod(lambda *given: calls.append("add") or "handle")
            draw_handler_remove = staticmethod(lambda *given: calls.append(given))

        class Window:
            app = type("app", (), {"background": False})
            types = type("types", (), {"SpaceView3D": Fake})

        drawing = addon("drawing")
        kept, drawing.bpy = drawing.bpy, Window
        try:
            overlay.register()
            overlay.register()
            self.assertTrue(overlay._drawing._handlers)
            overlay.unregister()
            overlay.unregister()
        finally:
            drawing.bpy = kept
        self.assertEqual(calls, ["add", ("handle", "WINDOW")])
        self.assertIs(bpy.types.SpaceView3D, view)


if __name__ == "__main__":
    unittest.main()

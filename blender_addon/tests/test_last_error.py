# SPDX-License-Identifier: GPL-3.0-or-later
"""What ended a run stays in the panel, with its vertices, until it is dismissed or another run begins."""

import unittest

import bpy

import scenes
from fake_layout import Layout, context_of
from support import addon


class LastErrorTest(unittest.TestCase):
    def setUp(self):
        self.scene = scenes.empty_scene()
        self.obj = scenes.garment()

    @property
    def error(self):
        return scenes.running().errors.get(self.obj.muslin.uid)

    def break_vertex(self, vertex=40):
        co = self.obj.data.vertices[vertex].co.copy()
        self.obj.data.vertices[vertex].co.x = float("nan")
        return co

    def press(self, button, **options):
        with self.assertRaises(RuntimeError):
            button(**options)

    def test_of_a_bake_until_the_next(self):
        before = self.break_vertex()
        self.press(bpy.ops.muslin.bake)
        self.assertIn("40", self.error.text)
        self.assertEqual((self.error.element, self.error.indices), ("VERT", [40]))
        self.obj.data.vertices[40].co = before
        bpy.ops.muslin.bake()
        self.assertIsNone(self.error)

    def test_of_a_preview_and_dismissed(self):
        self.break_vertex()
        self.press(bpy.ops.muslin.drape_now)
        self.assertIn("40", self.error.text)
        bpy.ops.muslin.dismiss_error()
        self.assertIsNone(self.error)

    def test_of_a_dress(self):
        ball = scenes.ball(moving=False)
        self.break_vertex()
        for each in (ball, self.obj):
            each.select_set(True)
        bpy.context.view_layer.objects.active = self.obj
        bpy.ops.muslin.fit_suit()
        self.assertIsNotNone(self.error)

    def test_it_is_shown(self):
        self.break_vertex()
        self.press(bpy.ops.muslin.bake)
        bpy.ops.muslin.show_error()
        chosen = [vertex.index for vertex in _edited(self.obj).verts if vertex.select]
        self.assertEqual(chosen, [40])
        bpy.ops.object.mode_set(mode="OBJECT")

    def test_the_panel_has_it(self):
        last_error = addon("last_error")
        layout = Layout()
        last_error.draw(layout, context_of(self.obj), self.obj)
        self.assertEqual(layout.drawn, [])
        self.break_vertex()
        self.press(bpy.ops.muslin.bake)
        last_error.draw(layout, context_of(self.obj), self.obj)
        self.assertIn("vertex (40)", layout.text())
        buttons = [name for kind, name in layout.drawn if kind == "operator"]
        self.assertEqual(buttons, ["muslin.show_error", "muslin.dismiss_error"])

    def test_of_an_inner_and_an_outer_garment(self):
        """Vertices of their cloth are those of one of them."""
        members, problems = addon("simulation.members"), addon("scene.problems")
        outer = scenes.garment("Outer", height=1.2)

        def member(obj, begin):
            count = len(obj.data.vertices)
            garment = type("Data", (), {"vertex_count": count})()
            uid = addon("scene.lookup").ensure_uid(obj)
            return members.Member(uid, obj.name, garment, begin, (count, 0, 0))

        both = [member(self.obj, 0), member(outer, 81)]
        problem = problems.Problem("at 85", "VERT", [85], "Sheet and Outer")
        members.note_error(both, problem)
        self.assertEqual((self.error.object_name, self.error.indices), ("Outer", [4]))


def _edited(obj):
    import bmesh

    return bmesh.from_edit_mesh(obj.data)

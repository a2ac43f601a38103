# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad starts and bad results are reported: by Check before a bake, and after it with the frame and the place."""

import os
import shutil
import tempfile
import unittest

import bpy
import numpy as np
import scenes
from support import addon

check = addon("check.check_ui")


class Case(unittest.TestCase):
    def setUp(self):
        self.scene = scenes.empty_scene()
        self.folder = tempfile.mkdtemp(prefix="muslin-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def sheet(self, height, size=21, **more):
        obj = scenes.garment(size=size, pins=False, height=height, **more)
        obj.muslin.cache_folder = os.path.join(self.folder, "cache")
        return obj

    def on_ball(self, height):
        """A sheet at a height over the middle of a ball of 0.3 m."""
        obj = self.sheet(height)
        obj.muslin.colliders.add().object = scenes.ball(moving=False)
        scenes.select(obj)
        return obj

    def check(self, obj):
        scenes.select(obj)
        self.assertEqual(bpy.ops.muslin.check(), {"FINISHED"})
        return {finding.kind: finding for finding in check.last_findings(obj)}

    def selected(self, obj, kind):
        kinds = [finding.kind for finding in check.last_findings(obj)]
        bpy.ops.muslin.select_problem(index=kinds.index(kind))
        bpy.ops.object.mode_set(mode="OBJECT")
        return [vertex.index for vertex in obj.data.vertices if vertex.select]


class StartTest(Case):
    def test_above_the_ball_nothing_is_wrong(self):
        self.assertEqual(self.check(self.on_ball(0.32)), {})

    def test_sheet_through_a_ball(self):
        obj = self.on_ball(0.2)
        found = self.check(obj)
        self.assertEqual(set(found), {"inside", "body_pierced"})
        self.assertRegex(found["inside"].text, "^At the start, [0-9]+ vertices are inside a body")
        self.assertIn("unlikely to resolve itself", found["inside"].text)
        places = np.array([vertex.co for vertex in obj.data.vertices])
        within = np.linalg.norm(places, axis=1) < 0.28  # the ball is a polyhedron
        self.assertGreater(within.sum(), 10)
        chosen = self.selected(obj, "inside")
        self.assertLessEqual(set(np.flatnonzero(within)), set(chosen))
        self.assertTrue((np.linalg.norm(places[chosen], axis=1) < 0.3).all())
        self.assertTrue(self.selected(obj, "body_pierced"))

    def test_a_scene_that_is_too_large(self):
        obj = self.sheet(100.0, side=100.0)
        self.assertRegex(self.check(obj)["scale"].text, "Sheet is 141 m across")
        self.scene.unit_settings.scale_length = 0.01
        self.assertEqual(self.check(obj), {})

    def test_a_thickness_larger_than_edges(self):
        obj = self.on_ball(0.5)
        obj.muslin.thickness = 0.06
        self.assertRegex(self.check(obj)["thickness"].text, "is 6 cm, .* only 5 cm")
        kinds = [finding.kind for finding in check.last_findings(obj)]
        bpy.ops.muslin.fix_problem(index=kinds.index("thickness"))
        self.assertEqual(check.last_findings(obj), [])
        self.assertAlmostEqual(obj.muslin.thickness, 0.025, delta=1e-6)

    def test_another_frame_is_named(self):
        """A bake begins in frame 1, where nothing is wrong."""
        obj = self.sheet(0.52)
        obj.muslin.colliders.add().object = scenes.ball()
        self.scene.frame_set(1)
        self.assertEqual(self.check(obj), {})
        self.scene.frame_set(10)
        self.assertRegex(self.check(obj)["inside"].text, "^In frame 10, [0-9]+ vertices are inside")

    def test_findings_of_another_mesh_are_forgotten(self):
        obj = self.sheet(0.5)
        obj.data.vertices.add(2)
        self.assertIn("isolated", self.check(obj))
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="SELECT")
        bpy.ops.mesh.delete_loose(use_verts=True, use_edges=False, use_faces=False)
        bpy.ops.object.mode_set(mode="OBJECT")
        bpy.ops.muslin.bake()
        self.assertEqual(check.last_findings(obj), [])

    def test_nothing_to_keep_away_from(self):
        obj = self.sheet(0.5)
        obj.muslin.thickness = 0.06
        self.assertEqual(self.check(obj), {})


class BakedTest(Case):
    def test_a_cache_whose_folder_is_gone(self):
        obj = self.sheet(0.5)
        bpy.ops.muslin.bake()
        self.assertEqual(self.check(obj), {})
        shutil.rmtree(obj.muslin.cache_folder)
        self.assertRegex(self.check(obj)["cache_gone"].text, "cache of Sheet is missing: ")
        bpy.ops.muslin.fix_problem(index=0)
        self.assertEqual((obj.muslin.baked.kind, check.last_findings(obj)), ("", []))

    def test_a_mesh_that_was_subdivided_since(self):
        obj = self.sheet(0.5)
        bpy.ops.muslin.bake()
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="SELECT")
        bpy.ops.mesh.subdivide()
        bpy.ops.object.mode_set(mode="OBJECT")
        found = self.check(obj)["bake_of_other_mesh"]
        self.assertIn("baked with 441 vertices and has 1681 now", found.text)

    def test_a_good_bake_says_so(self):
        obj = self.on_ball(0.31)
        bpy.ops.muslin.bake()
        self.assertIn("Nothing penetrates or intersects", obj.muslin.baked.verdict)
        self.assertEqual(check.last_findings(obj), [])

    def test_a_bad_bake_says_where_and_since_when(self):
        """A sheet that is held everywhere, through a ball, cannot get away."""
        obj = self.on_ball(0.2)
        obj.vertex_groups.new(name="All").add(list(range(441)), 1.0, "REPLACE")
        obj.muslin.pin_group = "All"
        bpy.ops.muslin.bake()
        kinds = [finding.kind for finding in check.last_findings(obj)]
        self.assertEqual(kinds, ["inside", "body_pierced"])
        finding = check.last_findings(obj)[0]
        self.assertRegex(finding.text, "^Frame 10: .* since frame 1$")
        self.assertIn("2 problems found", obj.muslin.baked.verdict)
        self.scene.frame_set(7)
        bpy.ops.muslin.go_to_problem(index=0)
        self.assertEqual(self.scene.frame_current, 1)
        self.assertTrue(self.selected(obj, "inside"))
        self.check(obj)  # a check keeps what the bake told
        self.assertEqual(sum(each.frame is not None for each in check.last_findings(obj)), 2)
        bpy.ops.muslin.free()
        self.check(obj)
        self.assertEqual(sum(each.frame is not None for each in check.last_findings(obj)), 0)

    def test_frames_that_are_not_clean_are_listed(self):
        """A ball passes through a sheet that is held everywhere; at the end all is well again."""
        obj = self.sheet(0.5)
        ball = scenes.ball()
        ball.location.z = 1.6
        ball.keyframe_insert("location", frame=10)
        obj.muslin.colliders.add().object = ball
        obj.vertex_groups.new(name="All").add(list(range(441)), 1.0, "REPLACE")
        obj.muslin.pin_group = "All"
        scenes.select(obj)
        bpy.ops.muslin.bake()
        (finding,) = check.last_findings(obj)
        listed = r"^Frames 2-[4-9]: edges through the body, worst [0-9]+ in [2-9]$"
        self.assertRegex(finding.text, listed)
        bpy.ops.muslin.go_to_problem(index=0)
        self.assertEqual(self.scene.frame_current, finding.frame)
        self.assertTrue(self.selected(obj, "body_pierced"))

    def test_without_a_body_there_is_nothing_to_say(self):
        obj = self.sheet(0.5)
        bpy.ops.muslin.bake()
        self.assertEqual(obj.muslin.baked.verdict, "")


if __name__ == "__main__":
    unittest.main()

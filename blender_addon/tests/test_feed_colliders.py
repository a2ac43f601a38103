# SPDX-License-Identifier: GPL-3.0-or-later
"""Colliders are read as they are evaluated in each frame; what is wrong with one is said."""

import unittest

import bpy
import numpy as np
import feed_scenes as scenes
from support import addon

feed = addon("garment.feed")
colliders = addon("bodies.colliders")
muslin = addon("muslin")
Problem = addon("scene.problems").Problem


class FakeBody:
    """What a cloth would hand out; records what it is given."""

    def __init__(self, cloth, mesh, thickness, friction):
        self._cloth, self.mesh, self.surface = cloth, mesh, (thickness, friction)
        self.positions, self.last, self.removed = mesh.positions, "added", False

    def move(self, positions):
        self.positions, self.last = positions, "moved"

    def place(self, positions):
        self.positions, self.last = positions, "placed"

    def replace(self, mesh):
        self.mesh, self.positions, self.last = mesh, mesh.positions, "replaced"

    def set_surface(self, thickness, friction):
        self.surface = thickness, friction

    def remove(self):
        self.removed = True


class FakeCloth:
    def __init__(self):
        self.bodies = []

    def add_body(self, mesh, thickness, friction):
        self.bodies.append(FakeBody(self, mesh, thickness, friction))
        return self.bodies[-1]


def evaluated_by_blender(obj):
    """Its vertices in the world, one by one."""
    evaluated = obj.evaluated_get(scenes.depsgraph())
    return scenes.placed([v.co for v in evaluated.data.vertices], evaluated.matrix_world)


class Reading(unittest.TestCase):
    def setUp(self):
        self.scene = scenes.empty()
        self.cloth = scenes.garment()
        self.fake = FakeCloth()
        self.read = colliders.Colliders()

    def begin(self):
        self.read.begin(self.fake, self.cloth, self.scene, scenes.depsgraph())
        return [body for body in self.fake.bodies if not body.removed]

    def follow(self, **how):
        self.read.follow(self.fake, self.cloth, self.scene, scenes.depsgraph(), **how)
        return [body for body in self.fake.bodies if not body.removed]

    def test_animated_and_subdivided(self):
        body = scenes.cube()
        body.modifiers.new("Subdivision", "SUBSURF").levels = 2
        wave = body.modifiers.new("Cast", "CAST")
        for frame, x, factor in ((1, 0.0, 0.0), (11, 4.0, 1.0)):
            body.location.x, wave.factor = x, factor
            body.keyframe_insert("location", frame=frame)
            wave.keyframe_insert("factor", frame=frame)
        body.scale = (-1, 0.5, 2)
        scenes.collide(self.cloth, body)
        self.scene.frame_set(1)
        (found,) = self.begin()
        self.assertEqual(len(found.mesh.positions), 98)
        earlier = found.positions
        for frame in (4, 8, 11):
            self.scene.frame_set(frame)
            self.follow()
            self.assertEqual(found.last, "moved")
            np.testing.assert_allclose(found.positions, evaluated_by_blender(body), atol=3e-6)
            self.assertGreater(np.abs(found.positions - earlier).max(), 0.1)
            earlier = found.positions.copy()
        self.follow(jump=True)
        self.assertEqual(found.last, "placed")

    def test_unit_scale(self):
        self.scene.unit_settings.scale_length = 0.01
        scenes.collide(self.cloth, scenes.cube(size=2.0))
        (found,) = self.begin()
        self.assertAlmostEqual(float(found.positions.max()), 0.01, places=7)

    def test_nested_collections_without_itself(self):
        outer, inner = (bpy.data.collections.new(name) for name in ("Outer", "Inner"))
        self.scene.collection.children.link(outer)
        outer.children.link(inner)
        inner.objects.link(scenes.cube("Deep"))
        outer.objects.link(self.cloth)
        lamp = bpy.data.objects.new("Empty", None)
        outer.objects.link(lamp)
        self.cloth.muslin.collider_collection = outer
        scenes.collide(self.cloth, self.cloth)
        self.assertEqual(len(self.begin()), 1)

    def test_each_once_with_its_own_surface(self):
        body = scenes.cube()
        item = scenes.collide(self.cloth, body)
        item.own_surface, item.thickness, item.friction = True, 0.02, 0.9
        group = bpy.data.collections.new("Group")
        group.objects.link(body)
        self.cloth.muslin.collider_collection = group
        (found,) = self.begin()
        np.testing.assert_allclose(found.surface, (0.02, 0.9), rtol=1e-6)
        item.friction = 0.1
        self.follow()
        np.testing.assert_allclose(found.surface, (0.02, 0.1), rtol=1e-6)
        item.enabled = False  # also where a collection holds it
        self.assertEqual(self.follow(), [])

    def test_curve(self):
        bpy.ops.curve.primitive_bezier_circle_add()
        curve = bpy.context.object
        curve.data.bevel_depth = 0.1
        scenes.collide(self.cloth, curve)
        (found,) = self.begin()
        self.assertGreater(len(found.mesh.face_sizes), 10)
        curve.location.z = 3
        self.follow()
        self.assertGreater(found.positions[:, 2].min(), 2.8)

    def test_text_surface_and_metaball(self):
        bpy.ops.object.text_add()
        bpy.context.object.data.extrude = 0.1
        scenes.collide(self.cloth, bpy.context.object)
        bpy.ops.surface.primitive_nurbs_surface_sphere_add()
        scenes.collide(self.cloth, bpy.context.object)
        bpy.ops.object.metaball_add()
        scenes.collide(self.cloth, bpy.context.object)
        found = self.begin()
        self.assertEqual(self.read.notes, [])
        self.assertEqual(len(found), 3)
        self.assertEqual([body.last for body in self.follow()], ["moved"] * 3)

    def test_deleted(self):
        body = scenes.cube()
        scenes.collide(self.cloth, body, scenes.cube("Stays"))
        self.assertEqual(len(self.begin()), 2)
        bpy.data.objects.remove(body)
        self.assertEqual(len(self.follow()), 1)
        self.assertIn("Body was deleted", self.read.notes[0])

    def test_deleted_by_the_artist(self):
        """The garment's setting keeps a deleted object alive, where nobody can see it."""
        body = scenes.cube()
        scenes.collide(self.cloth, body)
        self.assertEqual(len(self.begin()), 1)
        body.select_set(True)
        bpy.ops.object.delete()
        self.assertEqual(self.follow(), [])
        self.assertRegex(self.read.notes[0], "Body (was deleted|is gone)")

    def test_appears_while_running(self):
        self.assertEqual(self.begin(), [])
        scenes.collide(self.cloth, scenes.cube())
        self.assertEqual(len(self.follow()), 1)

    def test_renamed_is_the_same(self):
        body = scenes.cube()
        if not hasattr(body, "session_uid"):
            self.skipTest("this Blender tells objects apart by name only")
        scenes.collide(self.cloth, body)
        self.begin()
        body.name = "Other"
        self.assertEqual([found.last for found in self.follow()], ["moved"])

    def test_without_faces(self):
        scenes.collide(self.cloth, scenes.mesh_object("Dust", [(0, 0, 0)]))
        self.assertEqual(self.begin(), [])
        self.follow()
        self.assertEqual(self.read.notes, ["Dust has no faces: the cloth does not collide with it"])

    def test_hidden(self):
        body = scenes.cube()
        scenes.collide(self.cloth, body)
        body.hide_set(True)  # the eye only hides it from view
        self.assertEqual(len(self.begin()), 1)
        body.hide_viewport = True
        self.assertEqual(self.follow(), [])
        self.assertIn("Body is disabled", self.read.notes[0])
        body.hide_viewport = False
        self.assertEqual(len(self.follow()), 1)

    def test_collection_out_of_use(self):
        group = bpy.data.collections.new("Proxies")
        self.scene.collection.children.link(group)
        body = scenes.cube()
        group.objects.link(body)
        self.scene.collection.objects.unlink(body)
        scenes.collide(self.cloth, body)
        layer = bpy.context.view_layer.layer_collection.children["Proxies"]
        layer.hide_viewport = True  # its eye
        self.assertEqual(len(self.begin()), 1)
        for owner, name in ((group, "hide_viewport"), (layer, "exclude")):
            setattr(owner, name, True)
            self.assertEqual(self.follow(), [], name)
            setattr(owner, name, False)
            self.assertEqual(len(self.follow()), 1, name)

    def test_other_faces(self):
        body = scenes.cube()
        subdivision = body.modifiers.new("Subdivision", "SUBSURF")
        scenes.collide(self.cloth, body)
        (found,) = self.begin()
        subdivision.levels = 2
        self.follow()
        self.assertEqual((found.last, len(found.positions)), ("replaced", 98))
        self.assertIn("new faces", self.read.notes[0])
        self.follow()
        self.assertEqual(found.last, "moved")

    def test_same_numbers_but_other_faces(self):
        body = scenes.grid("Sheet", cells=1)
        scenes.collide(self.cloth, body)
        (found,) = self.begin()
        if not addon("scene.arrays").has_quick_corners(body.data):
            self.skipTest("corners are slow to read in this Blender, so counts decide")
        body.data.polygons[0].flip()
        body.data.update()
        self.follow()
        self.assertEqual(found.last, "replaced")

    def test_not_finite(self):
        body = scenes.cube()
        scenes.collide(self.cloth, body)
        (found,) = self.begin()
        body.data.vertices[3].co.x = float("nan")
        body.data.update()
        found.last = "left alone"
        self.follow()
        self.assertEqual(found.last, "left alone")
        self.assertIn("Body has 1 vertex (3)", self.read.notes[0])
        with self.assertRaisesRegex(Problem, r"Body has 1 vertex \(3\)") as caught:
            self.begin()
        self.assertEqual(caught.exception.indices, [3])

    def test_edit_mode(self):
        body = scenes.cube()
        scenes.collide(self.cloth, body)
        (found,) = self.begin()
        bpy.context.view_layer.objects.active = body
        bpy.ops.object.mode_set(mode="EDIT")
        try:
            self.assertEqual(self.follow(), [found])
        finally:
            bpy.ops.object.mode_set(mode="OBJECT")
        self.assertEqual(found.last, "added")


class Real(unittest.TestCase):
    """With the native library behind."""

    def setUp(self):
        self.scene = scenes.empty()
        self.cloth = scenes.garment(cells=8, height=1.2)

    def begin(self):
        depsgraph = scenes.depsgraph()
        made = feed.Feed(self.cloth, self.scene, depsgraph)
        cloth = muslin.Cloth(made.garment.mesh, **made.garment.settings)
        made.begin(cloth, self.cloth, self.scene, depsgraph)
        return made, cloth

    def test_cloth_lies_on_the_body(self):
        scenes.collide(self.cloth, scenes.cube(size=2.0))
        made, cloth = self.begin()
        for _ in range(24):
            made.follow(cloth, self.cloth, self.scene, scenes.depsgraph())
            cloth.step(1 / 24)
        self.assertGreater(cloth.positions()[:, 2].min(), 1.0)
        self.assertLess(cloth.positions()[:, 2].max(), 1.1)

    def test_beginning_again_has_each_body_once(self):
        scenes.collide(self.cloth, scenes.cube(size=2.0))
        made, cloth = self.begin()
        first = made.colliders._known.copy()
        cloth.step(1 / 24)
        made.begin(cloth, self.cloth, self.scene, scenes.depsgraph())
        self.assertTrue(np.array_equal(cloth.positions(), made.garment.start))
        for known in first.values():
            with self.assertRaises(muslin.MuslinError):
                known.body.place(known.local)

    def test_flattened_body(self):
        """All its points in one place: no face has an area, and the artist is told whose."""
        body = scenes.cube(size=2.0)
        scenes.collide(self.cloth, body)
        made, cloth = self.begin()
        body.scale = (0, 0, 0)
        bpy.context.view_layer.update()
        made.follow(cloth, self.cloth, self.scene, scenes.depsgraph())
        cloth.step(1 / 24)
        self.assertTrue(np.isfinite(cloth.positions()).all())

    def test_nothing_of_blender_is_kept(self):
        scenes.collide(self.cloth, scenes.cube(size=2.0))
        made, cloth = self.begin()
        made.follow(cloth, self.cloth, self.scene, scenes.depsgraph())
        seen, waiting = set(), [made]
        while waiting:
            one = waiting.pop()
            self.assertNotIsInstance(one, bpy.types.bpy_struct)
            if id(one) in seen or isinstance(one, (np.ndarray, str, muslin.Cloth)):
                continue
            seen.add(id(one))
            waiting.extend(getattr(one, "__dict__", {}).values())
            if isinstance(one, dict):
                waiting.extend([*one.keys(), *one.values()])
            elif isinstance(one, (list, tuple, set)):
                waiting.extend(one)
        self.assertGreater(len(seen), 20)

    def test_flattened_while_running(self):
        made, cloth = self.begin()
        self.cloth.scale.x = 0
        with self.assertRaisesRegex(Problem, "Cloth is flattened"):
            made.follow(cloth, self.cloth, self.scene, scenes.depsgraph())

    def test_what_the_library_refuses_names_the_object(self):
        item = scenes.collide(self.cloth, scenes.cube())
        made, cloth = self.begin()
        cloth.close()
        with self.assertRaisesRegex(Problem, "^Cloth: "):
            made.follow(cloth, self.cloth, self.scene, scenes.depsgraph())
        self.assertTrue(item.enabled)


if __name__ == "__main__":
    unittest.main()

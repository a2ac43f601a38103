# SPDX-License-Identifier: GPL-3.0-or-later
"""The check finds each kind of problem, selects exactly what it means, and mends what it offers."""

import unittest

import bpy
import numpy as np
import feed_scenes as scenes
from support import addon

check = addon("check.check_ui")
place = addon("scene.place")
SQUARE = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]


class Case(unittest.TestCase):
    def setUp(self):
        scenes.empty()

    def tearDown(self):
        if bpy.context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")

    def check(self, obj):
        """{kind: finding}, through the button."""
        bpy.context.view_layer.objects.active = obj
        self.assertEqual(bpy.ops.muslin.check(), {"FINISHED"})
        self.found = check.last_findings(obj)
        return {finding.kind: finding for finding in self.found}

    def index(self, kind):
        return next(i for i, finding in enumerate(self.found) if finding.kind == kind)

    def one(self, obj, kind, text, stops=False):
        """This is found, and nothing else."""
        found = self.check(obj)
        self.assertEqual(list(found), [kind])
        self.assertRegex(found[kind].text, text)
        self.assertEqual(found[kind].stops, stops)
        return found[kind]

    def fix(self, obj, kind):
        self.assertEqual(bpy.ops.muslin.fix_problem(index=self.index(kind)), {"FINISHED"})
        self.found = check.last_findings(obj)
        self.assertNotIn(kind, {finding.kind for finding in self.found})

    def selected(self, obj, kind):
        """Indices that are selected in edit mode afterwards."""
        self.assertEqual(bpy.ops.muslin.select_problem(index=self.index(kind)), {"FINISHED"})
        self.assertEqual(obj.mode, "EDIT")
        element = self.found[self.index(kind)].element
        bpy.ops.object.mode_set(mode="OBJECT")
        mesh = obj.data
        elements = {"VERT": mesh.vertices, "EDGE": mesh.edges, "FACE": mesh.polygons}[element]
        return [one.index for one in elements if one.select]


class Meshes(Case):
    def test_nothing_is_wrong(self):
        cloth = scenes.garment()
        self.assertIsNone(check.last_findings(cloth))
        self.assertEqual(self.check(cloth), {})
        self.assertEqual(check.last_findings(cloth), [])

    def test_no_face(self):
        self.one(scenes.mesh_object("Dust", [(0, 0, 0)]), "no_face", "Dust has no face", True)

    def test_loose_vertices(self):
        cloth = scenes.mesh_object("Cloth", [*SQUARE, (5, 5, 5), (6, 5, 5)], [(0, 1, 2, 3)])
        self.one(cloth, "isolated", "^2 vertices belong to no face")
        self.assertEqual(self.selected(cloth, "isolated"), [4, 5])
        self.fix(cloth, "isolated")
        self.assertEqual(len(cloth.data.vertices), 4)

    def test_doubled_vertices(self):
        places = [*SQUARE, (1, 0, 0), (2, 0, 0), (2, 1, 0), (1, 1, 0)]
        cloth = scenes.mesh_object("Cloth", places, [(0, 1, 2, 3), (4, 5, 6, 7)])
        cloth.shape_key_add(name="Basis")
        self.one(cloth, "doubled_vertex", "^2 vertices lie exactly on others")
        self.assertEqual(self.selected(cloth, "doubled_vertex"), [1, 2, 4, 7])
        self.fix(cloth, "doubled_vertex")
        self.assertEqual((len(cloth.data.vertices), len(cloth.data.polygons)), (6, 2))
        self.assertEqual(len(cloth.data.shape_keys.key_blocks), 1)

    def test_faces_without_area(self):
        places = [*SQUARE, (0.5, 0, 0)]
        cloth = scenes.mesh_object("Cloth", places, [(0, 1, 2, 3), (0, 4, 1)])
        found = self.check(cloth)
        self.assertRegex(found["zero_area"].text, "^1 face has no area")
        self.assertEqual(self.selected(cloth, "zero_area"), [1])
        self.fix(cloth, "zero_area")

    def test_flipped(self):
        cloth = scenes.mesh_object(
            "Cloth", [*SQUARE, (2, 0, 0), (2, 1, 0)], [(0, 1, 2, 3), (1, 2, 5, 4)]
        )
        self.one(cloth, "flipped", "^1 edge lies between faces")
        edge = cloth.data.edges[self.selected(cloth, "flipped")[0]]
        self.assertEqual(sorted(edge.vertices), [1, 2])
        self.fix(cloth, "flipped")

    def test_duplicate_faces(self):
        cloth = scenes.mesh_object("Cloth", SQUARE, [(0, 1, 2, 3), (0, 1, 2, 3)])
        found = self.check(cloth)
        self.assertRegex(found["duplicate_face"].text, "^1 face has the same corners")
        self.assertEqual(self.selected(cloth, "duplicate_face"), [1])
        self.fix(cloth, "duplicate_face")
        self.assertEqual((len(cloth.data.polygons), len(cloth.data.vertices)), (1, 4))

    def test_three_faces_on_an_edge(self):
        places = [*SQUARE, (2, 0, 0), (1.5, 0, 1)]
        cloth = scenes.mesh_object("Cloth", places, [(0, 1, 2, 3), (1, 4, 2), (1, 5, 2)])
        found = self.check(cloth)
        self.assertRegex(found["non_manifold"].text, "^1 edge has three faces")
        self.assertEqual(found["non_manifold"].fix, "")
        with self.assertRaisesRegex(RuntimeError, "cannot be fixed automatically"):
            bpy.ops.muslin.fix_problem(index=self.index("non_manifold"))

    def test_not_finite(self):
        cloth = scenes.garment()
        cloth.data.vertices[12].co.x = float("nan")
        self.one(cloth, "not_finite", "^1 vertex has no finite position", True)
        self.assertEqual(self.selected(cloth, "not_finite"), [12])
        self.fix(cloth, "not_finite")
        self.assertTrue(np.isfinite(scenes.local(cloth)).all())

    def test_in_edit_mode(self):
        cloth = scenes.mesh_object("Cloth", [*SQUARE, (5, 5, 5)], [(0, 1, 2, 3)])
        bpy.context.view_layer.objects.active = cloth
        bpy.ops.object.mode_set(mode="EDIT")
        self.one(cloth, "isolated", "^1 vertex")
        self.fix(cloth, "isolated")

    def test_changed_since(self):
        cloth = scenes.mesh_object("Cloth", [*SQUARE, (5, 5, 5)], [(0, 1, 2, 3)])
        self.check(cloth)
        cloth.data.vertices.add(1)
        for button in (bpy.ops.muslin.select_problem, bpy.ops.muslin.fix_problem):
            with self.assertRaisesRegex(RuntimeError, "Cloth has changed since"):
                button(index=0)
            with self.assertRaisesRegex(RuntimeError, "no such problem"):
                button(index=7)


class Objects(Case):
    def setUp(self):
        super().setUp()
        self.cloth = scenes.garment()

    def test_hidden(self):
        other = scenes.garment("Other")
        layer = bpy.context.view_layer
        layer.objects.active = self.cloth
        self.cloth.hide_viewport = True
        found = addon("check.check_garment").check(
            self.cloth, bpy.context.scene, scenes.depsgraph()
        )
        self.assertEqual([finding.kind for finding in found], ["hidden"])
        addon("check.mend").mend(self.cloth, found[0])
        self.assertFalse(self.cloth.hide_viewport)
        self.assertEqual(self.check(other), {})

    def test_zero_scale(self):
        self.cloth.scale.z = 0
        bpy.context.view_layer.update()
        self.one(self.cloth, "flattened", "Cloth is flattened: its scale is 1, 1, 0", True)

    def test_missing_group(self):
        self.cloth.muslin.pin_group = "Gone"
        self.one(self.cloth, "missing_group", "vertex group 'Gone'", True)
        self.fix(self.cloth, "missing_group")
        self.assertEqual(self.cloth.muslin.pin_group, "")

    def test_empty_pins(self):
        scenes.group(self.cloth, "Pin", {})
        self.cloth.muslin.pin_group = "Pin"
        self.one(self.cloth, "empty_pins", "pin group 'Pin'")

    def test_missing_uv_and_key(self):
        self.cloth.muslin.rest = "uv"
        self.one(self.cloth, "missing_uv", "no UV map", True)
        self.cloth.muslin.rest = "key"
        self.one(self.cloth, "missing_key", "no shape key chosen", True)

    def test_modifier_before_the_cloth(self):
        self.cloth.modifiers.new("Subdivision", "SUBSURF")
        self.assertEqual(self.check(self.cloth), {})
        self.cloth.modifiers.new("Muslin Cache", "MESH_CACHE")
        self.one(self.cloth, "early", "Subdivision changes the mesh topology", True)
        self.fix(self.cloth, "early")
        self.assertEqual([m.name for m in self.cloth.modifiers], ["Muslin Cache", "Subdivision"])

    def test_armature_after_the_cloth(self):
        self.cloth.modifiers.new("Subdivision", "SUBSURF")
        self.cloth.modifiers.new("Armature", "ARMATURE")
        self.one(self.cloth, "late", "Armature comes after the cloth")

    def test_blenders_own_cloth(self):
        self.cloth.modifiers.new("Cloth", "CLOTH")
        self.one(self.cloth, "other_cloth", "Cloth also simulates this object")
        self.fix(self.cloth, "other_cloth")
        self.assertFalse(self.cloth.modifiers["Cloth"].show_viewport)


class Colliders(Case):
    def setUp(self):
        super().setUp()
        self.cloth = scenes.garment()

    def test_deleted(self):
        body = scenes.cube()
        stays = scenes.cube("Stays")
        stays.location.z = -5.0  # below the cloth, not around it
        scenes.collide(self.cloth, body, stays)
        bpy.data.objects.remove(body)
        self.one(self.cloth, "gone", "^1 collider without an object")
        self.fix(self.cloth, "gone")
        self.assertEqual([i.object.name for i in self.cloth.muslin.colliders], ["Stays"])

    def test_deleted_by_the_artist(self):
        body = scenes.cube()
        scenes.collide(self.cloth, body)
        body.select_set(True)
        bpy.ops.object.delete()
        self.one(self.cloth, "gone", "^1 collider without an object")
        self.fix(self.cloth, "gone")
        self.assertEqual(len(self.cloth.muslin.colliders), 0)

    def test_itself(self):
        scenes.collide(self.cloth, self.cloth)
        self.one(self.cloth, "own_collider", "Cloth is its own collider")
        self.fix(self.cloth, "own_collider")

    def test_without_faces(self):
        scenes.collide(self.cloth, scenes.mesh_object("Dust", [(0, 0, 0)]))
        self.one(self.cloth, "bare_collider", "collider Dust has no faces")

    def test_hidden(self):
        body = scenes.cube()
        body.hide_viewport = True
        scenes.collide(self.cloth, body)
        self.one(self.cloth, "hidden_collider", "collider Body is disabled")
        self.fix(self.cloth, "hidden_collider")
        self.assertFalse(body.hide_viewport)

    def test_not_finite(self):
        body = scenes.cube()
        body.data.vertices[3].co.x = float("nan")
        scenes.collide(self.cloth, body)
        self.one(self.cloth, "broken_collider", r"collider Body has 1 vertex \(3\)", True)
        self.assertEqual(self.selected(body, "broken_collider"), [3])

    def test_force_fields(self):
        bpy.ops.object.effector_add(type="WIND")
        wind = bpy.context.object.field
        bpy.ops.object.effector_add(type="TURBULENCE")
        self.assertEqual(self.check(self.cloth), {})
        wind.use_absorption = True
        bpy.ops.object.effector_add(type="BOID")
        bpy.context.object.name = "Storm"
        found = self.check(self.cloth)
        self.assertEqual(set(found), {"partly_felt", "not_felt"})
        self.assertIn("Storm", found["not_felt"].text)
        self.cloth.muslin.use_force_fields = False
        self.assertEqual(self.check(self.cloth), {})


class Uids(Case):
    def setUp(self):
        super().setUp()
        self.lookup = addon("scene.lookup")
        self.cloth = scenes.garment("Shirt")
        self.uid = self.lookup.ensure_uid(self.cloth)

    def test_is_found_after_a_rename(self):
        self.cloth.name = "Blouse"
        self.assertEqual(self.lookup.find(self.uid), self.cloth)
        self.assertEqual(self.lookup.ensure_uid(self.cloth), self.uid)

    def test_a_duplicate_gets_its_own(self):
        for first in ("original", "duplicate"):
            copy = self.cloth.copy()
            bpy.context.scene.collection.objects.link(copy)
            self.assertEqual(copy.muslin.uid, self.uid)
            order = (self.cloth, copy) if first == "original" else (copy, self.cloth)
            uids = {obj.name: self.lookup.ensure_uid(obj) for obj in order}
            self.assertEqual(uids[self.cloth.name], self.uid)
            self.assertNotEqual(uids[copy.name], self.uid)
            self.assertEqual(self.lookup.find(self.uid), self.cloth)
            self.assertEqual(self.lookup.find(uids[copy.name]), copy)

    def test_a_deleted_one_is_not_found(self):
        bpy.data.objects.remove(self.cloth)
        self.assertIsNone(self.lookup.find(self.uid))
        self.assertIsNone(self.lookup.find(""))

    def test_a_deleted_one_that_something_points_to_is_not_found(self):
        other = scenes.garment("Other")
        scenes.collide(other, self.cloth)
        bpy.context.scene.collection.objects.unlink(self.cloth)
        self.assertIn("Shirt", bpy.data.objects)
        self.assertIsNone(self.lookup.find(self.uid))

    def test_garments_of_a_scene(self):
        scenes.cube()
        other = bpy.data.scenes.new("Other")
        self.assertEqual(self.lookup.garments(bpy.context.scene), [self.cloth])
        self.assertEqual(self.lookup.garments(other), [])


if __name__ == "__main__":
    unittest.main()

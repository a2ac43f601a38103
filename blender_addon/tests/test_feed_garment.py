# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read of a garment: sizes, rest shapes, maps and ropes, and what is refused."""

import math
import os
import tempfile
import unittest
from unittest import mock

import bpy
import mathutils
import numpy as np
import feed_scenes as scenes
from support import addon

arrays = addon("scene.arrays")
garment = addon("garment.garment_data")
problems = addon("scene.problems")
Problem = problems.Problem

KITE = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 2, 0), (0, 3, 0)]


def read(obj):
    return garment.read_garment(obj, bpy.context.scene, scenes.depsgraph())


def edge_lengths(points):
    return np.linalg.norm(points[1:] - points[:-1], axis=1)


class Transform(unittest.TestCase):
    def setUp(self):
        scenes.empty()
        self.cloth = scenes.garment()

    def matrix(self, scale):
        turn = mathutils.Euler((0.3, -0.5, 1.1)).to_matrix().to_4x4()
        matrix = (
            mathutils.Matrix.Translation((3, -2, 5)) @ turn @ mathutils.Matrix.Diagonal((*scale, 1))
        )
        self.cloth.matrix_world = matrix
        bpy.context.view_layer.update()
        return matrix

    def test_identity_is_not_touched(self):
        data = read(self.cloth)
        self.assertTrue(np.array_equal(data.start, scenes.local(self.cloth).astype(np.float32)))
        self.assertEqual(data.start.dtype, np.float32)
        self.assertEqual(data.mesh.positions.dtype, np.float32)

    def test_any_scale(self):
        for scale in ((2, 2, 2), (0.5, 3, 1.5), (-1, 1, 1), (-2, 0.25, -4)):
            matrix = self.matrix(scale)
            data = read(self.cloth)
            wanted = scenes.placed(scenes.local(self.cloth), matrix)
            np.testing.assert_allclose(data.start, wanted, atol=2e-6)
            np.testing.assert_allclose(
                edge_lengths(data.mesh.positions), edge_lengths(wanted), rtol=1e-5
            )

    def test_unit_scale(self):
        matrix = self.matrix((2, 2, 2))
        bpy.context.scene.unit_settings.scale_length = 0.01
        data = read(self.cloth)
        wanted = 0.01 * scenes.placed(scenes.local(self.cloth), matrix)
        np.testing.assert_allclose(data.start, wanted, atol=1e-7)
        np.testing.assert_allclose(edge_lengths(data.mesh.positions)[0], 0.01 * 2 * 0.25, rtol=1e-5)

    def test_there_and_back(self):
        place = addon("scene.place")
        matrix = self.matrix((-2, 0.25, -4))
        points = scenes.local(self.cloth).astype(np.float32)
        world = place.to_world(points, matrix, 0.01)
        np.testing.assert_allclose(place.to_local(world, matrix, 0.01), points, atol=1e-5)
        self.assertIs(place.to_local(points, np.identity(4), 1.0), points)

    def test_far_away_keeps_its_size(self):
        """The rest shape must not be blurred by where the object stands."""
        self.cloth.location = (5000, 3000, 0.1)
        bpy.context.view_layer.update()
        self.assertTrue(
            np.array_equal(read(self.cloth).mesh.positions, scenes.local(self.cloth).astype("f4"))
        )


class Rest(unittest.TestCase):
    def setUp(self):
        scenes.empty()
        self.cloth = scenes.garment()

    def test_shape_key(self):
        self.cloth.shape_key_add(name="Basis")
        cut = self.cloth.shape_key_add(name="Cut")
        cut.value = 0.0  # 5.2 begins with 1
        for point in cut.data:
            point.co = point.co * 2
        self.cloth.muslin.rest, self.cloth.muslin.rest_key = "key", "Cut"
        data = read(self.cloth)
        base = scenes.local(self.cloth)
        np.testing.assert_allclose(data.mesh.positions, 2 * base, atol=1e-6)
        np.testing.assert_allclose(data.start, base, atol=1e-6)

    def test_broken_shape_key(self):
        self.cloth.shape_key_add(name="Basis")
        cut = self.cloth.shape_key_add(name="Cut")
        cut.value = 0.0
        cut.data[3].co.x = float("nan")
        self.cloth.muslin.rest, self.cloth.muslin.rest_key = "key", "Cut"
        with self.assertRaisesRegex(Problem, r"Cloth has 1 vertex \(3\)"):
            read(self.cloth)

    def test_missing_shape_key(self):
        self.cloth.muslin.rest, self.cloth.muslin.rest_key = "key", "Gone"
        with self.assertRaisesRegex(Problem, "Cloth has no shape key 'Gone'"):
            read(self.cloth)

    def test_modelled_mesh_without_modifiers(self):
        modifier = self.cloth.modifiers.new("Bend", "CAST")
        modifier.factor = 1.0
        data = read(self.cloth)
        np.testing.assert_allclose(data.mesh.positions, scenes.local(self.cloth), atol=1e-6)
        self.assertGreater(np.abs(data.start - data.mesh.positions).max(), 0.01)

    def test_uv_map_is_the_pattern(self):
        layer = self.cloth.data.uv_layers.new(name="Pattern")
        for corner, loop in enumerate(self.cloth.data.loops):
            point = self.cloth.data.vertices[loop.vertex_index].co
            layer.data[corner].uv = (point.x * 3, point.y)
        self.cloth.muslin.rest, self.cloth.muslin.rest_uv = "uv", "Pattern"
        data = read(self.cloth)
        self.assertEqual(data.settings["pattern"], "uv")
        expected = scenes.local(self.cloth)[data.mesh.face_vertices][:, :2] * (3, 1)
        np.testing.assert_allclose(data.mesh.corner_uvs, expected, atol=1e-6)

    def test_missing_uv_map(self):
        self.cloth.muslin.rest = "uv"
        with self.assertRaisesRegex(Problem, "no UV map"):
            read(self.cloth)
        self.cloth.data.uv_layers.new(name="Other")
        self.cloth.muslin.rest_uv = "Gone"
        with self.assertRaisesRegex(Problem, "no UV map 'Gone'"):
            read(self.cloth)


class Maps(unittest.TestCase):
    def setUp(self):
        scenes.empty()
        self.cloth = scenes.garment()

    def test_weights_become_factors(self):
        scenes.group(self.cloth, "Stiff", {0: 1.0, 3: 0.5, 7: 0.0})
        self.cloth.muslin.stretch_group = "Stiff"
        self.cloth.muslin.stretch_factor = 9.0
        maps = read(self.cloth).maps
        stretch = maps.pop("stretch")
        self.assertEqual(set(maps.values()), {None})
        np.testing.assert_allclose(stretch[[0, 3, 7, 8]], [9, 5, 1, 1], rtol=1e-6)

    def test_pins_are_those_with_weight(self):
        scenes.group(self.cloth, "Other", {1: 1.0})
        scenes.group(self.cloth, "Pin", {4: 1.0, 0: 0.25, 9: 0.0})
        self.cloth.muslin.pin_group = "Pin"
        data = read(self.cloth)
        self.assertEqual(data.pin_vertices.tolist(), [0, 4])
        self.assertEqual(data.pin_weights.tolist(), [0.25, 1.0])

    def test_missing_group(self):
        maps = addon("muslin.table").MAPS
        for setting in ("pin_group", *(f"{name}_group" for name in maps)):
            scenes.empty()
            cloth = scenes.garment("Shirt")
            setattr(cloth.muslin, setting, "Gone")
            with self.assertRaisesRegex(Problem, "Shirt does not have the vertex group 'Gone'"):
                read(cloth)


class Shapes(unittest.TestCase):
    def setUp(self):
        scenes.empty()

    def test_loose_edges_are_ropes(self):
        cloth = scenes.mesh_object("Kite", KITE, [(0, 1, 2)], [(2, 3), (3, 4)])
        data = read(cloth)
        self.assertEqual(sorted(map(sorted, data.mesh.edges.tolist())), [[2, 3], [3, 4]])
        self.assertEqual(data.mesh.face_vertices.tolist(), [0, 1, 2])

    def test_loose_edges_where_corners_do_not_know_theirs(self):
        """As of a mesh that a script has filled: they are found by their vertices."""
        cloth = scenes.mesh_object("Kite", KITE, [(0, 1, 2)], [(2, 3), (3, 4)])
        for wrong in ([0, 0, 0], [7, 8, 9], [-1, -1, -1]):
            with mock.patch.object(arrays, "corner_edges", lambda _, named=wrong: np.array(named)):
                data = read(cloth)
            self.assertEqual(sorted(map(sorted, data.mesh.edges.tolist())), [[2, 3], [3, 4]])

    def test_rope_alone(self):
        data = read(scenes.mesh_object("Rope", [(0, 0, 0), (1, 0, 0)], edges=[(0, 1)]))
        self.assertEqual(data.mesh.edges.tolist(), [[0, 1]])

    def test_polygons_are_passed_as_they_are(self):
        ring = [(math.cos(a), math.sin(a), 0) for a in np.linspace(0, 5, 6)]
        data = read(scenes.mesh_object("Patch", ring, [(0, 1, 2, 3, 4, 5)]))
        self.assertEqual(data.mesh.face_sizes.tolist(), [6])


class Library(unittest.TestCase):
    """What the native library refuses comes in words with the object and what is meant."""

    def problem(self, call, *given, **more):
        with self.assertRaises(Problem) as caught, problems.speaking_of("Shirt"):
            call(*given, **more)
        return caught.exception

    def test_elements_are_known(self):
        muslin = addon("muslin")
        points = np.zeros((13, 3)) + np.arange(13)[:, None] * np.float32([1, 2, 0])
        faces = [(0, 1, 2), (1, 2, 3), (2, 3, 4), (3, 4)]
        with muslin.Cloth(muslin.Mesh.from_faces(points, faces[:3])) as cloth:
            problem = self.problem(cloth.set_pins, [12, 12])
            self.assertEqual(str(problem), "Shirt: vertex 12 is pinned twice")
            self.assertEqual((problem.element, problem.indices), ("VERT", [12]))
            body = muslin.Mesh.from_faces(points, [(0, 1, 77)])
            self.assertEqual(self.problem(cloth.add_body, body).element, "", "not of the garment")
            with self.assertRaises(muslin.MuslinError) as caught:
                cloth.add_body(body)
            problem = problems.of_library(caught.exception, "Ball", is_body=True)
            self.assertEqual((problem.element, problem.indices), ("FACE", [0]))
        problem = self.problem(muslin.Cloth, muslin.Mesh.from_faces(points, faces))
        self.assertEqual((problem.element, problem.indices), ("FACE", [3]))
        without = problems.of_library(muslin.MuslinError(None, "out of memory"), "Shirt")
        self.assertEqual(without.indices, [])

    def test_a_broken_pattern(self):
        scenes.empty()
        cloth = scenes.garment("Shirt")
        layer = cloth.data.uv_layers.new(name="Pattern")
        for corner in layer.data:
            corner.uv = (0, 0)
        layer.data[8].uv = (float("nan"), 0)  # of the third face
        cloth.muslin.rest = "uv"
        data = read(cloth)
        with self.assertRaisesRegex(Problem, "^Shirt: "):
            with problems.speaking_of("Shirt"):
                addon("muslin").Cloth(data.mesh, **data.settings)


class Refused(unittest.TestCase):
    def setUp(self):
        scenes.empty()

    def refuse(self, obj, words):
        with self.assertRaisesRegex(Problem, words) as caught:
            read(obj)
        self.assertIn(obj.name, str(caught.exception))
        return caught.exception

    def test_no_face(self):
        self.refuse(scenes.mesh_object("Dust", [(0, 0, 0), (1, 0, 0)]), "Dust has no face")
        self.refuse(scenes.mesh_object("Nothing", []), "Nothing has no face")

    def test_no_mesh(self):
        lamp = bpy.data.objects.new("Lamp", None)
        bpy.context.scene.collection.objects.link(lamp)
        self.refuse(lamp, "Lamp is not a mesh")

    def test_hidden(self):
        cloth = scenes.garment()
        cloth.hide_viewport = True
        self.refuse(cloth, "Cloth is disabled in the viewport")
        cloth.hide_viewport = False
        bpy.context.scene.collection.objects.unlink(cloth)
        self.refuse(cloth, "Cloth was deleted, or is in another scene")

    def test_the_eye_is_no_problem(self):
        cloth = scenes.garment()
        cloth.hide_set(True)
        self.assertEqual(len(read(cloth).start), 25)

    def test_zero_scale(self):
        cloth = scenes.garment()
        for scale in ((1, 1, 0), (0, 0, 0), (0, 1, 1)):
            cloth.scale = scale
            self.refuse(cloth, "Cloth is flattened")

    def test_lost_in_space(self):
        cloth = scenes.garment()
        cloth.location.x = float("nan")
        self.refuse(cloth, "Cloth is flattened")

    def test_zero_scale_of_a_parent(self):
        cloth = scenes.garment()
        cloth.parent = scenes.cube()
        cloth.parent.scale.y = 0
        self.refuse(cloth, "Cloth is flattened")

    def test_not_finite(self):
        cloth = scenes.garment()
        cloth.data.vertices[7].co.y = float("nan")
        cloth.data.vertices[9].co.z = float("nan")
        problem = self.refuse(cloth, r"Cloth has 2 vertices \(7, 9\)")
        self.assertEqual((problem.element, problem.indices), ("VERT", [7, 9]))

    def test_modifier_that_changes_vertices_before_the_cloth(self):
        cloth = scenes.garment()
        cloth.modifiers.new("Smooth It", "SUBSURF")
        self.assertEqual(len(read(cloth).start), 25)  # the cloth goes before it
        cloth.modifiers.new("Muslin Cache", "MESH_CACHE")
        self.refuse(cloth, "Smooth It changes the mesh topology before the cloth")

    def test_nodes_that_change_vertices(self):
        """Nodes are believed to keep the vertices until they are read."""
        cloth = scenes.garment()
        tree = bpy.data.node_groups.new("Nodes", "GeometryNodeTree")
        nodes = scenes.through(tree, "GeometryNodeSetPosition")
        nodes.inputs["Offset"].default_value = (0, 0, 2)
        cloth.modifiers.new("Nodes", "NODES").node_group = tree
        cloth.modifiers.new("Muslin Cache", "MESH_CACHE")
        np.testing.assert_allclose(read(cloth).start[:, 2], 2.0, atol=1e-6)
        tree = bpy.data.node_groups.new("More", "GeometryNodeTree")
        scenes.through(tree, "GeometryNodeSubdivideMesh")
        cloth.modifiers["Nodes"].node_group = tree
        self.refuse(cloth, "makes 81 vertices of 25")

    def test_edit_mode(self):
        cloth = scenes.garment()
        bpy.context.view_layer.objects.active = cloth
        bpy.ops.object.mode_set(mode="EDIT")
        try:
            self.refuse(cloth, "Cloth is in Edit Mode")
        finally:
            bpy.ops.object.mode_set(mode="OBJECT")

    def test_linked_mesh_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "library.blend")
            original = scenes.grid("Linked")
            original.shape_key_add(name="Basis")
            bpy.data.libraries.write(path, {original.data})
            scenes.empty()
            with bpy.data.libraries.load(path, link=True) as (_, into):
                into.meshes = ["Linked"]
            obj = bpy.data.objects.new("Shirt", into.meshes[0])
            bpy.context.scene.collection.objects.link(obj)
            data = read(obj)
            self.assertIsNotNone(obj.data.library)
            self.assertIsNone(obj.library)
            self.assertEqual(len(data.start), 25)
            scenes.empty()

    def test_linked_object_is_read_and_left_as_it_was(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "library.blend")
            original = scenes.garment("Linked")
            original.modifiers.new("Cast", "CAST").factor = 1.0
            original.modifiers.new("Solid", "SOLIDIFY")
            bpy.data.libraries.write(path, {original})
            scenes.empty()
            with bpy.data.libraries.load(path, link=True) as (_, into):
                into.objects = ["Linked"]
            obj = into.objects[0]
            bpy.context.scene.collection.objects.link(obj)
            data = read(obj)
            self.assertIsNotNone(obj.library)
            self.assertGreater(np.abs(data.start - data.mesh.positions).max(), 0.01)
            self.assertTrue(all(modifier.show_viewport for modifier in obj.modifiers))
            scenes.empty()


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Drape Now on a mesh that is edited: sweeps go on at once, the factor takes over, and nothing is lost."""

import threading
import unittest
from unittest import mock

import bmesh
import bpy
import numpy as np

import scenes
from edit_support import GONE, SIDE, EditTest, cut_a_face, delete_corner, modelled
from support import addon

FALL = 9.81 / 24**2  # m that gravity adds to a step's way


class TopologyTest(EditTest):
    def edited(self, leave):
        """A draping garment, and it after two edits in one tick: its state before, and what was shown at once."""
        obj, preview = self.drape()
        before, rest = self.state(preview), modelled(obj)
        self.edit(obj, delete_corner)
        self.edit(obj, cut_a_face)
        if leave:
            self.leave()
        steps = preview.steps
        preview.advance(None)
        at_once = np.array(preview.shown)
        preview.advance(None)
        self.assertEqual(preview.steps, steps + 1, "the next tick has a frame")
        return obj, preview, before, rest, at_once

    def check(self, leave):
        obj, preview, before, rest, at_once = self.edited(leave)
        now = modelled(obj)
        self.assertEqual(len(now), SIDE * SIDE - GONE + 5)
        self.assertEqual(len(preview.shown), len(now))
        self.assertEqual(self.solver(preview), "sweep")
        self.assertIn("sweep solver until the matrix is factored", preview.text)
        old = {place.tobytes(): index for index, place in enumerate(rest)}
        origin = [old.get(place.tobytes(), -1) for place in now]
        survived = np.flatnonzero(np.array(origin) >= 0)
        self.assertEqual(len(survived), SIDE * SIDE - GONE)
        np.testing.assert_allclose(at_once[survived], before[np.array(origin)[survived]], atol=1e-6)
        new = np.flatnonzero(np.array(origin) < 0)
        near = before[[0, 1, 2, SIDE, SIDE + 1, SIDE + 2, 3, 4, SIDE + 3, SIDE + 4]]
        self.assertTrue((at_once[new] > near.min(axis=0) - 0.05).all())
        self.assertTrue((at_once[new] < near.max(axis=0) + 0.05).all())
        first = np.linalg.norm(preview.shown - at_once, axis=1).max()
        ways = [first, *self.until_linear(preview)]
        fastest = np.linalg.norm(preview.cloth.state()[1], axis=1).max() / 24
        # As fast as it moves anyway, and what gravity adds to each step.
        self.assertLess(max(ways), max(first, fastest) + FALL * (len(ways) + 2))
        self.assertNotIn("sweep solver", preview.text)
        self.advance(preview, 3)
        if not leave:
            self.leave()
            self.advance(preview, 3)
            self.assertEqual(self.solver(preview), "linear", "leaving edit mode changed nothing")
        self.assertEqual(modelled(obj).tobytes(), now.tobytes(), "the mesh itself is the artist's")
        preview.hold()
        bpy.ops.muslin.discard()
        self.assertEqual(len(obj.modifiers), 0)
        self.assertEqual(scenes.seen(obj).tobytes(), now.tobytes())

    def test_edited_and_left_within_a_tick(self):
        self.check(leave=True)

    def test_in_edit_mode(self):
        self.check(leave=False)

    def test_the_view_shows_it_in_edit_mode(self):
        obj, preview, *_ = self.edited(leave=False)
        bpy.context.view_layer.update()
        evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
        mesh = evaluated.to_mesh()
        places = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", places)
        evaluated.to_mesh_clear()
        self.assertEqual(places.tobytes(), preview.shown.tobytes())

    def test_everything_cut_hangs_on(self):
        """Four times the faces: the pins are pins, and the new vertices hang between the old ones."""
        obj, preview = self.drape(steps=10)
        lowest = self.state(preview)[:, 2].min()
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="SELECT")
        bpy.ops.mesh.subdivide()
        preview.advance(None)
        self.assertEqual(len(preview.shown), (2 * SIDE - 1) ** 2)
        self.assertAlmostEqual(preview.shown[:, 2].min(), lowest, delta=0.02)
        self.advance(preview, 4)
        np.testing.assert_allclose(preview.shown[0], (-0.5, -0.5, 1.0), atol=1e-5)
        self.until_linear(preview)
        self.leave()
        self.advance(preview, 2)

    def test_a_solver_without_a_factor_needs_no_stand_in(self):
        obj, preview = self.drape()
        for solver in ("implicit", "sweep"):
            obj.muslin.solver = solver
            self.advance(preview, 1)
            self.edit(
                obj, lambda mesh: bmesh.ops.delete(mesh, geom=[mesh.faces[-1]], context="FACES")
            )
            self.advance(preview, 2)
            self.assertEqual(self.solver(preview), solver)
            self.assertNotIn("until the matrix", preview.text)
            self.assertIsNone(preview._edits._making)

    def test_sliders_act_meanwhile_and_afterwards(self):
        obj, preview = self.drape()
        self.edit(obj, delete_corner)
        self.advance(preview, 1)
        obj.muslin.bend *= 10
        obj.muslin.budget_ms = 0.0
        self.advance(preview, 2)
        self.assertEqual(self.solver(preview), "sweep")
        self.assertAlmostEqual(preview.cloth.settings["bend"], obj.muslin.bend)
        self.until_linear(preview)
        self.assertAlmostEqual(preview.cloth.settings["bend"], obj.muslin.bend)
        self.assertEqual(preview.cloth.settings["budget_ms"], 0.0)

    def test_edited_again_while_the_factor_is_made(self):
        obj, preview = self.drape()
        making = self.begin_factor(obj, preview)
        self.edit(obj, cut_a_face)
        self.advance(preview, 1)
        self.assertIsNot(preview._edits._making, making)
        self.assertTrue(making.cloth.ready(60))
        with self.assertRaisesRegex(Exception, "abandoned"):
            making.cloth.take()
        self.until_linear(preview)

    def test_one_factor_at_a_time(self):
        """Another edit's is begun when the thread of the abandoned one has ended."""
        obj, preview = self.drape()
        gate, edits = threading.Event(), addon("preview.edits")
        self.addCleanup(gate.set)

        class Slow(edits.BackgroundCloth):
            def __init__(self, mesh, seconds, set_up, **settings):
                def wait(cloth):
                    gate.wait(60)
                    set_up(cloth)

                super().__init__(mesh, seconds, wait, **settings)

        with mock.patch.object(edits, "BackgroundCloth", Slow):
            making = self.begin_factor(obj, preview)
            self.edit(obj, cut_a_face)
            for _ in range(3):
                self.advance(preview, 1)
                preview._edits._make_at = 0.0
                self.assertIsNone(preview._edits._making)
            gate.set()
            self.assertTrue(making.cloth.ready(60))
            self.until_linear(preview)

    def test_goes_on_by_sweeps_without_a_factor(self):
        obj, preview = self.drape()
        edits, failure = addon("preview.edits"), addon("muslin").MuslinError(None, "out of memory")
        with mock.patch.object(edits.BackgroundCloth, "take", side_effect=failure):
            self.begin_factor(obj, preview).cloth.ready(60)
            self.advance(preview, 3)
        self.assertEqual(self.solver(preview), "sweep")
        self.assertIn("could not be factored: Sheet: out of memory", preview.text)
        self.assertIsNone(preview._edits._making)
        self.edit(obj, cut_a_face)
        self.advance(preview, 1)
        self.assertNotIn("out of memory", preview.text)
        self.until_linear(preview)

    def test_a_loose_edge_that_ends_elsewhere(self):
        """With as many vertices, edges and faces as before, all faces the same."""
        obj, preview = self.drape()

        def tie(mesh):
            corner = mesh.verts[SIDE * SIDE - 1]
            rope = [mesh.verts.new((0.5 + 0.1 * k, 0.5, 1)) for k in (1, 2)]
            mesh.edges.new((corner, rope[0]))
            mesh.edges.new(rope)

        def tie_elsewhere(mesh):
            mesh.edges.remove(mesh.verts[-1].link_edges[0])
            mesh.edges.new((mesh.verts[SIDE * SIDE - 1], mesh.verts[-1]))

        self.edit(obj, tie)
        self.advance(preview, 2)
        self.until_linear(preview)
        self.advance(preview, 2)
        self.assertEqual(self.solver(preview), "linear", "nothing was edited")
        self.edit(obj, tie_elsewhere)
        self.advance(preview, 1)
        self.assertEqual(self.solver(preview), "sweep")
        ends = np.sort(preview._simulation.members[0].garment.modelled.edges, axis=1).tolist()
        corner = SIDE * SIDE - 1
        self.assertEqual(sorted(ends), [[corner, corner + 1], [corner, corner + 2]])
        self.leave()

    def test_uv_map_is_read_in_edit_mode(self):
        """Warp and weft come from it, and Blender hides it there."""
        obj = scenes.garment(size=SIDE)
        layer = obj.data.uv_layers.new(name="Cut")
        rng = np.random.default_rng(1)
        uvs = rng.random(2 * len(obj.data.loops), np.float32)
        layer.data.foreach_set("uv", uvs)
        preview = addon("preview.preview").begin(obj, self.scene, "drape")
        meshes = len(bpy.data.meshes)
        self.advance(preview, 1)
        self.edit(obj, lambda mesh: setattr(mesh.verts[5].co, "z", 1.01))
        self.advance(preview, 1)
        read = preview._simulation.feeder.garment.mesh.corner_uvs
        np.testing.assert_array_equal(read.ravel(), uvs)
        self.assertEqual(len(bpy.data.meshes), meshes)
        self.leave()


class MoveTest(EditTest):
    def test_a_moved_vertex_is_another_pattern(self):
        """Nothing jumps, and the cloth grows where its pattern does."""
        obj, preview = self.drape(steps=3)
        before = self.state(preview)
        corner = SIDE * SIDE - 1
        self.edit(obj, lambda mesh: setattr(mesh.verts[corner].co, "y", 0.7))
        preview.advance(None)
        np.testing.assert_allclose(preview.shown, before, atol=1e-6)
        self.assertEqual(self.solver(preview), "sweep")
        rest = preview._simulation.feeder.garment.mesh.positions
        self.assertAlmostEqual(rest[corner, 1], 0.7, places=6)
        self.until_linear(preview)

    def test_a_moved_pin_takes_the_cloth_along(self):
        obj, preview = self.drape(steps=3)
        self.edit(obj, lambda mesh: setattr(mesh.verts[0].co, "z", 1.02))
        self.advance(preview, 2)
        self.assertAlmostEqual(preview.shown[0, 2], 1.02, places=5)
        self.until_linear(preview)
        self.assertAlmostEqual(preview.shown[0, 2], 1.02, places=5)

    def test_nothing_edited_changes_nothing(self):
        obj, preview = self.drape()
        cloth = preview.cloth
        bpy.ops.object.mode_set(mode="EDIT")
        self.advance(preview, 3)
        self.leave()
        self.advance(preview, 3)
        self.assertIs(preview.cloth, cloth)

    def test_keys_bend_it_before_the_cloth(self):
        """Blender bends nothing in edit mode: what has fallen stays, and pins stay."""
        obj = scenes.garment(size=SIDE)
        obj.shape_key_add(name="Basis")
        wide = obj.shape_key_add(name="Wide")
        for index, vertex in enumerate(obj.data.vertices):
            wide.data[index].co = vertex.co * 1.2
        wide.value = 1.0
        bpy.context.view_layer.update()
        preview = addon("preview.preview").begin(obj, self.scene, "drape")
        self.advance(preview, 4)
        before = self.state(preview)
        pinned = before[0]
        np.testing.assert_allclose(pinned, np.float32([-0.5, -0.5, 1.0]) * 1.2, atol=1e-5)
        obj.active_shape_key_index = 0
        self.edit(obj, cut_a_face)
        preview.advance(None)
        np.testing.assert_allclose(preview.shown[: len(before)], before, atol=1e-6)
        self.advance(preview, 3)
        np.testing.assert_allclose(preview.shown[0], pinned, atol=1e-5)
        self.until_linear(preview)
        np.testing.assert_allclose(preview.shown[0], pinned, atol=1e-5)
        self.leave()
        self.advance(preview, 2)
        np.testing.assert_allclose(preview.shown[0], pinned, atol=1e-5)

    def test_the_rest_shape_is_the_basis_whatever_key_is_edited(self):
        obj = scenes.garment(size=SIDE)
        obj.shape_key_add(name="Basis")
        wide = obj.shape_key_add(name="Wide")
        for index, vertex in enumerate(obj.data.vertices):
            wide.data[index].co = vertex.co * 1.2
        preview = addon("preview.preview").begin(obj, self.scene, "drape")
        self.advance(preview, 2)
        rest = preview._simulation.feeder.garment.modelled.positions.tobytes()
        obj.active_shape_key_index = 1
        self.edit(
            obj, lambda mesh: bmesh.ops.delete(mesh, geom=[mesh.faces[4]], context="FACES_ONLY")
        )
        self.advance(preview, 2)
        self.assertEqual(self.solver(preview), "sweep")
        self.assertEqual(preview._simulation.feeder.garment.modelled.positions.tobytes(), rest)
        self.leave()


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of an edited garment share: one that drapes, edits of its mesh, and waiting for its factor."""

import unittest

import bmesh
import bpy
import numpy as np

import scenes
from support import addon

SIDE = 13  # vertices
GONE = 4  # of them, with delete_corner()
LONGEST = 400  # advances


class EditTest(unittest.TestCase):
    def setUp(self):
        self.scene = scenes.empty_scene()
        self.addCleanup(lambda: scenes.running().stop_everything())

    def drape(self, steps=6, **more):
        """A garment that drapes, as the button leaves it running."""
        obj = scenes.garment(size=SIDE, **more)
        preview = addon("preview.preview").begin(obj, self.scene, "drape")
        self.advance(preview, steps)
        return obj, preview

    def state(self, preview):
        """Where the cloth is when the step that is under way has ended, which nobody has shown yet."""
        preview._simulation.ready(None)
        return preview._simulation.shapes()[preview.uid]

    def tick(self, preview):
        """As after a while in which nothing happened."""
        preview._edits._next_look = 0.0
        preview.advance(None)

    def advance(self, preview, steps):
        wanted = preview.steps + steps
        for _ in range(LONGEST):
            if preview.steps >= wanted:
                return
            self.tick(preview)
        self.fail(f"stands still: {preview.text}")

    def begin_factor(self, obj, preview):
        """Edits the mesh; what takes over from sweeps, as it is being made."""
        self.edit(obj, delete_corner)
        self.advance(preview, 1)
        preview._edits._make_at = 0.0
        self.advance(preview, 1)
        making = preview._edits._making
        self.assertIsNotNone(making)
        return making

    def until_linear(self, preview):
        """Goes on until the factor has taken over; the largest way of a vertex in each step."""
        ways = []
        for _ in range(LONGEST):
            before = np.array(preview.shown)
            solver = self.solver(preview)
            preview._edits._make_at = 0.0  # nobody edits any more
            preview.advance(None)
            ways.append(np.linalg.norm(preview.shown - before, axis=1).max())
            if solver == "linear":
                return ways
            if preview._edits._making is not None:
                preview._edits._making.cloth.ready(60)
        self.fail(f"no factor: {preview.text}")

    @staticmethod
    def solver(preview):
        return preview.cloth.settings["solver"]

    def edit(self, obj, change):
        """In edit mode: `change` gets the bmesh."""
        if obj.mode != "EDIT":
            bpy.ops.object.mode_set(mode="EDIT")
        mesh = bmesh.from_edit_mesh(obj.data)
        mesh.verts.ensure_lookup_table()
        mesh.faces.ensure_lookup_table()
        change(mesh)
        bmesh.update_edit_mesh(obj.data)

    def leave(self):
        bpy.ops.object.mode_set(mode="OBJECT")


def delete_corner(mesh):
    """Four faces at the corner that hangs lowest, and the vertices that only they have."""
    inner = mesh.verts[SIDE * SIDE - 1 - SIDE - 1]
    bmesh.ops.delete(mesh, geom=list(inner.link_faces), context="FACES")


def cut_a_face(mesh):
    mesh.faces.ensure_lookup_table()
    edges = list(mesh.faces[3].edges)
    bmesh.ops.subdivide_edges(mesh, edges=edges, cuts=1, use_grid_fill=True)


def modelled(obj):
    """The artist's own mesh, n x 3."""
    if obj.mode == "EDIT":
        return np.float32([vertex.co for vertex in bmesh.from_edit_mesh(obj.data).verts])
    return np.frombuffer(scenes.modelled(obj), np.float32).reshape(-1, 3)

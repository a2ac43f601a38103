# SPDX-License-Identifier: GPL-3.0-or-later
"""A garment in several fabrics, side by side: copies that have settled where it is, each with a copy of its body.

Copies are plain meshes with their own shape, in a collection of their own: nothing of them is simulated any more, and
deleting the collection takes all of it away.
"""

import bpy
import numpy as np

from .. import fabric_list
from ..output.mesh_shape import write_shape
from ..scene import arrays, colliders, place
from ..scene.problems import Problem
from .job import Job
from .members import find
from .simulation import Simulation, depsgraph_of

GAP = 0.2  # of the width, between two
LABEL = 0.08  # of the width: how large the names are
STEPS_MOST = 200  # of one; settling ends by itself long before


class Comparison(Job):
    """A Job that leaves a row of copies. fabrics: their names, as the menu knows them."""

    def __init__(self, obj, scene, fabrics):
        known = {item[0]: item[1] for item in fabric_list.items()}
        unknown = [name for name in fabrics if name not in known]
        if unknown or not fabrics:
            given = f"there is no fabric {unknown[0]}" if unknown else "name a fabric"
            raise Problem(f"{given}; there are {', '.join(known)}", obj.name)
        super().__init__(obj, scene)
        self._labels = [(name, known[name]) for name in fabrics]
        self._done = 0
        self._speed = ""
        self._unfinished = None  # the name of a copy that has not settled yet

    @property
    def progress(self):
        return self._done / len(self._labels)

    @property
    def text(self):
        _, label = self._labels[min(self._done, len(self._labels) - 1)]
        return f"{self.name} in {label}: {self._done + 1} of {len(self._labels)}{self._speed}"

    def leave(self):
        if not self.finished:
            self._tell()
        super().leave()
        copy = bpy.data.objects.get(self._unfinished or "")
        if copy is not None:
            bpy.data.meshes.remove(copy.data)  # and the object with it
        self._unfinished = None

    def _tell(self):
        self.result = f"{self.name} in {self._done} of {len(self._labels)} fabrics"
        if self._done and self.error == "stopped":
            self.error = ""

    def work(self):
        obj, scene = self._objects()
        row = Row(obj, scene)
        for index, (name, label) in enumerate(self._labels):
            obj, scene = self._objects()
            copy = row.copy(obj, label)
            self._unfinished = copy.name
            copy.muslin.fabric = name
            yield from self._settle(copy, scene)
            row.place(copy, index, label)
            self._unfinished = None
            self._done += 1

    def _objects(self):
        scene, obj = bpy.data.scenes.get(self.scene_name), find(self.uid, self.name)
        if scene is None or obj is None:
            raise Problem(f"{self.name} is gone")
        return obj, scene

    def _settle(self, copy, scene):
        """Until it rests; its mesh has the shape then."""
        simulation = Simulation(copy, scene, depsgraph_of(scene, copy), alone=True)
        self.simulations = [simulation]
        self.at_work = simulation
        for _ in range(STEPS_MOST):
            simulation.begin(simulation.settle)
            yield
            if not simulation.collect():
                raise Problem("stopped")
            self._speed = f", {1e3 * simulation.settling.mean:.2g} mm/s"
            if simulation.settling.settled:
                break
        shape = simulation.shapes()[simulation.uid]
        self.at_work = None
        simulation.close()
        self.simulations = []
        make_plain(copy)
        write_shape(copy.data, shape)


def make_plain(copy):
    """A mesh that nothing simulates or bends any more; what comes after the cloth stays."""
    for modifier in list(place.before(copy)):
        if modifier.type not in place.MOVES_NOTHING:
            copy.modifiers.remove(modifier)
    for modifier in list(copy.modifiers):
        if place.is_own_modifier(modifier):
            copy.modifiers.remove(modifier)
    if copy.data.shape_keys is not None:
        copy.shape_key_clear()
    copy.muslin.enabled = False


class Row:
    """Where the copies stand: beside the garment, along the scene's x."""

    def __init__(self, obj, scene):
        self._collection = bpy.data.collections.new(f"Fabrics of {obj.name}")
        scene.collection.children.link(self._collection)
        depsgraph = depsgraph_of(scene, obj)
        self._bodies = [
            frozen(other, depsgraph)
            for other, _ in colliders.wanted(obj).values()
            if other is not obj
        ]
        corners = [world(arrays.modelled_positions(mesh), matrix) for mesh, matrix in self._bodies]
        corners = np.concatenate([*corners, world(np.array(obj.bound_box), obj.matrix_world)])
        low, high = corners.min(axis=0), corners.max(axis=0)
        self._width = float(high[0] - low[0]) or 1.0
        self._front = float((low[0] + high[0]) / 2), float(low[1]), float(low[2])

    def copy(self, obj, label):
        """Where the garment is, with a mesh of its own."""
        copy = obj.copy()
        copy.data = obj.data.copy()
        copy.name = f"{obj.name} in {label}"
        copy.animation_data_clear()
        self._collection.objects.link(copy)
        return copy

    def place(self, copy, index, label):
        """At its place in the row, with its body and its name."""
        offset = (index + 1) * (1.0 + GAP) * self._width
        matrix = copy.matrix_world.copy()
        copy.parent = None
        copy.constraints.clear()
        matrix.translation.x += offset
        copy.matrix_world = matrix
        for mesh, standing in self._bodies:
            body = bpy.data.objects.new(mesh.name, mesh)
            body.matrix_world = standing
            body.matrix_world.translation.x += offset
            self._collection.objects.link(body)
        self._write(label, offset)

    def _write(self, label, offset):
        text = bpy.data.curves.new(label, "FONT")
        text.body, text.size, text.align_x = label, LABEL * self._width, "CENTER"
        sign = bpy.data.objects.new(f"Name of {label}", text)
        x, y, z = self._front
        sign.location = x + offset, y - 2.0 * text.size, z
        self._collection.objects.link(sign)


def frozen(obj, depsgraph):
    """(mesh, matrix) of an object as it is seen now."""
    evaluated = obj.evaluated_get(depsgraph)
    mesh = bpy.data.meshes.new_from_object(evaluated)
    return mesh, evaluated.matrix_world.copy()


def world(positions, matrix):
    return place.to_world(positions, place.as_matrix(matrix))

# SPDX-License-Identifier: GPL-3.0-or-later
"""A garment in several fabrics, side by side: copies that have settled where it is, each with a copy of its body.

Copies are plain meshes with their own shape, in a collection of their own: nothing of them is simulated any more, and
deleting the collection takes all of it away.
"""

import bpy
import numpy as np

from ..bodies import colliders
from ..fit_map import fit_attributes
from ..jobs import Job
from ..scene import arrays, lookup, place
from ..scene.arrays import write_shape
from ..scene.lookup import scene_named
from ..scene.problems import Problem
from ..simulation.members import existing
from ..simulation.simulation import Simulation, depsgraph_of
from . import fabric_list

GAP = 0.2  # of the width, between two
LABEL = 0.08  # of the width: how large the names are
STEPS_MOST = 200  # of one copy; settling usually ends long before


class Comparison(Job):
    """A Job that leaves a row of copies. fabrics: names or labels, as the menu has them, in small or capital letters."""

    def __init__(self, obj, scene, fabrics):
        known = {item[0]: item[1] for item in fabric_list.items()}
        words = {label.lower(): (name, label) for name, label in known.items()}
        words |= {name.lower(): (name, label) for name, label in known.items()}
        unknown = [word for word in fabrics if word.lower() not in words]
        if unknown or not fabrics:
            given = f"there is no fabric {unknown[0]}" if unknown else "name a fabric"
            raise Problem(f"{given}; there are {', '.join(known)}")
        super().__init__(obj, scene)
        self._labels = [words[word.lower()] for word in fabrics]  # (name, label) of each
        self._row = None
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
            self.result = f"{self.name} in {self._done} of {len(self._labels)} fabrics"
            if self._done and self.error == "stopped":
                self.error = ""
        super().leave()
        copy = local(bpy.data.objects, self._unfinished or "")
        if copy is not None:
            bpy.data.meshes.remove(copy.data)  # and the object with it
        self._unfinished = None
        if self._row is not None:
            self._row.tidy()

    def work(self):
        row = self._row = Row(existing(self.uid, self.name), scene_named(self.scene_name))
        for index, (name, label) in enumerate(self._labels):
            scene = scene_named(self.scene_name)
            copy = row.copy(existing(self.uid, self.name), label)
            self._unfinished = copy.name
            copy.muslin.fabric = name
            copy = yield from self._settle(copy, scene)
            row.place(copy, index, label)
            self._unfinished = None
            self._done += 1

    def _settle(self, copy, scene):
        """Until the copy rests; the copy, found again, whose mesh has the shape then."""
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
        copy = simulation.members[0].find()
        shape = simulation.shapes()[simulation.uid]
        self.at_work = None
        simulation.close()
        self.simulations = []
        make_plain(copy)
        write_shape(copy.data, shape)
        return copy


def make_plain(copy):
    """A mesh that nothing simulates or bends any more; what comes after the cloth stays."""
    before = [m for m in place.before(copy) if m.type not in place.MOVES_NOTHING]
    own = [m for m in copy.modifiers if place.is_own_modifier(m) and m not in before]
    for modifier in (*before, *own):
        copy.modifiers.remove(modifier)
    if copy.data.shape_keys is not None:
        copy.shape_key_clear()
    settings = copy.muslin
    settings.baked.forget()
    settings.enabled = settings.together = settings.fit.enabled = settings.sewing.enabled = False
    settings.sewing.tacks.clear()
    settings.sewing.elastics.clear()
    fit_attributes.clear(copy)


def local(items, name):
    """What this file, not one that it links, has by that name among items of bpy.data; or None."""
    return items.get((name, None))


def existing_in(items, name):
    """Likewise; gone is a Problem."""
    item = local(items, name)
    if item is None:
        raise Problem(f"{name} is gone")
    return item


class Row:
    """Where the copies stand: beside the garment, along the scene's x. It keeps names, not references: undo replaces objects,
    and the artist may delete them."""

    def __init__(self, obj, scene):
        depsgraph = depsgraph_of(scene, obj)
        evaluated = [other.evaluated_get(depsgraph) for other, _ in colliders.wanted(obj).values()]
        bodies = [
            (bpy.data.meshes.new_from_object(each), each.matrix_world.copy()) for each in evaluated
        ]
        corners = [
            place.to_world(arrays.modelled_positions(mesh), matrix) for mesh, matrix in bodies
        ]
        corners.append(place.to_world(np.array(obj.bound_box), obj.matrix_world))
        corners = np.concatenate(corners)
        low, high = corners.min(axis=0), corners.max(axis=0)
        self._width = float(high[0] - low[0]) or 1.0
        self._front = float((low[0] + high[0]) / 2), float(low[1]), float(low[2])
        self._bodies = [(mesh.name, matrix) for mesh, matrix in bodies]
        collection = bpy.data.collections.new(f"Fabrics of {obj.name}")
        scene.collection.children.link(collection)
        self._name = collection.name

    def tidy(self):
        """Without any copy, nothing stays."""
        collection = local(bpy.data.collections, self._name)
        if collection is not None and not collection.all_objects:
            bpy.data.collections.remove(collection)
        meshes = [local(bpy.data.meshes, name) for name, _ in self._bodies]
        for mesh in filter(None, meshes):
            if not mesh.users:
                bpy.data.meshes.remove(mesh)

    def copy(self, obj, label):
        """Where the garment is, with a mesh of its own."""
        collection = existing_in(bpy.data.collections, self._name)
        copy = lookup.own_copy(obj)
        copy.data = lookup.own_copy(obj.data)
        copy.name = f"{obj.name} in {label}"
        copy.animation_data_clear()
        collection.objects.link(copy)
        return copy

    def place(self, copy, index, label):
        """At its place in the row, with its body and its name."""
        collection = existing_in(bpy.data.collections, self._name)
        bodies = [(existing_in(bpy.data.meshes, name), matrix) for name, matrix in self._bodies]
        offset = (index + 1) * (1.0 + GAP) * self._width
        matrix = copy.matrix_world.copy()
        copy.parent = None
        copy.constraints.clear()
        matrix.translation.x += offset
        copy.matrix_world = matrix
        for mesh, standing in bodies:
            body = bpy.data.objects.new(mesh.name, mesh)
            body.matrix_world = standing
            body.matrix_world.translation.x += offset
            collection.objects.link(body)
        text = bpy.data.curves.new(label, "FONT")
        text.body, text.size, text.align_x = label, LABEL * self._width, "CENTER"
        sign = bpy.data.objects.new(f"Name of {label}", text)
        x, y, z = self._front
        sign.location = x + offset, y - 2.0 * text.size, z
        collection.objects.link(sign)

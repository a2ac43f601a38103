# SPDX-License-Identifier: GPL-3.0-or-later
"""The garments that one cloth is made of: one, or several that are worn together; innermost first.

No Blender reference is kept: undo makes them invalid, so every call gets the objects again (see find()).
"""

from dataclasses import dataclass

import bpy
import numpy as np

from ..garment.garment_data import GarmentData
from ..scene import arrays, lookup, place
from ..scene.problems import Problem


@dataclass
class Member:
    """One garment. begin: its first vertex in the cloth. counts: of its mesh. matrix: where its object stood last."""

    uid: str
    name: str
    garment: GarmentData
    begin: int
    counts: tuple
    matrix: np.ndarray = None

    @property
    def span(self):
        return slice(self.begin, self.begin + self.garment.vertex_count)

    def find(self):
        """Its object; gone is a Problem."""
        return existing(self.uid, self.name)


def find(uid, name):
    """The garment, or None; what was converted to a curve is none any more.

    An undo to before it had its uid must not lose it: then by name.
    """
    found = lookup.find(uid)
    if found is None:
        found = bpy.data.objects.get(name)
        if found is None or not found.muslin.enabled or found.muslin.uid:
            return None
        found.muslin.uid = uid
    return found if found.type == "MESH" else None


def existing(uid, name):
    """The garment; gone is a Problem."""
    obj = find(uid, name)
    if obj is None:
        raise Problem(f"{name} was deleted, or is no longer a mesh")
    return obj


def mesh_counts(obj):
    """Enough to see that a mesh became another one: vertices, edges and faces."""
    return arrays.counts(obj.data)


def listed(objects, garments):
    """A Member of each, one after the other in the cloth."""
    found, begin = [], 0
    for obj, garment in zip(objects, garments):
        uid = lookup.ensure_uid(obj)
        found.append(Member(uid, obj.name, garment, begin, mesh_counts(obj)))
        begin += garment.vertex_count
    return found


def stand(members, depsgraph):
    """Remember where the objects are, for the way back into their own space."""
    for member in members:
        obj = member.find()
        member.name = obj.name
        member.matrix = place.as_matrix(obj.evaluated_get(depsgraph).matrix_world)


def check_meshes(members):
    """The mesh of each has to be the one that it was."""
    for member in members:
        now = mesh_counts(member.find())
        if now != member.counts:
            raise Problem(
                f"The mesh of {member.name} has changed: {member.counts[0]} vertices and "
                f"{member.counts[2]} faces before, {now[0]} and {now[2]} now. Start again"
            )


def are_there(members):
    """Whether all of them are still there, with the meshes that they had."""
    objects = [find(member.uid, member.name) for member in members]
    return all(
        obj is not None and mesh_counts(obj) == member.counts
        for obj, member in zip(objects, members)
    )


def split(members, positions, unit, matrices=None):
    """Positions in the world as {uid: positions in the object's own space}; matrices: where the objects stand."""
    matrices = [member.matrix for member in members] if matrices is None else matrices
    return {
        member.uid: place.to_local(positions[member.span], matrix, unit)
        for member, matrix in zip(members, matrices)
    }

# SPDX-License-Identifier: GPL-3.0-or-later
"""The garments that one cloth is made of: one, or several that are worn together; innermost first.

No Blender reference is kept: undo makes them invalid, so every call gets the objects again (see find()).
"""

from dataclasses import dataclass, replace

import bpy
import numpy as np

from .. import running
from ..garment.garment_data import GarmentData
from ..scene import arrays, lookup, place
from ..scene.problems import Problem, ended_by


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
        return existing(self.uid, self.name)


def find(uid, name):
    """The garment, or None, also of one that was converted to a curve. By name after an undo to before it had its uid."""
    found = lookup.find(uid)
    if found is None:
        found = bpy.data.objects.get(name)
        if found is None or not found.muslin.enabled or found.muslin.uid:
            return None
        found.muslin.uid = uid
    return found if found.type == "MESH" else None


def existing(uid, name):
    obj = find(uid, name)
    if obj is None:
        raise Problem(f"{name} was deleted, or is no longer a mesh")
    return obj


def mesh_counts(obj):
    return arrays.counts(obj.data)


def listed(objects, garments):
    found, begin = [], 0
    for obj, garment in zip(objects, garments):
        uid = lookup.ensure_uid(obj)
        found.append(Member(uid, obj.name, garment, begin, mesh_counts(obj)))
        begin += garment.vertex_count
    return found


def note_error(members, problem):
    """What ended a run of these garments stays in their panels; vertices of their cloth become those of one of them."""
    finding = ended_by(problem, members[0].name)
    if finding.element == "VERT" and finding.object_name not in bpy.data.objects:
        for member in members:
            own = range(member.begin, member.span.stop)
            left = [vertex - member.begin for vertex in finding.indices if vertex in own]
            if left:
                finding = replace(finding, object_name=member.name, indices=left)
                break
    running.errors.update({member.uid: finding for member in members})


def are_there(members):
    objects = [find(member.uid, member.name) for member in members]
    return all(o is not None and mesh_counts(o) == m.counts for o, m in zip(objects, members))


def split(members, positions, unit, matrices=None):
    """Positions in the world as {uid: positions in the object's own space}; matrices: where the objects stand."""
    matrices = [member.matrix for member in members] if matrices is None else matrices
    placed = zip(members, matrices)
    return {m.uid: place.to_local(positions[m.span], matrix, unit) for m, matrix in placed}

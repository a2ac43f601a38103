# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies in the pose in which they were modelled: without the armatures and caches that bend them."""

from contextlib import contextmanager

import numpy as np

from ..muslin import Mesh, jumps
from ..muslin.poses import pose_between
from ..scene import arrays, place
from ..scene.lookup import why_absent

POSING = ("ARMATURE", "MESH_CACHE", "MESH_SEQUENCE_CACHE")  # modifiers
STILL = 1e-3  # m: a body that moves less than this is in its modelled pose


def bending(objects):
    shown = [m for obj in objects for m in obj.modifiers if m.show_viewport]
    return [m for m in shown if m.type in POSING and not place.is_own_modifier(m)]


@contextmanager
def unposed(objects, view_layer):
    """Within it, no armature and no cache bends these objects."""
    off = [(modifier, "show_viewport", False) for modifier in bending(objects)]
    try:
        with place.temporarily(off, view_layer) as is_bent:
            yield is_bent
    finally:
        if off:
            view_layer.update()


def world_mesh(obj, depsgraph, unit):
    """The Mesh of an object in the world, m, as it is evaluated; None of one that has none."""
    evaluated = obj.evaluated_get(depsgraph)
    with arrays.evaluated_mesh(evaluated) as mesh:
        if mesh is None:
            return None
        places = place.to_world(arrays.positions(mesh), evaluated.matrix_world, unit)
        return Mesh(places, arrays.face_sizes(mesh), arrays.corners(mesh))


def read(objects, depsgraph, unit):
    """{name: Mesh in the world} of the objects that are there."""
    there = [obj for obj in objects if not why_absent(obj, depsgraph)]
    found = {obj.name: world_mesh(obj, depsgraph, unit) for obj in there}
    return {name: mesh for name, mesh in found.items() if mesh is not None}


class Pose:
    """One body on its way from its modelled pose (0) to where it is in the first frame (1)."""

    def __init__(self, body, modelled, first):
        self._body, self._mesh = body, first
        self._ends = modelled.positions, first.positions
        self._place = first.positions  # where it is
        self._way = None  # made when it is first needed, which takes a moment

    def at(self, part):
        if part in (0.0, 1.0):
            return self._ends[int(part)]
        if self._way is None:
            self._way = pose_between(self._mesh, *self._ends)
        return self._way(part)

    def place(self, part):
        self._place = self.at(part)
        self._body.place(self._place)

    def move(self, part):
        """Within the next step; gives a Jump where that is one. Runs in any thread."""
        before, self._place = self._place, self.at(part)
        return jumps.move(self._body, before, self._place)


def differ(modelled, first):
    if modelled is None or first is None or modelled.vertex_count != first.vertex_count:
        return False
    # False where not finite
    return bool(np.abs(modelled.positions - first.positions).max() > STILL)

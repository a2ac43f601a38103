# SPDX-License-Identifier: GPL-3.0-or-later
"""What the garment collides with: objects and a collection, as they are evaluated now.

Faces are read once and remembered; a frame reads positions only. Objects are known by a key, never by
a reference.
"""

from dataclasses import dataclass

import numpy as np

from .. import words
from ..muslin import Mesh, MuslinError, Status, jumps
from ..scene import arrays, place
from ..scene.lookup import why_absent
from ..scene.problems import Problem, of_library
from . import modelled_poses

KINDS = {"MESH", "CURVE", "SURFACE", "META", "FONT"}


@dataclass
class Known:
    """A collider that a cloth has: its body, and what its faces were when they were last read."""

    name: str
    body: object
    counts: tuple
    corners: np.ndarray
    surface: tuple  # thickness, m, and friction
    local: np.ndarray  # the last positions read, for the next to be put into
    places: np.ndarray  # the same in the world, m


def key_of(obj):
    """Stays the same when the artist renames it, in a Blender that has session_uid."""
    return getattr(obj, "session_uid", None) or obj.name_full


def wanted(obj, *partners):
    """The colliders of a garment, each once and never itself: {key: (object, surface)}.
    partners: garments in the same cloth, whose colliders count, too, and which are none."""
    found = {}
    for each in reversed((obj, *partners)):  # the first garment's surface counts
        found.update(_met_by(each))
    own = {key_of(each) for each in (obj, *partners)}
    return {key: met for key, met in found.items() if key not in own}


def _met_by(obj):
    settings = obj.muslin
    common = (settings.thickness, settings.friction)
    listed = [item for item in settings.colliders if item.object is not None]
    found = {}
    for item in listed:
        if item.enabled and item.object != obj:
            own = (item.thickness, item.friction) if item.own_surface else common
            found[key_of(item.object)] = (item.object, own)
    if settings.collider_collection is not None:
        off = {key_of(item.object) for item in listed}
        for other in settings.collider_collection.all_objects:  # nested collections, too
            if other.type in KINDS and other != obj and key_of(other) not in off:
                found[key_of(other)] = (other, common)
    return found


class Colliders:
    """The bodies of one cloth. partners: gives the garments that it has beside the one that is named in every call."""

    def __init__(self, partners=list):
        self._partners = partners
        self._known = {}
        self._noted = set()
        self.notes = []
        self._jumped = []  # (name, Jump) of the last follow()

    def note(self, text):
        """For the artist; the same is said once."""
        if text not in self._noted:
            self._noted.add(text)
            self.notes.append(text)

    def name_of(self, number):
        """The collider whose body the library knows by this number; "" for none."""
        names = [known.name for known in self._known.values() if known.body.number == number]
        return names[0] if names else ""

    def met(self, other, scene, depsgraph):
        """The body of a collider and its mesh in the world, m; None twice where the cloth does not have it."""
        known = self._known.get(key_of(other))
        if known is None:
            return None, None
        return known.body, modelled_poses.world_mesh(other, depsgraph, place.unit_of(scene))

    def begin(self, cloth, obj, scene, depsgraph):
        """Add all bodies to the cloth again, where they are now. A broken one is a Problem."""
        for known in self._known.values():
            if known.body._cloth is cloth:
                known.body.remove()
        self._known = {}
        self.follow(cloth, obj, scene, depsgraph, strict=True)

    def follow(self, cloth, obj, scene, depsgraph, jump=False, strict=False):
        """Where the bodies are to be at the end of the next step; `jump`: at once."""
        unit = place.unit_of(scene)
        self._jumped = []
        now = wanted(obj, *self._partners())
        for key in [key for key in self._known if key not in now]:
            self._drop(key, "was deleted or disabled")
        for key, (other, surface) in now.items():
            try:
                self._follow_one(cloth, key, other, surface, unit, depsgraph, jump)
                continue
            except MuslinError as error:
                if error.status not in (Status.ERROR_MESH, Status.ERROR_ARGUMENT):
                    raise  # the cloth has a problem, not the collider
                problem = of_library(error, other.name, is_body=True)
            except Problem as refused:
                problem = refused
            if strict:  # at the start the artist can fix it; later the collider keeps its position
                raise problem
            self.note(f"{problem}. It keeps its last position")

    def carry(self, cloth, frame, pins):
        """After follow(): the cloth goes along with bodies that jumped, where it is worn on them; where it cannot, there is no
        going on; says so. pins: gives those of the cloth at the end of the step."""
        if not self._jumped:
            return ""
        names = words.listed([name for name, _ in self._jumped])
        moved, held = [jump for _, jump in self._jumped], pins()
        what = f"{names} jumped {max(jump.distance for jump in moved):.2g} m in frame {frame}"
        found = jumps.carry(cloth, moved, (held.vertices, held.targets))
        if found == jumps.Outcome.LOST:
            raise Problem(f"{what}. Use Settle First or re-dress")
        went = "was carried along" if found == jumps.Outcome.CARRIED else "stayed where it was"
        self.note(f"{what}: the cloth {went}")
        return f"{what}: the cloth {went}"

    def are_posed(self, obj):
        """Whether an armature or a cache bends one of the bodies, which was modelled in another pose then."""
        met = wanted(obj, *self._partners()).values()
        return bool(modelled_poses.bending([other for other, _ in met]))

    def modelled_poses(self, obj, scene, depsgraph):
        """A Pose of each body that is bent: how it gets from its modelled pose to where it is now."""
        now = wanted(obj, *self._partners())
        objects = [now[key][0] for key in now if key in self._known]
        met = {other.name: self._known[key_of(other)] for other in objects}
        unit = place.unit_of(scene)
        with modelled_poses.unposed(objects, depsgraph.view_layer) as bent:
            modelled = modelled_poses.read(objects, depsgraph, unit) if bent else {}
        now = modelled_poses.read(objects, depsgraph, unit) if bent else {}
        return [
            modelled_poses.Pose(met[name].body, mesh, now[name])
            for name, mesh in modelled.items()
            if modelled_poses.differ(mesh, now.get(name))
        ]

    def places(self, obj, scene, depsgraph):
        """Bytes that differ once one of the bodies was moved, or has another surface."""
        met = wanted(obj, *self._partners()).values()
        read = modelled_poses.read([other for other, _ in met], depsgraph, place.unit_of(scene))
        parts = [mesh.positions.tobytes() for mesh in read.values()]
        return b"".join([*parts, repr([surface for _, surface in met]).encode()])

    def _drop(self, key, why):
        known = self._known.pop(key)
        known.body.remove()
        self.note(f"{known.name} {why}: the cloth no longer collides with it")

    def _follow_one(self, cloth, key, other, surface, unit, depsgraph, jump):
        known = self._known.get(key)
        if arrays.is_edited(other):
            if known is None:
                where = f"{other.name} is in Edit Mode"
                self.note(f"{where}: the cloth ignores it until you leave Edit Mode")
            return
        evaluated, why = other.evaluated_get(depsgraph), why_absent(other, depsgraph)
        if not why:
            with arrays.evaluated_mesh(evaluated) as mesh:
                if mesh is not None and len(mesh.polygons):
                    self._read(cloth, key, other, mesh, evaluated.matrix_world, unit, surface, jump)
                    return
            why = "has no faces"
        if known is not None:
            self._drop(key, why)
        else:
            self.note(f"{other.name} {why}: the cloth does not collide with it")

    def _read(self, cloth, key, other, mesh, matrix, unit, surface, jump):
        known = self._known.get(key)
        counts = len(mesh.vertices), len(mesh.polygons), len(mesh.loops)
        # where the places are these numbers, a jump still needs them
        spare = known.local if known and known.places is not known.local else None
        local = arrays.positions(mesh, spare)
        positions = place.to_world(local, matrix, unit)
        arrays.refuse_not_finite(other.name, positions)
        is_new = known is None or counts != known.counts
        is_quick = is_new or arrays.has_quick_corners(mesh)
        corners = arrays.corners(mesh) if is_quick else known.corners
        if is_new or not np.array_equal(corners, known.corners):
            shape = Mesh(positions, arrays.face_sizes(mesh), corners)
            if known is None:
                body = cloth.add_body(shape, *surface)
                known = Known(other.name, body, counts, corners, surface, local, positions)
                self._known[key] = known
                return
            known.body.replace(shape)
            known.counts, known.corners = counts, corners
            self.note(f"{other.name} has new faces: its current mesh is used")
        elif jump:
            known.body.place(positions)
        else:
            jump = jumps.move(known.body, known.places, positions)
            self._jumped += [(other.name, jump)] if jump is not None else []
        known.name, known.local, known.places = other.name, local, positions
        if surface != known.surface:
            known.body.set_surface(*surface)
            known.surface = surface

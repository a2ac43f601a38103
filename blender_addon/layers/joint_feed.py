# SPDX-License-Identifier: GPL-3.0-or-later
"""Several garments become one cloth: what is read of each is put one after the other.

What one cloth has only once is the innermost garment's: see layers/partners.py.
"""

import numpy as np

from ..garment import garment_settings, vertex_groups
from ..garment.feed import Feed
from ..garment.garment_data import GarmentData, read_garment
from ..muslin.sewing import links
from ..muslin.layers import joined
from ..muslin.table import parts_of, takes
from ..scene import arrays, place
from ..scene.problems import Problem
from ..sewing import seams
from ..simulation import members


def feeding(objects, scene, depsgraph, mirrored=True, edited=False, sweeping=False):
    """The Feed of a garment, or of several that are simulated together, and its Members."""
    how = {"edited": edited, "sweeping": sweeping}
    if len(objects) > 1:
        feed = JointFeed(objects, scene, depsgraph, **how)
        return feed, feed.members
    feed = Feed(objects[0], scene, depsgraph, mirrored, **how)
    return feed, members.listed(objects, [feed.garment])


class JointFeed(Feed):
    """Several garments into one cloth. Each call names the innermost; the others are found again."""

    def __init__(self, objects, scene, depsgraph, edited=False, sweeping=False):
        how = {"mirrored": False, "edited": edited, "sweeping": sweeping}
        self.feeds = [Feed(obj, scene, depsgraph, **how) for obj in objects]
        self.members = members.listed(objects, [feed.garment for feed in self.feeds])
        for number, feed in enumerate(self.feeds):
            feed.partners = lambda number=number: self._others(number)
        self.garment = join(objects, [feed.garment for feed in self.feeds], sweeping)
        self._prepare(objects[0], scene, sweeping, lambda: self._others(0))

    def objects(self):
        return [member.find() for member in self.members]

    def _others(self, number):
        return [member.find() for other, member in enumerate(self.members) if other != number]

    def _push_settings(self, cloth, obj):
        """Other groups, factors or garments need a new cloth."""
        garment_settings.push_method(cloth, obj, self._sweeping)
        objects = self.objects()  # threads know one material for all, the innermost's
        for part, (each, now) in enumerate(zip(objects, cloth.materials)):
            wanted = garment_settings.material(each, self._sweeping, objects[0])
            garment_settings.push_material(cloth, wanted, now, part)
        self._push_self_contact(cloth, obj)

    def modelled_poses(self, obj, scene, depsgraph):
        if any(map(place.is_deformed, self.objects())):
            return []
        return super().modelled_poses(obj, scene, depsgraph)

    def _structure(self, _obj):
        found = []
        for obj in self.objects():
            garment = obj.muslin
            kind = garment.model, parts_of(garment_settings.material(obj))
            groups = garment_settings.rest_choice(obj), vertex_groups.chosen_groups(obj)
            sewn = seams.closure_choice(obj), seams.sewing_choice(obj)
            found.append((garment.together, garment.layer, kind, groups, sewn))
        return found

    def _worn(self, _obj):
        return [(member.find(), member.span.start) for member in self.members]

    def _refuse_changes(self, _obj, depsgraph):
        for obj, feed in zip(self.objects(), self.feeds):
            feed._refuse_changes(obj, depsgraph)

    def _pin_strength(self, _obj, scene):
        counts = [len(feed.garment.pin_vertices) for feed in self.feeds]
        strengths = [vertex_groups.strength_of(obj, scene) for obj in self.objects()]
        return np.repeat(strengths, counts).astype(np.float32)

    def _pin_targets(self, _obj, scene, depsgraph):
        found = []
        for obj, feed, member in zip(self.objects(), self.feeds, self.members):
            pins = feed.garment.pin_vertices
            if feed._targets is None:
                feed._targets = np.ascontiguousarray(feed.garment.start[pins])
            if len(pins) and not arrays.is_edited(obj):
                feed._targets = feed._pin_targets(obj, scene, depsgraph)
                arrays.refuse_not_finite(obj.name, feed._targets, pins, "pinned vertex")
            found.append(feed._targets)
        return np.ascontiguousarray(np.concatenate(found))

    def _push_self_contact(self, cloth, obj):
        """Layers always collide with each other."""
        now = (True, obj.muslin.thickness, obj.muslin.friction)
        if now != self._self_contact:
            cloth.set_self_contact(*now)
        self._self_contact = now


def read_again(feed, obj, scene, depsgraph):
    """The garments of a feed as they are now, as read_garment() gives them."""
    if isinstance(feed, JointFeed):
        return [read_garment(each, scene, depsgraph, mirrored=False) for each in feed.objects()]
    return [read_garment(obj, scene, depsgraph)]


def join(objects, garments, sweeping=False):
    first = garments[0]
    for obj, garment in zip(objects, garments):
        if garment.settings["pattern"] != first.settings["pattern"]:
            raise Problem(
                f"{obj.name} and {objects[0].name} are simulated together, and one has a UV map for its rest shape: "
                "that takes one for each of them"
            )
    begins = np.cumsum([0, *(garment.vertex_count for garment in garments)])
    placed = list(zip(garments, begins))
    pins = np.concatenate([garment.pin_vertices + begin for garment, begin in placed])
    found = GarmentData(
        mesh=joined([scaled_pattern(garment, first) for garment in garments]),
        start=np.concatenate([garment.start for garment in garments]),
        pin_vertices=pins.astype(np.int32),
        pin_weights=np.concatenate([garment.pin_weights for garment in garments]),
        maps={name: joined_map(name, garments) for name in first.maps},
        settings={**first.settings, **fabrics(objects, garments, sweeping)},
        closing=[links.shifted(each, begin) for g, begin in placed for each in g.closing],
        links=[links.shifted(each, begin) for g, begin in placed for each in g.links],
    )
    for garment in garments:
        found.notes.extend(garment.notes)
    has_map = [garment.mesh.uvs is not None for garment in garments]
    if any(has_map) and not all(has_map):
        name = objects[has_map.index(False)].name
        found.notes.append(f"{name} has no UV map: those of the garments with it are not used")
    return found


def fabrics(objects, garments, sweeping):
    """The material of each garment; a solver without a choice of models has one for all."""
    if not takes("model", garments[0].settings["solver"]):
        return {}
    counts = [garment.vertex_count for garment in garments]
    materials = [garment_settings.material(obj, sweeping, objects[0]) for obj in objects]
    for obj, material in zip(objects, materials):
        material["model"] = obj.muslin.model
    return {"parts": np.repeat(np.arange(len(counts)), counts), "materials": materials}


def scaled_pattern(garment, first):
    """Its mesh, with a UV map that suits the first garment's scale."""
    mesh, scale = garment.mesh, garment.settings["uv_scale"] / first.settings["uv_scale"]
    if mesh.uvs is None or scale == 1.0:
        return mesh
    return mesh.replaced(uvs=(mesh.uvs * scale).astype(np.float32))


def joined_map(name, garments):
    """One factor for each vertex, 1 where a garment has no map; None where none has."""
    if all(garment.maps[name] is None for garment in garments):
        return None
    ones = [np.ones(garment.vertex_count, dtype=np.float32) for garment in garments]
    maps = [garment.maps[name] for garment in garments]
    return np.concatenate([one if own is None else own for one, own in zip(ones, maps)])

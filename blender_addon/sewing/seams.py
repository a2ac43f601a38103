# SPDX-License-Identifier: GPL-3.0-or-later
"""The seams, tacks and elastics of a garment, as links that a cloth takes, each until a frame if wanted; and those that close the
open front of a garment that is simulated whole. Halves close in their plane. Tacks hold vertex groups to a body or to another
garment of the same cloth."""

import numpy as np

from ..garment.vertex_groups import weights
from ..mirror import mirror_plane
from ..muslin import MuslinError
from ..muslin.sewing import links, plackets
from ..muslin.sewing.nearest import nearest_places
from ..muslin.sewing.runs import evenly_sewn, flat_places
from ..muslin.sewing.seams import split_loose_edges
from ..scene.problems import Problem


def sewing_choice(obj):
    """What only a new cloth can take, to see whether the artist has changed it."""
    sewing = obj.muslin.sewing
    seams = (sewing.enabled, sewing.is_even, sewing.speed, sewing.release)
    names = [tack.target.name if tack.target else "" for tack in sewing.tacks]
    tacks = [(name, t.group, t.target_group, t.release) for name, t in zip(names, sewing.tacks)]
    elastics = [(e.group, e.share, e.release) for e in sewing.elastics]
    return seams, elastics, tacks


def taken_apart(obj, mesh, pattern):
    """The mesh without its stitches, and a list of arrays of links. pattern: "uv" or "mesh", as settings have it."""
    sewing, found = obj.muslin.sewing, []
    if sewing.enabled:
        mesh, pairs = split_loose_edges(mesh)
        if len(pairs):
            even = sewing.is_even
            stitches = evenly_sewn(mesh, pairs, flat_places(mesh, pattern)) if even else pairs
            found.append(links.seam(stitches, speed=sewing.speed))
    return mesh, found


CLOSURES = {"zip": "Zip", "button": "Button"}


def closure_choice(obj):
    chosen = obj.muslin.mirror
    if chosen.closure != "button":
        return (chosen.closure,)
    return chosen.closure, chosen.overlap, chosen.over, chosen.plane


def front_links(obj, mesh):
    """A list of arrays, empty where nothing is to be closed, or nothing is open. mesh: the rest shape."""
    chosen = obj.muslin.mirror
    how = (chosen.overlap, chosen.over, across(obj, mesh)) if chosen.closure == "button" else ()
    found = plackets.front_links(mesh, chosen.closure, *how)
    return [] if found is None else [found]


def across(obj, mesh):
    """From one side of the front to the other, in the world, towards the side that On Top calls this one."""
    axis = mirror_plane.axis_of(obj, obj.matrix_world)
    if obj.muslin.mirror.plane != "found":
        return axis
    try:
        normal = mirror_plane.plane_of(obj, mesh, obj.matrix_world)[1]
    except MuslinError:  # no plane was found; it can be buttoned all the same
        return axis
    return -normal if normal @ axis < 0 else normal


def all_links(cloth, data):
    """Without the front where the cloth is mirrored, which closes it by itself."""
    sets = list(data.links)
    if data.closing and cloth.mirror().mode == "off":
        sets.extend(data.closing)
    return sets


class Tacks:
    def __init__(self):
        self._sets = []  # all links of the cloth
        self._releases = {}  # frames by the numbers of sets
        self._released = set()

    def begin(self, cloth, worn, data, bodies, partners=()):
        """Give a cloth its links with the tacks and elastics of its garments. worn: (object, number of its first vertex) of each. bodies:
        see Colliders.met(). partners: names of garments that are simulated together with these; what is tacked to one that is not
        worn here is free."""
        self._sets, self._released, self._releases = all_links(cloth, data), set(), {}
        for number, array in enumerate(data.links):  # seams
            first = array["vertices"][:, 0].min()
            obj = next(obj for obj, begin in reversed(worn) if begin <= first)
            if obj.muslin.sewing.release > 0:
                self._releases[number] = obj.muslin.sewing.release
        sewn = len(self._sets)
        here = {obj.name for obj, _ in worn}
        for obj, begin in worn:
            for item in obj.muslin.sewing.tacks:
                target = item.target.name if item.target is not None else ""
                if item.group and target and (target in here or target not in partners):
                    self._add(links_of(obj, begin, item, worn, data.start, bodies), item.release)
            for item in obj.muslin.sewing.elastics:
                if item.group:
                    self._add(elastic_of(obj, begin, item, data.mesh), item.release)
        if len(self._sets) > sewn:
            cloth.set_links(self._sets)

    def start(self, cloth, data):
        """All of it, from where the cloth is now; before begin() what sews it without tacks and elastics."""
        sets = self._sets or all_links(cloth, data)
        if sets:
            cloth.set_links(sets)
        if self._sets:
            self._released = set()

    def _add(self, made, release):
        if release > 0:
            self._releases[len(self._sets)] = release
        self._sets.append(made)

    def follow(self, cloth, frame):
        """Release what is to be released at this frame; after going back in time, hold it again as it was held first."""
        due = {number for number, at in self._releases.items() if frame >= at}
        for number in sorted(self._released - due):
            cloth.hold(number)  # nothing to do where a snapshot has brought it back
        for number in sorted(due - self._released):
            cloth.release(number)
        self._released = due


def links_of(obj, begin, item, worn, start, bodies):
    """Each vertex of the group is held to the nearest place of the target, as far away as it is now."""
    vertices = begin + group_vertices(obj, item.group)
    target = item.target
    firsts = {other.name: first for other, first in worn}
    if target.name in firsts:
        others = firsts[target.name] + group_vertices(target, item.target_group)
        ways = np.linalg.norm(start[vertices][:, None] - start[others][None], axis=2)
        return links.tack(vertices, others[np.argmin(ways, axis=1)].astype(np.int32))
    body, mesh = bodies(target)
    if body is None:
        raise Problem(
            f"{obj.name} is tacked to {target.name}, which is neither one of its colliders nor a garment that is "
            "simulated together with it"
        )
    places = nearest_places(start[vertices], mesh)
    return links.tack_to_body(vertices, body, *places, length=None)


def elastic_of(obj, begin, item, mesh):
    """Along edges between vertices of the group. mesh: of the whole cloth."""
    inside = np.zeros(mesh.vertex_count, bool)
    inside[begin + group_vertices(obj, item.group)] = True
    sides = mesh.sides()
    edges = sides[inside[sides].all(axis=1)].astype(np.int32)
    if not len(edges):
        raise Problem(
            f"{obj.name} has no edges between vertices of the group '{item.group}' for its elastic"
        )
    return links.elastic(edges, item.share)


def group_vertices(obj, name):
    group = obj.vertex_groups.get(name)
    found = np.flatnonzero(weights(obj, group.index) > 0) if group is not None else []
    if not len(found):
        raise Problem(
            f"{obj.name} has no vertices in the vertex group '{name}' that sewing needs; choose another"
        )
    return found.astype(np.int32)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The seams of a garment, as links that a cloth takes; and those that close the open front of a garment that is simulated
whole. Halves close in their plane."""

import numpy as np

from ..mirror import mirror_plane
from ..muslin import MuslinError
from ..muslin.sewing import plackets, links
from ..muslin.sewing.runs import evenly_sewn
from ..muslin.sewing.seams import split_loose_edges


def sewing_choice(obj):
    """What only a new cloth can take, to see whether the artist has changed it."""
    sewing = obj.muslin.sewing
    seams = (sewing.enabled, sewing.is_even, sewing.speed, sewing.release)
    tacks = [
        (t.group, t.target.name if t.target else "", t.target_group, t.release)
        for t in sewing.tacks
    ]
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


def flat_places(mesh, pattern):
    """Where vertices are in the pattern, by which lengths are measured; None: in the mesh itself."""
    if pattern != "uv" or mesh.uvs is None:
        return None
    places = np.zeros((mesh.vertex_count, 2))
    places[mesh.face_vertices] = mesh.corner_uvs
    return places


CLOSURES = {"zip": "Zip", "button": "Button"}


def closure_choice(obj):
    """What the links are made from, to see whether the artist has changed it."""
    chosen = obj.muslin.mirror
    if chosen.closure != "button":
        return (chosen.closure,)
    return chosen.closure, chosen.overlap, chosen.over, chosen.plane


def front_links(obj, mesh):
    """Of a rest shape, as a list of arrays, which is empty where nothing is to be closed, or nothing is open."""
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
    except MuslinError:  # it has no plane; it can be buttoned all the same
        return axis
    return -normal if normal @ axis < 0 else normal


def joined_closures(several, begins):
    """Those of garments in one cloth, each from its first vertex there on."""
    return [links.shifted(array, begin) for own, begin in zip(several, begins) for array in own]


def all_links(cloth, data):
    """What sews a GarmentData, with its front, unless the cloth is mirrored, which closes that by itself."""
    sets = list(data.links)
    if data.closing and cloth.mirror().mode == "off":
        sets.extend(data.closing)
    return sets


def close_front(cloth, data):
    """Give a cloth what sews it."""
    sets = all_links(cloth, data)
    if sets:
        cloth.set_links(sets)

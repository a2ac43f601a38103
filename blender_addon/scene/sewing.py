# SPDX-License-Identifier: GPL-3.0-or-later
"""The seams of a garment, as links that a cloth takes."""

import numpy as np

from ..muslin import links
from ..muslin.runs import evenly_sewn
from ..muslin.seams import split_loose_edges


def choice(obj):
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

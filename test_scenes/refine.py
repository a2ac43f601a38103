# SPDX-License-Identifier: GPL-3.0-or-later
"""Finer meshes of the same shape: every face is cut at the middles of its sides.

Nothing is smoothed, so a garment keeps its distance from the body. A mesh that is symmetric to the bit stays so:
coordinates are added up in double precision, where the order of a few float32 does not matter.
"""

from math import log

import numpy as np

from test_scenes.mesh import Mesh, evened, unique_edges


def subdivide(mesh):
    """Triangles become four triangles, other polygons one quad a corner; ropes are halved, UVs of corners kept."""
    faces = [tuple(map(int, face)) for face in mesh.faces]
    edges, _ = unique_edges(mesh.faces)
    number = {edge: len(mesh.positions) + k for k, edge in enumerate(map(tuple, edges.tolist()))}
    points = mesh.positions.astype(np.float64)
    blocks = [points, points[edges].mean(1)]
    centre = len(points) + len(edges)
    cut, centres = [], []
    for face in faces:
        sides = zip(face, face[1:] + face[:1])
        middles = [number[min(side), max(side)] for side in sides]
        before = middles[-1:] + middles[:-1]
        if len(face) == 3:
            cut += list(zip(face, middles, before)) + [tuple(middles)]
            continue
        tip = centre + len(centres)
        centres.append(points[list(face)].sum(0) / len(face))
        cut += [(corner, after, tip, last) for corner, after, last in zip(face, middles, before)]
    blocks.append(np.reshape(centres, (-1, 3)))
    ropes = None
    if mesh.edges is not None and len(mesh.edges):
        tips = centre + len(centres) + np.arange(len(mesh.edges))
        blocks.append(points[mesh.edges].mean(1))
        ropes = np.concatenate([np.column_stack([mesh.edges[:, k], tips]) for k in (0, 1)])
    finer = Mesh(np.concatenate(blocks), evened(cut), edges=ropes, name=mesh.name)
    if mesh.face_uvs is not None:
        finer.uvs, finer.face_uvs = _subdivide_uvs(mesh)
    return finer


def _subdivide_uvs(mesh):
    """UV pairs and their numbers of the corners of the finer faces; nothing is shared between these."""
    pairs, numbers = [], []
    for corners in mesh.face_uvs:
        here = mesh.uvs[list(corners)].astype(np.float64)
        after = (here + np.roll(here, -1, 0)) / 2
        before, tip = np.roll(after, 1, 0), np.broadcast_to(here.mean(0), here.shape)
        if len(here) == 3:
            cut = [*np.stack([here, after, before], 1), after]
        else:
            cut = np.stack([here, after, tip, before], 1)
        for face in cut:
            numbers.append(tuple(range(len(pairs), len(pairs) + len(face))))
            pairs.extend(face)
    return np.array(pairs, np.float32), evened(numbers)


def refined(mesh, count):
    """Subdivided as often as comes nearest to `count` vertices, as a ratio; the mesh itself if that is never."""
    while abs(log(_finer_count(mesh) / count)) < abs(log(len(mesh.positions) / count)):
        mesh = subdivide(mesh)
    return mesh


def _finer_count(mesh):
    """Vertices of the subdivided mesh."""
    edges = len(unique_edges(mesh.faces)[0])
    centres = sum(len(face) > 3 for face in mesh.faces)
    ropes = 0 if mesh.edges is None else len(mesh.edges)
    return len(mesh.positions) + edges + centres + ropes

# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a mesh is to be sewn: loose edges, borders that meet, chains of edges."""

import itertools

import numpy as np

from .. import arrays
from ..inspection.surface import edge_keys
from .links import NONE, STITCH


def split_loose_edges(mesh):
    """The mesh without the loose edges that join vertices of faces, and these as pairs of vertices.

    They are stitches; all other loose edges stay what they are, ropes.
    """
    has_face = np.zeros(mesh.vertex_count, dtype=bool)
    has_face[mesh.face_vertices] = True
    stitches = has_face[mesh.edges].all(axis=1)
    return mesh.replaced(edges=mesh.edges[~stitches]), mesh.edges[stitches]


def border_edges(mesh):
    """Sides that one face alone has (k x 2)."""
    keys, counts = np.unique(edge_keys(mesh.corner_sides()), return_counts=True)
    single = keys[counts == 1]
    return np.column_stack([single >> 32, single & 0xFFFFFFFF])


def meeting_borders(mesh, reach=1e-4):
    """Pairs of border vertices that are nearer to each other than `reach`, m: panels that lie edge to edge.

    Each vertex is paired with the others in its place, ends of one border edge never.
    """
    edges = border_edges(mesh)
    vertices = np.unique(edges)
    joined = set(map(tuple, np.sort(edges, axis=1).tolist()))
    places = np.floor(mesh.positions[vertices] / reach).astype(int)
    cells = {}
    for vertex, place in zip(vertices.tolist(), map(tuple, places.tolist())):
        cells.setdefault(place, []).append(vertex)
    pairs = set()
    for place, found in cells.items():
        cube = itertools.product(*((k - 1, k, k + 1) for k in place))
        around = [other for cell in cube for other in cells.get(cell, ())]
        for vertex, other in itertools.product(found, around):
            near = np.linalg.norm(mesh.positions[vertex] - mesh.positions[other]) <= reach
            if vertex < other and near and (vertex, other) not in joined:
                pairs.add((vertex, other))
    return np.array(sorted(pairs), dtype=np.int32).reshape(-1, 2)


def neighbours_of(pairs):
    """The vertices that each vertex has pairs with, in their order."""
    beside = {}
    for first, second in pairs:
        beside.setdefault(first, []).append(second)
        beside.setdefault(second, []).append(first)
    return beside


def chain_of(edges):
    """The vertices of edges that follow each other, in order; a closed chain ends where it begins.

    It begins at the end with the lower number, or goes around from the lowest vertex.
    """
    edges = arrays.indices("edges", edges, columns=2).tolist()
    beside = neighbours_of(edges)
    ends = sorted(vertex for vertex, others in beside.items() if len(others) == 1)
    if not edges or len(ends) not in (0, 2) or any(len(o) > 2 for o in beside.values()):
        arrays.refuse("edges: not one chain or loop of edges that follow each other")
    chain = [ends[0] if ends else min(beside)]
    before = None
    while len(chain) <= len(edges):
        onward = [other for other in beside[chain[-1]] if other != before]
        if not onward:
            break
        before = chain[-1]
        chain.append(onward[0] if ends else min(onward) if before == chain[0] else onward[0])
    if len(chain) != len(edges) + 1:
        arrays.refuse("edges: not one chain or loop of edges that follow each other")
    return np.array(chain, dtype=np.int32)


def between(positions, first, second):
    """Stitches between two chains of vertices, from their first vertices to their last.

    Every vertex of either is sewn to the place on the other that is as far along it, by share of its
    length, as it is on its own: the chains may have different numbers of vertices, and lengths.
    """
    chains = [arrays.indices(name, c) for name, c in (("first", first), ("second", second))]
    shares = [shares_along(positions, chain) for chain in chains]
    at = np.unique(np.concatenate(shares).round(9))
    stitches = np.zeros(len(at), dtype=STITCH)
    for side in range(2):
        vertices, places = places_along(chains[side], shares[side], at)
        stitches["vertices"][:, 2 * side : 2 * side + 2] = vertices
        stitches["places"][:, side] = places
    return stitches


def shares_along(positions, chain):
    """How far along a chain each of its vertices is, 0 to 1."""
    if len(chain) < 2:
        arrays.refuse("a chain has two vertices at least")
    steps = np.linalg.norm(np.diff(np.asarray(positions, dtype=float)[chain], axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    return along / along[-1]


def places_along(chain, shares, at, same=1e-6):
    """The edge ends (n x 2, the second NONE at a vertex) and places on the edge of shares of the chain."""
    edge = np.clip(np.searchsorted(shares, at, side="right") - 1, 0, len(chain) - 2)
    places = (at - shares[edge]) / np.maximum(shares[edge + 1] - shares[edge], 1e-12)
    ends = np.column_stack([chain[edge], chain[edge + 1]])
    ends[places >= 1 - same, 0] = chain[edge + 1][places >= 1 - same]
    single = (places <= same) | (places >= 1 - same)
    ends[single, 1] = NONE
    return ends, np.where(single, 0.0, places)

# SPDX-License-Identifier: GPL-3.0-or-later
"""How often edges pass through faces: cloth through itself, cloth through a body.

The rule. Lengths below `tolerance` (2^-20 of the cloth's largest coordinate, about a micrometre for
a garment: some float32 roundings) mean nothing. So each pair of an edge and a face is tried with
the edge moved a tolerance in eight directions, the corners of a tilted cube:

- A pair that pierces in all eight counts. A pair that pierces in none does not.
- A pair in doubt passes through a side or a corner of the face, or ends on it. Then all pairs in
  doubt around that place - of the same edge, or of all edges at the vertex that lies on the face -
  are judged together: as many count as pierce in the direction that pierces least.

So what a move by a tolerance can part is a touch and does not count: cloth resting on a face, an
edge or a corner of a body, layers in one plane, a border against a face. What it cannot part counts
at least once: an edge through the seam between two faces or through a corner, or a vertex that lies
in a face with cloth on both sides of it.

Left out are: pairs in which the edge ends in a corner of the face, in the cloth itself also where
two vertices lie at exactly one place (an unsewn seam); faces thinner than a sixteenth of the
tolerance, whose neighbours are judged instead; and edges that lie in the plane of the face.
"""

from collections import namedtuple
from dataclasses import dataclass

import numpy as np

from .surface import surface_of_faces

RELATIVE_TOLERANCE = 2.0**-20
# Of the tolerance: the normal of a thinner face is not exact enough.
THINNEST = 1 / 16
# Of an edge's length: two places in doubt that lie further apart are judged each for itself.
ONE_PLACE = 0.05


# Eight unit vectors, the corners of a cube that is tilted against the axes.
_CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
_TILTED, _ = np.linalg.qr([[1.0, 0.37, 0.21], [-0.29, 1.0, 0.43], [0.17, -0.31, 1.0]])
DIRECTIONS = _CORNERS @ _TILTED.T / np.sqrt(3)


@dataclass(frozen=True)
class Piercings:
    """Edges of a surface (n x 2 vertices, of welded ones the lowest) through faces (n) of another or the same,
    sorted, and the points (n x 3, m) where the line of the edge meets the plane of the face."""

    edges: np.ndarray
    faces: np.ndarray
    points: np.ndarray

    def __len__(self):
        return len(self.faces)


def count_self(positions, faces, edges=()):
    """How many pairs of an edge and a face of the cloth pierce. `edges` are loose edges (ropes)."""
    cloth = surface_of_faces(positions, faces, edges, weld=True)
    return len(self_piercings(cloth))


def count_between(positions, faces, body_positions, body_faces, edges=()):
    """(cloth edges through body faces, body edges through cloth faces), each a count of pairs."""
    cloth = surface_of_faces(positions, faces, edges, weld=True)
    body = surface_of_faces(body_positions, body_faces)
    return tuple(map(len, body_piercings(cloth, body)))


def self_piercings(cloth):
    """Edges of the cloth's surface through its own faces. Weld it: seams touch everywhere."""
    return find_piercings(cloth, cloth, tolerance_of(cloth))


def body_piercings(cloth, body):
    """(cloth edges through body faces, body edges through cloth faces) as Piercings."""
    tolerance = tolerance_of(cloth)
    return find_piercings(cloth, body, tolerance), find_piercings(body, cloth, tolerance)


def tolerance_of(cloth):
    """The length below which nothing counts, m."""
    used = cloth.points[cloth.edges]
    return RELATIVE_TOLERANCE * float(np.abs(used).max()) if used.size else 0.0


def find_piercings(edged, faced, tolerance):
    """Edges of the surface `edged` through faces of `faced`."""
    found, doubtful = [np.zeros((0, 2), np.int64)], []
    faces = Faces(faced, tolerance)
    for edges, triangles in candidates(edged, faced, faces.usable, tolerance):
        if edged is faced:
            ends, corners = edged.edges[edges], faced.triangles[triangles]
            apart = ~(ends[:, :, None] == corners[:, None, :]).any(axis=(1, 2))
            edges, triangles = edges[apart], triangles[apart]
        sure, doubts = judge(edged, faces, edges, triangles)
        found.append(sure)
        doubtful.append(doubts)
    if doubtful:
        found.append(settle(Doubts(*map(np.concatenate, zip(*doubtful)))))
    return described(edged, faces, np.concatenate(found))


def candidates(edged, faced, usable, tolerance):
    """Pairs of an edge and a triangle with boxes that overlap, chunk by chunk."""
    ends = edged.points[edged.edges]
    margin = 2 * tolerance
    edge_low, edge_high = ends.min(axis=1) - margin, ends.max(axis=1) + margin
    corners = faced.points[faced.triangles]
    low, high = corners.min(axis=1), corners.max(axis=1)
    # A body may be far larger than the cloth: what lies outside the other's box is not even sorted.
    bottom, top = edge_low.min(axis=0, initial=np.inf), edge_high.max(axis=0, initial=-np.inf)
    triangles = np.flatnonzero(usable & ((high >= bottom) & (low <= top)).all(axis=1))
    bottom = low[triangles].min(axis=0, initial=np.inf)
    top = high[triangles].max(axis=0, initial=-np.inf)
    edges = np.flatnonzero(((edge_high >= bottom) & (edge_low <= top)).all(axis=1))
    if len(edges) == 0:
        return
    edge_tree = BoxTree(edge_low[edges], edge_high[edges])
    for some, others in overlapping(edge_tree, BoxTree(low[triangles], high[triangles])):
        yield edges[some], triangles[others]


class Faces:
    """The triangles of a surface with their unit normals; `usable` tells those thick enough."""

    def __init__(self, surface, tolerance):
        self.triangles = surface.triangles
        self.face_of = surface.face_of
        self.points = surface.points
        self.tolerance = tolerance
        corners = surface.points[surface.triangles]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        areas = np.linalg.norm(normals, axis=1)
        sides = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
        longest = sides.max(axis=1, initial=0.0)
        self.usable = areas > THINNEST * tolerance * longest
        self.normals = normals / np.where(self.usable, areas, 1.0)[:, None]


# Pairs that pierce in some of the eight directions. pairs: n x 2, edge and triangle. hits: n x 8, in which directions they
# pierce. owners: what they are judged with; places: where along the edge, as a part of its length, 0 at a vertex.
Doubts = namedtuple("Doubts", "pairs hits owners places")


def judge(edged, faces, edges, triangles):
    """The pairs that surely pierce (rows of edge and triangle), and those in doubt."""
    tolerance = faces.tolerance
    ends = edged.points[edged.edges[edges]]
    distances = plane_distances(faces, ends, triangles)
    lowest, highest = distances.min(axis=1), distances.max(axis=1)
    crosses = (lowest <= tolerance) & (highest >= -tolerance)
    near = np.flatnonzero(crosses & ((lowest < -tolerance) | (highest > tolerance)))
    edges, triangles, ends, distances = edges[near], triangles[near], ends[near], distances[near]

    volumes, margins = side_volumes(faces, ends, triangles)
    possible = (volumes >= -margins).all(axis=1) | (volumes <= margins).all(axis=1)
    inside = (volumes > margins).all(axis=1) | (volumes < -margins).all(axis=1)
    sure = inside & (lowest[near] < -tolerance) & (highest[near] > tolerance)
    pairs = np.column_stack([edges, triangles])
    rest = np.flatnonzero(possible & ~sure)
    hits = moved_hits(faces, ends[rest], triangles[rest])
    always = hits.all(axis=1)
    doubt = hits.any(axis=1) & ~always
    certain = np.concatenate([pairs[sure], pairs[rest[always]]])
    rest = rest[doubt]
    return certain, doubts_of(edged, tolerance, pairs[rest], hits[doubt], distances[rest])


def plane_distances(faces, ends, triangles):
    """Signed distances of both ends (n x 2 x 3) of each edge from the plane of its triangle."""
    corner = faces.points[faces.triangles[triangles, 0]]
    return np.einsum("nki,ni->nk", ends - corner[:, None], faces.normals[triangles])


def side_volumes(faces, ends, triangles):
    """Six times the signed volume that each edge spans with each side of its triangle (n x 3).

    All of one sign: the line of the edge passes inside. The margins are how much the volumes
    change at most when the edge moves by a tolerance. Neighbours see their common side with
    exactly opposite volumes, so no line slips through between them.
    """
    corners = faces.points[faces.triangles[triangles]] - ends[:, :1]
    along = ends[:, 1] - ends[:, 0]
    following = np.roll(corners, -1, axis=1)
    volumes = np.einsum("nki,ni->nk", np.cross(corners, following), along)
    lengths = np.linalg.norm(following - corners, axis=2)
    return volumes, faces.tolerance * lengths * np.linalg.norm(along, axis=1)[:, None]


def moved_hits(faces, ends, triangles):
    """For each pair and each direction: does the edge, moved by a tolerance, pierce?"""
    hits = np.zeros((len(triangles), len(DIRECTIONS)), dtype=bool)
    for number, direction in enumerate(DIRECTIONS):
        moved = ends + faces.tolerance * direction
        above = plane_distances(faces, moved, triangles) > 0
        volumes, _ = side_volumes(faces, moved, triangles)
        inside = (volumes >= 0).all(axis=1) | (volumes <= 0).all(axis=1)
        hits[:, number] = inside & (above[:, 0] != above[:, 1])
    return hits


def doubts_of(edged, tolerance, pairs, hits, distances):
    """Pairs in doubt with their owner: the vertex that lies on the face, or else the edge."""
    vertices = edged.edges[pairs[:, 0]]
    on_face = np.abs(distances) <= tolerance
    owners = len(edged.points) + pairs[:, 0]
    owners = np.where(on_face[:, 1], vertices[:, 1], owners)
    owners = np.where(on_face[:, 0], vertices[:, 0], owners)
    places = distances[:, 0] / (distances[:, 0] - distances[:, 1])
    return Doubts(pairs, hits, owners, np.where(on_face.any(axis=1), 0.0, places))


def settle(doubts):
    """Of all pairs in doubt, those that count: in each group the hits of the mildest direction."""
    if len(doubts.pairs) == 0:
        return doubts.pairs
    order = np.lexsort((doubts.pairs[:, 1], doubts.pairs[:, 0], doubts.places, doubts.owners))
    pairs, hits = doubts.pairs[order], doubts.hits[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = np.diff(doubts.owners[order]) != 0
    new[1:] |= np.diff(doubts.places[order]) > ONE_PLACE
    mildest = np.add.reduceat(hits.astype(np.int64), np.flatnonzero(new)).argmin(axis=1)
    return pairs[hits[np.arange(len(hits)), mildest[np.cumsum(new) - 1]]]


def described(edged, faces, pairs):
    """Pairs of edge and triangle as Piercings."""
    ends = edged.points[edged.edges[pairs[:, 0]]]
    distances = plane_distances(faces, ends, pairs[:, 1])
    part = distances[:, 0] / (distances[:, 0] - distances[:, 1])
    points = ends[:, 0] + np.clip(part, 0, 1)[:, None] * (ends[:, 1] - ends[:, 0])
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    pairs, points = pairs[order], points[order]
    return Piercings(edged.edges[pairs[:, 0]], faces.face_of[pairs[:, 1]], points)


# Pairs handled at a time; some hundred bytes each while they are compared.
CHUNK = 1 << 17
MORTON_BITS = 16


class BoxTree:
    """A binary tree of boxes, sorted along a space-filling curve; level 0 is the root, the last level has one box a node.

    Two trees are walked down together, many pairs of nodes at a time. Unlike a grid this has no cell size to choose:
    a floor of two triangles under fine cloth costs no more than a fine floor.

    low, high: n x 3 corners, n at least 1. Node i of a level has the children 2i and 2i + 1.
    """

    def __init__(self, low, high):
        order = morton_order(low, high)
        self.depth = int(len(order) - 1).bit_length()
        # Boxes that fill up the last level are empty and overlap nothing.
        self.order = order
        padding = np.full(((1 << self.depth) - len(order), 3), np.inf)
        low, high = np.concatenate([low[order], padding]), np.concatenate([high[order], -padding])
        self.levels = [(low, high)]
        for _ in range(self.depth):
            low, high = np.minimum(low[::2], low[1::2]), np.maximum(high[::2], high[1::2])
            self.levels.insert(0, (low, high))


def morton_order(low, high):
    """The boxes in the order of their middles along a curve that keeps neighbours together."""
    middles = 0.5 * (low + high)
    bottom = middles.min(axis=0)
    extent = float((middles.max(axis=0) - bottom).max())
    cells = (middles - bottom) * ((1 << MORTON_BITS) - 1) / (extent if extent > 0 else 1.0)
    codes = np.zeros(len(middles), dtype=np.int64)
    cells = cells.astype(np.int64)
    for bit in range(MORTON_BITS):
        for axis in range(3):
            codes |= ((cells[:, axis] >> bit) & 1) << (3 * bit + axis)
    return np.argsort(codes, kind="stable")


def overlapping(one, other):
    """Pairs of boxes that overlap or touch, each once, as arrays (numbers in one, numbers in other) of at most CHUNK."""
    root = np.zeros(1, dtype=np.int64)
    waiting = [(0, 0, root, root)]
    while waiting:
        level, other_level, nodes, other_nodes = waiting.pop()
        keep = overlap(one.levels[level], nodes, other.levels[other_level], other_nodes)
        nodes, other_nodes = nodes[keep], other_nodes[keep]
        left, other_left = one.depth - level, other.depth - other_level
        if len(nodes) == 0:
            continue
        if left == 0 and other_left == 0:
            yield one.order[nodes], other.order[other_nodes]
            continue
        # The tree with more levels left goes first: so nodes of like size are compared.
        if left >= other_left:
            level, nodes, other_nodes = level + 1, children(nodes), np.repeat(other_nodes, 2)
        if other_left >= left:
            other_level += 1
            nodes, other_nodes = np.repeat(nodes, 2), children(other_nodes)
        for start in range(0, len(nodes), CHUNK):
            part = slice(start, start + CHUNK)
            waiting.append((level, other_level, nodes[part], other_nodes[part]))


def children(nodes):
    return (2 * nodes[:, None] + np.arange(2)).ravel()


def overlap(boxes, nodes, other_boxes, other_nodes):
    """For each pair of nodes: do their boxes overlap?"""
    low, high = boxes
    other_low, other_high = other_boxes
    apart = (low[nodes] > other_high[other_nodes]) | (other_low[other_nodes] > high[nodes])
    return ~apart.any(axis=1)

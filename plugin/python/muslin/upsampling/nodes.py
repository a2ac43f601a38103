# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes spread evenly over a garment, their neighbours, their frames, which turn with the cloth, and the garment's
heading.

Distances are along edges at rest, so that layers that lie on each other, or the legs of trousers, are far apart.
"""

import heapq
from collections import namedtuple

import numpy as np


class Graph:
    """Places and ways between them, as rows of lists; lengths in m."""

    def __init__(self, count, edges, lengths):
        ends = np.concatenate([edges, edges[:, ::-1]])
        order = np.argsort(ends[:, 0], kind="stable")
        starts = np.searchsorted(ends[order, 0], np.arange(count + 1)).tolist()
        others, ways = ends[order, 1].tolist(), np.tile(lengths, 2)[order].tolist()
        self.count, self.ways = count, []
        for begin, end in zip(starts[:-1], starts[1:]):
            self.ways.append(list(zip(others[begin:end], ways[begin:end])))

    def spread(self, spacing):
        """Places no two of which are nearer than `spacing`, and for every place the number of its nearest one."""
        near, owner, chosen = [np.inf] * self.count, [-1] * self.count, []
        for place in range(self.count):
            if near[place] <= spacing:
                continue
            near[place], owner[place] = 0.0, len(chosen)
            self._flood(place, len(chosen), spacing, near, owner)
            chosen.append(place)
        return np.array(chosen), np.array(owner)

    def _flood(self, place, number, reach, near, owner):
        front = [(0.0, place)]
        while front:
            done, here = heapq.heappop(front)
            if done > near[here]:
                continue
            for there, way in self.ways[here]:
                total = done + way
                if total <= reach and total < near[there]:
                    near[there], owner[there] = total, number
                    heapq.heappush(front, (total, there))

    def nearest(self, chosen, count):
        """The nearest `count` of the chosen places for each place; where there are fewer, the nearest again."""
        found = [[] for _ in range(self.count)]
        front = [(0.0, int(place), int(place)) for place in chosen]
        heapq.heapify(front)
        while front:
            done, here, source = heapq.heappop(front)
            if len(found[here]) >= count or source in found[here]:
                continue
            found[here].append(source)
            for there, way in self.ways[here]:
                if len(found[there]) < count and source not in found[there]:
                    heapq.heappush(front, (done + way, there, source))
        return np.array([row + row[:1] * (count - len(row)) for row in found])


# Vertices that are nodes (p), the Graph between them, and n x m nodes that carry each vertex, with weights whose sum is 1.
Nodes = namedtuple("Nodes", "vertices graph owners weights")
OWNERS = 8  # nodes that carry a vertex
REACH = 1.8  # spacings: how far a node carries


def choose_nodes(surface, spacing):
    """Nodes about `spacing` apart (m) on a Surface."""
    points, edges = surface.points, surface.edges
    lengths = np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1)
    chosen, owner = Graph(len(points), edges, lengths).spread(spacing)
    ties = np.sort(owner[edges], axis=1)
    ties = np.unique(ties[ties[:, 0] != ties[:, 1]], axis=0)
    ways = np.linalg.norm(points[chosen[ties[:, 0]]] - points[chosen[ties[:, 1]]], axis=1)
    graph = Graph(len(chosen), ties, ways)
    # each vertex is carried by its nearest node and those around that, with smooth weights, none negative
    candidates = graph.nearest(np.arange(graph.count), 2 * OWNERS)[owner]
    away = np.linalg.norm(points[chosen[candidates]] - points[:, None], axis=2)
    again = candidates == candidates[:, :1]
    again[:, 0] = False  # a node that stands in for a missing one counts once
    weights = np.where(again, 0.0, np.maximum(0.0, 1 - (away / (REACH * spacing)) ** 2) ** 2)
    best = np.argsort(-weights, axis=1, kind="stable")[:, :OWNERS]
    rows = np.arange(len(points))[:, None]
    weights = weights[rows, best]
    weights /= weights.sum(axis=1, keepdims=True)
    return Nodes(chosen, graph, candidates[rows, best], weights)


def unit_rows(rows):
    """Rows over their lengths; those without a direction stay zero."""
    return rows / np.maximum(np.sqrt((rows * rows).sum(axis=-1)), 1e-20)[..., None]


def slopes_of(rest, normals, spokes):
    """p x 2 x s: what makes the derivatives along two tangents, in the sense of least squares, of the ways to the nodes
    `spokes` (p x s). rest: p x 3, m, and the cloth's normals there."""
    ways = rest[spokes] - rest[:, None]
    normals = unit_rows(normals)
    first = ways[:, 0] - (ways[:, 0] * normals).sum(1, keepdims=True) * normals
    first = unit_rows(first)
    tangents = np.stack([first, np.cross(normals, first)], axis=2)
    flat = ways @ tangents
    square = flat.swapaxes(1, 2) @ flat
    square += 1e-6 * np.trace(square, axis1=1, axis2=2)[:, None, None] * np.eye(2) + 1e-20
    return np.linalg.solve(square, flat.swapaxes(1, 2))


def frames_of(places, spokes, slopes):
    """p x 3 x 3, columns two tangents and the normal: rotations, which turn with the cloth (places: p x 3, m)."""
    along = np.matmul(slopes, places[spokes] - places[:, None])
    one, two = unit_rows(along[:, 0]), unit_rows(along[:, 1])
    normal = unit_rows(cross(one, two))
    # as far from one tangent as from the other, so that shear turns nothing
    first = unit_rows(one + cross(two, normal))
    return np.stack([first, cross(normal, first), normal], axis=2)


def cross(a, b):
    """As np.cross of rows, which takes several times as long."""
    x, y, z = a.T
    u, v, w = b.T
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=1)


def heading(places, rest):
    """The rotation about Z, 3 x 3, that fits best from the rest shape to these places (both p x 3, m): `row @
    heading` turns rows back."""
    now, then = places[:, :2] - places[:, :2].mean(axis=0), rest[:, :2] - rest[:, :2].mean(axis=0)
    cosine = float((now * then).sum(dtype=np.float64))
    sine = float((now[:, 1] * then[:, 0] - now[:, 0] * then[:, 1]).sum(dtype=np.float64))
    length = np.hypot(cosine, sine)
    turn = np.eye(3, dtype=np.float32)
    if length > 0:
        turn[:2, :2] = np.array([[cosine, -sine], [sine, cosine]]) / length
    return turn

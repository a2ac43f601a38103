# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes of a garment, evenly spread over it, and what is near them along the cloth.

Distances are lengths of ways along edges at rest, so that layers which lie on each other, or the two sides of a
trouser leg, are far apart.
"""

import heapq
from dataclasses import dataclass

import numpy as np


class Graph:
    """Places and ways between them, as rows of lists; lengths in m."""

    def __init__(self, count, edges, lengths):
        ends = np.concatenate([edges, edges[:, ::-1]])
        order = np.argsort(ends[:, 0], kind="stable")
        starts = np.searchsorted(ends[order, 0], np.arange(count + 1)).tolist()
        others, ways = ends[order, 1].tolist(), np.tile(lengths, 2)[order].tolist()
        self.count = count
        self.ways = [
            list(zip(others[begin:end], ways[begin:end]))
            for begin, end in zip(starts[:-1], starts[1:])
        ]

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


@dataclass(frozen=True)
class Nodes:
    """Vertices that are nodes, the graph between them, and how vertices hang on them.

    vertices: p. owners: n x m nodes that carry each vertex, with weights whose sum is 1.
    """

    vertices: np.ndarray
    graph: Graph
    owners: np.ndarray
    weights: np.ndarray


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
    owners, weights = hang(points, chosen, owner, graph, spacing)
    return Nodes(chosen, graph, owners, weights)


def hang(points, chosen, owner, graph, spacing):
    """How each vertex hangs on its nearest node and on those around that: smooth weights, none negative."""
    around = graph.nearest(np.arange(graph.count), 2 * OWNERS)
    candidates = around[owner]
    away = np.linalg.norm(points[chosen[candidates]] - points[:, None], axis=2)
    again = candidates == candidates[:, :1]
    again[:, 0] = False  # a node that stands in for a missing one counts once
    weights = np.where(again, 0.0, np.maximum(0.0, 1 - (away / (REACH * spacing)) ** 2) ** 2)
    best = np.argsort(-weights, axis=1, kind="stable")[:, :OWNERS]
    rows = np.arange(len(points))[:, None]
    weights = weights[rows, best]
    return candidates[rows, best], weights / weights.sum(axis=1, keepdims=True)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Stitches that follow each other along two borders, spread evenly: what a few pairs of vertices mean for a seam."""

import numpy as np

from .links import STITCH, stitches_of
from .seams import between, border_edges, neighbours_of

LONGEST = 64  # border edges between two stitches that follow each other


def evenly_sewn(mesh, pairs, positions=None):
    """Stitches for pairs of border vertices (n x 2), spread evenly between the first and last of each run.

    In a run, pairs follow each other along both borders, on one of these edge by edge. So sides that have
    different edges, and lengths, gather evenly. positions: by which lengths are measured; None: the mesh's.
    """
    positions = mesh.positions if positions is None else positions
    stitches = [np.zeros(0, dtype=STITCH)]
    for first, second in runs_of(mesh, pairs):
        if len(first) == 1:
            stitches.append(stitches_of(np.array([[first[0], second[0]]], dtype=np.int32)))
        else:
            stitches.append(between(positions, first, second))
    return np.concatenate(stitches)


def flat_places(mesh, pattern):
    """Where vertices are in the pattern, by which lengths are measured; None: in the mesh itself. pattern: "uv" or "mesh"."""
    if pattern != "uv" or mesh.uvs is None:
        return None
    places = np.zeros((mesh.vertex_count, 2))
    places[mesh.face_vertices] = mesh.corner_uvs
    return places


def runs_of(mesh, pairs):
    """The chains of vertices that pairs sew together: two lists for each run, of one vertex where it has one pair."""
    walks = Walks(mesh, pairs)
    left = dict.fromkeys(walks.pairs)
    runs = []
    while left:
        start = next(iter(left))
        run = walks.run_through(start, left)
        for pair in run:
            left.pop(pair, None)
            left.pop(pair[::-1], None)
        runs.append(walks.chains(run))
    return runs


class Walks:
    """Ways along borders from one pair to the next."""

    def __init__(self, mesh, pairs):
        self.beside = neighbours_of(border_edges(mesh).tolist())
        self.pairs = [tuple(pair) for pair in np.asarray(pairs).reshape(-1, 2).tolist()]
        self.partners = neighbours_of(self.pairs)

    def onward(self, pair):
        """Pairs that follow a pair in either direction, and the ways to them along both borders."""
        found = {}
        for one in self.ways(pair[0]):
            for other in self.ways(pair[1]):
                target = one[-1], other[-1]
                short = min(len(one), len(other)) == 2
                if short and target[1] in self.partners[target[0]] and target != pair[::-1]:
                    found[target] = (one, other)
        return found

    def ways(self, vertex):
        """Along the border to the next vertices that are sewn."""
        ways = []
        for neighbour in self.beside.get(vertex, ()):
            way = [vertex, neighbour]
            while way[-1] not in self.partners and len(way) <= LONGEST:
                further = [v for v in self.beside[way[-1]] if v != way[-2]]
                if len(further) != 1:
                    break
                way.append(further[0])
            if way[-1] in self.partners and way[-1] != vertex:
                ways.append(way)
        return ways

    def run_through(self, start, left):
        """The pairs of a run in order, as far as they are left; a closed one ends where it begins."""
        back = self.walk(start, left, None)
        if len(back) > 1 and back[-1] == start:
            return back
        there = self.walk(start, left, back[1] if len(back) > 1 else None)
        return back[:0:-1] + there

    def walk(self, start, left, avoided):
        run, known = [start], {start, start[::-1]}
        if avoided is not None:
            known |= {avoided, avoided[::-1]}
        while True:
            onward = self.onward(run[-1])
            if len(onward) > 2:  # a junction
                return run
            going = [p for p in onward if p not in known and (p in left or p[::-1] in left)]
            if not going:
                closed = len(run) > 2 and start in onward and avoided is None
                return [*run, start] if closed else run
            run.append(going[0])
            known |= {going[0], going[0][::-1]}

    def chains(self, run):
        first, second = [run[0][0]], [run[0][1]]
        for before, pair in zip(run[:-1], run[1:]):
            one, other = self.onward(before)[pair]
            first += one[1:]
            second += other[1:]
        return first, second

# SPDX-License-Identifier: GPL-3.0-or-later
"""Open fronts of a garment that is simulated whole, two stretches of one border that could be closed with each other, and what
closes them: a seam edge to edge, or one side over the other, held by two rows of links as by buttons.

Which vertices are of a front the library finds, by the rules that it has for halves (docs/notes/mirroring.md). A front ends at
its fold: at its rim, or, where that is turned in, where the cloth reaches farthest towards the other front. Each fold is held to
the line on the other side that is an overlap behind the other fold. What holds it has a direction (links.button), so that the one
side comes to lie over the other from wherever both are.
"""

import numpy as np

from .. import arrays
from ..calls import call
from ..table import SETTINGS
from . import links
from .seams import between, border_edges, chain_of, places_along, shares_along


def open_fronts(mesh):
    """Chains of vertices to be closed, as pairs: each begins and ends opposite of the other."""
    numbers = np.zeros(mesh.vertex_count, np.int32)
    struct, keep = mesh.to_struct()
    call("muslin_mesh_get_fronts", struct, arrays.pointer(numbers))
    del keep
    edges = border_edges(mesh)
    found = []
    for front in range(1, numbers.max(initial=0) + 1):
        first, second = (
            chain_of(edges[(numbers[edges] == n).all(axis=1)]) for n in (front, -front)
        )
        ends = mesh.positions[[first[0], first[-1]]]
        ways = [mesh.positions[[chain[0], chain[-1]]] - ends for chain in (second, second[::-1])]
        straight, crossed = (np.linalg.norm(way, axis=1).sum() for way in ways)
        found.append((first, second if straight <= crossed else second[::-1]))
    return found


def front_stitches(mesh):
    """For Cloth.sew(): what closes all open fronts, edge to edge; None where there are none."""
    fronts = open_fronts(mesh)
    if not fronts:
        return None
    return np.concatenate([between(mesh.positions, *pair) for pair in fronts])


GAP = 0.005  # m between the sides: a little more than contact wants between layers
DEEP = 3.0  # overlaps: the cloth behind a fold that is looked at
AS_FAR = 0.05  # of the overlap: what reaches so nearly as far as any is at the fold
BESIDE = 0.5  # of its distance that a vertex may lie beyond the end of a fold
NO_LEVEL = -1


def front_buttons(mesh, overlap, over="kept", normal=(1.0, 0.0, 0.0)):
    """Links for Cloth.add_links() that close all open fronts; None where there are none.

    overlap: m. over: "kept", the side to which `normal` points lies over the other, or "other".
    """
    sign = 1.0 if over == "kept" else -1.0
    outward = _area_vectors(mesh)
    found = []
    for pair in open_fronts(mesh):
        means = [mesh.positions[chain].mean(axis=0) @ normal for chain in pair]
        first, second = pair if sign * (means[0] - means[1]) >= 0 else pair[::-1]
        upper = _Side(mesh, first, second, overlap, outward, is_upper=True)
        lower = _Side(mesh, second, first, overlap, outward, is_upper=False)
        found += _rows(upper, lower, overlap)
    return np.concatenate(found) if found else None


def _rows(upper, lower, overlap):
    """The upper fold over the lower side's line, and the upper side's line over the lower fold."""
    rows = []
    for is_line_below in (True, False):
        line = (lower if is_line_below else upper).line(overlap)
        if line is None:
            return []
        vertices, places, shares = line
        ends, at = (upper if is_line_below else lower).on_fold(shares)
        stitches = np.zeros(len(shares), dtype=links.STITCH)
        above, below = slice(0, 2), slice(2, 4)
        stitches["vertices"][:, below if is_line_below else above] = vertices
        stitches["vertices"][:, above if is_line_below else below] = ends
        stitches["places"][:, int(is_line_below)] = places
        stitches["places"][:, int(not is_line_below)] = at
        facing = lower.facing(shares, overlap)
        rows.append(links.button(stitches, facing, GAP + upper.thickness(shares)))
    return rows


class _Side:
    """The cloth behind one of two fronts.

    fold: vertices along its visible end. depth, share: of every vertex behind it the distance, m, and the place
    along the fold, 0 to 1; nan elsewhere.
    """

    def __init__(self, mesh, rim, other, overlap, outward, is_upper):
        self._positions = mesh.positions.astype(np.float64)
        self._edges = mesh.sides()
        level, column = self._grid(rim, DEEP * overlap)
        self.fold = self._find_fold(rim, other, level, column, overlap, is_upper)
        self._shares = shares_along(self._positions, self.fold)
        self._length = np.linalg.norm(np.diff(self._positions[self.fold], axis=0), axis=1).sum()
        is_before = level < level[self.fold][column]
        behind = np.flatnonzero((level >= 0) & ~is_before)
        self.depth, self.share = np.full((2, len(level)), np.nan)
        places, away, beyond = _nearest(self._positions, self.fold, behind)
        near = beyond <= BESIDE * away
        self.share[behind[near]] = places[near]
        self.depth[behind[near]] = away[near]
        self._out = outward[behind].sum(axis=0)
        self._out /= max(np.linalg.norm(self._out), np.finfo(float).tiny)
        self._turned = self._measure_turned(np.flatnonzero((level >= 0) & is_before), column)

    def thickness(self, shares):
        """How far what is turned in there lies below, m."""
        return np.interp(shares, self._shares, self._turned)

    def line(self, depth):
        """Where edges are so deep, m: their ends (n x 2), the places on them, and the shares; None: nowhere."""
        ends = self.depth[self._edges]
        order = np.argsort(ends, axis=1, kind="stable")
        edges = np.take_along_axis(self._edges, order, axis=1)
        ends = np.take_along_axis(ends, order, axis=1)
        with np.errstate(invalid="ignore"):
            across = (ends[:, 0] < depth) & (ends[:, 1] >= depth)
        if not across.any():
            return None
        edges, ends = edges[across], ends[across]
        places = (depth - ends[:, 0]) / (ends[:, 1] - ends[:, 0])
        shares = self.share[edges]
        return edges, places, shares[:, 0] + places * (shares[:, 1] - shares[:, 0])

    def on_fold(self, shares):
        """The ends of the fold's edges (n x 2) and places on them at these shares."""
        return places_along(self.fold, self._shares, shares)

    def facing(self, shares, width):
        """For each share three vertices around it, some widths (m) apart, that are seen counter-clockwise from outside."""
        step = width / self._length
        sides = [
            self.fold[np.abs(self._shares[:, None] - np.clip(shares + way, 0, 1)).argmin(axis=0)]
            for way in (-step, step)
        ]
        deep = np.flatnonzero(self.depth >= min(width, np.nanmax(self.depth)))
        off = np.abs(self.share[deep][:, None] - shares) * self._length
        off += np.abs(self.depth[deep] - 2 * width)[:, None]
        corners = np.column_stack([*sides, deep[off.argmin(axis=0)]])
        same = corners[:, 0] == corners[:, 1]  # a fold of few vertices
        corners[same, 1] = np.where(corners[same, 0] == self.fold[0], self.fold[1], self.fold[0])
        a, b, c = self._positions[corners].transpose(1, 0, 2)
        inward = np.cross(b - a, c - a) @ self._out < 0
        corners[inward, :2] = corners[inward, 1::-1]
        return corners

    def _grid(self, rim, most):
        """Per vertex: how many edges it is from the rim, and beside which of the rim's vertices it lies."""
        vertices = np.arange(len(self._positions))
        places, away, _ = _nearest(self._positions, rim, vertices)
        level = _levels(self._edges, rim, away <= most)
        shares = shares_along(self._positions, rim)
        middles = 0.5 * (shares[1:] + shares[:-1])
        column = np.searchsorted(middles, places)
        column[rim] = np.arange(len(rim))
        return level, column

    def _find_fold(self, rim, other, level, column, overlap, is_upper):
        """Of each column a vertex that reaches as far towards the other front as any: the one nearest to the other side."""
        rows = np.flatnonzero(level >= 0)
        places, away, beyond = _nearest(self._positions, rim, rows)
        beside = _at(self._positions, rim, places)
        across = _at(self._positions, other, places) - beside
        across /= np.maximum(np.linalg.norm(across, axis=1), np.finfo(float).tiny)[:, None]
        reach = ((self._positions[rows] - beside) * across).sum(axis=1)
        fits = (away <= overlap) & (beyond <= 0)
        fold = rim.copy()
        for index in range(len(rim)):
            own = np.flatnonzero(fits & (column[rows] == index))
            ends = own[reach[own] >= reach[own].max() - AS_FAR * overlap]
            row = level[rows[ends]]
            fold[index] = rows[ends[row.argmin() if is_upper else row.argmax()]]
        return fold

    def _measure_turned(self, turned, column):
        """Per vertex of the fold, m."""
        below = np.zeros(len(self.fold))
        ways = self._positions[self.fold[column[turned]]] - self._positions[turned]
        np.maximum.at(below, column[turned], ways @ self._out)
        return below


def _levels(edges, rim, near):
    """Per vertex how many edges it is from the rim, through vertices that are near; NO_LEVEL for others."""
    level = np.full(len(near), NO_LEVEL)
    level[rim] = number = 0
    while (level == number).any():
        reached = level[edges] == number
        ends = np.concatenate([edges[reached[:, 0], 1], edges[reached[:, 1], 0]])
        number += 1
        level[ends[(level[ends] == NO_LEVEL) & near[ends]]] = number
    return level


def _nearest(positions, chain, vertices):
    """On a chain: the share of its length, the distance, and how far vertices lie beyond its ends along it, m."""
    points, starts = positions[vertices], positions[chain[:-1]]
    ways = positions[chain[1:]] - starts
    squares = np.maximum((ways**2).sum(axis=1), np.finfo(float).tiny)
    shares = shares_along(positions, chain)
    best = np.full(len(points), np.inf)
    found, beyond = np.zeros((2, len(points)))
    for index in range(len(ways)):
        along = (points - starts[index]) @ ways[index] / squares[index]
        inside = np.clip(along, 0, 1)
        away = np.linalg.norm(points - starts[index] - inside[:, None] * ways[index], axis=1)
        nearer = away < best
        best[nearer] = away[nearer]
        found[nearer] = (shares[index] + inside * (shares[index + 1] - shares[index]))[nearer]
        is_end = (along < 0) if index == 0 else (along > 1) if index == len(ways) - 1 else False
        past = np.where(is_end, np.abs(along - inside) * np.sqrt(squares[index]), 0.0)
        beyond[nearer] = past[nearer]
    return found, best, beyond


def _at(positions, chain, shares):
    """Points at shares of a chain."""
    own = shares_along(positions, chain)
    return np.column_stack([np.interp(shares, own, positions[chain, axis]) for axis in range(3)])


def _area_vectors(mesh):
    """Per vertex those of its faces, m², turned outwards, away from the garment's middle."""
    positions = mesh.positions.astype(np.float64)
    sizes = mesh.face_sizes
    centred = positions - positions.mean(axis=0)
    ends = mesh.corner_sides()
    sides = 0.5 * np.cross(centred[ends[:, 0]], centred[ends[:, 1]])
    areas = np.add.reduceat(sides, mesh.corner_starts) if len(sizes) else np.zeros((0, 3))
    vectors = np.zeros_like(positions)
    np.add.at(vectors, mesh.face_vertices, np.repeat(areas, sizes, axis=0))
    is_outward = (vectors * centred).sum() >= 0
    return vectors if is_outward else -vectors


def front_links(mesh, closure, overlap=None, over=None, normal=(1.0, 0.0, 0.0)):
    """An array for Cloth.add_links(); None where nothing is to be closed, or nothing is open.

    closure: "free", "zip" or "button". overlap (m) and over are read of buttons alone, as front_buttons() explains;
    None: the default.
    """
    if closure == "zip":
        stitches = front_stitches(mesh)
        return None if stitches is None else links.seam(stitches)
    if closure == "button":
        overlap = SETTINGS["overlap"].default if overlap is None else overlap
        over = SETTINGS["over"].default if over is None else over
        return front_buttons(mesh, overlap, over, normal)
    return None

# SPDX-License-Identifier: GPL-3.0-or-later
"""Open fronts of a garment that is simulated whole: two stretches of one border that could be closed with each other.

A mirrored half has its plane to tell them by (docs/notes/mirroring.md). Here a border vertex is of a front if another
one of the same border

- is near across and far around: at most a third of the way along the border away;
- lies before it: the cloth behind the vertex, a hand's breadth of it, goes the other way. A garment that is laid flat has
  its hems near each other, too, but side by side;

and a front is a stretch of such vertices that is at least twice as long as the gap is wide: a slit, not a hole.
"""

import numpy as np

from .seams import between, border_edges

AROUND = 3.0  # around over across, at least
SLIT = 2.0  # length over gap, at least
DEPTH = 0.05  # of the garment's size: the cloth behind a border that says where it comes from
FACING = (
    0.5  # cosine of the largest angle between the gap and the direction in which the cloth ends
)
ALONG = 0.70710678118654752  # of a step along a front, at most, across the gap
SKIPPED = 2  # vertices within a front that may be none themselves
MOST_ROUNDS = 400  # of averaging, on the finest meshes


def open_fronts(mesh):
    """Chains of vertices to be closed, as pairs: each begins and ends opposite of the other."""
    ends = _ends(mesh)
    found = []
    for loop in border_loops(mesh):
        partners = _partners(mesh.positions.astype(np.float64), ends, loop)
        found += _fronts(mesh.positions, loop, partners)
    return found


def front_stitches(mesh):
    """For Cloth.sew(): what closes all open fronts, edge to edge; None where there are none."""
    fronts = open_fronts(mesh)
    if not fronts:
        return None
    return np.concatenate([between(mesh.positions, *pair) for pair in fronts])


def border_loops(mesh):
    """Borders that run around, as arrays of vertices in order; those that branch are left out."""
    beside = {}
    for first, second in border_edges(mesh).tolist():
        beside.setdefault(first, []).append(second)
        beside.setdefault(second, []).append(first)
    left = {vertex for vertex, others in beside.items() if len(others) == 2}
    loops = []
    while left:
        loop = [min(left)]
        while loop[-1] in left:
            left.discard(loop[-1])
            onward = [other for other in beside[loop[-1]] if other in left]
            if not onward:
                break
            loop.append(onward[0])
        if loop[0] in beside[loop[-1]] and len(loop) > 2:
            loops.append(np.array(loop))
    return loops


def _ends(mesh):
    """For each vertex the direction from the cloth around it to itself: on a border, in which the cloth ends."""
    edges = mesh.sides()
    positions = mesh.positions.astype(np.float64)
    lengths = np.linalg.norm(positions[edges[:, 0]] - positions[edges[:, 1]], axis=1)
    size = np.linalg.norm(np.ptp(positions, axis=0))
    mean = max(float(lengths.mean()), np.finfo(float).tiny) if len(edges) else 1.0
    rounds = int(np.clip((DEPTH * size / mean) ** 2, 1, MOST_ROUNDS))
    counts = np.bincount(edges.ravel(), minlength=mesh.vertex_count)
    smooth = positions
    for _ in range(rounds):  # spreads as heat does: by the root of the rounds
        sums = np.zeros_like(smooth)
        for axis in range(3):
            column = smooth[:, axis]
            sums[:, axis] = np.bincount(edges[:, 0], column[edges[:, 1]], mesh.vertex_count)
            sums[:, axis] += np.bincount(edges[:, 1], column[edges[:, 0]], mesh.vertex_count)
        smooth = 0.5 * (smooth + sums / np.maximum(counts, 1)[:, None])
    ways = positions - smooth
    return ways / np.maximum(np.linalg.norm(ways, axis=1), np.finfo(float).tiny)[:, None]


def _partners(positions, ends, loop):
    """For each vertex of a loop the one that it could be closed with, by its place in the loop; -1 without."""
    places = positions[loop]
    steps = np.linalg.norm(np.roll(places, -1, axis=0) - places, axis=1)
    along, total = np.concatenate([[0.0], np.cumsum(steps)[:-1]]), steps.sum()
    partners = np.full(len(loop), -1)
    for index in range(len(loop)):
        way = np.abs(along - along[index])
        way = np.minimum(way, total - way)
        across = places - places[index]
        gap = np.linalg.norm(across, axis=1)
        faces = across @ ends[loop[index]] >= FACING * gap
        faces &= -(across * ends[loop]).sum(axis=1) >= FACING * gap
        fits = faces & (AROUND * gap <= way) & (gap > 0)
        if fits.any():
            candidates = np.flatnonzero(fits)
            partners[index] = candidates[np.argmin(gap[candidates])]
    return partners


def _fronts(positions, loop, partners):
    """Stretches of a loop whose partners are a stretch, too."""
    found, taken = [], set()
    stretches = _stretches(partners >= 0)
    number = np.full(len(loop), -1)
    for index, stretch in enumerate(stretches):
        number[stretch] = index
    for index, stretch in enumerate(stretches):
        others = number[partners[stretch][partners[stretch] >= 0]]
        other = int(np.bincount(others[others >= 0]).argmax()) if (others >= 0).any() else -1
        if other < 0 or other == index or {index, other} & taken:
            continue
        taken |= {index, other}
        first, second = _trim(positions, loop[stretch], loop[stretches[other]][::-1])
        if _is_slit(positions, first, second):
            found.append((first.astype(np.int32), second.astype(np.int32)))
    return found


def _trim(positions, first, second):
    """Without what runs across the gap at the ends, as a neckline or a hem does."""
    for _ in range(2):  # the ends, then the beginnings
        while min(len(first), len(second)) > 1 and _turns(positions, first, second):
            first, second = first[:-1], second[:-1]
        first, second = first[::-1], second[::-1]
    return first, second


def _turns(positions, first, second):
    across = positions[second[-1]] - positions[first[-1]]
    steps = [positions[chain[-1]] - positions[chain[-2]] for chain in (first, second)]
    width = np.linalg.norm(across)
    return all(abs(step @ across) > ALONG * width * np.linalg.norm(step) for step in steps)


def _stretches(marks):
    """Runs of marked places around a loop, with what they skip, as lists of places."""
    count = len(marks)
    at = np.flatnonzero(marks)
    if not len(at) or len(at) == count:
        return []
    steps = np.diff(np.append(at, at[0] + count))
    breaks = np.flatnonzero(steps > SKIPPED + 1)
    if not len(breaks):
        return []
    starts, ends = at[(breaks + 1) % len(at)], np.roll(at[breaks], -1)
    return [
        [(start + step) % count for step in range((end - start) % count + 1)]
        for start, end in zip(starts, ends)
    ]


def _is_slit(positions, first, second):
    if min(len(first), len(second)) < 2:
        return False
    lengths = [np.linalg.norm(np.diff(positions[c], axis=0), axis=1).sum() for c in (first, second)]
    shares = np.linspace(0, 1, max(len(first), len(second)))
    pair = [chain[np.round(shares * (len(chain) - 1)).astype(int)] for chain in (first, second)]
    gap = np.linalg.norm(positions[pair[0]] - positions[pair[1]], axis=1).mean()
    return min(lengths) >= SLIT * gap

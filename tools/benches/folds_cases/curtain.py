# SPDX-License-Identifier: GPL-3.0-or-later
"""An exactly flat curtain whose top is drawn together: how deep its folds are, and how much it is squeezed instead."""

import numpy as np
from common.report import heading, note
from folds_cases import rig
from muslin.fabrics import fabric
from muslin.table import SETTINGS
from truth_cases.meshes import sheet

SIDE = 1.0  # m
COUNT = 40  # vertices along a side
DRAWN = 0.4  # of its width, over a second
AIR = {name: SETTINGS[name].default for name in ("normal_drag", "tangent_drag")}
SQUEEZED_PERCENTILE = 1


def drawn(kind, count, frames=24, **settings):
    """(depth of the folds, m; 1st percentile of length over rest length of all edges)."""
    flat = sheet(kind, SIDE, SIDE, SIDE / (count - 1))
    positions = flat.standing([(1, 0, 0), (0, 0, 1)])  # in the plane y = 0 to the bit
    top = np.flatnonzero(flat.points[:, 1] > SIDE - 1e-6).astype(np.int32)
    target = positions[top]
    settings = {**AIR, **settings}
    with rig.fabric_cloth(positions, flat.triangles, fabric("cotton"), **settings) as cloth:
        cloth.set_pins(top)
        for frame in range(frames):
            share = 1 - (1 - DRAWN) * (frame + 1) / frames
            cloth.move_pins(((target - (SIDE / 2, 0, 0)) * (share, 1, 1) + (SIDE / 2, 0, 0)))
            cloth.step(rig.FRAME)
        x = cloth.positions().astype(float)
    sides = np.unique(np.sort(flat.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), 1), axis=0)
    free = ~np.isin(sides, top).all(1)  # the pins themselves are drawn together
    now, rest = (_lengths(at, sides[free]) for at in (x, flat.points))
    return float(np.ptp(x[:, 1])), float(np.percentile(now / rest, SQUEEZED_PERCENTILE))


def _lengths(places, sides):
    return np.linalg.norm(places[sides[:, 0]] - places[sides[:, 1]], axis=1)


def curtain(results, quick):
    """curtain_mm and curtain_squeezed"""
    heading("A flat curtain drawn together to 40 %: depth of its folds")
    kinds = rig.KINDS[:1] if quick else rig.KINDS
    ways = rig.ways(conventional=not quick)
    found = rig.run_all(lambda kind, way: drawn(kind, COUNT, **ways[way]), kinds, ways)
    rows = [
        {"triangulation": kind, "quality": way, "folds mm": 1000 * depth, "squeezed to": squeezed}
        for (kind, way), (depth, squeezed) in found.items()
    ]
    rig.show(results, "curtain", rows)
    rig.record(results, "curtain_mm", rows, min, "folds mm", conventional=not quick)
    rig.record(results, "curtain_squeezed", rows, min, "squeezed to", conventional=not quick)
    note("Squeezed: length over rest length of edges, 1st percentile, but for the pinned row's.")

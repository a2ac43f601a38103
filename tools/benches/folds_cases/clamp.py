# SPDX-License-Identifier: GPL-3.0-or-later
"""Peirce's strip in a clamp of two, three or four pinned rows: the angle does not depend on how many there are."""

from math import atan2, degrees

import numpy as np
from common.report import heading, note
from folds_cases import rig
from truth_cases import theory
from truth_cases.bending import PEIRCE, SLACK, STEP
from truth_cases.meshes import sheet
from truth_cases.rig import BARE, GRAVITY, cloth_of, settle

SPACING = 0.006  # m
LENGTH, WIDTH = 0.12, 0.03  # m, of what hangs
ROWS = (2, 3, 4)


def angle(kind, rows, **settings):
    """Degrees below the horizontal from the clamp to the free end."""
    held = (rows - 1) * SPACING
    flat = sheet(kind, held + LENGTH, WIDTH, SPACING)
    points = _levelled(flat.points, rows)
    along = points[:, 0] - held
    load = BARE["density"] * GRAVITY
    bend, stretch = load * LENGTH**3 / PEIRCE, SLACK * load * LENGTH
    positions = np.column_stack([along, points[:, 1], 0 * along])
    damping = 2 * np.sqrt(GRAVITY / LENGTH * (1 + 12 / PEIRCE))  # nearly critical
    settings = {"shear": stretch / 4, "damping": damping, **settings}
    with cloth_of(positions, flat.triangles, stretch, bend, **settings) as cloth:
        cloth.set_pins(np.flatnonzero(along < 1e-6).astype(np.int32))
        ends = settle(cloth, STEP)[along > LENGTH - 1e-6]
    return degrees(atan2(-ends[:, 2].mean(), ends[:, 0].mean()))


def _levelled(points, rows):
    """Irregular points near a pinned row are moved onto it: a clamp is straight."""
    points = points.copy()
    row = np.rint(points[:, 0] / SPACING)
    pinned = row < rows
    points[pinned, 0] = row[pinned] * SPACING
    return points


def clamp_degrees(results, quick):
    """clamp_degrees: the angle farthest from theory's"""
    heading("Peirce's strip in clamps of several pinned rows: degrees")
    ways = rig.ways(conventional=not quick)
    found = rig.run_all(
        lambda kind, rows, way: angle(kind, rows, **ways[way]), rig.KINDS, ROWS, ways
    )
    rows = [_row(found, kind, way) for kind in rig.KINDS for way in ways]
    rig.show(results, "clamp", rows)
    right = theory.peirce_degrees()
    rig.record(
        results,
        "clamp_degrees",
        rows,
        lambda all: max(all, key=lambda a: abs(a - right)),
        "worst",
        conventional=not quick,
    )
    note(f"Theory: {right:.2f} degrees.")


def _row(found, kind, way):
    angles = {f"{rows} rows": found[kind, rows, way] for rows in ROWS}
    right = theory.peirce_degrees()
    worst = max(angles.values(), key=lambda each: abs(each - right))
    return {"triangulation": kind, "quality": way, **angles, "worst": worst}

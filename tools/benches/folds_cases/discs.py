# SPDX-License-Identifier: GPL-3.0-or-later
"""Discs that fold as their borders fall, held in their middle or on a plate; and what is left of a sheet on a table."""

import numpy as np
from common.bench import heading
from folds_cases import rig
from muslin.fabrics import fabric
from test_scenes import solids
from truth_cases.drape import dented, drape
from truth_cases.meshes import disc, sheet
from truth_cases.rig import LEVEL, run

RADIUS, HELD = 0.15, 0.09  # m: of the disc, of the circle within which it is held
SPACINGS = (0.011, 0.016)  # m
# What final, whose free cloth moves in second order, is compared with: backward Euler falls farther.
SECOND = "conventional, second order"
STARTS = 3  # which folds come is chance; the mean of some is compared
EARLY, LATE = 6, 48  # frames: 0.25 s and 2 s


def drop(kind, spacing, name, seed=0, frames=EARLY, **settings):
    """Mean drop after each frame, m, of the border of a level disc that is held in its middle: it can only fold."""
    flat = disc(kind, RADIUS, spacing)
    positions = flat.standing(LEVEL)
    distance = np.linalg.norm(flat.points, axis=1)
    border = distance > RADIUS - 1e-6
    with rig.fabric_cloth(positions, flat.triangles, fabric(name), **settings) as cloth:
        cloth.set_pins(np.flatnonzero(distance <= HELD + 1e-6))
        cloth.set_state(dented(flat, positions, seed, HELD))
        return [float(-run(cloth, rig.FRAME)[border, 2].mean()) for _ in range(frames)]


def response(results, quick):
    """fold_response: drop of the border after 0.25 s over that of the conventional solver of the same order."""
    heading("A disc held in its middle: drop of its border after 0.25 s and 2 s")
    starts = range(1 if quick else STARTS)
    ways = {**rig.ways(), SECOND: {**rig.CONVENTIONAL, "integrator": "bdf2"}}

    def mean_drops(shape, name, settings):
        frames = EARLY if "solver" in settings or quick else LATE
        mean = np.mean([drop(*shape, name, seed, frames, **settings) for seed in starts], axis=0)
        late = 1000 * float(mean[LATE - 1]) if len(mean) == LATE else None
        return {"early_mm": 1000 * float(mean[EARLY - 1]), "late_mm": late}

    rows = rig.rows_of(mean_drops, rig.shapes(quick, SPACINGS), ways, fabric=("silk", "cotton"))
    same = ("triangulation", "mm", "fabric")
    right = {(row["quality"], *(row[name] for name in same)): row["early_mm"] for row in rows}
    for row in rows:
        way = SECOND if row["quality"] in ("final", SECOND) else "conventional"
        row["response"] = row["early_mm"] / right[(way, *(row[name] for name in same))]
    results.table("fold_response", rows)
    rig.record(results, "fold_response", rows, min, "response")


# --- Cusick's drape meter with a real plate, undamped, on meshes that artists use -------------------

CUSICK_SPACINGS = (0.008, 0.011)  # m
FABRICS = ("silk", "cotton", "denim")  # from the limpest
THICKNESS, FRICTION = 1e-3, 0.3
SECONDS = 2.0


def silk(results, quick):
    """cusick_silk, its drape coefficient on meshes of 8 and 11 mm, and cusick_order: 1 where silk < cotton < denim."""
    heading("Cusick's drape meter with a real plate, after 2 s: drape coefficient, %")
    starts = range(1 if quick else 2)  # which folds come is chance

    def drapes(shape, settings):
        found = {
            name: float(
                np.mean([drape(*shape, seed, fabric(name), **settings)[0] for seed in starts])
            )
            for name in FABRICS
        }
        return {**found, "order": int(found["silk"] < found["cotton"] < found["denim"])}

    rows = rig.rows_of(drapes, rig.shapes(quick, CUSICK_SPACINGS), rig.ways(conventional=False))
    results.table("cusick", rows)
    rig.record(results, "cusick_silk", rows, max, "silk")
    rig.record(results, "cusick_order", rows, min, "order")


# --- a sheet on a table ----------------------------------------------------------------------------

SIDE, SPACING, HEIGHT, TILT = 0.4, 0.01, 0.02, 10.0  # m, m, m, degrees


def area(places, triangles):
    """m^2"""
    a, b, c = (places[triangles[:, k]] for k in range(3))
    return float(0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())


def tabled(shape, name, start, seconds, **settings):
    """Least area after a frame, over that at rest, of a sheet that lies on a table or falls on it, tilted."""
    flat = sheet(shape[0], SIDE, SIDE, shape[1])
    positions = flat.standing(LEVEL)
    begun = positions.astype(float)
    if start == "falls":
        begun = begun @ solids.tilting(TILT).T
        begun[:, 2] += HEIGHT - begun[:, 2].min()
    begun[:, 2] += THICKNESS
    with rig.fabric_cloth(positions, flat.triangles, fabric(name), **settings) as cloth:
        rig.add_floor(cloth, THICKNESS, FRICTION)
        cloth.set_state(begun)
        frames = range(round(seconds / rig.FRAME))
        areas = [area(run(cloth, rig.FRAME), flat.triangles) for _ in frames]
    return min(1.0, min(areas) / flat.masses().sum())


def table_area(results, quick):
    """area_kept: of a sheet on a table, the least share of its area in any frame, at rest or after a fall."""
    heading("A sheet on a table: area kept")
    seconds = SECONDS / 4 if quick else SECONDS

    def kept(shape, name, start, settings):
        return {"kept": float(tabled(shape, name, start, seconds, **settings))}

    rows = rig.rows_of(
        kept,
        rig.shapes(quick, (SPACING,)),
        rig.ways(conventional=False),
        fabric=FABRICS[:1] if quick else FABRICS,
        start=("lies", "falls"),
    )
    results.table("table_area", rows)
    rig.record(results, "area_kept", rows, min, "kept")

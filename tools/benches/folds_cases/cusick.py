# SPDX-License-Identifier: GPL-3.0-or-later
"""Cusick's drape meter with a real plate: a disc of 30 cm falls on one of 18 cm, undamped, on meshes that artists use."""

import numpy as np
from common.report import heading, note
from folds_cases import rig
from folds_cases.disc_fall import dented
from folds_cases.falls import add_floor
from muslin.fabrics import fabric
from test_scenes import solids
from truth_cases.drape import coefficient
from truth_cases.meshes import IRREGULAR, sheet

RADIUS, PLATE = 0.15, 0.09  # m
SPACINGS = (0.008, 0.011)  # m
FABRICS = ("silk", "cotton", "denim")  # from the limpest
THICKNESS, FRICTION = 1e-3, 0.3
SECONDS = 2.0
STARTS = 2  # which folds come is chance; the mean of some is told

# A sheet that falls on a table
SIDE, TABLE_SPACING, HEIGHT = 0.4, 0.01, 0.02  # m
TILT = 10.0  # degrees


def draped(name, spacing=SPACINGS[0], kind=IRREGULAR, seed=0, seconds=SECONDS, **settings):
    """Where a disc of a fabric hangs after so long; its triangles; its area over that at rest."""
    flat = rig.disc(kind, RADIUS, spacing)
    positions = flat.standing(rig.LEVEL)
    numbers = fabric(name) if isinstance(name, str) else name
    with rig.fabric_cloth(positions, flat.triangles, numbers, **settings) as cloth:
        plate = solids.cylinder(PLATE, -0.4, -THICKNESS, sides=96)
        cloth.add_body((plate.positions, plate.triangles()), THICKNESS, FRICTION)
        cloth.set_state(dented(flat, positions, seed))
        for _ in range(round(seconds / rig.FRAME)):
            cloth.step(rig.FRAME)
        places = cloth.positions().astype(float)
    return places, flat.triangles, area(places, flat.triangles) / flat.masses().sum()


def area(places, triangles):
    """m^2"""
    a, b, c = (places[triangles[:, k]] for k in range(3))
    return float(0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())


def cover(*arguments, **settings):
    """Drape coefficient, %."""
    places, triangles, _ = draped(*arguments, **settings)
    return coefficient(places, triangles)


def silk(results, quick):
    """cusick_silk, its drape coefficient on meshes of 8 and 11 mm, and cusick_order: 1 where silk < cotton < denim."""
    heading("Cusick's drape meter with a real plate, after 2 s: drape coefficient, %")
    ways = rig.ways(conventional=False)
    kinds = (IRREGULAR,) if quick else rig.KINDS
    shapes = [(kind, spacing) for kind in kinds for spacing in SPACINGS[: 1 if quick else None]]
    starts = range(1 if quick else STARTS)

    def mean(shape, way, name):
        kind, spacing = shape
        return float(np.mean([cover(name, spacing, kind, seed, **ways[way]) for seed in starts]))

    found = rig.run_all(mean, shapes, ways, FABRICS)
    rows = [_row(found, *choice) for choice in dict.fromkeys(key[:2] for key in found)]
    rig.show(results, "cusick", rows)
    rig.record(results, "cusick_silk", rows, max, "silk")
    rig.record(results, "cusick_order", rows, min, "order")
    note("Published: silk 20-40, cotton 60-76, denim 70-90 %.")


def _row(found, shape, way):
    drapes = [found[shape, way, name] for name in FABRICS]
    return {
        "triangulation": shape[0],
        "quality": way,
        "mm": 1000 * shape[1],
        **dict(zip(FABRICS, drapes)),
        "order": int(drapes[0] < drapes[1] < drapes[2]),
    }


def tabled(name, falls, kind=IRREGULAR, spacing=TABLE_SPACING, seconds=SECONDS, **settings):
    """Least area after a frame, over that at rest, of a sheet that lies on a table or falls on it, tilted."""
    flat = sheet(kind, SIDE, SIDE, spacing)
    positions = flat.standing(rig.LEVEL)
    begun = positions.astype(float)
    if falls:
        begun = begun @ solids.tilting(TILT).T
        begun[:, 2] += HEIGHT - begun[:, 2].min()
    begun[:, 2] += THICKNESS
    with rig.fabric_cloth(positions, flat.triangles, fabric(name), **settings) as cloth:
        add_floor(cloth, THICKNESS, FRICTION)
        cloth.set_state(begun)
        least = 1.0
        for _ in range(round(seconds / rig.FRAME)):
            cloth.step(rig.FRAME)
            kept = area(cloth.positions().astype(float), flat.triangles) / flat.masses().sum()
            least = min(least, kept)
        return least


def table_area(results, quick):
    """area_kept: of a sheet on a table, the least share of its area in any frame, at rest or after a fall."""
    heading("A sheet on a table: area kept")
    ways = rig.ways(conventional=False)
    shapes = rig.shapes(quick, (TABLE_SPACING,))
    names = FABRICS[:1] if quick else FABRICS
    seconds = SECONDS / 4 if quick else SECONDS
    found = rig.run_all(
        lambda shape, name, way, falls: tabled(name, falls, *shape, seconds, **ways[way]),
        shapes,
        names,
        ways,
        (False, True),
    )
    rows = [
        {
            "fabric": name,
            "triangulation": shape[0],
            "quality": way,
            "start": "falls" if falls else "lies",
            "kept": kept,
        }
        for (shape, name, way, falls), kept in found.items()
    ]
    rig.show(results, "table_area", rows)
    rig.record(results, "area_kept", rows, min, "kept")

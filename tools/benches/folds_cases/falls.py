# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth that falls: a strip over a table's edge, a wavy sheet and a tilted one on a floor."""

import numpy as np
from common.report import heading, note
from folds_cases import rig
from muslin.fabrics import fabric
from test_scenes import solids
from truth_cases.meshes import sheet
from truth_cases.rig import GRAVITY

THICKNESS = 1e-3  # m
STEP = rig.FRAME / rig.SUBSTEPS  # where every substep is looked at

# A strip over a table's edge
LENGTH, WIDTH, OVER = 0.6, 0.06, 0.2  # m
STRIP_SPACINGS = (0.015, 0.01)
STRIP_FRICTION = 0.8  # holds three times as much as hangs: it does not slide off
LAYER_FRICTION, ASIDE = 0.2, np.array([3e-4, 3e-3])  # of two strips; where the second lies, m
LATEST = 1.5  # s
FALLEN = 0.8 * 0.198  # m, of what it has fallen at rest

# A wavy sheet
SIDE, HEIGHT = 0.4, 0.02  # m: of the sheet, of its fall
WAVE, WAVES = 0.04, 2  # m; along one side, so that nothing but bending is strained at the start
RIPPLE = 0.002  # m, along the other
WAVY_SPACINGS = (0.02, 0.014)
WAVY_SUBSTEPS = (2, 4, 8)
BETWEEN = 2e-3  # m, thickness of contact

# A tilted sheet
TILT, LANDING_SIDE = 10.0, 0.3  # degrees, m
LANDING_HEIGHTS = tuple(
    0.01 * k for k in range(2, 11)
)  # m: at which part of a substep it lands matters
LANDING_THICKNESS = 4e-3  # m
LANDING_SPACINGS = (0.02, 0.014)
LANDING_SECONDS = 0.4


def add_floor(cloth, thickness, friction, top=0.0, size=4.0, centre=(0, 0)):
    """A box whose upper side is at `top`."""
    floor = solids.box((size, size, 0.2), (*centre, top - 0.1))
    return cloth.add_body((floor.positions, floor.triangles()), thickness, friction)


def strips(flat, layers):
    """(positions, triangles) of free strips on a table and over its edge, no vertex above another one."""
    level = flat.standing(rig.LEVEL) + np.float32([OVER - LENGTH, -WIDTH / 2, 0])
    places = [level + np.float32([*(k * ASIDE), (k + 1) * THICKNESS]) for k in range(layers)]
    triangles = [flat.triangles + k * len(level) for k in range(layers)]
    return np.concatenate(places), np.concatenate(triangles)


def strip_heights(kind, spacing, seconds=LATEST, layers=1, **settings):
    """Height of the end of the lowest strip of cotton after each substep, m, from 0."""
    flat = sheet(kind, LENGTH, WIDTH, spacing)
    end = np.flatnonzero(flat.points[:, 0] > LENGTH - 1e-6)
    settings = {**settings, "substeps": 1}
    with rig.fabric_cloth(*strips(flat, layers), fabric("cotton"), **settings) as cloth:
        table = solids.box((1, 1, 0.5), (-0.5, 0, -0.25), (8, 8, 4))
        cloth.add_body((table.positions, table.triangles()), THICKNESS, STRIP_FRICTION)
        if layers > 1:
            cloth.set_self_contact(True, THICKNESS, LAYER_FRICTION)
        found = [0.0]
        for _ in range(round(seconds / STEP)):
            cloth.step(STEP)
            found.append(float(cloth.positions()[end, 2].mean(dtype=float)) - THICKNESS)
            if found[-1] < -FALLEN:
                break
        return np.array(found)


def reached(heights, level):
    """When falling heights first are at a level, s; as if at the end where they never are."""
    below = np.flatnonzero(heights <= level)
    if not len(below):
        return (len(heights) - 1) * STEP
    after = below[0]
    share = (heights[after - 1] - level) / (heights[after - 1] - heights[after])
    return float(after - 1 + share) * STEP


def strip_time(kind, spacing, **settings):
    """s until 80 % of the drop at rest."""
    return reached(strip_heights(kind, spacing, **settings), -FALLEN)


def table_time(results, quick):
    """table_time: s until 80 % of the drop at rest, over the conventional solver's."""
    _strip_times(results, quick, "table_time", "A strip over a table's edge", 1)


def layers_time(results, quick):
    """layers_time: likewise of two strips that lie on each other."""
    _strip_times(results, quick, "layers_time", "Two strips over a table's edge", 2)


def _strip_times(results, quick, key, words, layers):
    heading(f"{words}: s until 80 % of the drop")
    ways = rig.ways()
    shapes = rig.shapes(quick, STRIP_SPACINGS)
    times = rig.run_all(
        lambda shape, way: strip_time(*shape, layers=layers, **ways[way]), shapes, ways
    )
    rows = [
        {
            "triangulation": shape[0],
            "quality": way,
            "mm": 1000 * shape[1],
            "seconds": seconds,
            "over": seconds / times[shape, "conventional"],
        }
        for (shape, way), seconds in times.items()
    ]
    rig.show(results, key, rows)
    rig.record(results, key, rows, max, "over")
    rig.record(results, key.replace("time", "seconds"), rows, max, "seconds", conventional=True)


def waved(points):
    """Places of a sheet that is wavy along x and not stretched by it."""
    share = np.linspace(0, 1, 4001)
    height = WAVE * np.sin(2 * np.pi * WAVES * share)
    low, high = 0.5, 1.0
    for _ in range(50):  # how much shorter the waves make it: their length is the sheet's
        level = (low + high) / 2
        way = np.hypot(np.diff(share) * SIDE * level, np.diff(height)).cumsum()
        low, high = (low, level) if way[-1] > SIDE else (level, high)
    at = np.interp(points[:, 0], np.concatenate([[0], way]), share)
    up = np.interp(at, share, height) + RIPPLE * np.sin(4 * np.pi * points[:, 1] / SIDE)
    return np.column_stack([level * SIDE * at, points[:, 1], up])


def wavy_heights(kind, spacing, substeps=rig.SUBSTEPS, seconds=1.0, **settings):
    """Mean height above a floor after each frame of a wavy sheet's fall, m."""
    flat = sheet(kind, SIDE, SIDE, spacing)
    begun = waved(flat.points)
    begun[:, 2] += HEIGHT + BETWEEN - begun[:, 2].min()
    settings = {**settings, "substeps": substeps}
    positions = flat.standing(rig.LEVEL)
    with rig.fabric_cloth(positions, flat.triangles, fabric("cotton"), **settings) as cloth:
        add_floor(cloth, BETWEEN, 0.3)
        cloth.set_self_contact(True, BETWEEN, 0.3)
        cloth.set_state(begun)
        found = []
        for _ in range(round(seconds / rig.FRAME)):
            cloth.step(rig.FRAME)
            found.append(float(cloth.positions()[:, 2].mean(dtype=float)))
        return found


def wavy(results, quick):
    """wavy_height_mm after 1 s, and wavy_growth_mm: how much higher it lies with more substeps."""
    heading("A wavy sheet falls on a floor: mean height after 1 s, mm")
    ways = rig.ways()
    shapes = rig.shapes(quick, WAVY_SPACINGS)

    def heights(shape, way):
        counts = WAVY_SUBSTEPS if way != "conventional" else WAVY_SUBSTEPS[:1]
        return [1000 * wavy_heights(*shape, count, **ways[way])[-1] for count in counts]

    rows = [
        _wavy_row(*choice, found) for choice, found in rig.run_all(heights, shapes, ways).items()
    ]
    rig.show(results, "wavy", rows)
    rig.record(results, "wavy_height_mm", rows, max, "x2", conventional=True)
    rig.record(results, "wavy_growth_mm", rows, max, "growth")


def _wavy_row(shape, way, heights):
    named = {f"x{count}": height for count, height in zip(WAVY_SUBSTEPS, heights)}
    return {
        "triangulation": shape[0],
        "quality": way,
        "mm": 1000 * shape[1],
        **{f"x{count}": named.get(f"x{count}") for count in WAVY_SUBSTEPS},
        "growth": max(0.0, max(heights) - heights[0]),
    }


def landing_gain(kind, spacing, **settings):
    """Largest gain of energy in a substep of a tilted sheet of cotton that lands, over that of its fall."""
    return max(0.0, *(_gain(kind, spacing, height, **settings) for height in LANDING_HEIGHTS))


def _gain(kind, spacing, height, **settings):
    flat = sheet(kind, LANDING_SIDE, LANDING_SIDE, spacing)
    positions = flat.standing(rig.LEVEL).astype(float) @ solids.tilting(TILT).T
    positions[:, 2] += height + LANDING_THICKNESS - positions[:, 2].min()
    numbers, settings = fabric("cotton"), {**settings, "substeps": 1}
    way = flat.masses() @ (positions[:, 2] - LANDING_THICKNESS)  # times area
    with rig.fabric_cloth(positions, flat.triangles, numbers, **settings) as cloth:
        add_floor(cloth, LANDING_THICKNESS, 0.0)
        energies = []
        for _ in range(round(LANDING_SECONDS / STEP)):
            cloth.step(STEP)
            stats = cloth.stats()
            energies.append(stats.kinetic_energy + stats.elastic_energy + stats.gravity_energy)
        return float(np.diff(energies).max() / (way * numbers["density"] * GRAVITY))


def landing(results, quick):
    """landing_gain"""
    heading("A tilted sheet lands without friction: largest gain of energy in a substep")
    ways = rig.ways(conventional=not quick)
    shapes = rig.shapes(quick, LANDING_SPACINGS)
    found = rig.run_all(lambda shape, way: landing_gain(*shape, **ways[way]), shapes, ways)
    rows = [
        {"triangulation": shape[0], "quality": way, "mm": 1000 * shape[1], "gain": gain}
        for (shape, way), gain in found.items()
    ]
    rig.show(results, "landing", rows)
    rig.record(results, "landing_gain", rows, max, "gain", conventional=not quick)
    note("Over the potential energy between the start and lying flat.")

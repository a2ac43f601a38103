# SPDX-License-Identifier: GPL-3.0-or-later
"""Sheets that slide on sheets, held or free, two or five, down a slope of 27 degrees: as Coulomb says.

The slope is level and gravity is turned. The lowest sheet stays: friction 0.6 holds it on its floor, 27 degrees need
0.51. What lies on it slides with g (sin 27 - mu cos 27), however many layers there are.
"""

from dataclasses import dataclass

import numpy as np
from common.report import heading, note
from folds_cases import rig
from folds_cases.falls import add_floor
from truth_cases.meshes import sheet
from truth_cases.rig import GRAVITY, cloth_of
from truth_cases.theory import incline_acceleration

DEGREES, FLOOR = 27.0, 0.6
THICKNESS = 2e-3  # m, of layers and floor
UPPER, LOWER = (0.2, 0.2), (0.7, 0.24)  # m, along and across the slope
FAR = (0.2, 3.0)  # m: side of the far sheet, how far away it is
SPACINGS = (0.02, 0.014)  # m
FRICTIONS = (0.0, 0.2, 0.4)
STACK, STACK_FRICTION = 5, 0.2
FRAMES, FITTED = 10, 6  # s / 24; the last ones, whose speeds give the acceleration
MATERIAL = {"stretch": 2000, "bend": 1e-5, "shear": 500}


@dataclass
class Slide:
    """ratio: acceleration of the top over theory's. lift: of the highest vertex above its layer's place, m."""

    ratio: float
    lift: float
    speed: float
    positions: np.ndarray


def pile(kind, spacing, count):
    """(positions, triangles, layer of each vertex) of a long sheet below and `count` - 1 short ones on it."""
    flats = [sheet(kind, *LOWER, spacing)] + [sheet(kind, *UPPER, spacing)] * (count - 1)
    places, triangles, first = [], [], 0
    for k, flat in enumerate(flats):
        # no vertex above another one
        aside = (0.02 + 0.37 * spacing * k, 0.02 + 0.23 * spacing * k) if k else (0, 0)
        level = flat.standing(rig.LEVEL) + np.float32([*aside, (k + 1) * THICKNESS])
        places.append(level)
        triangles.append(flat.triangles + first)
        first += len(level)
    layer = np.repeat(np.arange(count), [len(place) for place in places])
    return np.concatenate(places), np.concatenate(triangles), layer


def with_far(positions, triangles, spacing, height):
    """The same and a sheet far away, `height` above the place where it rests."""
    flat = sheet(rig.KINDS[0], FAR[0], FAR[0], spacing)
    added = flat.standing(rig.LEVEL) + np.float32([0, FAR[1], THICKNESS + height])
    return np.concatenate([positions, added]), np.concatenate(
        [triangles, flat.triangles + len(positions)]
    )


def slide(kind, spacing, friction, count=2, held=False, far=None, **settings):
    """A pile slides. held: the lowest sheet is pinned, without a floor. far: height of a far sheet above its own
    floor, m; None: there is none."""
    positions, triangles, layer = pile(kind, spacing, count)
    if far is not None:
        positions, triangles = with_far(positions, triangles, spacing, far)
    angle = np.radians(DEGREES)
    gravity = (GRAVITY * np.sin(angle), 0, -GRAVITY * np.cos(angle))
    settings = {**MATERIAL, "gravity": gravity, "substeps": rig.SUBSTEPS, **settings}
    with cloth_of(positions, triangles, **settings) as cloth:
        cloth.set_self_contact(True, THICKNESS, friction)
        if held:
            cloth.set_pins(np.flatnonzero(layer == 0))
        else:
            add_floor(cloth, THICKNESS, FLOOR, size=2.0)
        if far is not None:
            add_floor(cloth, THICKNESS, 1.0, size=1.0, centre=(0, FAR[1]))
        return _slid(cloth, layer, friction)


def _slid(cloth, layer, friction):
    top = np.flatnonzero(layer == layer.max())
    speeds, lift = [], 0.0
    for _ in range(FRAMES):
        cloth.step(rig.FRAME)
        places, speed = (values[: len(layer)].astype(float) for values in cloth.state())
        speeds.append(speed[top, 0].mean())
        lift = max(lift, (places[:, 2] - (layer + 1) * THICKNESS).max())
    gained = np.polyfit(rig.FRAME * np.arange(FITTED), speeds[-FITTED:], 1)[0]
    right = incline_acceleration(DEGREES, friction, GRAVITY)
    return Slide(float(gained / right), float(lift), float(speeds[-1]), places)


def cases():
    """{name: arguments of slide}"""
    found = {}
    for friction in FRICTIONS:
        found[f"held, {friction:g}"] = {"friction": friction, "held": True}
        found[f"free, {friction:g}"] = {"friction": friction}
    found[f"stack of {STACK}"] = {"friction": STACK_FRICTION, "count": STACK}
    found["held, far rests"] = {"friction": STACK_FRICTION, "held": True, "far": 0.0}
    found["held, far falls"] = {"friction": STACK_FRICTION, "held": True, "far": 1.0}
    return found


def layers(results, quick):
    """layer_ratio, layer_lift_mm, and layer_far_same: 1 where a far sheet changes no byte."""
    heading("Sheets slide on sheets: acceleration over Coulomb's")
    ways = rig.ways(conventional=not quick)
    asked = cases()
    shapes = rig.shapes(quick, SPACINGS)
    found = rig.run_all(
        lambda shape, name, way: slide(*shape, **asked[name], **ways[way]), shapes, asked, ways
    )
    rows = [_row(*choice, slid) for choice, slid in found.items()]
    for row in rows:
        results.row("layers", **row)
    _print(rows, asked)
    same = [_same(found, shape, way) for shape in shapes for way in ways]
    rig.record(results, "layer_ratio", rows, max, "off", conventional=not quick)
    rig.record(results, "layer_lift_mm", rows, max, "lift mm", conventional=not quick)
    rig.record(results, "layer_far_same", same, min, "same")
    note("Numbers are friction between the layers; that on the floor is 0.6, in the stack 0.2.")


def _row(shape, name, way, slid):
    return {
        "case": name,
        "triangulation": shape[0],
        "quality": way,
        "mm": 1000 * shape[1],
        "ratio": slid.ratio,
        "off": abs(slid.ratio - 1),
        "speed": slid.speed,
        "lift mm": 1000 * slid.lift,
    }


def _same(found, shape, way):
    rests, falls = (found[shape, f"held, far {does}", way] for does in ("rests", "falls"))
    return {"quality": way, "same": int(np.array_equal(rests.positions, falls.positions))}


def _print(rows, asked):
    """Worst ratio and lift of each case by quality, over the meshes."""
    ways = list(dict.fromkeys(row["quality"] for row in rows))
    lines = []
    for name in asked:
        for way in ways:
            of = [row for row in rows if (row["case"], row["quality"]) == (name, way)]
            worst = max(of, key=lambda row: row["off"])
            columns = ("case", "quality", "triangulation", "ratio", "speed")
            lift = max(row["lift mm"] for row in of)
            lines.append({**{key: worst[key] for key in columns}, "lift mm": lift})
    rig.print_rows(lines)

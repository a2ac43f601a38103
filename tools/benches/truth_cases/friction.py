# SPDX-License-Identifier: GPL-3.0-or-later
"""Friction where theory knows the answer: a pressed strip, a band on a cylinder, a sheet that slides to rest."""

import numpy as np
from common.report import Rows, heading, note, percent, table
from numpy.polynomial import Chebyshev
from test_scenes import solids
from truth_cases import theory
from truth_cases.meshes import sheet, strip
from truth_cases.rig import BARE, GRAVITY, cloth_of, every, kinds, qualities, sizes

STEP = 1 / 48
THICKNESS = 1e-3  # m
WEIGHTLESS = {"gravity": (0, 0, 0)}

# A strip pressed onto a floor
# Weightless, so theory does not ask for its stiffness; but contacts give way by what presses on them, and friction holds
# its anchor by a spring: as stiff as leather, the foot would move by half a hundredth of the length before it slips.
LENGTH, BEND = 0.3, 2.5e-4  # m, N m
SHORTENINGS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
STICKING = 1.5  # friction while the strip is brought down
LOWERED = 0.01  # of the length, each time
ON_FLOOR = 0.34  # shortening from which on the strip would dip below the floor: there the pull is seen in its shape
REST = 120  # steps before the slip is looked for
ABOVE, FADE = 1.1, 0.999  # first friction over theory's; of a step over that of the one before
SLIPPED = 0.001  # of the length

# A band around a cylinder
RADIUS, TAIL, SPEED, TENSION = 0.1, 0.12, 0.02, 4.0  # m, m, m/s, N/m
FRICTIONS = (0.2, 0.3)
BAND_CELLS = (48, 64, 96)
BAND_STEP = 1 / 96  # s

# A sheet on a table
SIDE, STOP_SPEED, STOP_FRICTION = 0.3, 1.5, 0.3

CAPSTAN_COLUMNS = "kind cells quality friction ratio theory error"
STOPPING_COLUMNS = "kind quality substeps way_mm error"


def stick_slip(results, quick):
    """stick_slip_error"""
    heading("Friction that holds the foot of a pressed strip, below its clamp")
    right = {short: theory.stick_slip(short) for short in SHORTENINGS}
    runs = every(_slips, kinds(quick), sizes(quick, (24, 32, 40)), qualities(quick))
    rows, worst = [], 0.0
    for (kind, cells, quality), found in runs:
        errors = [found[short] / right[short] - 1 for short in SHORTENINGS]
        worst = max(worst, *map(abs, errors))
        rows.append((kind, cells, quality, *map(percent, errors)))
        for short in SHORTENINGS:
            results.row(
                "stick_slip",
                kind=kind,
                cells=cells,
                quality=quality,
                shortening=short,
                friction=found[short],
                theory=right[short],
            )
    table(("triangulation", "cells", "quality", *map(str, SHORTENINGS)), rows)
    note("Theory: " + ", ".join(f"{value:.4f}" for value in right.values()) + ".")
    results.number("stick_slip_error", worst)


def _slips(kind, cells, quality):
    """{shortening: friction at which the foot slips}"""
    flat = strip(kind, cells, LENGTH)
    positions = flat.standing([(0, 0, -1), (0, 1, 0)]) + np.float32([0, 0, LENGTH + THICKNESS])
    rate = 20 * np.sqrt(BEND / BARE["density"]) / LENGTH**2
    settings = {"damping": rate, "quality": quality, "shear": 500}
    cloth = cloth_of(positions, flat.triangles, 2000, BEND, **WEIGHTLESS, **settings)
    with cloth:
        floor = solids.box((1, 1, 0.2), (0, 0, -0.1))
        body = cloth.add_body((floor.positions, floor.triangles()), THICKNESS, STICKING)
        bulge = np.clip(flat.points[:, :1] / LENGTH, 0, 1)
        start = positions + 0.01 * LENGTH * bulge * (1 - bulge) * [1, 0, 0]
        start[flat.clamp] = positions[flat.clamp]
        cloth.set_state(start)
        foot = np.flatnonzero(flat.points[:, 0] > LENGTH * (1 - 1e-6))
        found = {}
        for short in SHORTENINGS:
            if short > ON_FLOOR and body is not None:
                body = body.remove()
            _lower(cloth, positions.astype(float), flat.clamp, foot, short)
            if body is None:
                found[short] = _needed(cloth.positions().astype(float), flat.points[:, 0], foot)
            else:
                cloth.set_pins(flat.clamp)
                for _ in range(REST):
                    cloth.step(STEP)
                found[short] = _slip(cloth, body, foot, ABOVE * theory.stick_slip(short))
        return found


def _lower(cloth, positions, clamp, foot, short):
    """Brings the clamp down, with the foot led below it."""
    pins = np.concatenate([clamp, foot])
    held = positions[pins]
    held[: len(clamp), 2] -= short * LENGTH
    before = cloth.positions()[pins].astype(float)
    cloth.set_pins(pins)
    steps = max(1, round(np.abs(held - before).max() / (LOWERED * LENGTH)))
    for step in range(steps):
        cloth.move_pins(before + (step + 1) / steps * (held - before))
        for _ in range(4):
            cloth.step(STEP)
    for _ in range(REST):
        cloth.step(STEP)


def _needed(positions, along, foot):
    """Friction that the foot's pull would need, from the shape: B k = N x - T z, with the foot as the origin."""
    place = np.clip(2 * along / LENGTH - 1, -1, 1)
    free = along > 0
    x, z = (Chebyshev.fit(place[free], positions[free, axis], 10) for axis in (0, 2))
    at = np.linspace(-0.9, 0.95, 200)
    curved = x.deriv()(at) * z.deriv(2)(at) - z.deriv()(at) * x.deriv(2)(at)
    curved /= np.hypot(x.deriv()(at), z.deriv()(at)) ** 3
    origin = positions[foot].mean(0)
    sides = np.column_stack([x(at) - origin[0], z(at) - origin[2]])
    normal, aside = np.linalg.lstsq(sides, curved, rcond=None)[0]
    return float(abs(aside / normal))


def _slip(cloth, body, foot, friction):
    """Less and less friction until the foot runs away; the state is as before afterwards."""
    kept = cloth.snapshot()
    place = cloth.positions()[foot, 0].mean(dtype=float)
    while friction > 0.02:
        body.set_surface(friction=friction)
        cloth.step(STEP)
        if abs(cloth.positions()[foot, 0].mean(dtype=float) - place) > SLIPPED * LENGTH:
            break
        friction *= FADE
    body.set_surface(friction=STICKING)
    cloth.restore(kept)
    return friction


def capstan(results, quick):
    """capstan_error"""
    heading("A band that slides half a turn around a cylinder: tension over tension")
    cells = BAND_CELLS[:1] if quick else BAND_CELLS
    runs = every(_ratio, kinds(quick), cells, qualities(quick), FRICTIONS)
    rows, worst = Rows(results, "capstan", CAPSTAN_COLUMNS), 0.0
    for (kind, count, quality, friction), found in runs:
        right = theory.capstan(friction)
        error = found / right - 1
        worst = max(worst, abs(error))
        rows.add(
            error=error,
            kind=kind,
            cells=count,
            quality=quality,
            friction=friction,
            ratio=found,
            theory=right,
        )
    rows.show()
    results.number("capstan_error", worst)


def _ratio(kind, cells, quality, friction):
    """Pulled by one end and held back by the other, the band's two straight ends tell their tensions by stretch."""
    radius = RADIUS + THICKNESS
    length = np.pi * radius + 2 * TAIL
    width = 6 * length / cells
    flat = sheet(kind, length, width, length / cells)
    along = flat.points[:, 0] - length / 2
    stretch = 2000.0
    cloth = cloth_of(
        _wound(along, flat.points[:, 1] - width / 2, radius),
        flat.triangles,
        stretch,
        1e-7,
        quality=quality,
        shear=500,
        **WEIGHTLESS,
    )
    with cloth:
        drum = solids.cylinder(RADIUS, -width, width, sides=180, spacing=2 * width)
        lying = drum.positions[:, [2, 0, 1]] @ np.float32([[0, 1, 0], [1, 0, 0], [0, 0, 1]])
        cloth.add_body((lying, drum.triangles()), THICKNESS, friction)
        left = np.flatnonzero(along < -length / 2 + 1e-6)
        right = np.flatnonzero(along > length / 2 - 1e-6)
        held = np.concatenate([left, right])
        start = cloth.positions()[held].astype(float)
        cloth.set_pins(held)
        down = np.array([0, 0, -1.0])
        pull = TENSION / stretch * length / 2
        ends = np.r_[np.full(len(left), -1.0), np.full(len(right), 1.0)][:, None]
        ratios = []
        for step in range(120):
            tight = pull * min(1, (step + 1) / 48)
            slid = SPEED * BAND_STEP * max(0, step - 47)
            cloth.move_pins(start + down * (tight + ends * slid))
            cloth.step(BAND_STEP)
            if step >= 72:
                here = cloth.positions().astype(float)
                ratios.append(_strain(here, along, 1) / _strain(here, along, -1))
        return float(np.mean(ratios))


def _wound(along, across, radius):
    """Positions of a band over the upper half of a cylinder along y, its ends straight down."""
    angle = np.clip(along / radius, -np.pi / 2, np.pi / 2)
    rest = np.abs(along) - radius * np.abs(angle)
    return np.column_stack(
        [radius * np.sin(angle), across, radius * np.cos(angle) - np.maximum(rest, 0)]
    )


def _strain(positions, along, side):
    """Stretch of one straight end, less its own border rows."""
    end = np.pi / 2 * (RADIUS + THICKNESS) + TAIL
    chosen = (side * along > end - 0.8 * TAIL) & (side * along < end - 0.1 * TAIL)
    return -np.polyfit(side * along[chosen], positions[chosen, 2], 1)[0] - 1


def stopping(results, quick):
    """stopping_error"""
    heading("How far a sheet slides that is let go on a table")
    right = theory.stopping_distance(STOP_SPEED, STOP_FRICTION, GRAVITY)
    substeps = (2,) if quick else (2, 4, 8)
    runs = every(_stop, kinds(quick), qualities(quick), substeps)
    rows = Rows(results, "stopping", STOPPING_COLUMNS)
    for (kind, quality, count), found in runs:
        rows.add(
            error=found / right - 1,
            kind=kind,
            quality=quality,
            substeps=count,
            way_mm=1000 * found,
            theory_mm=1000 * right,
        )
    rows.show()
    note(f"Theory: {1000 * right:.1f} mm.")
    results.number("stopping_error", max(abs(found / right - 1) for _, found in runs))


def _stop(kind, quality, substeps):
    flat = sheet(kind, SIDE, SIDE, SIDE / 12)
    positions = flat.standing([(1, 0, 0), (0, 1, 0)])
    positions[:, 2] = THICKNESS
    cloth = cloth_of(
        positions, flat.triangles, 2000, 1e-5, shear=500, quality=quality, substeps=substeps
    )
    with cloth:
        floor = solids.box((4, 4, 0.2), (0, 0, -0.1))
        cloth.add_body((floor.positions, floor.triangles()), THICKNESS, STOP_FRICTION)
        for _ in range(12):  # it lies: the floor carries its weight
            cloth.step(1 / 24)
        here, speeds = cloth.state()
        speeds[:, 0] += STOP_SPEED
        cloth.set_state(here, speeds)
        start = here[:, 0].mean(dtype=float)
        for _ in range(24):
            cloth.step(1 / 24)
        return float(cloth.positions()[:, 0].mean(dtype=float) - start)

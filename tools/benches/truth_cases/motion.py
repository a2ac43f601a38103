# SPDX-License-Identifier: GPL-3.0-or-later
"""Small swings of a hanging sheet, and whatever has a closed form: catenary, own weight, fall in air, incline."""

from math import pi

import numpy as np
from common.report import digits, heading, note, percent, table
from test_scenes import solids
from truth_cases import air, theory
from truth_cases.meshes import sheet
from truth_cases.rig import BARE, GRAVITY, cloth_of, every, kinds, qualities, settle

LEVEL = ((1, 0, 0), (0, 1, 0))
LOAD = BARE["density"] * GRAVITY  # N/m^2

# Swings
HEIGHT = 1.0  # m
# Of the lower border at the start. Theory leaves out its square, and bare cloth that is pressed together in its plane
# crumples: steeper swings lose their energy to that.
SLOPE = 0.1
ROWS = (
    48,
    64,
    96,
)  # the third swing turns within an eighth of the height: coarser sheets cannot show it
PERIODS, STEPS = 2.6, 140  # watched; steps a period

# Closed forms
SPAN, SLACK = 0.8, 1000  # span over length; stretch stiffness over weight
DEGREES, FRICTIONS = 25.0, tuple(0.1 * k for k in range(11))
THICKNESS = 1e-3


def swings(results, quick):
    """swing_error"""
    heading("Small swings of a hanging sheet, over the square root of g / L")
    right = theory.swing_rates()
    modes = range(len(right))
    runs = every(_rate, kinds(quick), ROWS[:1] if quick else ROWS, qualities(quick), modes)
    worst = 0.0
    for (kind, cells, quality, mode), found in runs:
        error = found / right[mode] - 1
        worst = max(worst, abs(error))
        results.row(
            "swing",
            kind=kind,
            cells=cells,
            quality=quality,
            mode=mode + 1,
            rate=found,
            theory=right[mode],
            error=error,
        )
    results.show("swing", "kind cells quality mode rate theory error")
    note("Theory: " + ", ".join(f"{rate:.4f}" for rate in right) + ".")
    results.number("swing_error", worst)


def _rate(kind, cells, quality, mode):
    rate = theory.swing_rates()[mode]
    spacing = HEIGHT / cells
    flat = sheet(kind, HEIGHT, max(2, cells // 8) * spacing, spacing)
    positions = flat.standing([(0, 0, -1), (0, 1, 0)])
    up = HEIGHT + positions[:, 2].astype(float)
    shape = theory.hanging_swing(rate, up / HEIGHT)
    stretch = 2000 * LOAD * HEIGHT
    with cloth_of(
        positions, flat.triangles, stretch, 0, shear=stretch / 4, quality=quality
    ) as cloth:
        top = np.flatnonzero(up > HEIGHT - 1e-6)
        cloth.set_pins(top)
        start = positions.astype(float)
        swing = SLOPE * HEIGHT / rate**2
        start[:, 0] += swing * shape
        start[:, 2] -= LOAD * (HEIGHT**2 - up**2) / (2 * stretch)  # stretched as it hangs
        start[top] = positions[top]
        cloth.set_state(start)
        step = 2 * pi / (rate * np.sqrt(GRAVITY / HEIGHT)) / STEPS
        weights = flat.masses() * shape  # other modes are at right angles to this one
        weights /= weights @ shape
        places = [swing]
        for _ in range(round(PERIODS * STEPS)):
            cloth.step(step)
            aside = cloth.positions()[:, 0].astype(float)
            places.append(weights @ aside)
        return _frequency(np.array(places), step) / np.sqrt(GRAVITY / HEIGHT)


def _frequency(places, step):
    """Of a fading oscillation, rad/s, from the times at which it goes through 0."""
    at = np.flatnonzero(places[:-1] * places[1:] < 0)
    times = at + places[at] / (places[at] - places[at + 1])
    return pi * (len(times) - 1) / ((times[-1] - times[0]) * step)


def closed_forms(results, quick):
    """closed_form_error: the largest of all that follow, relative to theory's largest value."""
    heading("Closed forms")
    worst, rows = 0.0, []
    for name, function in CLOSED.items():
        for (kind, quality), (found, right) in every(function, kinds(quick), qualities(quick)):
            scale = max(abs(value) for value in right)
            error = max(abs(f - r) for f, r in zip(found, right)) / scale
            worst = max(worst, error)
            rows.append(
                (name, kind, quality, digits(found[0], 4), digits(right[0], 4), percent(error, 2))
            )
            for index, (f, r) in enumerate(zip(found, right)):
                results.row(name, kind=kind, quality=quality, index=index, found=f, theory=r)
    table(
        ("what", "triangulation", "quality", "first value", "theory", "largest error"), rows, left=3
    )
    results.number("closed_form_error", worst)


def _catenary(kind, quality):
    """Sag over the length of a band hung by both ends."""
    length, cells = 0.5, 40
    flat = sheet(kind, length, 4 * length / cells, length / cells)
    stretch = SLACK * LOAD * length
    ends = (flat.points[:, 0] < 1e-6) | (flat.points[:, 0] > length - 1e-6)
    # The chord's own arc, shallow and then pulled down by its weight.
    start = flat.standing(LEVEL).astype(float)
    share = start[:, 0] / length
    start[:, 0] = (share - 0.5) * SPAN * length
    start[:, 2] = -1.2 * length * share * (1 - share)
    with cloth_of(
        flat.standing(LEVEL),
        flat.triangles,
        stretch,
        0,
        shear=stretch / 4,
        quality=quality,
        damping=8,
    ) as cloth:
        cloth.set_state(start)
        cloth.set_pins(np.flatnonzero(ends), targets=start[ends])
        rest = settle(cloth, 1 / 24)
        middle = np.abs(flat.points[:, 0] - length / 2) < 0.03 * length
        fit = np.polyfit(flat.points[middle, 0] - length / 2, rest[middle, 2], 2)
        return [-fit[2] / length], [
            theory.catenary_sag(SPAN * length, length, LOAD, stretch) / length
        ]


def _own_weight(kind, quality):
    """Stretch of a sheet by its own weight."""
    height = 0.5
    flat = sheet(kind, height, 0.2, 0.02)
    positions = flat.standing([(0, 0, -1), (0, 1, 0)])
    stretch = 50 * LOAD * height
    with cloth_of(positions, flat.triangles, stretch, 0, quality=quality, damping=20) as cloth:
        cloth.set_pins(np.flatnonzero(flat.points[:, 0] < 1e-6))
        rest = settle(cloth, 1 / 24)
        low = flat.points[:, 0] > height - 1e-6
        longer = -(rest[low, 2] - positions[low, 2]).mean()
        return [longer / height], [theory.hanging_stretch(LOAD, height, stretch) / height]


def _terminal(kind, quality):
    """Speed of a sheet that falls flat through the air, by the library's default air and the other laws of it."""
    flat = sheet(kind, 0.3, 0.3, 0.05)
    found, right = [], []
    for settings, speed in air.laws(LOAD):
        with cloth_of(
            flat.standing(LEVEL), flat.triangles, 1000, 1e-4, shear=250, quality=quality, **settings
        ) as cloth:
            for _ in range(72):
                cloth.step(1 / 12)
            found.append(float(-cloth.state()[1][:, 2].mean(dtype=float)))
            right.append(speed)
    return found, right


def _incline(kind, quality):
    """Acceleration on a slope at eleven frictions, over g."""
    flat = sheet(kind, 0.3, 0.3, 0.3 / 10)
    turn = solids.tilting(DEGREES)
    down = -turn[:, 0]
    start = flat.standing(LEVEL) @ turn.T + THICKNESS * turn[:, 2]
    ramp = solids.box((6, 2, 0.2), (0, 0, -0.1))
    slope = ramp.positions @ turn.T
    found = []
    for friction in FRICTIONS:
        with cloth_of(
            start, flat.triangles, 2000, 1e-4, shear=500, quality=quality, substeps=2
        ) as cloth:
            cloth.add_body((slope, ramp.triangles()), THICKNESS, friction)
            speeds = []
            for _ in range(24):
                cloth.step(1 / 24)
                speeds.append(float((cloth.state()[1].astype(float) @ down).mean()))
            found.append(float(np.polyfit(np.arange(12) / 24, speeds[12:], 1)[0]) / GRAVITY)
    return found, [theory.incline_acceleration(DEGREES, mu, GRAVITY) / GRAVITY for mu in FRICTIONS]


CLOSED = {
    "catenary": _catenary,
    "own weight": _own_weight,
    "terminal speed": _terminal,
    "incline": _incline,
}

# SPDX-License-Identifier: GPL-3.0-or-later
"""Small swings of a hanging sheet, and whatever has a closed form: catenary, own weight, fall in air, incline."""

from math import pi

import numpy as np
from common.bench import heading
from muslin.table import SETTINGS
from test_scenes import solids
from truth_cases import theory
from truth_cases.meshes import sheet
from truth_cases.rig import GRAVITY, HANGING, LEVEL, LOAD, cloth_of, kinds, qualities, relative
from truth_cases.rig import settle, sweep, worst

# --- swings ----------------------------------------------------------------------------------------

# Slope of the lower border at the start. Theory leaves out its square, and bare cloth that is pressed together in its
# plane crumples: steeper swings lose their energy to that.
SLOPE = 0.1
# The third swing turns within an eighth of the height: coarser ones cannot show it.
ROWS = (48, 64, 96)
PERIODS, STEPS = 2.6, 140  # watched; steps a period
MODES = (1, 2, 3)


class Swing:
    """A sheet that hangs from its upper edge, drawn aside by the shape of a small swing."""

    def __init__(self, flat, height, mode, **settings):
        positions = flat.standing(HANGING)
        up = height + positions[:, 2].astype(float)
        self.rate = theory.swing_rates()[mode - 1]
        shape = theory.hanging_swing(self.rate, up / height)
        stretch = 2000 * LOAD * height
        settings = {"shear": stretch / 4, **settings}
        self.cloth = cloth_of(positions, flat.triangles, stretch, 0, **settings)
        top = up > height - 1e-6
        start = positions.astype(float)
        self.first = SLOPE * height / self.rate**2  # m
        start[:, 0] += self.first * shape
        start[:, 2] -= LOAD * (height**2 - up**2) / (2 * stretch)  # stretched as it hangs
        start[top] = positions[top]
        self.cloth.set_pins(np.flatnonzero(top))
        self.cloth.set_state(start)
        weights = flat.masses() * shape  # other swings are at right angles to this one
        self.weights = weights / (weights @ shape)
        self.turns = self.rate * np.sqrt(GRAVITY / height)  # rad/s

    def aside(self):
        """Place and speed along the swing's shape."""
        return [self.weights @ values[:, 0].astype(float) for values in self.cloth.state()]


def swings(results, quick):
    """swing_error"""
    heading("Small swings of a hanging sheet, over the square root of g / L")
    cells = ROWS[:1] if quick else ROWS
    rows = sweep(_rate, kind=kinds(quick), cells=cells, quality=qualities(quick), mode=MODES)
    results.table("swing", rows, swing_error=worst(rows))


def _rate(kind, cells, quality, mode):
    height = 1.0
    flat = sheet(kind, height, max(2, cells // 8) * height / cells, height / cells)
    swing = Swing(flat, height, mode, quality=quality)
    with swing.cloth as cloth:
        step = 2 * pi / swing.turns / STEPS
        places = [swing.first]
        for _ in range(round(PERIODS * STEPS)):
            cloth.step(step)
            places.append(swing.aside()[0])
    found = _frequency(np.array(places), step) / np.sqrt(GRAVITY / height)
    return relative(found, swing.rate)


def _frequency(places, step):
    """Of a fading oscillation, rad/s, from the times at which it goes through 0."""
    at = np.flatnonzero(places[:-1] * places[1:] < 0)
    times = at + places[at] / (places[at] - places[at + 1])
    return pi * (len(times) - 1) / ((times[-1] - times[0]) * step)


# --- closed forms ----------------------------------------------------------------------------------

SPAN, SLACK = 0.8, 1000  # span over length; stretch stiffness over weight
DEGREES, FRICTIONS = 25.0, tuple(0.1 * k for k in range(11))
THICKNESS = 1e-3
AIR, DRAG_COEFFICIENT, LINEAR = 1.2, 1.2, 0.5  # kg/m^3; of a plate across the flow; N s/m^3


def closed_forms(results, quick):
    """closed_form_error: the largest of all that follow, relative to theory's largest value."""
    heading("Closed forms")
    largest = 0.0
    for name, function in CLOSED.items():

        def pairs(kind, quality, function=function):
            found, right = function(kind, quality)
            scale = max(map(abs, right))
            return [
                {"index": k, "found": f, "theory": r, "error": (f - r) / scale}
                for k, (f, r) in enumerate(zip(found, right))
            ]

        rows = sweep(pairs, kind=kinds(quick), quality=qualities(quick))
        results.table(name, [{"what": name, **row} for row in rows])
        largest = max(largest, worst(rows))
    results.number("closed_form_error", largest)


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
    settings = {"shear": stretch / 4, "quality": quality, "damping": 8}
    with cloth_of(flat.standing(LEVEL), flat.triangles, stretch, 0, **settings) as cloth:
        cloth.set_state(start)
        cloth.set_pins(np.flatnonzero(ends), targets=start[ends])
        rest = settle(cloth, 1 / 24)
    middle = np.abs(flat.points[:, 0] - length / 2) < 0.03 * length
    fit = np.polyfit(flat.points[middle, 0] - length / 2, rest[middle, 2], 2)
    right = theory.catenary_sag(SPAN * length, length, LOAD, stretch)
    return [-fit[2] / length], [right / length]


def _own_weight(kind, quality):
    """Stretch of a sheet by its own weight."""
    height = 0.5
    flat = sheet(kind, height, 0.2, 0.02)
    positions = flat.standing(HANGING)
    stretch = 50 * LOAD * height
    with cloth_of(positions, flat.triangles, stretch, 0, quality=quality, damping=20) as cloth:
        cloth.set_pins(np.flatnonzero(flat.points[:, 0] < 1e-6))
        rest = settle(cloth, 1 / 24)
    low = flat.points[:, 0] > height - 1e-6
    longer = -(rest[low, 2] - positions[low, 2]).mean()
    return [longer / height], [theory.hanging_stretch(LOAD, height, stretch) / height]


def _terminal(kind, quality):
    """Speed of a sheet that falls flat through the air, by the library's default air and by linear drag."""
    flat = sheet(kind, 0.3, 0.3, 0.05)
    names = ("normal_drag", "tangent_drag", "drag_law")
    own = {name: SETTINGS[name].default for name in names}
    linear = {"normal_drag": LINEAR, "tangent_drag": 0.05, "drag_law": "linear"}
    found = []
    for air in (own, linear):
        settings = {"shear": 250, "quality": quality, **air}
        with cloth_of(flat.standing(LEVEL), flat.triangles, 1000, 1e-4, **settings) as cloth:
            for _ in range(72):
                cloth.step(1 / 12)
            found.append(float(-cloth.state()[1][:, 2].mean(dtype=float)))
    return found, [(2 * LOAD / (AIR * DRAG_COEFFICIENT)) ** 0.5, LOAD / LINEAR]


def _incline(kind, quality):
    """Acceleration on a slope at eleven frictions, over g."""
    flat = sheet(kind, 0.3, 0.3, 0.3 / 10)
    turn = solids.tilting(DEGREES)
    start = flat.standing(LEVEL) @ turn.T + THICKNESS * turn[:, 2]
    ramp = solids.box((6, 2, 0.2), (0, 0, -0.1))
    settings = {"shear": 500, "quality": quality, "substeps": 2}
    found = []
    for friction in FRICTIONS:
        with cloth_of(start, flat.triangles, 2000, 1e-4, **settings) as cloth:
            cloth.add_body((ramp.positions @ turn.T, ramp.triangles()), THICKNESS, friction)
            speeds = []
            for _ in range(24):
                cloth.step(1 / 24)
                speeds.append(float((cloth.state()[1].astype(float) @ -turn[:, 0]).mean()))
            found.append(float(np.polyfit(np.arange(12) / 24, speeds[12:], 1)[0]) / GRAVITY)
    return found, [theory.incline_acceleration(DEGREES, mu, GRAVITY) / GRAVITY for mu in FRICTIONS]


CLOSED = {"catenary": _catenary, "own weight": _own_weight}
CLOSED |= {"terminal speed": _terminal, "incline": _incline}

# SPDX-License-Identifier: GPL-3.0-or-later
"""A sheet that swings from its upper edge, with a body far away in the scene: what is left of the swing."""

import numpy as np
from common.report import heading
from folds_cases import rig
from test_scenes import solids
from truth_cases import theory
from truth_cases.meshes import sheet
from truth_cases.rig import BARE, GRAVITY, cloth_of

HEIGHT, WIDTH = 0.5, 0.1  # m
SPACINGS = (0.02, 0.0125)  # m
SLOPE = 0.1  # of the lower border at the start
SECONDS, AWAY = 3.0, 3.0  # s, m
LOAD = BARE["density"] * GRAVITY  # N/m^2


def left(kind, spacing, body=True, **settings):
    """Amplitude of the slowest swing after 3 s over that at the start."""
    flat = sheet(kind, HEIGHT, WIDTH, spacing)
    positions = flat.standing([(0, 0, -1), (0, 1, 0)])
    up = HEIGHT + positions[:, 2].astype(float)
    rate = theory.swing_rates()[0]
    shape = theory.hanging_swing(rate, up / HEIGHT)
    stretch = 2000 * LOAD * HEIGHT
    settings = {"shear": stretch / 4, "substeps": rig.SUBSTEPS, **settings}
    with cloth_of(positions, flat.triangles, stretch, 0, **settings) as cloth:
        if body:
            far = solids.box((0.2, 0.2, 0.2), (AWAY, 0, 0))
            cloth.add_body((far.positions, far.triangles()), 1e-3, 0.3)
        top = up > HEIGHT - 1e-6
        cloth.set_pins(np.flatnonzero(top))
        start = positions.astype(float)
        swing = SLOPE * HEIGHT / rate**2
        start[:, 0] += swing * shape
        start[:, 2] -= LOAD * (HEIGHT**2 - up**2) / (2 * stretch)  # stretched as it hangs
        start[top] = positions[top]
        cloth.set_state(start)
        for _ in range(round(SECONDS / rig.FRAME)):
            cloth.step(rig.FRAME)
        return _amplitude(cloth, flat.masses() * shape, shape, rate) / swing


def _amplitude(cloth, weights, shape, rate):
    """From place and speed along the swing's shape; other swings are at right angles to it."""
    places, speeds = (values[:, 0].astype(float) for values in cloth.state())
    turns = rate * np.sqrt(GRAVITY / HEIGHT)
    return float(np.hypot(weights @ places, weights @ speeds / turns) / (weights @ shape))


def swing_left(results, quick):
    """swing_left"""
    heading("Swing left after 3 s without air, over that at the start")
    ways = rig.ways(conventional=False)
    shapes = rig.shapes(quick, SPACINGS)
    found = rig.run_all(
        lambda shape, body, way: left(*shape, body, **ways[way]), shapes, (True, False), ways
    )
    rows = [
        {
            "triangulation": shape[0],
            "quality": way,
            "mm": 1000 * shape[1],
            "alone": found[shape, False, way],
            "body 3 m away": share,
        }
        for (shape, body, way), share in found.items()
        if body
    ]
    rig.show(results, "swing", rows)
    rig.record(results, "swing_left", rows, min, "body 3 m away")

# SPDX-License-Identifier: GPL-3.0-or-later
"""A level disc of 0.3 m, held within a circle of 0.18 m, lets its border down: it can only do so by folding."""

import numpy as np
from common.report import heading, note
from folds_cases import rig
from muslin.fabrics import fabric

RADIUS, HELD = 0.15, 0.09  # m
SPACINGS = (0.011, 0.016)  # m
FABRICS = ("silk", "cotton")
DENT = 5e-4  # m, of the border at the start: which folds come first must not hang on rounding
# What final, whose free cloth moves in second order, is compared with: backward Euler falls farther.
SECOND = "conventional, second order"
STARTS = 3  # which folds come is chance; the mean of some is compared
EARLY, LATE = 6, 48  # frames: 0.25 s and 2 s


def dented(flat, positions, seed, size=DENT):
    """Smooth dents of chance that grow from the circle to the border, in double."""
    distance = np.linalg.norm(flat.points, axis=1)
    angle = np.arctan2(flat.points[:, 1], flat.points[:, 0])
    random = np.random.default_rng(seed)
    dents = sum(
        random.normal() * np.cos(k * angle + 2 * np.pi * random.random()) for k in range(2, 10)
    )
    begun = positions.astype(float)
    grown = np.maximum(distance - HELD, 0) / (RADIUS - HELD)
    begun[:, 2] += size * dents / np.abs(dents).max() * grown
    return begun


def drop(kind, spacing, name, seed=0, frames=EARLY, **settings):
    """Mean drop of the border after each frame, m."""
    flat = rig.disc(kind, RADIUS, spacing)
    positions = flat.standing(rig.LEVEL)
    distance = np.linalg.norm(flat.points, axis=1)
    border = distance > RADIUS - 1e-6
    with rig.fabric_cloth(positions, flat.triangles, fabric(name), **settings) as cloth:
        cloth.set_pins(np.flatnonzero(distance <= HELD + 1e-6))
        cloth.set_state(dented(flat, positions, seed))
        found = []
        for _ in range(frames):
            cloth.step(rig.FRAME)
            found.append(float(-cloth.positions()[border, 2].mean(dtype=float)))
        return found


def response(results, quick):
    """fold_response: drop of the border after 0.25 s over that of the conventional solver of the same order."""
    heading("A disc held in its middle: drop of its border, mm")
    starts = range(1 if quick else STARTS)
    shapes = rig.shapes(quick, SPACINGS)
    ways = {**rig.ways(), SECOND: {**rig.CONVENTIONAL, "integrator": "bdf2"}}

    def mean_drops(shape, name, way):
        frames = EARLY if way.startswith("conventional") or quick else LATE
        each = [drop(*shape, name, seed, frames, **ways[way]) for seed in starts]
        return np.mean(each, axis=0)

    found = rig.run_all(mean_drops, shapes, FABRICS, ways)
    rows = [_row(found, *choice) for choice in found]
    rig.show(results, "fold_response", rows)
    rig.record(results, "fold_response", rows, min, "response")
    rig.record(results, "fold_drop_mm", rows, min, "early mm", conventional=True)
    note(f"Early is 0.25 s, late 2 s; means of {len(starts)} start(s).")


def _row(found, shape, name, way):
    drops = found[shape, name, way]
    second = way in ("final", SECOND)
    right = found[shape, name, SECOND if second else "conventional"][EARLY - 1]
    return {
        "fabric": name,
        "triangulation": shape[0],
        "quality": way,
        "mm": 1000 * shape[1],
        "early mm": 1000 * float(drops[EARLY - 1]),
        "late mm": 1000 * float(drops[LATE - 1]) if len(drops) == LATE else None,
        "response": float(drops[EARLY - 1] / right),
    }

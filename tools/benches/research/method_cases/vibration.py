# SPDX-License-Identifier: GPL-3.0-or-later
"""How much linear cloth vibrates: the thesis says of its guesses by rotation (IER, IAR) that they "occasionally produce
vibratory results", of those by translation (IVT) that it is less, and gives no figure. Here is one.

A vertex that flies smoothly has small third differences of its places; one that shakes from step to step has eight
times its amplitude. Their root mean square over all vertices and steps, over that of the way in a step, is how much a
cloth vibrates. Linear cloth moves less than it should, so its own way counts, not that of the converged motion.
"""

import numpy as np
from common.measure import cloth_of
from common.report import heading, note
from research.thesis import published
from research.thesis.fabric import NO_AIR, STEP_SECONDS, matching_scale, scaled_fabric
from research.thesis.meshes import swing_square

COUNT = 1245
SKIPPED, STEPS, QUICK_STEPS = 10, 200, 60
PLAIN = {"scheme": "plain", "iterations": 1}
# Name, key, settings; one plain round a step, as published.
METHODS = (
    ("rotation (IER, IAR)", "rotation", {**PLAIN, "estimate": "rotation", "order": 1}),
    ("rotation, second order", "rotation_2", {**PLAIN, "estimate": "rotation", "order": 2}),
    ("translation (IVT)", "translation", {**PLAIN, "estimate": "translation", "order": 1}),
    (
        "translation, second order",
        "translation_2",
        {**PLAIN, "estimate": "translation", "order": 2},
    ),
    ("conventional, one Newton step", "conventional", {"solver": "implicit", "iterations": 1}),
)
CONVERGED = (
    "converged",
    "converged",
    {"solver": "implicit", "iterations": 20, "pcg_tolerance": 0.1, "pcg_limit": 500},
)


def measure(results, quick):
    heading("How much the swing test vibrates")
    steps = QUICK_STEPS if quick else STEPS
    note(
        f"{COUNT} vertices held by two corners, {steps} steps of 1/{round(1 / STEP_SECONDS)} s, one plain round each. "
        "Soft: the fabric whose largest eigenvalue is that of the thesis's table 6.1. Third differences of places over "
        "the way in a step, root mean squares."
    )
    for model in ("edge", "triangle"):
        for fabric, scale in (("reference", 1.0), ("soft", _soft_scale(model))):
            stiffness = scaled_fabric(scale)
            for method in (*METHODS, CONVERGED):
                found = vibration(model, steps, **stiffness, **method[2])
                _record(results, model, fabric, method, found)
    results.show("vibration", "model fabric method vibration")


def _record(results, model, fabric, method, found):
    _, key, _ = method
    results.row("vibration", model=model, fabric=fabric, method=key, vibration=found)
    results.number(f"vibration_{model}_{fabric}_{key}", found)


def _soft_scale(model):
    with cloth_of(*swing_square(COUNT), model=model) as cloth:
        return matching_scale(cloth, published.EIGENVALUES[model][1])


def vibration(model, steps, **settings):
    with cloth_of(*swing_square(COUNT), model=model, **NO_AIR, **settings) as cloth:
        cloth.prepare(STEP_SECONDS)
        track = []
        for _ in range(SKIPPED + steps):
            cloth.step(STEP_SECONDS)
            track.append(cloth.positions().astype(np.float64))
    track = np.array(track[SKIPPED:])
    third, first = (_mean_square(np.diff(track, order, axis=0)) for order in (3, 1))
    return float(np.sqrt(third / first))


def _mean_square(vectors):
    return (vectors**2).sum(-1).mean()

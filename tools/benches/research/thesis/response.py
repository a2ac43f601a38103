# SPDX-License-Identifier: GPL-3.0-or-later
"""Response: how far cloth falls in ten frames, against the converged step of backward Euler.

A constant matrix resists rotation, so stiff cloth with few iterations falls as if in honey. A speed
without this figure says little.
"""

import time

from common.measure import cloth_of, mean_drop
from common.report import Rows, heading, note
from test_scenes.sheets import RESPONSE_VERTICES, grid

FABRIC = {
    "density": 0.3,
    "stretch_warp": 11_500,
    "stretch_weft": 11_500,
    "shear": 1_500,
    "bend": 1e-4,
    "air_drag": 0,
    "normal_drag": 0,
    "tangent_drag": 0,
    "substeps": 2,
}
FRAMES = 10
FRAME_SECONDS = 1 / 24
# Newton steps towards the converged solution need no exact solves: 20 of them to a tenth give the
# mean drop to 1e-4 of that of 50 to 1e-4, in a tenth of the time.
CONVERGED = {"solver": "implicit", "iterations": 20, "pcg_tolerance": 0.1, "pcg_limit": 500}
# Key, name, settings. The first is the paper's step.
METHODS = (
    ("response_1x2", "linear IVT, 1 iteration", {"iterations": 1}),
    ("response_4x2", "linear IVT, 4 iterations", {"iterations": 4}),
    ("response_8x2", "linear IVT, 8 iterations", {"iterations": 8}),
    (
        "response_1x2_rotation",
        "linear IER/IAR, 1 iteration",
        {"estimate": "rotation", "iterations": 1},
    ),
    (
        "response_1x2_previous",
        "linear previous, 1 iteration",
        {"estimate": "previous", "iterations": 1},
    ),
    (
        "response_conventional",
        "conventional, 1 Newton step",
        {"solver": "implicit", "iterations": 1, "pcg_tolerance": 1e-3},
    ),
)
COLUMNS = "method drop response mean_strain largest_strain residual substep_seconds"
QUICK_VERTICES = 25


def measure(results, quick):
    side = QUICK_VERTICES if quick else RESPONSE_VERTICES
    heading("Response: mean drop at frame 10 over that of the converged step")
    note(
        f"{side} x {side} vertices, 1 m, 0.3 kg/m2, k = 11,500 N/m, shear modulus 1,500 N/m, bending "
        "1e-4 N m, no drag, two corners held, starting horizontal; 24 frames a second, 2 substeps. "
        "Residual: what is left of the force imbalance of backward Euler after the last substep."
    )
    if quick:
        note(
            "Quick: the figure proper is that of "
            f"{RESPONSE_VERTICES} x {RESPONSE_VERTICES} vertices."
        )
    print(flush=True)
    mesh = grid(side, side, 1.0)
    pins = [side * (side - 1), side * side - 1]
    for model, suffix in (("triangle", ""), ("edge", "_edge")):
        _model(results, mesh, pins, model, suffix)


def _model(results, mesh, pins, model, suffix):
    name = f"converged, {CONVERGED['iterations']} Newton steps"
    converged = _fall(mesh, pins, {**CONVERGED, "model": model})
    rows = Rows(results, "response", COLUMNS)
    _add(rows, model, name, converged, converged)
    results.number(f"response_converged_drop{suffix}", converged["drop"])
    results.number(f"response_converged_residual{suffix}", converged["residual"])
    for key, method, settings in METHODS:
        fallen = _fall(mesh, pins, {**settings, "model": model})
        results.number(key + suffix, fallen["drop"] / converged["drop"])
        _add(rows, model, method, fallen, converged)
    note(f"The {model} model")
    rows.show()


def _fall(mesh, pins, settings):
    with cloth_of(mesh, pins, **{**FABRIC, **settings}) as cloth:
        cloth.prepare(FRAME_SECONDS)
        begin = time.perf_counter()
        for _ in range(FRAMES):
            cloth.step(FRAME_SECONDS)
        seconds = (time.perf_counter() - begin) / (FRAMES * FABRIC["substeps"])
        stats = cloth.stats()
        return {
            "drop": mean_drop(cloth),
            "mean_strain": stats.mean_strain,
            "largest_strain": stats.largest_strain,
            "residual": stats.residual,
            "substep_seconds": seconds,
        }


def _add(rows, model, method, fallen, converged):
    response = fallen["drop"] / converged["drop"]
    rows.add(model=model, method=method, response=response, **fallen)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Energy over time without drag and damping: none may be gained, and little should be lost."""

import numpy as np
from common.report import digits, heading, note, percent, table, whole
from lively_cases.scenes import (
    FULL_SIZES,
    QUICK_SIZES,
    LOOKED_AT,
    NEWTON,
    SOFT,
    STIFF,
    follow_all,
    sheet,
)

GAIN_FRAMES = 240
QUICK_GAIN_FRAMES = 96
LEFT_FRAMES = 48
SHOWN = range(4, LEFT_FRAMES + 1, 4)
# Second order: backward Euler loses visibly more energy at the same step.
SMALL_STEP = {**NEWTON, "substeps": 16, "iterations": 6, "integrator": "bdf2"}
INTEGRATORS = ("euler", "bdf2")


def measure(results, quick):
    sizes = QUICK_SIZES if quick else FULL_SIZES
    _gains(results, sizes, quick)
    _left(results, sizes)


def _gains(results, sizes, quick):
    frames = QUICK_GAIN_FRAMES if quick else GAIN_FRAMES
    heading(f"Energy gained within {frames} frames at fit, pins at rest, nothing that damps")
    listed = [(sizes.middle, "two pins", 1e4, SOFT)]
    listed += [
        (sizes.small, hold, stiffness, bend)
        for hold in ("two pins", "one pin", "edge")
        for stiffness in (1e3, 1e4, 1e5)
        for bend in (SOFT, STIFF)
        if (hold == "two pins" or stiffness == 1e4) and not (quick and bend == STIFF)
    ]
    jobs = [
        (sheet(*case), case[1], frames, {"quality": "fit", "integrator": integrator})
        for case in listed
        for integrator in INTEGRATORS
    ]
    rows, worst = [], {integrator: [] for integrator in INTEGRATORS}
    plays = follow_all(jobs)
    for k, (side, hold, stiffness, bend) in enumerate(listed):
        cells = []
        for integrator, run in zip(INTEGRATORS, plays[2 * k : 2 * k + 2]):
            above, rise = gain(run)
            worst[integrator].append((above, rise))
            cells += [f"{above:.5f}", f"{rise:.5f}"]
            results.row(
                "energy_gain",
                integrator=integrator,
                hold=hold,
                stiffness=stiffness,
                bend=bend,
                vertices=side * side,
                above_start=above,
                largest_rise=rise,
            )
            run.cloth.close()
        rows.append((hold, f"{stiffness:,.0f}", f"{bend:g}", whole(side * side), *cells))
    note(
        "Relative to the largest drop of potential energy. Above start: how far the energy comes "
        "above the one at the start, 0 if it never does; rise: the largest from a frame to the next."
    )
    print()
    header = ("held by", "k|N/m", "bending|N m", "vertices", "euler|above start", "|rise")
    table((*header, "bdf2|above start", "|rise"), rows)
    for integrator, suffix in zip(INTEGRATORS, ("", "_bdf2")):
        above, rise = np.max(worst[integrator], axis=0)
        results.number(f"energy_gain{suffix}", float(above))
        results.number(f"energy_rise{suffix}", float(rise))


def gain(run):
    """(largest rise above the start, largest rise within a frame) over the largest fall."""
    energies = np.concatenate([[0.0], run.energies])  # flat, at rest and at height zero
    fallen = max(-s.gravity_energy - s.elastic_energy for s in run.history)
    above = max(0.0, float(energies[1:].max()))
    return above / fallen, max(0.0, float(np.diff(energies).max())) / fallen


def _left(results, sizes):
    heading("Energy over time and the motion of a small step: backward Euler and BDF2")
    stiffness, side = 1e4, sizes.small
    scene = sheet(side, "two pins", stiffness)
    ways = {
        "euler, fit": {"quality": "fit"},
        "bdf2, fit": {"quality": "fit", "integrator": "bdf2"},
        "euler, fit, 4 substeps": {"quality": "fit", "substeps": 4},
        "bdf2, fit, 4 substeps": {"quality": "fit", "integrator": "bdf2", "substeps": 4},
        "euler, converged": NEWTON,
        "bdf2, converged": {**NEWTON, "integrator": "bdf2"},
        "euler, converged, 16 substeps": {**SMALL_STEP, "integrator": "euler"},
        "bdf2, converged, 16 substeps": SMALL_STEP,
    }
    small = list(ways)[-1]
    # The longest first, so that no core waits for it at the end.
    order = sorted(ways, key=lambda name: "16" not in name)
    found = follow_all(
        [(scene, name, LEFT_FRAMES, ways[name]) for name in order]
        + [(scene, "at rest", 240, {"quality": "fit", "damping": 4.0})]
    )
    resting = float(found[-1].energies[-1])
    runs = {run.name: run for run in found[:-1]}
    true = runs[small]
    note(
        f"Two pins, k = {stiffness:,.0f} N/m, soft bending, {whole(side * side)} vertices. Energy "
        f"left: 1 at the start, 0 at rest ({resting:.3f} J). The small step is BDF2 with 1/384 s."
    )
    print()
    table(
        ("energy left at frame", *map(str, SHOWN)),
        [(name, *(digits(_share(runs[name], f, resting)) for f in SHOWN)) for name in ways],
    )
    rows = []
    for name in ways:
        run = runs[name]
        ratios = [run.height_at(frame) / true.height_at(frame) for frame in LOOKED_AT]
        apart = [run.distance(true, frame) for frame in LOOKED_AT]
        rows.append(
            (
                name,
                *map(digits, ratios),
                *(digits(1000 * rms, 1) for rms in apart),
                percent(_share(run, LEFT_FRAMES, resting)),
            )
        )
        results.row(
            "integrators",
            method=name,
            energy_left=[_share(run, frame, resting) for frame in SHOWN],
            **{f"response_{f}": ratio for f, ratio in zip(LOOKED_AT, ratios)},
            **{f"rms_{f}": rms for f, rms in zip(LOOKED_AT, apart)},
        )
    header = ("against the small step", "response|frame 5", "|10", "|20", "RMS mm|frame 5")
    table((*header, "|10", "|20", f"energy left|frame {LEFT_FRAMES}"), rows)
    results.number("energy_left_euler", _share(runs["euler, fit"], LEFT_FRAMES, resting))
    results.number("energy_left_bdf2", _share(runs["bdf2, fit"], LEFT_FRAMES, resting))
    results.number("energy_left_small_step", _share(true, LEFT_FRAMES, resting))
    for run in found:
        run.cloth.close()


def _share(run, frame, resting):
    return 1 - float(run.energies[frame - 1]) / resting

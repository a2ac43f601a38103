# SPDX-License-Identifier: GPL-3.0-or-later
"""A shirt hung from shoulders that swing: distance to the converged run at the same step."""

from common.measure import run_interleaved
from common.report import Rows, heading, note, percent, whole
from lively_cases.scenes import (
    FULL_SIZES,
    QUICK_SIZES,
    FRAME_SECONDS,
    METHODS,
    NEWTON,
    SOFT,
    STIFF,
    follow_all,
    shirt,
)

FRAMES = 24
QUICK_FRAMES = 12
STRICTER = {**NEWTON, "iterations": 30, "pcg_tolerance": 0.05}
COLUMNS = "method rms_5 rms_10 rms_last rms_largest frame_seconds solves rounds rejected"


def measure(results, quick):
    sizes = QUICK_SIZES if quick else FULL_SIZES
    heading("A shirt of several tubes, hung from shoulders that swing")
    frames = QUICK_FRAMES if quick else FRAMES
    scenes = {bend: shirt(sizes.shirt, bend) for bend in (STIFF, SOFT)}
    newton = follow_all(
        (scene, "converged", frames, settings)
        for scene in scenes.values()
        for settings in (NEWTON, STRICTER)
    )
    scene = scenes[STIFF]
    note(
        f"{whole(len(scene.mesh.positions))} vertices, {len(scene.pins)} held, k = 10,000 N/m, "
        f"0.3 kg/m2, bending {STIFF:g} N m; the pins swing by 10 cm along and 5 cm across. Without "
        "contact the tubes collapse and buckle, and soft ones do so by chance: so the reference has "
        "an uncertainty of its own, the distance of two converged runs (20 Newton steps to 0.1, 30 "
        "to 0.05)."
    )
    for (bend, scene), first in zip(scenes.items(), (0, 2)):
        _, own = _apart(newton[first], newton[first + 1], scene.size)
        key = "soft" if bend == SOFT else "stiff"
        results.number(f"garment_uncertainty_{key}", own)
        note(f"Reference's own uncertainty, bending {bend:g}: {percent(own, 2)} of the size")
    print()
    fits = {bend: _methods(results, scenes[bend], bend, newton[k]) for bend, k in _references()}
    results.number("garment_rms", fits[STIFF])
    results.number("garment_rms_soft", fits[SOFT])


def _references():
    return ((STIFF, 0), (SOFT, 2))


def _methods(results, scene, bend, converged):
    """The table of one bending; returns the largest distance of the quality fit."""
    runs = [scene.play(name, **settings) for name, settings in METHODS.items()]
    run_interleaved(runs, FRAME_SECONDS, 0, len(converged.track), 0)
    rows, fit = Rows(results, "garment", COLUMNS), None
    for run in runs:
        apart, largest = _apart(run, converged, scene.size)
        rows.add(
            bend=bend,
            method=run.name,
            rms_5=apart[4],
            rms_10=apart[9],
            rms_last=apart[-1],
            rms_largest=largest,
            frame_seconds=run.middle,
            solves=run.per_frame("solves"),
            rounds=run.rounds,
            rejected=sum(stats.rejected for stats in run.history),
        )
        fit = largest if run.name == "fit" else fit
    note(f"Bending {bend:g} N m; converged: {1000 * converged.middle:.0f} ms per frame")
    rows.show()
    for run in runs:
        run.cloth.close()
    return fit


def _apart(one, other, size):
    """RMS distance over size at every frame, and the largest of them."""
    apart = [one.distance(other, frame) / size for frame in range(1, len(other.track) + 1)]
    return apart, max(apart)

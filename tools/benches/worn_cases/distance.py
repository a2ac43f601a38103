# SPDX-License-Identifier: GPL-3.0-or-later
"""A t-shirt on a body that raises its arms: distance to the converged run at the same step."""

from statistics import median

from common.report import heading, note, short, whole
from test_scenes.contact.catalogue import make
from test_scenes.contact.play import Play, rms, size_of

FRAMES, QUICK_FRAMES = 24, 8
# Solved until hardly anything changes.
CONVERGED = {
    "solver": "implicit",
    "iterations": 40,
    "pcg_tolerance": 1e-4,
    "pcg_limit": 2000,
    "threads": 2,
}
QUICK_CONVERGED = {**CONVERGED, "iterations": 20, "pcg_tolerance": 0.1, "pcg_limit": 500}
QUALITIES = ("draft", "fit", "final")
COLUMNS = "method rms_5 rms_last rms_largest residual solves frame_seconds"


def measure(results, quick):
    frames = QUICK_FRAMES if quick else FRAMES
    options = {"spacing": 0.04, "body_spacing": 0.02} if quick else {}
    scene = make("tshirt", **options)
    heading("A t-shirt worn by a moving body, against the converged run at the same step")
    converged = Play(scene, "converged", **(QUICK_CONVERGED if quick else CONVERGED)).run(frames)
    note(
        f"{whole(len(scene.cloth.positions))} vertices, {frames} frames, self-contact on. Converged: "
        f"{median(converged.seconds):.1f} s a frame on two threads, the worst residual of a frame "
        f"{short(max(stats.residual for stats in converged.history))}."
    )
    results.number("worn_reference_residual", max(s.residual for s in converged.history))
    for quality in QUALITIES:
        with Play(scene, quality, quality=quality) as play:
            play.run(frames)
        _record(results, play, converged, size_of(scene))
    results.show("distance", COLUMNS)
    converged.cloth.close()


def _record(results, play, converged, size):
    apart = [rms(a, b) / size for a, b in zip(play.track[1:], converged.track[1:])]
    solves = sum(stats.solves for stats in play.history) / len(play.history)
    results.number(f"worn_rms_{play.name}", max(apart))
    results.row(
        "distance",
        method=play.name,
        rms_5=apart[4],
        rms_last=apart[-1],
        rms_largest=max(apart),
        residual=play.history[-1].residual,
        solves=solves,
        frame_seconds=median(play.seconds),
    )

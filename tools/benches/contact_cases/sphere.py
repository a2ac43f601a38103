# SPDX-License-Identifier: GPL-3.0-or-later
"""The drape over a sphere: how still it gets, how near it is to the conventional one."""

from statistics import mean, median

import numpy as np
from common.report import Rows, heading, note, whole
from test_scenes.contact.catalogue import make
from test_scenes.contact.play import Play, size_of

FRAMES, QUICK_FRAMES = 60, 40  # the distances do not change any more from frame 40 on
COUNT, QUICK_COUNT = 51, 21
SHIFT = 1e-6  # m, of the start: how far chance moves the folds
MOVED = ", start moved"
ROUGH = 1e-4  # m, up and down: no cloth is flatter than this
STARTS = 4  # of which the speed at rest is a mean: some fold may still be slipping
CONVENTIONAL = {"solver": "implicit", "iterations": 1}
# As in the bench of liveliness: twenty Newton steps to a tenth are as good as fifty to 1e-4.
CONVERGED = {"solver": "implicit", "iterations": 20, "pcg_tolerance": 0.1, "pcg_limit": 500}
RUN_COLUMNS = (
    "method distance_conventional distance_converged height_difference end_speed largest_strain "
    "residual frame_seconds"
)
ONE_NEWTON = "conventional, 1 Newton step"


def measure(results, quick):
    frames, count = (QUICK_FRAMES, QUICK_COUNT) if quick else (FRAMES, COUNT)
    _against_conventional(results, frames, count, quick)


def _run(count, frames, self_contact, shift=0.0, rough=None, **settings):
    """rough: seed of a rough start."""
    scene = make("sphere_centred", count=count)
    scene.cloth.positions[:, 0] += np.float32(shift)
    if rough is not None:
        noise = np.random.default_rng(rough).standard_normal(count * count)
        scene.cloth.positions[:, 2] += (ROUGH * noise).astype(np.float32)
    with Play(scene, self_contact=self_contact, **settings) as play:
        play.run(frames)
        play.end_speed, play.end_fastest = play.mean_speed(), play.largest_speed()
        return play


def settled(quick, start):
    """The drape of which the speed at rest is told, from one of the starts."""
    frames, count = (QUICK_FRAMES, QUICK_COUNT) if quick else (FRAMES, COUNT)
    return _run(count, frames, True, start * SHIFT, quality="fit")


def rest_numbers(results, plays):
    """plays: settled ones from all starts. The speed is a mean over the vertices, mm/s."""
    speeds = [1000 * play.end_speed for play in plays]
    results.number("rest_speed", mean(speeds))
    results.number("rest_speed_worst", max(speeds))
    results.number("rest_speed_fastest", mean(1000 * play.end_fastest for play in plays))


def _against_conventional(results, frames, count, quick):
    heading(f"A cloth of {whole(count * count)} vertices on a sphere, after {frames} frames")
    size = size_of(make("sphere_centred", count=count))
    runs = _all_runs(frames, count, quick)
    note(
        "Distance: mean over the vertices, of the cloth's size. Folds fall where chance has them, so "
        f"two runs are also started {1e6 * SHIFT:g} um apart: nobody can come nearer than they do."
    )
    rows = Rows(results, "sphere", RUN_COLUMNS)
    for name in runs:
        _compare(rows, runs, name, size, count, frames)
    rows.show()
    _numbers(results, runs, size)


def _all_runs(frames, count, quick):
    return {
        "fit": _run(count, frames, False, quality="fit"),
        **{f"fit, self-contact, start {k}": settled(quick, k) for k in range(STARTS)},
        "final": _run(count, frames, False, quality="final"),
        f"final{MOVED}": _run(count, frames, False, SHIFT, quality="final"),
        ONE_NEWTON: _run(count, frames, False, **CONVENTIONAL),
        "converged": _run(count, frames, False, **CONVERGED),
        f"converged{MOVED}": _run(count, frames, False, SHIFT, **CONVERGED),
        **{f"converged, rough {k}": _run(count, frames, False, rough=k, **CONVERGED) for k in range(2)},
        "final, rough": _run(count, frames, False, rough=2, quality="final"),
    }


def _compare(rows, runs, name, size, count, frames):
    """One run beside the conventional ones."""
    play, last = runs[name], runs[name].history[-1]
    apart = [_apart(play, runs[of], size) for of in (ONE_NEWTON, "converged")]
    heights = abs(_profile(play) - _profile(runs["converged"])) / size
    rows.add(
        method=name,
        vertices=count * count,
        frames=frames,
        distance_conventional=apart[0],
        distance_converged=apart[1],
        height_difference=heights,
        end_speed=play.end_speed,
        largest_strain=last.largest_strain,
        residual=last.residual,
        frame_seconds=median(play.seconds),
    )


def _numbers(results, runs, size):
    fit, final, converged = runs["fit"], runs["final"], runs["converged"]
    rest_numbers(results, [play for name, play in runs.items() if "self-contact" in name])
    # Of the best quality: fit promises 95 % of the motion, and its lag in the fall is more than this. A mean
    # over pairs of starts: the folds of a single pair are chance.
    pairs = [
        _apart(runs[f"final{ours}"], runs[f"converged{theirs}"], size)
        for ours in ("", MOVED)
        for theirs in ("", MOVED)
    ]
    results.number("sphere_distance", sum(pairs) / len(pairs))
    results.number("sphere_distance_worst", max(pairs))
    results.number("sphere_distance_fit", _apart(fit, converged, size))
    results.number("sphere_distance_one_newton", _apart(final, runs[ONE_NEWTON], size))
    # A flat, smooth start keeps the symmetry that the fold of a real cloth breaks: rough ones say what chance does.
    rough = [runs[f"converged, rough {k}"] for k in range(2)]
    results.number("sphere_distance_rough", mean(_apart(runs["final, rough"], of, size) for of in rough))
    results.number("sphere_uncertainty_rough", _apart(*rough, size))
    results.number("sphere_uncertainty", _apart(runs[f"converged{MOVED}"], converged, size))
    results.number("sphere_uncertainty_final", _apart(runs[f"final{MOVED}"], final, size))


def _apart(one, other, size):
    apart = one.positions().astype(float) - other.positions()
    return float(np.linalg.norm(apart, axis=1).mean()) / size


def _profile(play):
    """Mean height, m: says whether the drape hangs as low, wherever its folds are."""
    return float(play.positions()[:, 2].mean(dtype=np.float64))

# SPDX-License-Identifier: GPL-3.0-or-later
"""A t-shirt simulated coarsely and up-sampled, against the fine run: motions that were not learnt from."""

import time
from dataclasses import replace
from functools import partial
from statistics import median

import numpy as np
from common.report import digits, heading, note, table, whole
from muslin.surface import surface_of
from muslin.upsampling import Wrinkles, train
from test_scenes.contact import figures
from test_scenes.contact.play import Play, mesh_of

# Spacing of the garment and of the body (m), frames of every run.
FULL, QUICK = (0.0055, 0.02, 40), (0.016, 0.03, 16)
LEVEL = 2
SKIPPED = 4  # frames at the start, while the shirt falls onto the body
SETTINGS = {"quality": "fit", "threads": 2, "self_contact": False, "fabric": {}}
LEARNT = {
    "arms": figures.arms_pose,
    "arms, swaying": partial(figures.arms_pose, cycle=36.0, lift=30.0, sway=14.0),
    "arms, higher": partial(figures.arms_pose, cycle=60.0, lift=65.0, sway=-10.0),
    "walk": figures.walk_pose,
}
TRIED = {
    "arms, other": partial(figures.arms_pose, cycle=42.0, lift=58.0, sway=10.0),
    "walk, longer": partial(figures.walk_pose, stride=32.0),
}
COLUMNS = ("motion", "riding|mm", "up-sampled|mm", "ratio", "wrinkles|ratio")


def runs(scene, pose, body_spacing, frames):
    """Both runs of a motion: the coarse and the fine Play."""
    moving = replace(scene, bodies=[figures.figure(pose, body_spacing)])
    with Play(moving, budget_ms=1000.0, **SETTINGS) as coarse:
        coarse.cloth.hold_level(LEVEL)
        coarse.run(frames)
    with Play(moving, **SETTINGS) as fine:
        fine.run(frames)
    return coarse, fine


def pair(plays):
    return [np.array(play.track[SKIPPED:]) for play in plays]


def rms(one, other):
    """m, over all vertices and frames."""
    return float(np.sqrt(((one.astype(float) - other) ** 2).sum(2).mean()))


def shortest(mesh, track):
    """Length of edges over that at rest, which one in twenty is below."""
    edges = surface_of(mesh).edges
    lengths = np.linalg.norm(track[:, edges[:, 0]] - track[:, edges[:, 1]], axis=2)
    rest = np.linalg.norm(mesh.positions[edges[:, 0]] - mesh.positions[edges[:, 1]], axis=1)
    return float(np.percentile(lengths / rest, 5))


def timed(function, track):
    """What it makes of every frame, and the median of its seconds."""
    made, seconds = [], []
    for frame in track:
        begin = time.perf_counter()
        made.append(function(frame))
        seconds.append(time.perf_counter() - begin)
    return np.array(made), median(seconds)


def measure(results, quick):
    """`upsample_error_ratio`: the distance of up-sampled runs from fine ones over that of riding ones, all frames of
    the motions that were not learnt from. `upsample_speedup`: a frame of the fine run over one of the coarse run
    with up-sampling, the median of each."""
    spacing, body_spacing, frames = QUICK if quick else FULL
    heading("Up-sampling: a t-shirt on a moving mannequin, coarse, up-sampled and fine")
    scene = figures.tshirt(spacing, body_spacing)
    mesh = mesh_of(scene.cloth)
    learnt = [pair(runs(scene, pose, body_spacing, frames)) for pose in LEARNT.values()]
    begin = time.monotonic()
    training = train(mesh, learnt, LEVEL)
    wrinkles = Wrinkles(mesh)
    note(
        f"Learnt from {len(learnt)} motions of {frames} frames in {time.monotonic() - begin:.0f} s: "
        f"{training.fitted:.2f} of the distance of riding, {training.left_out:.2f} on those left out."
    )
    rows, sums, speedups, cost = [], np.zeros(2), [], []
    for name, pose in TRIED.items():
        plays = runs(scene, pose, body_spacing, frames)
        coarse, fine = pair(plays)
        found, seconds = timed(training.operator.apply, coarse)
        wrinkled, wrinkling = timed(wrinkles.apply, coarse)
        before, after = rms(coarse, fine), rms(found, fine)
        sums += after**2, before**2
        steps = [median(play.frame_seconds[SKIPPED:]) for play in plays]
        speedups.append(steps[1] / (steps[0] + seconds))
        cost.append((*steps, seconds, wrinkling))
        beside = rms(wrinkled, fine) / before
        shorts = [shortest(mesh, track) for track in (coarse, wrinkled, found, fine)]
        results.row(
            "upsampling", motion=name, riding=before, upsampled=after, wrinkles=beside, p5=shorts
        )
        rows.append(
            (name, digits(1e3 * before, 2), digits(1e3 * after, 2), digits(after / before, 3))
        )
        rows[-1] += (digits(beside, 3),)
    table(COLUMNS, rows)
    cost = [1e3 * median(column) for column in zip(*cost)]
    note(
        f"{whole(mesh.vertex_count)} vertices; a frame in ms: coarse {cost[0]:.0f}, fine {cost[1]:.0f}, "
        f"up-sampling {cost[2]:.1f}, wrinkles {cost[3]:.1f}. One edge in twenty is shorter than "
        f"{shorts[0]:.3f} (riding), {shorts[1]:.3f} (wrinkles), {shorts[2]:.3f} (up-sampled), {shorts[3]:.3f} (fine)."
    )
    results.number("upsample_error_ratio", float(np.sqrt(sums[0] / sums[1])))
    results.number("upsample_speedup", min(speedups))
    results.number("upsample_ms", cost[2])

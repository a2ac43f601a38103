# SPDX-License-Identifier: GPL-3.0-or-later
"""A t-shirt simulated coarsely and up-sampled, against the fine run: motions that were not learnt from."""

import time
from dataclasses import replace
from functools import partial
from math import sqrt
from statistics import median

import numpy as np
from common.bench import heading, note
from muslin.inspection.intersections import count_between
from muslin.inspection.surface import surface_of
from muslin.upsampling import Tracking, Wrinkles, put_before_bodies, train
from test_scenes.contact import figures
from test_scenes.contact.play import Play, mesh_of

# Spacing of the garment and of the body (m), frames of every run.
FULL, QUICK = (0.0055, 0.02, 40), (0.016, 0.03, 16)
LEVEL = 2
LAYERED_FRAMES = 16  # of the runs with self-contact, which tell times only
SKIPPED = 4  # frames at the start, while the shirt falls onto the body
SETTINGS = {"quality": "fit", "threads": 2, "self_contact": False, "fabric": {}}
COARSE = {"substeps": 1}  # half as many as the fine run's: its edges are three times as long
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
KINDS = ("free", "tracking")  # fine runs


class TrackingPlay(Play):
    """A fine run that is held to a coarse one in the large."""

    def __init__(self, scene, coarse, **settings):
        super().__init__(scene, **settings)
        self.tracking = Tracking(mesh_of(scene.cloth), np.array(coarse.track), LEVEL)
        self.tracking.begin(self.cloth)

    def step(self):
        self.cloth.move_pins(self.tracking.targets(self.positions(), self.frame + 1))
        return super().step()


class Upsampled:
    """What functions make of the frames of a coarse run while it goes on, put before bodies; s for each frame."""

    def __init__(self, functions):
        self.functions = functions
        self.tracks = {name: [] for name in functions}
        self.seconds = {name: [] for name in functions}

    def add(self, play):
        for name, function in self.functions.items():
            begin = time.perf_counter()
            embedded = play.positions()
            self.tracks[name].append(put_before_bodies(play.cloth, embedded, function(embedded)))
            self.seconds[name].append(time.perf_counter() - begin)

    def track(self, name):
        return np.array(self.tracks[name][SKIPPED - 1 :])


def coarse_run(scene, frames, made, settings=SETTINGS):
    with Play(scene, budget_ms=1000.0, **settings, **COARSE) as play:
        play.cloth.hold_level(LEVEL)
        for _ in range(frames):
            play.step()
            made.add(play)
    return play


def fine_runs(scene, coarse, frames):
    """By kind."""
    with Play(scene, **SETTINGS) as free, TrackingPlay(scene, coarse, **SETTINGS) as tracking:
        return dict(zip(KINDS, (free.run(frames), tracking.run(frames))))


def all_runs(scene, pose, body_spacing, frames, functions=()):
    """Of a motion: the coarse Play, the fine ones by kind, and what was made of the coarse one."""
    moving = replace(scene, bodies=[figures.figure(pose, body_spacing)])
    made = Upsampled(dict(functions))
    coarse = coarse_run(moving, frames, made)
    return coarse, fine_runs(moving, coarse, frames), made


def kept(play):
    return np.array(play.track[SKIPPED:])


def rms(one, other):
    """m, over all vertices and frames."""
    return float(np.sqrt(((one.astype(float) - other) ** 2).sum(2).mean()))


def shortest(mesh, track):
    """Length of edges over that at rest, which one in twenty is below."""
    edges = surface_of(mesh).edges
    lengths = np.linalg.norm(track[:, edges[:, 0]] - track[:, edges[:, 1]], axis=2)
    rest = np.linalg.norm(mesh.positions[edges[:, 0]] - mesh.positions[edges[:, 1]], axis=1)
    return float(np.percentile(lengths / rest, 5))


def pierced(mesh, play, track):
    """Edges of the cloth through the body, in the middle and in the last frame."""
    body, count = play.scene.bodies[0], len(track)
    found = 0
    for at in (count // 2, count - 1):
        where = body.positions(SKIPPED + at)
        found += count_between(track[at], mesh.faces(), where, body.triangles())[0]
    return found


def learn(scene, mesh, body_spacing, frames):
    """An operator of each kind of fine runs."""
    pairs = {kind: [] for kind in KINDS}
    for pose in LEARNT.values():
        coarse, fine, _ = all_runs(scene, pose, body_spacing, frames)
        for kind in KINDS:
            pairs[kind].append((kept(coarse), kept(fine[kind])))
    operators = {}
    for kind in KINDS:
        begin = time.monotonic()
        training = train(mesh, pairs[kind], LEVEL)
        operators[kind] = training.operator
        note(
            f"Learnt from {len(LEARNT)} {kind} runs in {time.monotonic() - begin:.0f} s: {training.fitted:.2f} of the "
            f"distance of the embedded garment, {training.left_out:.2f} on those left out."
        )
    return operators


def compared(name, kind, mesh, coarse, fine, made):
    """A row: distances from the fine run, what goes through the body, and how short edges get."""
    wanted, embedded, upsampled = kept(fine[kind]), kept(coarse), made.track(kind)
    row = {"motion": name, "fine_run": kind, "embedded": rms(embedded, wanted)}
    row |= {"upsampled": rms(upsampled, wanted), "wrinkles": rms(made.track("wrinkles"), wanted)}
    row |= {
        "pierced": pierced(mesh, coarse, upsampled),
        "shortest_embedded": shortest(mesh, embedded),
    }
    row["shortest_upsampled"] = shortest(mesh, upsampled)
    return {**row, "shortest_fine": shortest(mesh, wanted)}


def cost(name, coarse, fine, made):
    """A row: what a frame takes, and its solves."""
    row = {"motion": name}
    for kind, play in (("coarse", coarse), ("fine", fine)):
        row[f"{kind}_seconds"] = median(play.frame_seconds[SKIPPED:])
        row[f"{kind}_solves"] = median(stats.solves for stats in play.history[SKIPPED:])
    for way in made.seconds:
        row[f"{way}_seconds"] = median(made.seconds[way])
    return row


def speedup(row, way):
    return row["fine_seconds"] / (row["coarse_seconds"] + row[f"{way}_seconds"])


def tell_layered(scene, frames, function, results):
    """`upsample_speedup_layered`: likewise of runs that meet themselves, as the scene has it."""
    settings, made = {**SETTINGS, "self_contact": True}, Upsampled({"tracking": function})
    frames = min(frames, LAYERED_FRAMES)
    coarse = coarse_run(scene, frames, made, settings)
    with Play(scene, **settings) as fine:
        fine.run(frames)
    row = cost("with self-contact", coarse, fine, made)
    results.table("upsampling_layered", [row], upsample_speedup_layered=speedup(row, "tracking"))


def measure(results, quick):
    """`upsample_error_ratio`: the distance of up-sampled runs from fine ones over that of embedded ones, all frames of
    the motions that were not learnt from; `upsample_tracking_ratio`: likewise of fine runs that track the coarse one,
    learnt from such. `upsample_speedup`: a frame of the fine run over one of the coarse run, of one substep, with
    up-sampling and putting before the body, the median of each."""
    spacing, body_spacing, frames = QUICK if quick else FULL
    heading("Up-sampling: a t-shirt on a moving mannequin, coarse, up-sampled and fine")
    scene = figures.tshirt(spacing, body_spacing)
    mesh = mesh_of(scene.cloth)
    operators = learn(scene, mesh, body_spacing, frames)
    functions = {kind: operator.apply for kind, operator in operators.items()}
    functions["wrinkles"] = Wrinkles(mesh).apply
    rows, costs = [], []
    for name, pose in TRIED.items():
        coarse, fine, made = all_runs(scene, pose, body_spacing, frames, functions)
        rows += [compared(name, kind, mesh, coarse, fine, made) for kind in KINDS]
        costs.append(cost(name, coarse, fine["free"], made))
    note("Shortest: edges over their length at rest, which one in twenty is below.")
    results.table("upsampling", rows)
    results.table("upsampling_cost", costs)
    for key, kind in (("error", "free"), ("tracking", "tracking")):
        mine = [row for row in rows if row["fine_run"] == kind]
        after, before = (sum(row[way] ** 2 for row in mine) for way in ("upsampled", "embedded"))
        results.number(f"upsample_{key}_ratio", sqrt(after / before))
    results.number("upsample_speedup", min(speedup(row, "free") for row in costs))
    results.number("upsample_pierced", sum(row["pierced"] for row in rows))
    results.number("upsample_ms", 1e3 * median(row["free_seconds"] for row in costs))
    tell_layered(scene, frames, functions["tracking"], results)

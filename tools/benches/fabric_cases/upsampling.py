# SPDX-License-Identifier: GPL-3.0-or-later
"""A t-shirt simulated coarsely and up-sampled, against the fine run: motions that were not learnt from."""

import time
from dataclasses import replace
from functools import partial
from statistics import median

import numpy as np
from common.report import digits, heading, note, table, whole
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
COLUMNS = ("motion", "fine run", "riding|mm", "up-sampled|mm", "ratio", "wrinkles|ratio", "pierced")
SHORT_COLUMNS = ("motion", "riding", "wrinkles", "up-sampled, free", "tracking", "fine")


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
            riding = play.positions()
            self.tracks[name].append(put_before_bodies(play.cloth, riding, function(riding)))
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
            f"Learnt from {len(LEARNT)} {kind} runs of {frames} frames in {time.monotonic() - begin:.0f} s: nodes "
            f"{training.spacing:g} edges apart, {training.fitted:.2f} of the distance of riding, "
            f"{training.left_out:.2f} on those left out."
        )
    return operators


class Trials:
    """Motions that were not learnt from: rows of both tables, sums of squares by kind, seconds."""

    def __init__(self, mesh, results):
        self.mesh, self.results = mesh, results
        self.rows, self.shorts, self.costs = [], [], []
        self.solves = ()  # a frame, coarse and fine, of the last motion
        self.sums, self.pierced = {kind: np.zeros(2) for kind in KINDS}, 0

    def add(self, name, coarse, fine, made):
        for kind in KINDS:
            self._compare(name, kind, coarse, kept(fine[kind]), made)
        tracks = (kept(coarse), *map(made.track, ("wrinkles", *KINDS)), kept(fine["free"]))
        self.shorts.append((name, *(digits(shortest(self.mesh, track), 3) for track in tracks)))
        plays = (coarse, fine["free"])
        steps = [median(play.frame_seconds[SKIPPED:]) for play in plays]
        self.solves = [median(stats.solves for stats in play.history[SKIPPED:]) for play in plays]
        self.costs.append((*steps, *(median(made.seconds[key]) for key in ("free", "wrinkles"))))

    def _compare(self, name, kind, coarse, wanted, made):
        tracks = (kept(coarse), made.track(kind), made.track("wrinkles"))
        before, after, beside = (rms(track, wanted) for track in tracks)
        edges = pierced(self.mesh, coarse, tracks[1])
        self.sums[kind] += after**2, before**2
        self.pierced += edges
        numbers = (digits(1e3 * before, 2), digits(1e3 * after, 2))
        numbers += (digits(after / before, 3), digits(beside / before, 3))
        self.rows.append((name, kind, *numbers, whole(edges)))
        told = {"riding": before, "upsampled": after, "wrinkles": beside, "pierced": edges}
        self.results.row("upsampling", motion=name, fine=kind, **told)

    def tell(self):
        table(COLUMNS, self.rows)
        note("Edges over their length at rest, which one in twenty is below:")
        table(SHORT_COLUMNS, self.shorts)
        cost = [1e3 * median(column) for column in zip(*self.costs)]
        note(
            f"{whole(self.mesh.vertex_count)} vertices; a frame in ms: coarse {cost[0]:.0f}, fine {cost[1]:.0f}, "
            f"up-sampling {cost[2]:.1f}, wrinkles {cost[3]:.1f}, both with putting before the body. "
            f"Solves a frame: coarse {self.solves[0]:.0f}, fine {self.solves[1]:.0f}."
        )
        speedups = [fine / (coarse + adding) for coarse, fine, adding, _ in self.costs]
        ratios = {kind: float(np.sqrt(np.divide(*sums))) for kind, sums in self.sums.items()}
        self.results.number("upsample_error_ratio", ratios["free"])
        self.results.number("upsample_tracking_ratio", ratios["tracking"])
        self.results.number("upsample_speedup", min(speedups))
        self.results.number("upsample_pierced", self.pierced)
        self.results.number("upsample_ms", cost[2])


def tell_layered(scene, frames, function, results):
    """`upsample_speedup_layered`: likewise of runs that meet themselves, as the scene has it."""
    settings, made = {**SETTINGS, "self_contact": True}, Upsampled({"tracking": function})
    frames = min(frames, LAYERED_FRAMES)
    coarse = coarse_run(scene, frames, made, settings)
    with Play(scene, **settings) as fine:
        fine.run(frames)
    steps = [median(play.frame_seconds[SKIPPED:]) for play in (coarse, fine)]
    adding = median(made.seconds["tracking"])
    note(
        f"With self-contact a frame takes {1e3 * steps[0]:.0f} ms coarse and {1e3 * steps[1]:.0f} fine."
    )
    results.number("upsample_speedup_layered", steps[1] / (steps[0] + adding))


def measure(results, quick):
    """`upsample_error_ratio`: the distance of up-sampled runs from fine ones over that of riding ones, all frames of
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
    trials = Trials(mesh, results)
    for name, pose in TRIED.items():
        trials.add(name, *all_runs(scene, pose, body_spacing, frames, functions))
    trials.tell()
    tell_layered(scene, frames, functions["tracking"], results)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloths from scene meshes, and their timing such that a noisy machine hits all alike."""

import os
import subprocess
from dataclasses import dataclass, field
from statistics import median

import numpy as np
from muslin import Cloth, Mesh
from test_scenes.fabric import REFERENCE

STAGES = ("force", "assemble", "solve", "contact")


def cloth_of(scene, pins, **settings):
    """A cloth of a mesh of test_scenes, of the reference fabric; one substep and one thread unless told otherwise."""
    ropes = () if scene.edges is None else scene.edges
    mesh = Mesh.from_faces(scene.positions, scene.faces, ropes)
    cloth = Cloth(mesh, **{**REFERENCE, "substeps": 1, "threads": 1, **settings})
    cloth.set_pins(pins)
    return cloth


def mean_drop(cloth):
    """Mean height, m; the scenes start at zero, so a fall is negative."""
    return float(cloth.positions()[:, 2].mean(dtype=np.float64))


@dataclass
class Run:
    """One cloth under the clock: seconds of each timed step and of its stages."""

    name: str
    cloth: Cloth
    seconds: list = field(default_factory=list)
    stages: dict = field(default_factory=lambda: {stage: [] for stage in STAGES})
    pcg: list = field(default_factory=list)
    drop: float = 0.0
    stats: object = None

    def step(self, length, timed):
        self.cloth.step(length)
        self.stats = self.cloth.stats()
        if timed:
            self.seconds.append(self.stats.total_seconds)
            self.pcg.append(self.stats.pcg_iterations)
            for stage, seconds in self.stages.items():
                seconds.append(getattr(self.stats, f"{stage}_seconds"))

    def stage(self, name):
        """Median seconds of a stage."""
        return median(self.stages[name])

    @property
    def least(self):
        return min(self.seconds)

    @property
    def middle(self):
        return median(self.seconds)

    @property
    def most(self):
        return max(self.seconds)

    @property
    def iterations(self):
        """Conjugate gradient iterations per step."""
        return sum(self.pcg) / len(self.pcg)


def run_interleaved(runs, length, skipped, timed, drop_at, block=5):
    """Steps all runs, `block` steps of each in turn: noise hits all, and each has its caches warm.

    The first `skipped` steps are not timed. The drop is noted after step `drop_at`.
    """
    for run in runs:
        run.cloth.prepare(length)
    total = skipped + timed
    for begin in range(0, total, block):
        for run in runs:
            for step in range(begin, min(begin + block, total)):
                run.step(length, step >= skipped)
                if step + 1 == drop_at:
                    run.drop = mean_drop(run.cloth)


def solve_seconds(cloths, repetitions, entries_per_call=4_000_000):
    """Median seconds of one bare solve for each cloth, taken in turn.

    Every call makes as many solves as go through about that many entries of L.
    """
    taken = [[] for _ in cloths]
    for _ in range(repetitions):
        for seconds, cloth in zip(taken, cloths):
            rounds = max(1, round(entries_per_call / cloth.report().factor_nonzeros))
            right_hand_side = np.ones((cloth.vertex_count, 3))
            seconds.append(cloth.solve(right_hand_side, rounds)[1] / rounds)
    return [median(seconds) for seconds in taken]


def program(name, *arguments):
    """What one of the C programs of native/bench prints."""
    path = os.path.join(os.environ["MUSLIN_BENCH_PROGRAMS"], name)
    done = subprocess.run([path, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise RuntimeError(f"{name} failed with exit status {done.returncode}")
    return done.stdout

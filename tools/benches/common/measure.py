# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloths from scene meshes, and their timing such that a noisy machine hits all alike."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from statistics import mean, median

import numpy as np
from muslin import Cloth
from test_scenes.contact.play import mesh_of
from test_scenes.fabric import REFERENCE

STAGES = ("force", "assemble", "solve", "contact")
# Twenty Newton steps solved to a tenth: as good as fifty to 1e-4, in a tenth of the time.
NEWTON = {"solver": "implicit", "iterations": 20, "pcg_tolerance": 0.1, "pcg_limit": 500}
# Where Newton would take minutes.
MANY_ROUNDS = {"scheme": "two_level", "iterations": 24}
BARE = {"air_drag": 0, "damping": 0, "stiffness_damping": 0, "normal_drag": 0, "tangent_drag": 0}


def cloth_of(scene, pins, **settings):
    """A cloth of a mesh of test_scenes, of the reference fabric; one substep and one thread unless told otherwise."""
    cloth = Cloth(mesh_of(scene), **{**REFERENCE, "substeps": 1, "threads": 1, **settings})
    cloth.set_pins(pins)
    return cloth


def mean_drop(cloth):
    """Mean height, m; the scenes start at zero, so a fall is negative."""
    return float(cloth.positions()[:, 2].mean(dtype=np.float64))


def energy_of(stats):
    return stats.kinetic_energy + stats.elastic_energy + stats.gravity_energy


def closeness(ratio):
    """A response of which too much motion is as wrong as too little."""
    return min(ratio, 2 - ratio)


def means(history, names):
    """{name: mean over the stats of frames}"""
    return {name: mean(getattr(stats, name) for stats in history) for name in names.split()}


def largest(history, name):
    return max(getattr(stats, name) for stats in history)


def side_by_side(function, jobs):
    """function(*job) of all jobs, as many at a time as there are cores: not for times."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda job: function(*job), jobs))


@dataclass
class Run:
    """One cloth under the clock. history: the statistics of each timed step; stats: of the last step."""

    name: str
    cloth: Cloth
    history: list = field(default_factory=list)
    drop: float = 0.0
    stats: object = None

    def step(self, length, timed):
        self.cloth.step(length)
        self.stats = self.cloth.stats()
        if timed:
            self.history.append(self.stats)

    def stage_seconds(self, *names):
        """Median seconds of stages, as fields of a row."""
        names = [f"{name}_seconds" for name in names]
        return {name: median(getattr(stats, name) for stats in self.history) for name in names}

    @property
    def middle(self):
        return self.stage_seconds("total")["total_seconds"]

    @property
    def iterations(self):
        """Conjugate gradient iterations per step."""
        return mean(stats.pcg_iterations for stats in self.history)

    def quality(self, *names):
        """What the time bought: strains, how far the cloth fell (m), and other statistics of the last step."""
        names = ("mean_strain", "largest_strain", *names)
        return {"drop": self.drop, **{name: getattr(self.stats, name) for name in names}}


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


def close(runs):
    for run in runs:
        run.cloth.close()


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


def program_rows(name, *arguments):
    """The same as lines of words."""
    return [line.split() for line in program(name, *arguments).splitlines()]

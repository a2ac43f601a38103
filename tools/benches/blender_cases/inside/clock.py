# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a bake's time goes: times the add-on's own functions, frame by frame."""

from contextlib import contextmanager
from time import perf_counter

import addon

# Stage, module, class or "", function. Stages lie beside each other, none within another.
STAGES = (
    ("evaluate", "bake.bake", "Bake", "_go_to"),
    ("colliders", "bodies.colliders", "Colliders", "follow"),
    ("pins", "garment.feed", "Feed", "_follow_pins"),
    ("forces", "garment.feed", "Feed", "_push_forces"),
    ("fetch", "simulation.simulation", "Simulation", "positions_world"),
    ("local", "scene.place", "", "to_local"),
    ("write", "output.cache", "CacheWriter", "append"),
    ("snapshot", "simulation.simulation", "Simulation", "snapshot"),
    ("statistics", "bake.bake", "", "rows"),
)


class Clock:
    """frames: a dict a step with its `begin`, its `step` (native, s) and the stages after it until the
    next step begins."""

    def __init__(self):
        self.frames = []

    def _around(self, function, stage):
        def timed(*arguments, **named):
            begin = perf_counter()
            try:
                return function(*arguments, **named)
            finally:
                if self.frames:
                    now = self.frames[-1]
                    now[stage] = now.get(stage, 0.0) + perf_counter() - begin

        return timed

    def _step(self, function):
        def timed(simulation):
            self.frames.append({"begin": perf_counter()})
            function(simulation)
            self.frames[-1]["step"] = perf_counter() - self.frames[-1]["begin"]

        return timed


def _in_place(worker, job):
    """Instead of Worker.start: the job is done here and now, so that nothing hides behind it."""
    try:
        job()
    except Exception as error:
        worker._error = error


@contextmanager
def watching(in_turn, stages=True):
    """Within it bakes are timed. in_turn: one thing after the other, though a bake works while it steps."""
    clock, old = Clock(), []

    def replace(owner, name, function):
        old.append((owner, name, getattr(owner, name)))
        setattr(owner, name, function)

    simulation = addon.module("simulation.simulation").Simulation
    replace(simulation, "step", clock._step(simulation.step))
    if in_turn:
        replace(addon.module("simulation.worker").Worker, "start", _in_place)
    for stage, path, kind, name in STAGES if stages else ():
        owner = addon.module(path)
        owner = getattr(owner, kind) if kind else owner
        replace(owner, name, clock._around(getattr(owner, name), stage))
    try:
        yield clock
    finally:
        for owner, name, function in reversed(old):
            setattr(owner, name, function)


def milliseconds(frames):
    """Each frame's wall time and stages, ms. The first step factors, the last has none after it."""
    rows = []
    for now, after in zip(frames[1:], frames[2:]):
        row = {stage: 1e3 * seconds for stage, seconds in now.items() if stage != "begin"}
        rows.append({"wall": 1e3 * (after["begin"] - now["begin"]), **row})
    return rows

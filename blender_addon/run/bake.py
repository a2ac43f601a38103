# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes garments, one after the other, in pieces that fit between two redraws of the window.

A frame takes three parts: the scene is fed, the step runs in its thread, and meanwhile the frame
before is written and the scene put to the frame after. The same code runs blocking without a window.
"""

from time import perf_counter

import bpy

from ..output import cache, preview, results
from ..scene.problems import Problem
from . import running
from .figures import duration, rows
from .simulation import Simulation, depsgraph_of, find

PATIENCE = 0.3  # s: a step that is longer is interrupted by ESC, a shorter one is awaited
STATISTICS_EVERY = 0.25  # s


class Bake:
    """One garment over its frames. `error` says afterwards why it ended early, in plain words."""

    def __init__(self, plan):
        self.plan = plan
        self.done = 0  # frames that are computed
        self.error = self.note = ""
        self.finished = False
        self.native_seconds = 0.0  # in steps alone
        self.latest = None  # the last frame in the object's space, until it is shown
        self._stopping = False
        self._simulation = self._writer = self._waiting = self._snapshot = None
        self._next_statistics = self._began = 0.0
        self._work = self._run()

    # From outside

    def advance(self, seconds):
        """Work for about so long (None: to the end), then come back."""
        deadline = None if seconds is None else perf_counter() + seconds
        while not self.finished:
            rest = None if deadline is None else max(0.0, deadline - perf_counter())
            if self._simulation is not None and not self._simulation.ready(rest):
                return
            if rest == 0.0 or next(self._work, self) is self:
                return

    def cancel(self):
        """Stop soon and keep what is finished."""
        self._stopping = True
        simulation = self._simulation
        if simulation is not None and self._snapshot is not None and not simulation.interrupt():
            pass  # the frame under way is lost; the snapshot is the state before it

    def leave(self):
        """Stop now: the file goes away. The frames stay on disk, the scene is left alone."""
        self._stopping = True
        if not self.finished:
            self._work.close()
            self._end_files()

    @property
    def seconds_each(self):
        return (perf_counter() - self._began) / self.done if self.done else 0.0

    # The work; it yields while a step is under way

    def _run(self):
        try:
            self._begin()
            while self._simulation.frame < self.plan.last and not self._stopping:
                self._feed(self._simulation.frame + 1)
                self._simulation.start()
                self._meanwhile()
                yield
                if not self._collect():
                    break
        except Problem as problem:
            self.error = str(problem)
        self._end()

    def _objects(self):
        """Garment, scene and evaluated scene, found again each time."""
        scene = bpy.data.scenes.get(self.plan.scene_name)
        if scene is None:
            raise Problem(f"The scene {self.plan.scene_name} is gone")
        obj = find(self.plan.uid, self.plan.name)
        if obj is None:
            raise Problem(f"{self.plan.name} was deleted", object_name=self.plan.name)
        return obj, scene, depsgraph_of(scene, obj)

    def _go_to(self, frame):
        """The scene at a frame; nothing if it is there already."""
        scene = bpy.data.scenes.get(self.plan.scene_name)
        if scene is not None and (scene.frame_current != frame or scene.frame_subframe):
            scene.frame_set(frame)

    def _begin(self):
        self._objects()
        self._go_to(self.plan.first)
        obj, scene, depsgraph = self._objects()
        self._simulation = Simulation(obj, scene, depsgraph)
        count = self._simulation.vertex_count
        folder = obj.muslin.cache_folder
        resume = self.plan.resume
        self._writer = cache.CacheWriter(obj, folder, count, self.plan.first, continue_from=resume)
        self._began = perf_counter()
        if resume is None:
            self._waiting = self._simulation.positions_world(), self._simulation.to_local
            self.done = 1
        else:
            self._resume(resume)
        self._go_to(self._simulation.frame + 1)

    def _resume(self, frame):
        """As the cloth was at a frame that is in the cache: exactly where the state was stored."""
        self._go_to(frame)
        obj, scene, depsgraph = self._objects()
        self._simulation.feed(obj, scene, depsgraph, jump=True)
        self.note = resume_state(self._simulation, self._writer, frame)

    def _feed(self, frame):
        self._go_to(frame)
        obj, scene, depsgraph = self._objects()
        if self.done <= 1 or self._simulation.step_seconds > PATIENCE:
            self._snapshot = self._simulation.snapshot(), frame - 1
        else:
            self._snapshot = None
        self._simulation.feed(obj, scene, depsgraph)

    def _meanwhile(self):
        """While the step runs: write the frame before it, and evaluate the one after it."""
        self._write()
        if self._simulation.frame < self.plan.last:
            self._go_to(self._simulation.frame + 1)

    def _write(self):
        if self._waiting is not None:
            positions, to_local = self._waiting
            self._waiting = None
            self.latest = to_local(positions)
            self._writer.append(self.latest)

    def _collect(self):
        """The step's end; False when it was interrupted or the rest is not wanted any more."""
        simulation = self._simulation
        if not simulation.started:
            return False
        simulation.collect()
        self.native_seconds += simulation.step_seconds
        self.done += 1
        self._snapshot = None
        matrix, unit = simulation.matrix, simulation.unit
        self._waiting = simulation.positions_world(), placed(matrix, unit)
        if perf_counter() >= self._next_statistics:
            overhead = self.seconds_each - self.native_seconds / self.done
            running.statistics[simulation.uid] = rows(simulation, overhead)
            self._next_statistics = perf_counter() + STATISTICS_EVERY
        return True

    # The end

    def _end_files(self):
        """Close simulation and cache; the path of the cache, or "" when there is no frame."""
        path = ""
        simulation, self._simulation = self._simulation, None
        writer, self._writer = self._writer, None
        try:
            if writer is not None and self._waiting is not None:
                self._writer = writer
                self._write()
        except Problem as problem:
            self.error = self.error or str(problem)
        self._writer = None
        if simulation is not None and writer is not None:
            path = self._finish(simulation, writer)
        if simulation is not None:
            self.note = " ".join([self.note, *simulation.notes()]).strip()
            simulation.close()
        return path

    def _finish(self, simulation, writer):
        try:
            if self._snapshot is not None:
                writer.state(*self._snapshot)
            elif not simulation.started:
                writer.state(simulation.snapshot(), simulation.frame)
            return writer.finish() or ""
        except Problem as problem:
            self.error = self.error or str(problem)
            return ""

    def _end(self):
        path = self._end_files()
        self.finished = True
        try:
            if path:
                obj, scene, _ = self._objects()
                preview.hide(obj)
                results.present(obj, scene, path, obj.muslin.output)
                obj.muslin.baked.seconds = self.seconds_each
        except Problem as problem:
            self.error = self.error or str(problem)


def placed(matrix, unit):
    from ..scene import place

    return lambda positions: place.to_local(positions, matrix, unit)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Work in steps beside the window, that is neither a bake nor a preview, and the buttons that begin it."""

from math import inf
from time import perf_counter

import bpy

from . import running
from .buttons import ask_library, reporting
from .scene import lookup
from .scene.problems import Problem

PATIENCE = 0.3  # s to wait for a step: redraws would slow it down


class Job:
    """See running.job for what others read of it. error: why it came to nothing. result: what there is to say. A subclass has
    work(), a generator that yields while a step of `at_work` is under way; leave() closes every Simulation in `simulations`.
    """

    def __init__(self, obj, scene):
        self.uid = lookup.ensure_uid(obj)
        self.name = obj.name
        self.scene_name = scene.name
        self.error = self.result = ""
        self.finished = False
        self.simulations = []
        self.at_work = None
        self._work = self._run()
        running.job = self

    def advance(self, seconds):
        """Work for about so many seconds (None: to the end). True while there is more."""
        deadline = inf if seconds is None else perf_counter() + seconds
        patience = None if seconds is None else PATIENCE
        while not self.finished:
            if self.at_work is not None and not self.at_work.ready(patience):
                return True
            if perf_counter() > deadline:
                return True
            if next(self._work, self) is self:
                self.leave()
        return False

    def stop(self):
        self.error = self.error or "stopped"
        self.leave()

    def leave(self):
        """End, and give all memory back; a step under way is interrupted."""
        self.finished = True
        self._work.close()
        for simulation in self.simulations:
            simulation.close()
        self.simulations = []
        self.at_work = None
        if running.job is self:
            running.job = None

    def _run(self):
        try:
            yield from self.work()
        except Problem as problem:
            self.error = str(problem)


TICK = 0.02  # s from one look at the job to the next
WORK = 0.04  # s of work between two redraws
SHOW_EVERY = 0.5  # s


def begin_modal(operator, context, seconds):
    """Blender calls its modal() for every event, and every so many seconds."""
    manager = context.window_manager
    operator._timer = manager.event_timer_add(seconds, window=context.window)
    manager.modal_handler_add(operator)
    return {"RUNNING_MODAL"}


class JobButton:
    """Base of operators with start(context), which gives a Job or what works like one. stops: what ESC does. show_every: s between
    looks at its text."""

    stops, show_every = "ESC stops", SHOW_EVERY

    @classmethod
    def poll(cls, context):
        return super().poll(context) and not running.is_busy()

    def _finish(self, job):
        running.status_line(None)
        running.redraw()
        self.report({"WARNING" if job.error else "INFO"}, job.error or job.result)
        return {"CANCELLED"} if job.error else {"FINISHED"}

    @reporting
    def complete(self, context):
        ask_library()
        job = self.start(context)
        try:
            job.advance(None)
        finally:
            job.leave()
        return self._finish(job)

    @reporting
    def begin(self, context):
        if bpy.app.background:
            return self.complete(context)
        ask_library()
        self._job = self.start(context)
        self._next_show = 0.0
        return begin_modal(self, context, TICK)

    def execute(self, context):
        return self.complete(context)

    def invoke(self, context, event):
        return self.begin(context)

    def modal(self, context, event):
        job = self._job
        is_stopped = event.type == "ESC" and event.value == "PRESS" and not job.finished
        if event.type != "TIMER" and not is_stopped:
            return {"PASS_THROUGH"}
        try:
            if is_stopped:
                job.stop()
            if job.advance(WORK):
                self._show(job)
                return {"RUNNING_MODAL"} if is_stopped else {"PASS_THROUGH"}
        except Exception:  # a bug of ours: nothing may hang
            self._stop_timer(context)
            self.cancel(context)
            raise
        self._stop_timer(context)
        return self._finish(job)

    def _stop_timer(self, context):
        context.window_manager.event_timer_remove(self._timer)

    def _show(self, job):
        if perf_counter() >= self._next_show:
            self._next_show = perf_counter() + self.show_every
            running.status_line(f"Muslin: {job.text}. {self.stops}")
            running.redraw()

    def cancel(self, context):
        """Blender ends the operator by itself: its window was closed, or another file is read."""
        running.status_line(None)
        self._job.leave()

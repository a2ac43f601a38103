# SPDX-License-Identifier: GPL-3.0-or-later
"""What buttons have in common that begin a run.job.Job: the window lives, ESC stops."""

from time import perf_counter

import bpy

from .reporting import ask_library, reporting

TICK = 0.02  # s from one look at the job to the next
WORK = 0.04  # s of work before the window has its turn
SHOW_EVERY = 0.5  # s


class JobButton:
    """An operator beside this has start(context), which gives a Job."""

    @classmethod
    def poll(cls, context):
        from ..run import running

        return super().poll(context) and not running.is_busy()

    def _finish(self, job):
        from ..run import running

        running.status_line(None)
        running.redraw()
        self.report({"WARNING" if job.error else "INFO"}, job.error or job.result)
        return {"CANCELLED"} if job.error else {"FINISHED"}

    @reporting
    def complete(self, context):
        """To the end, at once."""
        ask_library()
        job = self.start(context)
        try:
            job.advance(None)
        finally:
            job.leave()
        return self._finish(job)

    @reporting
    def begin(self, context):
        """With a window; without one there is nobody to wait for."""
        if bpy.app.background:
            return self.complete(context)
        ask_library()
        self._job = self.start(context)
        self._next_show = 0.0
        manager = context.window_manager
        self._timer = manager.event_timer_add(TICK, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

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
                return {"PASS_THROUGH"}
        except Exception:  # a mistake of ours: nothing may stay stuck
            context.window_manager.event_timer_remove(self._timer)
            self.cancel(context)
            raise
        context.window_manager.event_timer_remove(self._timer)
        return self._finish(job)

    def _show(self, job):
        """Now and then: drawing takes time from the work."""
        from ..run import running

        if perf_counter() >= self._next_show:
            self._next_show = perf_counter() + SHOW_EVERY
            running.status_line(f"Muslin: {job.text}. ESC stops")
            running.redraw()

    def cancel(self, context):
        """Blender ends the operator by itself: its window was closed, or another file is read."""
        from ..run import running

        running.status_line(None)
        self._job.leave()

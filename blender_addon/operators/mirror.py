# SPDX-License-Identifier: GPL-3.0-or-later
"""Find Symmetry, Select Unpaired, and Measure: how much quicker one half is."""

from time import perf_counter

import bpy

from .reporting import active_garment, ask_library, is_garment, reporting, reporting_event

TICK = 0.02  # s from one look at the measurement to the next
WORK = 0.04  # s of work before the window has its turn
SHOW_EVERY = 0.5  # s


class _Button:
    @classmethod
    def poll(cls, context):
        return is_garment(context.active_object)


class MUSLIN_OT_find_symmetry(_Button, bpy.types.Operator):
    """Look whether this garment is its own mirror image, and where it is not"""

    bl_idname = "muslin.find_symmetry"
    bl_label = "Find Symmetry"

    @reporting
    def execute(self, context):
        from ..run import running
        from ..scene import lookup, symmetry

        ask_library()
        obj = active_garment(context)
        report = symmetry.look(obj, context.scene, context.evaluated_depsgraph_get())
        running.symmetries[lookup.ensure_uid(obj)] = report
        kind = "INFO" if report.is_symmetric else "WARNING"
        self.report({kind}, f"{obj.name}: {symmetry.summary(report)}")
        running.redraw()
        return {"FINISHED"}


class MUSLIN_OT_select_unpaired(_Button, bpy.types.Operator):
    """Select, in edit mode, the vertices without a partner; where all have one, faces without an image"""

    bl_idname = "muslin.select_unpaired"
    bl_label = "Select Unpaired"
    bl_options = {"REGISTER", "UNDO"}

    @reporting
    def execute(self, context):
        from ..scene.problems import Problem
        from .check import select

        obj = active_garment(context)
        report = self._report(obj)
        if obj.data.library is not None:
            raise Problem(f"The mesh of {obj.name} is linked and cannot be edited", obj.name)
        if not report.unpaired and not report.faces:
            self.report({"INFO"}, f"{obj.name}: every vertex and every face has its mirror image")
            return {"CANCELLED"}
        if report.unpaired:
            select(context, obj, "VERT", report.unpaired)
        else:
            select(context, obj, "FACE", report.faces)
        return {"FINISHED"}

    @staticmethod
    def _report(obj):
        """Of the mesh as it is now, or a Problem."""
        from ..run import running
        from ..scene import symmetry
        from ..scene.problems import Problem

        report = running.symmetries.get(obj.muslin.uid)
        if obj.mode == "EDIT":
            obj.update_from_editmode()
        if report is None or report.asked != symmetry.key(obj):
            raise Problem(f"{obj.name} has changed: press Find Symmetry again", obj.name)
        return report


class MUSLIN_OT_measure_mirror(_Button, bpy.types.Operator):
    """Time a few frames with and without mirroring, on a copy that nobody sees; ESC stops"""

    bl_idname = "muslin.measure_mirror"
    bl_label = "Measure"

    @classmethod
    def poll(cls, context):
        from ..run import running

        return super().poll(context) and not running.is_busy()

    def _start(self, context):
        from ..run.measure import Measure
        from ..scene.problems import Problem

        ask_library()
        obj = active_garment(context)
        if not obj.muslin.mirror.enabled:
            raise Problem(f"{obj.name}: switch Mirror on first", obj.name)
        return Measure(obj, context.scene)

    def _finish(self, measure):
        from ..run import running

        running.status_line(None)
        running.redraw()
        self.report({"WARNING" if measure.error else "INFO"}, measure.error or measure.result)
        return {"CANCELLED"} if measure.error else {"FINISHED"}

    @reporting
    def execute(self, context):
        measure = self._start(context)
        try:
            measure.advance(None)
        finally:
            measure.leave()
        return self._finish(measure)

    @reporting_event
    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        self._measure = self._start(context)
        self._next_show = 0.0
        manager = context.window_manager
        self._timer = manager.event_timer_add(TICK, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        measure = self._measure
        if event.type == "ESC" and event.value == "PRESS" and not measure.finished:
            measure.stop()
        elif event.type != "TIMER":
            return {"PASS_THROUGH"}
        if self._advance(measure):
            self._show(measure)
            return {"PASS_THROUGH"}
        context.window_manager.event_timer_remove(self._timer)
        return self._finish(measure)

    def _show(self, measure):
        """Now and then: drawing takes time from what is measured."""
        from ..run import running

        if perf_counter() >= self._next_show:
            self._next_show = perf_counter() + SHOW_EVERY
            running.status_line(f"Muslin: {measure.text}. ESC stops")
            running.redraw()

    @staticmethod
    def _advance(measure):
        try:
            return measure.advance(WORK)
        except Exception:  # a mistake of ours: nothing may stay stuck
            measure.leave()
            raise

    def cancel(self, context):
        """Blender ends the operator by itself: its window was closed, or another file is read."""
        from ..run import running

        self._measure.leave()
        running.status_line(None)


CLASSES = (MUSLIN_OT_find_symmetry, MUSLIN_OT_select_unpaired, MUSLIN_OT_measure_mirror)

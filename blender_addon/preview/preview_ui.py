# SPDX-License-Identifier: GPL-3.0-or-later
"""Live preview along the timeline, Drape Now, Stop, Keep and Discard: buttons, and the Preview section of the panel."""

from contextlib import suppress

import bpy

from .. import drawing, running
from ..buttons import (
    Button,
    active_garment,
    ask_library,
    has_garment,
    is_garment,
    not_baking,
    reporting,
)
from ..drawing import BIG, split
from ..jobs import begin_modal
from ..muslin.table import takes
from ..scene.problems import Problem
from .grab_ui import GESTURES, Mouse, is_possible

TICK = 0.01  # s
WORK = 0.03  # s that a tick may wait for the step
STEPS_MOST = 500  # of settling without a window; it usually ends long before


def _preview_of(context):
    obj = context.active_object
    return running.previews.get(obj.muslin.uid) if is_garment(obj) else None


class MUSLIN_OT_preview(Button, bpy.types.Operator):
    """Simulate while the timeline plays; press again to stop. The first frame restarts the simulation"""

    bl_idname = "muslin.preview"
    bl_label = "Preview"
    is_run = True

    asks = (has_garment, not_baking)

    def work(self, context):
        from . import preview

        ask_library()
        obj = active_garment(context)
        now = _preview_of(context)
        if now is not None and now.mode == preview.TIMELINE:
            now.hold()
        else:
            if now is not None:
                preview.discard(now.uid)
            now = preview.begin(obj, context.scene, preview.TIMELINE)
            preview.watch()
            self.report({"INFO"}, f"{obj.name}: start playback to simulate")
        running.redraw()


class MUSLIN_OT_drape_now(Button, bpy.types.Operator):
    """Simulate on the current frame while you move the body, pins or sliders; ESC stops"""

    bl_idname = "muslin.drape_now"
    bl_label = "Drape Now"
    is_run = True

    frames: bpy.props.IntProperty(
        name="Frames",
        description="Stop after this many frames; 0: run until stopped. Without a window, at least one",
        min=0,
        options={"SKIP_SAVE"},
    )
    settle: bpy.props.BoolProperty(
        name="Settle",
        description="Go straight to the rest pose, then keep draping",
        options={"SKIP_SAVE"},
    )
    fit: bpy.props.BoolProperty(
        name="Fit Map",
        description="Enable the fit map once the cloth has settled",
        options={"SKIP_SAVE"},
    )

    asks = (has_garment, lambda _context: not running.is_busy())

    def _start(self, context):
        from . import preview

        ask_library()
        obj = active_garment(context)
        return preview.begin(obj, context.scene, preview.DRAPE, settle=self.settle)

    def work(self, context):
        from . import preview

        now = self._start(context)
        wanted = now.steps + (self.frames or (STEPS_MOST if self.settle else 1))
        try:
            now.advance(None)  # what was refined may have been moved since
            while now.steps < wanted and not now.settled:
                now.advance(None)
        except Problem as problem:
            preview.end(now, problem)
            raise
        self._report_start(context, now)
        now.hold()

    def invoke(self, context, event):
        return self.execute(context) if bpy.app.background else self._begin(context)

    @reporting
    def _begin(self, context):
        self._preview = self._start(context)
        self._last = self._preview.steps + self.frames if self.frames else None
        self._mouse = Mouse()
        return begin_modal(self, context, TICK)

    def modal(self, context, event):
        try:
            return self._handle(context, event)
        except Exception:  # a bug of ours: nothing may hang
            self._preview.hold()
            self._leave(context)
            raise

    def _handle(self, context, event):
        from . import preview

        now = self._preview
        if running.previews.get(now.uid) is not now or now.mode != preview.DRAPE:
            return self._leave(context)  # stopped, kept or discarded by a button
        if event.type == "ESC" and event.value == "PRESS":
            now.hold()
            return self._leave(context)
        with suppress(Problem):  # the garment is gone; the next step says so
            if self._mouse.handle(context, event, now):
                return {"RUNNING_MODAL"}
        if event.type == "TIMER":
            self._advance(context, now)
            if self.settle and now.settled:
                self._report_start(context, now)
            if self._last is not None and now.steps >= self._last:
                now.hold()
        return {"PASS_THROUGH"}

    def _advance(self, context, now):
        from . import preview

        try:
            now.advance(WORK)
        except Problem as problem:
            preview.end(now, problem)
            self.report({"ERROR"}, str(problem))
        gestures = f"{GESTURES}, " if is_possible(context) else ""
        running.status_line(f"Muslin: {now.text}. {gestures}ESC stops")
        running.redraw()

    def _report_start(self, context, now):
        """How a garment that has settled began."""
        from ..check import check_ui

        if not self.settle:
            return
        self.settle = False
        for obj in now.garments():
            try:
                kind, text = check_ui.summary(obj.name, check_ui.look(obj, context))
                if self.fit:
                    obj.muslin.fit.enabled = True
            except Problem as problem:
                kind, text = "WARNING", str(problem)
            self.report({kind}, text)

    def _leave(self, context):
        if self._timer is not None:
            context.window_manager.event_timer_remove(self._timer)
            self._timer = None
        running.status_line(None)
        running.redraw()
        return {"FINISHED"}

    def cancel(self, context):
        """Blender ends the operator by itself: its window was closed, or another file is read."""
        from . import preview

        now, self._timer = self._preview, None
        if running.previews.get(now.uid) is now and now.mode == preview.DRAPE:
            now.hold()
        running.status_line(None)


class MUSLIN_OT_stop(Button, bpy.types.Operator):
    """Stop the preview and hold the cloth as it is, or stop the bake and keep its frames"""

    bl_idname = "muslin.stop"
    bl_label = "Stop"

    asks = (lambda _context: running.bake or running.job or running.previews,)

    def work(self, context):
        from . import preview

        if running.job is not None:
            running.job.stop()
        if running.bake is not None:
            running.bake.stop()
        for now in running.all_previews():
            if now.mode != preview.HELD:
                now.hold()
        running.redraw()


class MUSLIN_OT_keep(Button, bpy.types.Operator):
    """Keep the displayed shape"""

    bl_idname = "muslin.keep"
    bl_label = "Keep"
    bl_options = {"UNDO"}

    mode: bpy.props.EnumProperty(
        name="As",
        items=(
            ("key", "Shape Key", "A new shape key; the mesh stays as it is"),
            ("mesh", "Mesh", "The mesh itself gets the draped shape"),
        ),
    )
    name: bpy.props.StringProperty(name="Name", description="Of the shape key", default="Draped")

    asks = (_preview_of,)

    def work(self, context):
        from .keep import keep

        self.report({"INFO"}, keep(active_garment(context), self.mode, self.name))
        running.redraw()


class MUSLIN_OT_discard(Button, bpy.types.Operator):
    """End the preview and restore the mesh"""

    bl_idname = "muslin.discard"
    bl_label = "Discard"
    bl_options = {"UNDO"}

    asks = (_preview_of,)

    def work(self, context):
        from . import preview

        preview.discard(active_garment(context).muslin.uid)
        running.redraw()


def draw_step_warnings(layout, context, obj):
    for text in running.step_warnings_of(obj):
        drawing.paragraph(layout, context, text[:1].upper() + text[1:], icon="INFO")


def draw_drape(layout, obj):
    if running.activity(obj) is None:
        row = layout.row()
        row.scale_y = BIG
        row.operator("muslin.drape_now", text="Drape Now", icon="MOD_CLOTH")


def draw_preview(layout, context, obj):
    job = running.activity(obj)
    column = layout.column()
    column.enabled = job is None
    column.operator("muslin.preview", text="Preview on Play", icon="PLAY")
    budget = split(layout)
    budget.active = takes("budget_ms", obj.muslin.solver)
    budget.prop(obj.muslin, "budget_ms", text="Budget (ms)")
    if obj.muslin.uid not in running.previews:
        return
    column = layout.column(align=True)
    column.label(text="Current shape:")
    column.operator("muslin.keep", text="Keep as Shape Key", icon="SHAPEKEY_DATA").mode = "key"
    column.operator("muslin.keep", text="Keep as Mesh", icon="MESH_DATA").mode = "mesh"
    column.operator("muslin.discard", text="Discard", icon="LOOP_BACK")
    if job is None:
        draw_step_warnings(layout, context, obj)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake, bake from the current frame, continue, free. In a window they let it live; without one they
work to the end before they return."""

import bpy
from bpy.props import EnumProperty

from .reporting import active_garment, ask_library, garments_meant, reporting, reporting_event

TICK = 0.02  # s from one look at the bake to the next
WORK = 0.04  # s of work before the window has its turn

SCOPES = (
    ("AUTO", "Automatic", "The active garment; all of the scene where none is active or no window"),
    ("ACTIVE", "Active", "The active garment"),
    ("ALL", "All", "All garments of the scene, one after the other"),
)


class BakeOperator:
    """What the three ways of baking share."""

    bl_options = {"UNDO"}
    how = "start"

    scope: EnumProperty(name="Garments", items=SCOPES, options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        from ..run import running

        return running.bake is None

    def _start(self, context):
        from ..run import preview, running
        from ..run.bakequeue import BakeQueue
        from ..run.plans import plan_all

        ask_library()
        if running.bake is not None:
            return running.bake
        if running.job is not None:
            running.job.stop()
        garments = garments_meant(context, self.scope)
        plans = plan_all(garments, context.scene, self.how)
        for uid in [uid for plan in plans for uid, _ in plan.members]:
            preview.discard(uid)
        for other in running.all_previews():
            other.hold("waits: a bake moves the timeline")
        return BakeQueue(plans, context.scene)

    def _finish(self, queue):
        """Says how it went; without any frame it is as if nothing had been pressed."""
        from ..run import running
        from ..run.members import find
        from . import check

        running.status_line(None)
        running.redraw()
        for bake in queue.bakes:
            for uid, name in bake.plan.members:
                obj = find(uid, name)
                if obj is not None and bake.written:
                    check.remember_bake(obj, bake.findings_of(uid))
        for kind, sentence in queue.summary():
            self.report({kind}, sentence)
        return {"FINISHED"} if any(bake.written for bake in queue.bakes) else {"CANCELLED"}

    @reporting
    def execute(self, context):
        queue = self._start(context)
        said = None
        while queue.advance(1.0 if bpy.app.background else None):
            if (queue.progress, queue.text) != said:
                said = queue.progress, queue.text
                print("Muslin:", queue.text, flush=True)
        return self._finish(queue)

    @reporting_event
    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        self._queue = self._start(context)
        manager = context.window_manager
        self._timer = manager.event_timer_add(TICK, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        from ..run import running

        if running.bake is not self._queue:  # another file came, or the add-on was told to stop
            return self._leave(context)
        if event.type == "ESC" and event.value == "PRESS":
            self._queue.stop()
        elif event.type != "TIMER":
            return {"PASS_THROUGH"}
        if self._advance():
            return {"RUNNING_MODAL"} if event.type == "ESC" else {"PASS_THROUGH"}
        self._leave(context)
        return self._finish(self._queue)

    def _advance(self):
        from ..run import running

        more = self._queue.advance(WORK)
        if more and self._queue.show():  # drawing takes time, too
            running.status_line(f"Muslin: {self._queue.text}. ESC stops and keeps what is finished")
            running.redraw()
        return more

    def _leave(self, context):
        if self._timer is not None:
            context.window_manager.event_timer_remove(self._timer)
            self._timer = None
        return {"CANCELLED"}

    def cancel(self, context):
        """Blender ends the operator by itself: its window was closed, or another file is read."""
        from ..run import running

        self._timer = None
        if running.bake is self._queue:
            self._queue.leave()
        running.status_line(None)


class MUSLIN_OT_bake(BakeOperator, bpy.types.Operator):
    """Simulate all frames and store them; ESC stops and keeps what is finished"""

    bl_idname = "muslin.bake"
    bl_label = "Bake"


class MUSLIN_OT_bake_from_current(BakeOperator, bpy.types.Operator):
    """Keep the baked frames up to the current one and bake the rest anew"""

    bl_idname = "muslin.bake_from_current"
    bl_label = "Bake from Current Frame"
    how = "current"


class MUSLIN_OT_continue_bake(BakeOperator, bpy.types.Operator):
    """Go on where the last bake ended, exactly as if it had not been stopped"""

    bl_idname = "muslin.continue_bake"
    bl_label = "Continue"
    how = "continue"


class MUSLIN_OT_free(bpy.types.Operator):
    """Delete the bake: exactly the files, keys and modifiers that Muslin made"""

    bl_idname = "muslin.free"
    bl_label = "Free Bake"
    bl_options = {"UNDO"}

    scope: EnumProperty(name="Garments", items=SCOPES[1:], default="ACTIVE", options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        from ..run import running

        return running.bake is None

    @reporting
    def execute(self, context):
        from ..output import results

        for obj in garments_meant(context, self.scope):
            self.report({"INFO"}, f"{obj.name}: {results.free(obj)}")
        return {"FINISHED"}


class MUSLIN_OT_rescue(bpy.types.Operator):
    """Show the frames that a bake left on disk when Blender ended before it did; Continue goes on from them"""

    bl_idname = "muslin.rescue"
    bl_label = "Rescue Frames"
    bl_options = {"UNDO"}

    @classmethod
    def poll(cls, context):
        from ..run import running

        return running.bake is None

    @reporting
    def execute(self, context):
        from ..output import results
        from ..scene.problems import Problem

        obj = active_garment(context)
        note = results.adopt(obj, context.scene)
        if not note:
            raise Problem(f"{obj.name}: there are no frames that could be rescued", obj.name)
        self.report({"INFO"}, f"{obj.name}: {note}")
        return {"FINISHED"}


class MUSLIN_OT_trust_folder(bpy.types.Operator):
    """Let the panel look into this folder for frames that a bake has left. Until then only buttons such as Bake touch it"""

    bl_idname = "muslin.trust_folder"
    bl_label = "Trust This Folder"

    @reporting
    def execute(self, context):
        from ..properties import folders_set

        folders_set.add(active_garment(context).muslin.cache_folder)
        return {"FINISHED"}


CLASSES = (
    MUSLIN_OT_bake,
    MUSLIN_OT_bake_from_current,
    MUSLIN_OT_continue_bake,
    MUSLIN_OT_free,
    MUSLIN_OT_rescue,
    MUSLIN_OT_trust_folder,
)

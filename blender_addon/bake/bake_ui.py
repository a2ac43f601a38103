# SPDX-License-Identifier: GPL-3.0-or-later
"""Baking: what a bake leaves behind, the buttons, and the Bake section of the panel.

Bake, bake from the current frame, continue, free. In a window they let it live; without one they work to the end
before they return.
"""

import sys
from time import monotonic

import bpy

from .. import drawing, running, words
from ..buttons import Button, active_garment, ask_library, garments_meant, not_baking, reporting
from ..check import check_ui
from ..check.check_ui import draw_finding
from ..drawing import BIG, split
from ..jobs import JobButton
from ..output import folders
from ..output.output_kinds import OUTPUTS, is_keys, words_of
from ..scene.problems import Problem
from ..table_properties import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    StringProperty,
)


# Newer Blenders need to know that a path may begin with "//"; older ones refuse the option.
_TELLS = "is_path_supports_blend_relative" in bpy.types.Property.bl_rna.properties
BESIDE = {"PATH_SUPPORTS_BLEND_RELATIVE"} if _TELLS else set()


def _trust_folder(garment, _context=None):
    folders.folders_set.add(garment.cache_folder)


class BakeSettings:
    """Which frames a garment is baked for, and where they go."""

    subframes: IntProperty(
        "Subframes",
        "How often a bake samples the scene per frame: raise it for bodies that turn fast between frames",
        default=1,
        min=1,
        soft_max=8,
        max=64,
    )
    output: EnumProperty("Output", items=OUTPUTS, default="auto")
    cache_folder: StringProperty(
        "Folder",
        "Folder for cache files",
        default="//muslin",
        subtype="DIR_PATH",
        options={"ANIMATABLE", *BESIDE},
        update=_trust_folder,
    )
    use_scene_range: BoolProperty("Scene Range", "Bake the scene's frame range", default=True)
    settle_first: BoolProperty(
        "Settle First",
        "Let a worn garment come to rest on the body before the first frame. If it "
        "was modelled on the body's rest pose, the body starts from that pose",
        default=True,
    )
    frame_start: IntProperty("First Frame", "First frame of the bake", default=1)
    frame_end: IntProperty("Last Frame", "Last frame of the bake", default=100)

    def frames(self, scene):
        if self.use_scene_range:
            return scene.frame_start, scene.frame_end
        return self.frame_start, self.frame_end


class MuslinBaked(bpy.types.PropertyGroup):
    """What the last bake left behind."""

    kind: StringProperty()  # an id of OUTPUTS but "auto"; empty: nothing is baked
    path: StringProperty()  # of the cache file, as given to Blender ("//..." where possible)
    absolute: StringProperty()  # the same: after Save As to another folder "//" means another place
    frame_start: IntProperty()
    frame_end: IntProperty()  # the last one that is finished
    vertex_count: IntProperty()
    seconds: FloatProperty()  # a frame, on average
    note: StringProperty()  # one line for the panel: why this kind, or why it stopped
    verdict: StringProperty()  # one line: what is wrong at its end, or that nothing is

    def forget(self):
        """Nothing is baked. Written, not unset: what a linked file has would come through."""
        for name in ("kind", "path", "absolute", "note", "verdict"):
            setattr(self, name, "")
        for name in ("frame_start", "frame_end", "vertex_count", "seconds"):
            setattr(self, name, 0)


SCOPES = (
    (
        "AUTO",
        "Automatic",
        "The active garment; all garments of the scene if none is active or there is no window",
    ),
    ("ACTIVE", "Active", "The active garment"),
    ("ALL", "All", "All garments of the scene, one after the other"),
)


class BakeOperator(JobButton):
    """What the three ways of baking share. Its job is a BakeQueue."""

    bl_options = {"UNDO"}
    is_run = True
    stops, show_every = "ESC stops and keeps the finished frames", 0.0
    how = "start"

    scope: bpy.props.EnumProperty(name="Garments", items=SCOPES, options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        return running.bake is None

    def start(self, context):
        from ..preview import preview
        from .bake_queue import BakeQueue
        from .plans import plan_all

        if running.job is not None:
            running.job.stop()
        plans = plan_all(garments_meant(context, self.scope), context.scene, self.how)
        for uid in [uid for plan in plans for uid, _ in plan.members]:
            preview.discard(uid)
            running.errors.pop(uid, None)
        for other in running.all_previews():
            other.hold("paused: a bake is using the timeline")
        return BakeQueue(plans, context.scene)

    def _finish(self, queue):
        """Says how it went; without any frame it is as if nothing had been pressed."""
        from ..simulation.members import find

        running.status_line(None)
        running.redraw()
        for bake in queue.bakes:
            for uid, name in bake.plan.members:
                obj = find(uid, name)
                if obj is not None and bake.written:
                    check_ui.remember_bake(obj, bake.judge.findings_of(uid))
        for kind, sentence in queue.summary():
            self.report({kind}, sentence)
        return {"FINISHED"} if any(bake.written for bake in queue.bakes) else {"CANCELLED"}

    @reporting
    def complete(self, context):
        ask_library()
        queue = self.start(context)
        queue.run(1.0 if bpy.app.background else None)
        return self._finish(queue)

    def modal(self, context, event):
        if running.bake is not self._job:  # another file was opened, or the add-on was disabled
            self._stop_timer(context)
            return {"CANCELLED"}
        return super().modal(context, event)

    def _show(self, queue):
        if queue.show():  # drawing takes time, too
            super()._show(queue)


class MUSLIN_OT_bake(BakeOperator, bpy.types.Operator):
    """Simulate all frames and store them; ESC stops and keeps the finished frames"""

    bl_idname = "muslin.bake"
    bl_label = "Bake"


class MUSLIN_OT_bake_from_current(BakeOperator, bpy.types.Operator):
    """Keep the baked frames up to the current one and rebake the rest"""

    bl_idname = "muslin.bake_from_current"
    bl_label = "Bake from Current Frame"
    how = "current"


class MUSLIN_OT_continue_bake(BakeOperator, bpy.types.Operator):
    """Resume the last bake where it stopped; the result is the same as without the interruption"""

    bl_idname = "muslin.continue_bake"
    bl_label = "Continue"
    how = "continue"


class MUSLIN_OT_free(Button, bpy.types.Operator):
    """Delete the bake: only the files, shape keys and modifiers that Muslin made"""

    bl_idname = "muslin.free"
    bl_label = "Free Bake"
    bl_options = {"UNDO"}

    scope: bpy.props.EnumProperty(
        name="Garments", items=SCOPES[1:], default="ACTIVE", options={"SKIP_SAVE"}
    )

    asks = (not_baking,)

    def work(self, context):
        from ..output import results

        for obj in garments_meant(context, self.scope):
            self.report({"INFO"}, f"{obj.name}: {results.free(obj)}")


class MUSLIN_OT_rescue(Button, bpy.types.Operator):
    """Recover the frames of a bake that a crash interrupted; Continue resumes from them"""

    bl_idname = "muslin.rescue"
    bl_label = "Recover Frames"
    bl_options = {"UNDO"}

    asks = (not_baking,)

    def work(self, context):
        from ..output import results

        obj = active_garment(context)
        note = results.adopt(obj, context.scene)
        if not note:
            raise Problem(f"{obj.name}: there are no frames to recover")
        self.report({"INFO"}, f"{obj.name}: {note}")


class MUSLIN_OT_trust_folder(Button, bpy.types.Operator):
    """Let the panel check this folder for frames of an interrupted bake. Until then only operators such as Bake access it"""

    bl_idname = "muslin.trust_folder"
    bl_label = "Trust This Folder"

    def work(self, context):
        _trust_folder(active_garment(context).muslin)


LOOK_EVERY = 2.0  # s, at folders

_looked = {}  # what was asked -> (when to look again, answer)


def _results():
    """output.results once it is loaded: it needs NumPy, which a panel must not wait for, see panels.warm_up."""
    return sys.modules.get(__package__.rpartition(".")[0] + ".output.results")


def chosen_output(obj, frame_count):
    """(kind, line, is_error): what a bake will leave behind, why or how large, and whether it cannot."""
    wanted, results = obj.muslin.output, _results()
    if results is None:
        return wanted, "", False
    vertices = len(obj.data.vertices)
    try:
        kind, why = results.choose(wanted, vertices, frame_count, obj)
        results.check(obj, kind)
    except results.Problem as problem:
        return wanted, str(problem), True
    place = "in the .blend" if is_keys(kind) else "on disk"
    size = words.size(results.BYTES * vertices * frame_count)
    return kind, why or f"About {size} {place}", False


def outer_folder(obj):
    """The folder of its caches where the artist may not expect it: outside of the .blend's, and as a file has brought it."""
    folder = obj.muslin.cache_folder
    if folder in folders.folders_set:
        return ""
    return _now_and_then(("folder", bpy.data.filepath, folder), lambda: folders.outside(folder))


def left_over(obj):
    """How many frames a crash or a closed window left on disk."""
    results = _results()
    if results is None or running.bake is not None:
        return 0
    folder = obj.muslin.cache_folder
    asked = "left over", obj.muslin.uid, folder, folder in folders.folders_set
    return _now_and_then(asked, lambda: results.left_over(obj))


def _now_and_then(asked, look):
    """The answer of the last look: the disk may be slow."""
    now = monotonic()
    if asked not in _looked or now > _looked[asked][0]:
        _looked[asked] = now + LOOK_EVERY, look()
    return _looked[asked][1]


def draw_bake(layout, context, obj):
    garment = obj.muslin
    is_idle, frames = running.activity(obj) is None, left_over(obj)
    draw_range(layout, context, garment)
    layout.prop(garment, "settle_first")
    said = draw_output(layout, context, obj)
    column = layout.column()
    column.enabled = is_idle
    row = column.row()
    row.scale_y = BIG
    row.operator("muslin.bake", text="Bake", icon="RENDER_ANIMATION")
    row = column.row(align=True)
    row.operator("muslin.bake_from_current", text="From Here")
    going_on = row.row(align=True)
    last = garment.frames(context.scene)[1]
    going_on.enabled = frames > 0 or bool(garment.baked.kind) and garment.baked.frame_end < last
    going_on.operator("muslin.continue_bake", text="Continue")
    if frames:
        box = layout.box()
        text = f"An interrupted bake left {words.counted(frames, 'frame')}."
        drawing.paragraph(box, context, text, icon="RECOVER_LAST")
        row = box.row()
        row.enabled = is_idle
        row.operator("muslin.rescue", text=f"Recover {words.counted(frames, 'Frame')}")
    draw_baked(layout, context, obj, said)


def draw_range(layout, context, garment):
    """The scene's frames are shown where they count, but changed where they belong."""
    layout.prop(garment, "use_scene_range")
    first, last = garment.frames(context.scene)
    limits = split(layout).row(align=True)
    limits.enabled = not garment.use_scene_range
    limits.alert = last < first
    owner = context.scene if garment.use_scene_range else garment
    limits.prop(owner, "frame_start", text="First, Last")
    limits.prop(owner, "frame_end", text="")


def draw_output(layout, context, obj):
    """The choice, and a line on why or how large, which is returned."""
    garment = obj.muslin
    first, last = garment.frames(context.scene)
    kind, line, is_error = chosen_output(obj, max(0, last - first + 1))
    column = split(layout)
    column.prop(garment, "output")
    if not is_keys(kind):
        column.prop(garment, "cache_folder")
    if line:
        drawing.paragraph(layout, context, line, icon="ERROR" if is_error else "INFO")
    folder = outer_folder(obj)
    if folder:
        box = layout.box()
        text = f"The cache folder is outside the folder of this .blend: {folder}"
        drawing.paragraph(box, context, text, icon="FILE_FOLDER")
        box.operator("muslin.trust_folder", text="Trust This Folder")
    return line


def draw_baked(layout, context, obj, said):
    """What was baked; a note that is already shown above is not repeated."""
    baked = obj.muslin.baked
    if not baked.kind:
        return
    box = layout.box()
    frames = f"Frames {baked.frame_start}–{baked.frame_end}: {words_of(baked.kind)}"
    drawing.paragraph(box, context, frames, icon="CHECKMARK")
    path = "" if is_keys(baked.kind) else baked.path
    for text in (path, "" if baked.note == said else baked.note, baked.verdict):
        if text:
            drawing.paragraph(box, context, text)
    for index, finding in enumerate(check_ui.last_findings(obj) or ()):
        if finding.frame is not None:
            draw_finding(box, context, index, finding)
    now = len(obj.data.vertices)
    if baked.vertex_count and baked.vertex_count != now:
        has = f"The mesh has {words.counted(now, 'vertex', 'vertices')} now"
        text = f"{has}, the bake {baked.vertex_count:,}: bake again."
        drawing.paragraph(box, context, text, icon="ERROR")
    row = box.row()
    row.enabled = running.activity(obj) is None
    row.operator("muslin.free", text="Free", icon="TRASH")

# SPDX-License-Identifier: GPL-3.0-or-later
"""What runs and what came of it: preview, bake, check, statistics.

Every function here is called as draw(layout, context, obj) with a garment; all must be quick.
"""

from ..properties import IN_FILE
from . import grab, mirror, state, words
from .setup import is_woven, split

BIG = 1.5  # times the height of an ordinary button: what to press next
NAMES = {
    "keys": "shape keys, absolute",
    "relative": "shape keys, relative",
    "pc2": "PC2 cache",
    "mdd": "MDD cache",
    "abc": "Alembic",
    "usd": "USD",
}


def draw_progress(layout, context, fraction, text):
    """A bar where this Blender has one (from 4.0), and what is being done."""
    if hasattr(layout, "progress"):
        layout.progress(factor=fraction, text=f"{100 * fraction:.0f} %")
        words.paragraph(layout, context, text)
    else:
        words.paragraph(layout, context, f"{100 * fraction:.0f} %: {text}", icon="TIME")


def draw_running(layout, context, obj):
    """Above all sub-panels while something runs, so that stopping is never far."""
    job = state.job(obj)
    if job is None:
        return
    box = layout.box()
    if job.kind in ("bake", "job"):
        draw_progress(box, context, job.progress, job.text)
    else:
        words.paragraph(box, context, job.text, icon="PLAY")
    mirror.draw_solved(box, context, obj)
    if job.kind == "drape":
        grab.draw(box, context, obj)
    stop_text = "Stop and Keep Frames" if job.kind == "bake" else "Stop"
    row = box.row()
    row.scale_y = BIG
    row.operator("muslin.stop", text=stop_text, icon="PAUSE")
    draw_troubles(box, context, obj)  # below, so that Stop stays where it is


def draw_troubles(layout, context, obj):
    for text in state.troubles(obj):
        words.paragraph(layout, context, text[:1].upper() + text[1:], icon="INFO")


def draw_drape(layout, obj):
    """What is pressed most, above all sub-panels; while something runs, Stop is there instead."""
    if state.job(obj) is None:
        row = layout.row()
        row.scale_y = BIG
        row.operator("muslin.drape_now", text="Drape Now", icon="MOD_CLOTH")


def draw_preview(layout, context, obj):
    job = state.job(obj)
    column = layout.column()
    column.enabled = job is None
    column.operator("muslin.preview", text="Preview on Play", icon="PLAY")
    budget = split(layout)
    budget.active = not is_woven(obj.muslin)  # threads have no coarser levels
    budget.prop(obj.muslin, "budget_ms", text="Budget (ms)")
    if not state.has_preview(obj):
        return
    column = layout.column(align=True)
    column.label(text="The cloth as it lies now:")
    column.operator("muslin.keep", text="Keep as Shape Key", icon="SHAPEKEY_DATA").mode = "key"
    column.operator("muslin.keep", text="Keep as Mesh", icon="MESH_DATA").mode = "mesh"
    column.operator("muslin.discard", text="Discard", icon="LOOP_BACK")
    if job is None:
        draw_troubles(layout, context, obj)


def draw_bake(layout, context, obj):
    garment = obj.muslin
    draw_range(layout, context, garment)
    layout.prop(garment, "settle_first")
    said = draw_output(layout, context, obj)
    column = layout.column()
    column.enabled = state.job(obj) is None
    row = column.row()
    row.scale_y = BIG
    row.operator("muslin.bake", text="Bake", icon="RENDER_ANIMATION")
    row = column.row(align=True)
    row.operator("muslin.bake_from_current", text="From Here")
    going_on = row.row(align=True)
    last = garment.frames(context.scene)[1]
    unfinished = bool(garment.baked.kind) and garment.baked.frame_end < last
    going_on.enabled = unfinished or state.left_over(obj) > 0
    going_on.operator("muslin.continue_bake", text="Continue")
    draw_left_over(layout, context, obj)
    draw_baked(layout, context, obj, said)


def draw_left_over(layout, context, obj):
    """Frames that a crash or a closed window left on disk."""
    frames = state.left_over(obj)
    if not frames:
        return
    box = layout.box()
    text = f"A bake that did not come to its end left {words.count(frames, 'frame')}."
    words.paragraph(box, context, text, icon="RECOVER_LAST")
    row = box.row()
    row.enabled = state.job(obj) is None
    row.operator("muslin.rescue", text=f"Rescue {words.count(frames, 'Frame')}")


def draw_range(layout, context, garment):
    """The scene's frames are shown where they count, but changed where they belong."""
    layout.prop(garment, "use_scene_range")
    column = split(layout)
    owner = context.scene if garment.use_scene_range else garment
    first, last = garment.frames(context.scene)
    limits = column.row(align=True)
    limits.enabled = not garment.use_scene_range
    limits.alert = last < first
    limits.prop(owner, "frame_start", text="First, Last")
    limits.prop(owner, "frame_end", text="")


def draw_output(layout, context, obj):
    """The choice, and a line on why or how large; returns the line."""
    garment = obj.muslin
    first, last = garment.frames(context.scene)
    kind, line, trouble = state.chosen_output(obj, max(0, last - first + 1))
    column = split(layout)
    column.prop(garment, "output")
    if kind not in IN_FILE:
        column.prop(garment, "cache_folder")
    if line:
        words.paragraph(layout, context, line, icon="ERROR" if trouble else "INFO")
    folder = state.writes_to(obj)
    if folder:
        box = layout.box()
        text = f"This file writes outside its own folder, to {folder}"
        words.paragraph(box, context, text, icon="FILE_FOLDER")
        box.operator("muslin.trust_folder", text="Trust This Folder")
    return line


def draw_baked(layout, context, obj, said):
    """What there is by now; a note that was said already is not said again."""
    baked = obj.muslin.baked
    if not baked.kind:
        return
    box = layout.box()
    what = NAMES.get(baked.kind, baked.kind)
    words.paragraph(
        box, context, f"Frames {baked.frame_start}–{baked.frame_end}: {what}", icon="CHECKMARK"
    )
    if baked.path and baked.kind not in IN_FILE:
        words.paragraph(box, context, baked.path)
    if baked.note and baked.note != said:
        words.paragraph(box, context, baked.note)
    if baked.verdict:
        words.paragraph(box, context, baked.verdict)
    for index, finding in enumerate(state.findings(obj) or ()):
        if finding.frame is not None:
            draw_finding(box, context, index, finding)
    if baked.vertex_count and baked.vertex_count != len(obj.data.vertices):
        words.paragraph(
            box,
            context,
            f"The mesh has {words.count(len(obj.data.vertices), 'vertex', 'vertices')} now, "
            f"the bake {words.thousands(baked.vertex_count)}: bake again.",
            icon="ERROR",
        )
    row = box.row()
    row.enabled = state.job(obj) is None
    row.operator("muslin.free", text="Free", icon="TRASH")


def draw_check(layout, context, obj):
    layout.operator("muslin.check", text="Check This Garment", icon="VIEWZOOM")
    findings = state.findings(obj)
    if findings is None:
        return
    if all(finding.frame is not None for finding in findings):
        words.paragraph(layout, context, "Nothing is wrong.", icon="CHECKMARK")
    for index, finding in enumerate(findings):
        if finding.frame is None:
            draw_finding(layout.box(), context, index, finding)


def draw_finding(box, context, index, finding):
    """With what can be done about it."""
    words.paragraph(box, context, finding.text, icon=finding.icon)
    row = box.row(align=True)
    if finding.selectable:
        row.operator("muslin.select_problem", text="Select").index = index
    if finding.frame is not None:
        row.operator("muslin.go_to_problem", text=f"Frame {finding.frame}").index = index
    if finding.fix:
        row.operator("muslin.fix_problem", text=finding.fix).index = index


def draw_statistics(layout, context, obj):
    rows = state.statistics(obj)
    if not rows:
        words.paragraph(layout, context, "Nothing has run yet. Drape or bake to see numbers here.")
        return
    column = layout.column(align=True)
    column.scale_y = 0.85
    for label, value in rows:
        parts = column.split(factor=0.55)
        parts.label(text=label)
        cell = parts.row()
        cell.alignment = "RIGHT"
        cell.label(text=value)

# SPDX-License-Identifier: GPL-3.0-or-later
"""What is set once for this computer: Edit > Preferences > Add-ons > Muslin."""

import os

import bpy

from . import drawing, recording, running, words
from .garment import garment_settings


def draw_library(layout, context):
    status = running.library_status()
    if not status.tried:
        row = layout.row()
        row.label(text=f"Library: loaded on first use ({status.machine})")
        row.operator("muslin.try_library", text="Load Now", icon="FILE_REFRESH")
        return
    if status.ready:
        layout.label(text=f"Library {status.version} for {status.machine}", icon="CHECKMARK")
        drawing.paragraph(layout, context, status.path)
        return
    draw_library_error(layout, context, status)


def draw_library_error(layout, context, status):
    box = layout.box()
    drawing.paragraph(box, context, status.message, icon="ERROR")
    box.operator("muslin.try_library", icon="FILE_REFRESH")


ADVICE = (
    "Reproduce the problem, switch this off, and send the file. It contains the meshes and the motion of "
    "your garments and colliders, and the fabric values; nothing else."
)


def draw_recording(layout, context, preferences):
    column = layout.column()
    column.prop(preferences, "record")
    column.prop(preferences, "record_folder")
    if not preferences.record:
        return
    drawing.paragraph(layout, context, ADVICE)
    if recording.problem:
        drawing.paragraph(layout, context, recording.problem, icon="ERROR")
        return
    path = recording.path()
    if path is None:
        layout.label(text="Recording starts when a garment is first simulated")
        return
    try:
        size = words.size(os.path.getsize(path))
    except OSError:
        size = "gone"
    drawing.paragraph(layout, context, f"{path}, {size}", icon="REC")


class MUSLIN_OT_try_library(bpy.types.Operator):
    """Look for the native library again"""

    bl_idname = "muslin.try_library"
    bl_label = "Try Again"

    def execute(self, context):
        status = running.look_for_library()
        ready = f"Muslin's library {status.version} is ready"
        self.report({"INFO" if status.ready else "WARNING"}, status.message or ready)
        running.redraw()
        return {"FINISHED"}


class MuslinPreferences(bpy.types.AddonPreferences):
    bl_idname = __package__  # the add-on itself

    threads: bpy.props.IntProperty(
        name="Threads",
        description="Processor cores that a simulation uses; 0 means all, at most 16. "
        "The result is the same with any number",
        default=0,
        min=0,
        max=256,
    )
    record: bpy.props.BoolProperty(
        name="Record for a Bug Report",
        description="Record every simulation call to a file for a bug report. It "
        "contains the meshes and the motion of garments and colliders, and the fabric values; no names, no other objects, no images",
        default=False,
        update=lambda self, context: recording.switched(),
    )
    record_folder: bpy.props.StringProperty(
        name="Folder",
        description="Folder for recordings, a new file for every start; empty: your home folder",
        subtype="DIR_PATH",
        update=lambda self, context: recording.switched(),
    )

    def draw(self, context):
        layout = self.layout
        column = drawing.split(layout)
        column.prop(self, "threads")
        if self.threads == 0:
            column.label(text=f"0 means all that help: {garment_settings.threads()} here")
        layout.separator()
        draw_library(layout, context)
        layout.separator()
        draw_recording(layout, context, self)


def unregister():
    recording.stop()
    running.forget_library()

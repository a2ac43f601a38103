# SPDX-License-Identifier: GPL-3.0-or-later
"""What is set once for this computer: Edit > Preferences > Add-ons > Muslin."""

import bpy
from bpy.props import IntProperty

from ..run import library, running
from . import words


class MUSLIN_OT_try_library(bpy.types.Operator):
    """Look for the native library again"""

    bl_idname = "muslin.try_library"
    bl_label = "Try Again"

    def execute(self, context):
        status = library.look()
        if not status.ready:
            self.report({"WARNING"}, status.message)
        else:
            self.report({"INFO"}, f"Muslin's library {status.version} is ready")
        running.redraw()
        return {"FINISHED"}


def draw_library(layout, context):
    """The library's version and place, or why it does not load."""
    status = library.status()
    if not status.tried:
        row = layout.row()
        row.label(text=f"Library: loaded when it is first needed ({status.machine})")
        row.operator("muslin.try_library", text="Look Now", icon="FILE_REFRESH")
        return
    if status.ready:
        layout.label(text=f"Library {status.version} for {status.machine}", icon="CHECKMARK")
        words.paragraph(layout, context, status.path)
        return
    draw_library_trouble(layout, context, status)


def draw_library_trouble(layout, context, status):
    box = layout.box()
    words.paragraph(box, context, status.message, icon="ERROR")
    box.operator("muslin.try_library", icon="FILE_REFRESH")


class MuslinPreferences(bpy.types.AddonPreferences):
    bl_idname = __package__.rpartition(".")[0]  # the add-on itself

    threads: IntProperty(
        name="Threads",
        description="Processor cores that a simulation may use; 0 means all of them. "
        "The result is the same with any number",
        default=0,
        min=0,
        max=256,
    )

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        column = layout.column()
        column.prop(self, "threads")
        if self.threads == 0:
            from .scene.settings import threads

            column.label(text=f"0 means all that help: {threads()} here")
        layout.separator()
        draw_library(layout, context)


CLASSES = (MUSLIN_OT_try_library, MuslinPreferences)


def register():
    for kind in CLASSES:
        bpy.utils.register_class(kind)


def unregister():
    library.forget()
    for kind in reversed(CLASSES):
        bpy.utils.unregister_class(kind)

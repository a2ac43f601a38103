# SPDX-License-Identifier: GPL-3.0-or-later
"""What is set once for this computer: Edit > Preferences > Add-ons > Muslin."""

import bpy
from bpy.props import BoolProperty, IntProperty, StringProperty

from ..run import library, record, running
from ..scene import settings
from . import library as shown
from . import recording


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


class MuslinPreferences(bpy.types.AddonPreferences):
    bl_idname = __package__.rpartition(".")[0]  # the add-on itself

    threads: IntProperty(
        name="Threads",
        description="Processor cores that a simulation may use; 0 means all, 16 at most. "
        "The result is the same with any number",
        default=0,
        min=0,
        max=256,
    )
    record: BoolProperty(
        name="Record for a Bug Report",
        description="Write everything that the simulation is asked for into a file that can be sent "
        "with a report of a bug. In it are the meshes and the motion of garments and colliders, and "
        "the numbers of the fabric; no names, no other objects, no pictures",
        default=False,
        update=lambda self, context: record.switched(),
    )
    record_folder: StringProperty(
        name="Folder",
        description="Where the recordings go, a new file for every start; empty: your home folder",
        subtype="DIR_PATH",
        update=lambda self, context: record.switched(),
    )

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        column = layout.column()
        column.prop(self, "threads")
        if self.threads == 0:
            column.label(text=f"0 means all that help: {settings.threads()} here")
        layout.separator()
        shown.draw(layout, context)
        layout.separator()
        recording.draw(layout, context, self)


CLASSES = (MUSLIN_OT_try_library, MuslinPreferences)


def unregister():
    record.stop()
    library.forget()

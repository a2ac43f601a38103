# SPDX-License-Identifier: GPL-3.0-or-later
"""Fabrics: numbers taken back, presets of the artist's own, shared as files, and a row of copies to compare."""

import bpy
from bpy.props import BoolProperty, StringProperty

from ..fabric_list import take_numbers
from .job import JobButton
from .reporting import GarmentButton, active_garment, reporting

COMPARED = "silk, cotton, jersey, wool, denim, leather"


class _Button:
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "MESH"


class MUSLIN_OT_reset_fabric(_Button, bpy.types.Operator):
    """Take back the numbers of the chosen fabric"""

    bl_idname = "muslin.reset_fabric"
    bl_label = "Reset Fabric"

    def execute(self, context):
        take_numbers(context.object.muslin)
        return {"FINISHED"}


class MUSLIN_OT_save_fabric(_Button, bpy.types.Operator):
    """Keep these numbers as a fabric of your own, in the menu of every file"""

    bl_idname = "muslin.save_fabric"
    bl_label = "Save Fabric"

    name: StringProperty(name="Name", description="As the menu shows it", default="My Fabric")

    @reporting
    def execute(self, context):
        from ..output import fabric_presets

        path = fabric_presets.save(context.object.muslin, self.name)
        self.report({"INFO"}, f"{self.name} is in the menu; its file is {path}")
        return {"FINISHED"}

    def invoke(self, context, event):
        return context.window_manager.invoke_props_dialog(self)


class _FileButton(_Button):
    """Asks for a file."""

    def invoke(self, context, event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}


class MUSLIN_OT_export_fabric(_FileButton, bpy.types.Operator):
    """Write these numbers to a file for others: in Blender, on the command line, from Python"""

    bl_idname = "muslin.export_fabric"
    bl_label = "Export Fabric"

    filepath: StringProperty(subtype="FILE_PATH", default="fabric.json")
    check_existing: BoolProperty(default=True, options={"HIDDEN"})
    filter_glob: StringProperty(default="*.json", options={"HIDDEN"})

    @reporting
    def execute(self, context):
        from ..output import fabric_presets

        path = fabric_presets.export(context.object.muslin, self.filepath)
        self.report({"INFO"}, f"The fabric is in {path}")
        return {"FINISHED"}


class MUSLIN_OT_import_fabric(_FileButton, bpy.types.Operator):
    """Add a fabric's file to the menu, and use it"""

    bl_idname = "muslin.import_fabric"
    bl_label = "Import Fabric"

    filepath: StringProperty(subtype="FILE_PATH")
    filter_glob: StringProperty(default="*.json", options={"HIDDEN"})

    @reporting
    def execute(self, context):
        from ..output import fabric_presets

        label = fabric_presets.take(context.object.muslin, self.filepath)
        self.report({"INFO"}, f"{label} is in the menu")
        return {"FINISHED"}


class MUSLIN_OT_remove_fabric(_Button, bpy.types.Operator):
    """Remove this preset of yours from the menu; garments keep its numbers"""

    bl_idname = "muslin.remove_fabric"
    bl_label = "Remove Fabric"

    @classmethod
    def poll(cls, context):
        from ..output import fabric_presets

        return super().poll(context) and fabric_presets.is_preset(context.object.muslin)

    @reporting
    def execute(self, context):
        from ..output import fabric_presets

        self.report({"INFO"}, fabric_presets.remove(context.object.muslin))
        return {"FINISHED"}

    def invoke(self, context, event):
        return context.window_manager.invoke_confirm(self, event)


class MUSLIN_OT_compare_fabrics(JobButton, GarmentButton, bpy.types.Operator):
    """Settle a copy of the garment in each of several fabrics, side by side; ESC stops, and keeps those that are ready"""

    bl_idname = "muslin.compare_fabrics"
    bl_label = "Compare Fabrics"
    bl_options = {"REGISTER", "UNDO"}

    fabrics: StringProperty(
        name="Fabrics",
        description="Their names as in the menu, with commas between them",
        default=COMPARED,
    )
    _asked = False

    def start(self, context):
        from ..run.compare import Comparison

        names = [name.strip() for name in self.fabrics.split(",")]
        return Comparison(active_garment(context), context.scene, [name for name in names if name])

    def invoke(self, context, event):
        self._asked = True
        return context.window_manager.invoke_props_dialog(self, width=420)

    def execute(self, context):
        """After the dialogue beside the window; by a script to the end."""
        return self.begin(context) if self._asked else self.complete(context)


CLASSES = (
    MUSLIN_OT_reset_fabric,
    MUSLIN_OT_save_fabric,
    MUSLIN_OT_export_fabric,
    MUSLIN_OT_import_fabric,
    MUSLIN_OT_remove_fabric,
    MUSLIN_OT_compare_fabrics,
)

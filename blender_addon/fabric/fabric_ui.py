# SPDX-License-Identifier: GPL-3.0-or-later
"""Fabrics: numbers taken back, presets of the artist's own, shared as files, and a row of copies to compare: the buttons, and
the fabric's section of the panel."""

from collections import namedtuple

import bpy

from .. import drawing
from ..buttons import Button, GarmentButton, active_garment
from ..drawing import split
from ..garment.garment_settings import is_membrane, is_woven
from ..jobs import JobButton
from ..muslin.fabrics import has_warp
from ..muslin.table import SETTINGS
from ..table_properties import MATERIAL, EnumProperty
from . import fabric_list, fabric_presets
from .fabric_list import take_numbers

COMPARED = "silk, cotton, jersey, wool, denim, leather"


class FabricSettings:
    """The fabric of a garment; its numbers are the table's, see MaterialNumbers."""

    fabric: EnumProperty(
        "Fabric",
        "Fabric preset; fills in the values below",
        items=fabric_list.items,
        default=0,  # the number of the default fabric; .blend files keep numbers
        update=fabric_list.use_fabric,
    )


def _has_mesh(context):  # a pinned panel shows another object than the active one
    return context.object is not None and context.object.type == "MESH"


class _Button(Button):
    bl_options = {"REGISTER", "UNDO"}

    asks = (_has_mesh,)


class MUSLIN_OT_reset_fabric(_Button, bpy.types.Operator):
    """Reset the values to those of the chosen fabric"""

    bl_idname = "muslin.reset_fabric"
    bl_label = "Reset Fabric"

    def work(self, context):
        take_numbers(context.object.muslin)


class MUSLIN_OT_save_fabric(_Button, bpy.types.Operator):
    """Save these values as your own fabric, available in every file"""

    bl_idname = "muslin.save_fabric"
    bl_label = "Save Fabric"

    name: bpy.props.StringProperty(name="Name", description="Name in the menu", default="My Fabric")

    def work(self, context):
        path = fabric_presets.save(context.object.muslin, self.name)
        self.report({"INFO"}, f"{self.name} is in the menu; its file is {path}")

    def invoke(self, context, event):
        return context.window_manager.invoke_props_dialog(self)


class _FileButton(_Button):
    def invoke(self, context, event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}


class MUSLIN_OT_export_fabric(_FileButton, bpy.types.Operator):
    """Export these values to a file for Blender, the command line or Python"""

    bl_idname = "muslin.export_fabric"
    bl_label = "Export Fabric"

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", default="fabric.json")
    check_existing: bpy.props.BoolProperty(default=True, options={"HIDDEN"})
    filter_glob: bpy.props.StringProperty(default="*.json", options={"HIDDEN"})

    def work(self, context):
        path = fabric_presets.export(context.object.muslin, self.filepath)
        self.report({"INFO"}, f"The fabric is in {path}")


class MUSLIN_OT_import_fabric(_FileButton, bpy.types.Operator):
    """Import a fabric file into the menu, and use it"""

    bl_idname = "muslin.import_fabric"
    bl_label = "Import Fabric"

    filepath: bpy.props.StringProperty(subtype="FILE_PATH")
    filter_glob: bpy.props.StringProperty(default="*.json", options={"HIDDEN"})

    def work(self, context):
        label = fabric_presets.take(context.object.muslin, self.filepath)
        self.report({"INFO"}, f"{label} is in the menu")


class MUSLIN_OT_remove_fabric(_Button, bpy.types.Operator):
    """Remove this preset from the menu; garments keep their values"""

    bl_idname = "muslin.remove_fabric"
    bl_label = "Remove Fabric"

    asks = (_has_mesh, lambda context: fabric_presets.is_preset(context.object.muslin))

    def work(self, context):
        self.report({"INFO"}, fabric_presets.remove(context.object.muslin))

    def invoke(self, context, event):
        return context.window_manager.invoke_confirm(self, event)


class MUSLIN_OT_compare_fabrics(JobButton, GarmentButton, bpy.types.Operator):
    """Settle a copy of the garment in each of several fabrics, side by side; ESC stops and keeps the finished copies"""

    bl_idname = "muslin.compare_fabrics"
    bl_label = "Compare Fabrics"
    bl_options = {"REGISTER", "UNDO"}

    fabrics: bpy.props.StringProperty(
        name="Fabrics", description="Names from the menu, separated by commas", default=COMPARED
    )
    _asked = False

    def start(self, context):
        from .compare_fabrics import Comparison

        names = [name.strip() for name in self.fabrics.split(",")]
        return Comparison(active_garment(context), context.scene, [name for name in names if name])

    def invoke(self, context, event):
        self._asked = True
        return context.window_manager.invoke_props_dialog(self, width=420)

    def execute(self, context):
        """After the dialogue, beside the window; from a script, to the end."""
        return self.begin(context) if self._asked else self.complete(context)


# The numbers of the section: blocks of rows (number, shorter name or None), with a gap between groups of them; and for which
# cloth a block counts, None: for any. Other numbers of the material come after them, where the table gives them no other section.
Block = namedtuple("Block", "rows counts", defaults=(None,))
GROUPS = (
    (Block((("density", None),)),),
    (
        Block((("stretch_warp", "Warp"), ("stretch_weft", "Weft"))),
        Block((("shear", None),)),
        Block((("area_stiffness", None),), is_woven),
        Block((("poisson", None), ("strain_limit", None)), is_membrane),
        Block((("bend", None), ("bend_weft", "Weft"), ("bend_twist", "Twist"))),
        Block((("fold_memory", None),)),
    ),
    (
        Block((("damping", None),)),
        Block((("stiffness_damping", "Internal"),)),
        Block((("air_drag", None),)),
    ),
    (
        Block((("rope_density", None), ("rope_stretch", "Stretch"))),
        Block((("rope_bend", "Bending"),), is_woven),
    ),
)
PLACED = {name for group in GROUPS for block in group for name, _ in block.rows}
UNITS = "Weight in kg/m²; warp, weft and shear in N/m; bending in N m, its weft and twist relative to it."
NO_UV_MAP = "No UV map: the warp is vertical on upright cloth, and along Y on flat cloth."
MEASURED = (
    "Measured fabric: stretch, shear or bending come from its file, not from the values above."
)

MOST_BROKEN = 3  # of the user's files that are no fabrics, shown with their reasons


def draw_fabric(layout, context, obj):
    garment = obj.muslin
    layout.template_icon_view(garment, "fabric", show_labels=True, scale=4, scale_popup=4)
    fabric = fabric_list.chosen(garment)
    if fabric is None:
        text = "The file of this fabric is missing; its values are kept."
        drawing.paragraph(layout, context, text)
    else:
        drawing.paragraph(layout, context, f"{fabric.help}. Numbers: {fabric.source}.")
        if has_warp(fabric) and not obj.data.uv_layers:
            drawing.paragraph(layout, context, NO_UV_MAP, icon="INFO")
    row = layout.row(align=True)
    row.operator("muslin.save_fabric", text="Save…", icon="ADD")
    row.operator("muslin.remove_fabric", text="", icon="REMOVE")
    row.operator("muslin.import_fabric", text="", icon="IMPORT")
    row.operator("muslin.export_fabric", text="", icon="EXPORT")
    layout.operator("muslin.compare_fabrics", text="Compare Fabrics…", icon="ALIGN_JUSTIFY")
    drawing.paragraph(layout, context, UNITS)
    column = split(layout)
    for number, group in enumerate(GROUPS):
        if number:
            column.separator()
        for block in group:
            rows = column.column(align=True)
            rows.active = block.counts is None or block.counts(garment)
            for name, text in block.rows:
                rows.prop(garment, name, **({} if text is None else {"text": text}))
    for setting in map(SETTINGS.get, MATERIAL):
        if setting.name not in PLACED and setting.panel == "fabric" and setting.length == 1:
            column.prop(garment, setting.name)  # measured ones, of many numbers, come from files
    if any(garment.stretch_samples) or any(garment.bend_samples):
        drawing.paragraph(layout, context, MEASURED)
    for broken in fabric_list.broken()[:MOST_BROKEN]:
        drawing.paragraph(layout, context, broken.reason, icon="ERROR")

# SPDX-License-Identifier: GPL-3.0-or-later
"""Cut into Panels: a garment whose UV map is its sewing pattern, laid around the body that it meets."""

import bpy
from bpy.props import IntProperty

from .reporting import GarmentButton, active_garment, ask_library, reporting


class MUSLIN_OT_cut_pattern(GarmentButton, bpy.types.Operator):
    """Make a new object of this garment's panels, flat as they are in its UV map and laid around its collider, with
    their seams as loose edges: Drape Now sews them"""

    bl_idname = "muslin.cut_pattern"
    bl_label = "Cut into Panels"
    bl_options = {"REGISTER", "UNDO"}

    @reporting
    def execute(self, context):
        from ..scene import panels
        from ..scene.problems import counted, refuse_linked

        ask_library()
        obj = active_garment(context)
        refuse_linked(obj)
        made, count = panels.cut_out(obj, context.scene, context.evaluated_depsgraph_get())
        for other in context.selected_objects:
            other.select_set(False)
        obj.hide_set(True)
        made.select_set(True)
        context.view_layer.objects.active = made
        self.report({"INFO"}, f"{made.name}: {counted(count, 'panel')}; Drape Now sews the seams")
        return {"FINISHED"}


def sewing_of(context):
    """Of the active garment; what is linked is refused, since it would be lost."""
    from ..scene.problems import refuse_linked

    obj = active_garment(context)
    refuse_linked(obj)
    return obj.muslin.sewing


def remove_from(context, name, index):
    """Out of one of the lists."""
    from ..scene.problems import remove_line

    remove_line(active_garment(context), getattr(sewing_of(context), name), index)


class _ListButton(GarmentButton):
    """Adds to, or takes from, one of the lists of object.muslin.sewing."""

    bl_options = {"REGISTER", "UNDO"}


class MUSLIN_OT_add_tack(_ListButton, bpy.types.Operator):
    """Hold a vertex group to a body or to another garment: straps, buttons, belts"""

    bl_idname = "muslin.add_tack"
    bl_label = "Add Tack"

    @reporting
    def execute(self, context):
        sewing_of(context).tacks.add()
        return {"FINISHED"}


class MUSLIN_OT_remove_tack(_ListButton, bpy.types.Operator):
    """Take this tack away"""

    bl_idname = "muslin.remove_tack"
    bl_label = "Remove Tack"

    number: IntProperty(options={"HIDDEN"})

    @reporting
    def execute(self, context):
        remove_from(context, "tacks", self.number)
        return {"FINISHED"}


class MUSLIN_OT_add_elastic(_ListButton, bpy.types.Operator):
    """Gather the edges of a vertex group: waistbands, cuffs"""

    bl_idname = "muslin.add_elastic"
    bl_label = "Add Elastic"

    @reporting
    def execute(self, context):
        sewing_of(context).elastics.add()
        return {"FINISHED"}


class MUSLIN_OT_remove_elastic(_ListButton, bpy.types.Operator):
    """Take this elastic away"""

    bl_idname = "muslin.remove_elastic"
    bl_label = "Remove Elastic"

    number: IntProperty(options={"HIDDEN"})

    @reporting
    def execute(self, context):
        remove_from(context, "elastics", self.number)
        return {"FINISHED"}


CLASSES = (
    MUSLIN_OT_cut_pattern,
    MUSLIN_OT_add_tack,
    MUSLIN_OT_remove_tack,
    MUSLIN_OT_add_elastic,
    MUSLIN_OT_remove_elastic,
)

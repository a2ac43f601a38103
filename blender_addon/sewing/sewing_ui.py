# SPDX-License-Identifier: GPL-3.0-or-later
"""Sewing, `object.muslin.sewing`: seams from loose edges, tacks and elastics, their buttons and their section of the panel;
and Cut into Panels: a garment whose UV map is its sewing pattern, laid around its collider."""

import bpy

from ..buttons import GarmentButton, active_garment, ask_library, is_garment
from ..drawing import draw_choice, split
from ..scene.problems import refuse_linked, remove_line
from ..table_properties import (
    BoolProperty,
    CollectionProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from ..words import counted


class MuslinTack(bpy.types.PropertyGroup):
    group: StringProperty("Group", "Vertex group of this garment to attach")
    target: PointerProperty(
        "To",
        "A collider, attached at the nearest points; or a garment that is simulated together with "
        "this one",
        type=bpy.types.Object,
    )
    target_group: StringProperty("Its Group", "Vertex group of the other garment to attach to")
    release: IntProperty("Release Frame", "Frame at which it is released; 0: never", min=0)


class MuslinElastic(bpy.types.PropertyGroup):
    group: StringProperty("Elastic", "Vertex group whose edges are elastic")
    share: FloatProperty(
        "Length",
        "Rest length relative to the length of the edges",
        default=0.8,
        min=0.05,
        max=1.0,
        subtype="FACTOR",
    )
    release: IntProperty("Release Frame", "Frame at which it is released; 0: never", min=0)


class MuslinSewing(bpy.types.PropertyGroup):
    enabled: BoolProperty(
        "Sew Loose Edges",
        "Loose edges between vertices of faces are seams: they close, then hold as one piece. "
        "Chains of loose edges of their own stay ropes",
    )
    is_even: BoolProperty(
        "Evenly",
        "Distribute consecutive stitches evenly along both borders; otherwise only the marked "
        "vertices are sewn",
        default=True,
    )
    speed: FloatProperty(
        "Speed",
        "Closing speed of seams, metres per second",
        default=1.0,
        min=0.01,
        soft_max=5.0,
        unit="VELOCITY",
    )
    release: IntProperty("Open Frame", "Frame at which the seams open again; 0: never", min=0)
    tacks: CollectionProperty(type=MuslinTack)
    elastics: CollectionProperty(type=MuslinElastic)


class MUSLIN_OT_cut_pattern(GarmentButton, bpy.types.Operator):
    """Make a new object from the panels of this garment's UV map, flat and placed around its collider, with
    seams as loose edges: Drape Now sews them"""

    bl_idname = "muslin.cut_pattern"
    bl_label = "Cut into Panels"
    bl_options = {"REGISTER", "UNDO"}

    def work(self, context):
        from . import cut_pattern

        ask_library()
        obj = active_garment(context)
        refuse_linked(obj)
        made, count = cut_pattern.cut_out(obj, context.scene, context.evaluated_depsgraph_get())
        for other in context.selected_objects:
            other.select_set(False)
        obj.hide_set(True)
        made.select_set(True)
        context.view_layer.objects.active = made
        self.report({"INFO"}, f"{made.name}: {counted(count, 'panel')}; Drape Now sews the seams")


def sewing_of(context):
    obj = active_garment(context)
    refuse_linked(obj)
    return obj.muslin.sewing


class _AddButton(GarmentButton):
    """Adds to `lines`, one of the lists of object.muslin.sewing."""

    bl_options = {"REGISTER", "UNDO"}

    def work(self, context):
        getattr(sewing_of(context), self.lines).add()


class _RemoveButton(_AddButton):
    number: bpy.props.IntProperty(options={"HIDDEN"})

    def work(self, context):
        lines = getattr(sewing_of(context), self.lines)
        remove_line(active_garment(context), lines, self.number)


class MUSLIN_OT_add_tack(_AddButton, bpy.types.Operator):
    """Attach a vertex group to a body or to another garment: straps, buttons, belts"""

    bl_idname, bl_label, lines = "muslin.add_tack", "Add Tack", "tacks"


class MUSLIN_OT_remove_tack(_RemoveButton, bpy.types.Operator):
    """Remove this tack"""

    bl_idname, bl_label, lines = "muslin.remove_tack", "Remove Tack", "tacks"


class MUSLIN_OT_add_elastic(_AddButton, bpy.types.Operator):
    """Gather the edges of a vertex group: waistbands, cuffs"""

    bl_idname, bl_label, lines = "muslin.add_elastic", "Add Elastic", "elastics"


class MUSLIN_OT_remove_elastic(_RemoveButton, bpy.types.Operator):
    """Remove this elastic"""

    bl_idname, bl_label, lines = "muslin.remove_elastic", "Remove Elastic", "elastics"


def draw(layout, _context, obj):
    sewing = obj.muslin.sewing
    column = split(layout)
    column.prop(sewing, "enabled")
    seams = column.column()
    seams.active = sewing.enabled
    seams.prop(sewing, "is_even")
    seams.prop(sewing, "speed")
    seams.prop(sewing, "release")
    layout.operator("muslin.cut_pattern", icon="MOD_UVPROJECT")
    for number, elastic in enumerate(sewing.elastics):
        box = layout.box()
        column = split(box)
        draw_choice(column, elastic, "group", obj, "vertex_groups")
        column.prop(elastic, "share")
        column.prop(elastic, "release")
        box.operator("muslin.remove_elastic", icon="X").number = number
    layout.operator("muslin.add_elastic", icon="ADD")
    for number, tack in enumerate(sewing.tacks):
        box = layout.box()
        column = split(box)
        draw_choice(column, tack, "group", obj, "vertex_groups")
        column.prop(tack, "target")
        if is_garment(tack.target):
            draw_choice(column, tack, "target_group", tack.target, "vertex_groups")
        column.prop(tack, "release")
        box.operator("muslin.remove_tack", icon="X").number = number
    layout.operator("muslin.add_tack", icon="ADD")

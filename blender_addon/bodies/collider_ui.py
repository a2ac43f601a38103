# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of the colliders of a garment: its lines, the buttons that add and remove them, and the Colliders section of the panel."""

import bpy

from .. import drawing
from ..buttons import GarmentButton, active_garment, has_garment
from ..drawing import split
from ..scene.problems import refuse_linked, remove_line
from ..table_properties import (
    BoolProperty,
    CollectionProperty,
    IntProperty,
    PointerProperty,
    flag,
    number,
)


def may_collide(_self, obj):
    return obj.type in {"MESH", "CURVE", "SURFACE", "META", "FONT"}  # as colliders.KINDS


class MuslinCollider(bpy.types.PropertyGroup):
    object: PointerProperty("Object", type=bpy.types.Object, poll=may_collide)
    enabled: BoolProperty("Use", "Whether the cloth collides with it", default=True)
    own_surface: BoolProperty("Own Surface", "Use its own thickness and friction")
    thickness: number("thickness")
    friction: number("friction")


class CollisionSettings:
    """What a garment collides with, itself included."""

    colliders: CollectionProperty(type=MuslinCollider)
    active_collider: IntProperty()
    collider_collection: PointerProperty(
        "Collection", "All objects in it are colliders", type=bpy.types.Collection
    )
    thickness: number("thickness")
    friction: number("friction")
    self_contact: flag("self_contact")


class MUSLIN_OT_collider_add(GarmentButton, bpy.types.Operator):
    """Make the other selected objects colliders of the garment; without any, add an empty slot"""

    bl_idname = "muslin.collider_add"
    bl_label = "Add Collider"
    bl_options = {"REGISTER", "UNDO"}

    def work(self, context):
        garment = active_garment(context)
        refuse_linked(garment)
        settings = garment.muslin
        known = [item.object for item in settings.colliders]
        others = [obj for obj in context.selected_objects if obj != garment]
        new = [obj for obj in others if may_collide(None, obj) and obj not in known]
        for obj in new if others else [None]:
            settings.colliders.add().object = obj
            settings.active_collider = len(settings.colliders) - 1
        if others and not new:
            text = "The selected objects are already colliders, or have no surface"
            self.report({"WARNING"}, text)


class MUSLIN_OT_collider_remove(GarmentButton, bpy.types.Operator):
    """Remove this collider"""

    bl_idname = "muslin.collider_remove"
    bl_label = "Remove Collider"
    bl_options = {"REGISTER", "UNDO"}

    index: bpy.props.IntProperty(
        name="Line", description="-1: the active one", default=-1, min=-1, options={"SKIP_SAVE"}
    )
    asks = (has_garment, lambda context: len(context.active_object.muslin.colliders) > 0)

    def work(self, context):
        garment = active_garment(context)
        refuse_linked(garment)
        settings = garment.muslin
        index = settings.active_collider if self.index < 0 else self.index
        index = min(index, len(settings.colliders) - 1)
        remove_line(garment, settings.colliders, index)
        settings.active_collider = max(0, min(index, len(settings.colliders) - 1))


class MUSLIN_UL_colliders(bpy.types.UIList):
    def draw_item(
        self, _context, layout, _data, item, _icon, _active, _property, _index=0, _flag=0
    ):
        row = layout.row(align=True)
        row.prop(item, "enabled", text="")
        target = row.row(align=True)
        target.active = item.enabled
        target.prop(item, "object", text="", emboss=item.object is None, icon="OBJECT_DATA")
        if item.object is None:
            target.label(text="", icon="ERROR")
        elif item.own_surface:
            target.label(text="", icon="MOD_THICKNESS")


def draw_colliders(layout, context, obj):
    garment = obj.muslin
    if not garment.colliders and garment.collider_collection is None:
        text = "No colliders yet. Add the body, or whatever the cloth falls on."
        drawing.paragraph(layout, context, text)
    row = layout.row()
    lines, active = (garment, "colliders"), (garment, "active_collider")
    row.template_list("MUSLIN_UL_colliders", "", *lines, *active, rows=2)
    buttons = row.column(align=True)
    buttons.operator("muslin.collider_add", text="", icon="ADD")
    buttons.operator("muslin.collider_remove", text="", icon="REMOVE")
    if 0 <= garment.active_collider < len(garment.colliders):
        item = garment.colliders[garment.active_collider]
        if item.object is not None:
            layout.prop(item, "own_surface", text=f"Own Surface for {item.object.name}")
            if item.own_surface:
                own = split(layout.box())
                own.active = item.enabled
                own.prop(item, "thickness")
                own.prop(item, "friction")
    column = split(layout)
    column.prop(garment, "collider_collection")
    column.separator()
    column.prop(garment, "thickness")
    column.prop(garment, "friction")
    column.separator()
    column.prop(garment, "self_contact")

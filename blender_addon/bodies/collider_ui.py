# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of the colliders of a garment: its lines, the buttons that add and remove them, and the Colliders section of the panel."""

import bpy

from .. import drawing
from ..buttons import Button, GarmentButton, active_garment, is_garment
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
    return obj.type in {"MESH", "CURVE", "SURFACE", "META", "FONT"}


class MuslinCollider(bpy.types.PropertyGroup):
    """One object that the garment meets."""

    object: PointerProperty(name="Object", type=bpy.types.Object, poll=may_collide)
    enabled: BoolProperty(
        name="Use", description="Whether the cloth collides with it", default=True
    )
    own_surface: BoolProperty(
        name="Own Surface", description="Use its own thickness and friction", default=False
    )
    thickness: number("thickness")
    friction: number("friction")


class CollisionSettings:
    """What a garment meets, itself among it."""

    colliders: CollectionProperty(type=MuslinCollider)
    active_collider: IntProperty()
    collider_collection: PointerProperty(
        name="Collection", description="All objects in it are colliders", type=bpy.types.Collection
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
        for obj in new or ([] if others else [None]):
            item = settings.colliders.add()
            item.object = obj
            settings.active_collider = len(settings.colliders) - 1
        if others and not new:
            self.report(
                {"WARNING"}, "The selected objects are already colliders, or have no surface"
            )


class MUSLIN_OT_collider_remove(Button, bpy.types.Operator):
    """Remove this collider"""

    bl_idname = "muslin.collider_remove"
    bl_label = "Remove Collider"
    bl_options = {"REGISTER", "UNDO"}

    index: bpy.props.IntProperty(
        name="Line", description="-1: the active one", default=-1, min=-1, options={"SKIP_SAVE"}
    )

    @classmethod
    def poll(cls, context):
        obj = context.active_object
        return is_garment(obj) and len(obj.muslin.colliders) > 0

    def work(self, context):
        garment = active_garment(context)
        refuse_linked(garment)
        settings = garment.muslin
        index = settings.active_collider if self.index < 0 else self.index
        if index >= len(settings.colliders):
            index = len(settings.colliders) - 1
        remove_line(garment, settings.colliders, index)
        settings.active_collider = max(0, min(index, len(settings.colliders) - 1))


class MUSLIN_UL_colliders(bpy.types.UIList):
    """Objects that the cloth meets: whether, which, and whether with a surface of its own."""

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
        drawing.paragraph(
            layout, context, "No colliders yet. Add the body, or whatever the cloth falls on."
        )
    row = layout.row()
    row.template_list(
        "MUSLIN_UL_colliders", "", garment, "colliders", garment, "active_collider", rows=2
    )
    buttons = row.column(align=True)
    buttons.operator("muslin.collider_add", text="", icon="ADD")
    buttons.operator("muslin.collider_remove", text="", icon="REMOVE")
    draw_active_collider(layout, garment)
    column = split(layout)
    column.prop(garment, "collider_collection")
    column.separator()
    column.prop(garment, "thickness")
    column.prop(garment, "friction")
    column.separator()
    column.prop(garment, "self_contact")


def draw_active_collider(layout, garment):
    if not 0 <= garment.active_collider < len(garment.colliders):
        return
    item = garment.colliders[garment.active_collider]
    if item.object is None:
        return
    layout.prop(item, "own_surface", text=f"Own Surface for {item.object.name}")
    if item.own_surface:
        own = split(layout.box())
        own.active = item.enabled
        own.prop(item, "thickness")
        own.prop(item, "friction")

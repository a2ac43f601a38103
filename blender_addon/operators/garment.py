# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes garments of objects and back, and tells them what they meet."""

import bpy
from bpy.props import IntProperty

from .reporting import GarmentButton, active_garment, is_garment, reporting, selected_meshes


def _not_baking():
    from ..run import running

    return running.bake is None


class MUSLIN_OT_add(bpy.types.Operator):
    """Make garments of the selected meshes"""

    bl_idname = "muslin.add"
    bl_label = "Add Muslin Cloth"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return bool(selected_meshes(context)) and _not_baking()

    @reporting
    def execute(self, context):
        from ..scene.lookup import ensure_uid
        from ..scene.problems import refuse_linked

        chosen = [obj for obj in selected_meshes(context) if not obj.muslin.enabled]
        for obj in chosen:
            refuse_linked(obj)
            obj.muslin.enabled = True
            ensure_uid(obj)
        if not chosen:
            self.report({"INFO"}, "The selected objects are garments already")
        return {"FINISHED"}


class MUSLIN_OT_remove(bpy.types.Operator):
    """The selected objects are garments no more. A bake stays until it is freed"""

    bl_idname = "muslin.remove"
    bl_label = "Remove Muslin Cloth"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return any(is_garment(obj) for obj in selected_meshes(context)) and _not_baking()

    @reporting
    def execute(self, context):
        from ..run import preview
        from ..scene.problems import refuse_linked

        for obj in selected_meshes(context):
            refuse_linked(obj)
            if obj.muslin.enabled:
                preview.discard(obj.muslin.uid)
                obj.muslin.enabled = False
        return {"FINISHED"}


class MUSLIN_OT_collider_add(GarmentButton, bpy.types.Operator):
    """The garment meets the other selected objects; without any, an empty line to choose one in"""

    bl_idname = "muslin.collider_add"
    bl_label = "Add Collider"
    bl_options = {"REGISTER", "UNDO"}

    @reporting
    def execute(self, context):
        from ..properties import may_collide
        from ..scene.problems import refuse_linked

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
                {"WARNING"}, "The selected objects are colliders already, or have no surface"
            )
        return {"FINISHED"}


class MUSLIN_OT_collider_remove(bpy.types.Operator):
    """The garment does not meet it any more"""

    bl_idname = "muslin.collider_remove"
    bl_label = "Remove Collider"
    bl_options = {"REGISTER", "UNDO"}

    index: IntProperty(
        name="Line", description="-1: the active one", default=-1, min=-1, options={"SKIP_SAVE"}
    )

    @classmethod
    def poll(cls, context):
        obj = context.active_object
        return is_garment(obj) and len(obj.muslin.colliders) > 0

    @reporting
    def execute(self, context):
        from ..scene.problems import refuse_linked, remove_line

        garment = active_garment(context)
        refuse_linked(garment)
        settings = garment.muslin
        index = settings.active_collider if self.index < 0 else self.index
        if index >= len(settings.colliders):
            index = len(settings.colliders) - 1
        remove_line(garment, settings.colliders, index)
        settings.active_collider = max(0, min(index, len(settings.colliders) - 1))
        return {"FINISHED"}


CLASSES = (
    MUSLIN_OT_add,
    MUSLIN_OT_remove,
    MUSLIN_OT_collider_add,
    MUSLIN_OT_collider_remove,
)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The button that takes a fabric's numbers back."""

import bpy

from ..properties import FABRIC_FIELDS, FABRICS


class MUSLIN_OT_reset_fabric(bpy.types.Operator):
    """Take back the numbers of the chosen fabric"""

    bl_idname = "muslin.reset_fabric"
    bl_label = "Reset Fabric"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "MESH"

    def execute(self, context):
        garment = context.object.muslin
        for fabric in FABRICS:
            if fabric["id"] == garment.fabric:
                for name in FABRIC_FIELDS:
                    setattr(garment, name, fabric[name])
        return {"FINISHED"}


def register():
    bpy.utils.register_class(MUSLIN_OT_reset_fabric)


def unregister():
    bpy.utils.unregister_class(MUSLIN_OT_reset_fabric)

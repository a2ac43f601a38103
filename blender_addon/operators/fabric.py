# SPDX-License-Identifier: GPL-3.0-or-later
"""The button that takes a fabric's numbers back."""

import bpy

from ..fabric_list import take_numbers


class MUSLIN_OT_reset_fabric(bpy.types.Operator):
    """Take back the numbers of the chosen fabric"""

    bl_idname = "muslin.reset_fabric"
    bl_label = "Reset Fabric"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "MESH"

    def execute(self, context):
        take_numbers(context.object.muslin)
        return {"FINISHED"}


CLASSES = (MUSLIN_OT_reset_fabric,)

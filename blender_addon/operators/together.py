# SPDX-License-Identifier: GPL-3.0-or-later
"""Several garments in one cloth: the settings that they have in common."""

import bpy

from .reporting import active_garment, is_garment, reporting


class MUSLIN_OT_share_settings(bpy.types.Operator):
    """Give the settings that one cloth has only once, as they are here, to all garments that are simulated together"""

    bl_idname = "muslin.share_settings"
    bl_label = "Use These Settings for All"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return is_garment(context.active_object) and context.active_object.muslin.together

    @reporting
    def execute(self, context):
        from ..scene import together

        obj = active_garment(context)
        found = together.partners(obj, context.scene)
        together.share(obj, found)
        self.report(
            {"INFO"},
            f"{together.named([other.name for other in found])} have the settings of {obj.name}",
        )
        return {"FINISHED"}


CLASSES = (MUSLIN_OT_share_settings,)

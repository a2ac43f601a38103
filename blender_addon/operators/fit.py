# SPDX-License-Identifier: GPL-3.0-or-later
"""The fit map as vertex colours, and what happens when it is switched on or off."""

import bpy

from .. import fit_properties
from .reporting import GarmentButton, active_garment, reporting


class MUSLIN_OT_fit_colours(GarmentButton, bpy.types.Operator):
    """Make vertex colours of the fit map that is shown, for materials and for export"""

    bl_idname = "muslin.fit_colours"
    bl_label = "To Vertex Colours"
    bl_options = {"REGISTER", "UNDO"}

    @reporting
    def execute(self, context):
        from ..output import fit_look

        obj = active_garment(context)
        self.report({"INFO"}, f"{obj.name}: {fit_look.to_colours(obj)} are its vertex colours now")
        return {"FINISHED"}


def follow(obj):
    """The map of a garment was switched on or off, or is to show other frames."""
    from ..output import fit_frames, fit_map
    from ..run import running

    running.follows_fit = None  # asked anew
    if not obj.muslin.fit.enabled:
        fit_map.hide(obj)
    preview = running.previews.get(obj.muslin.uid)
    if preview is not None:
        preview.tell_fit()
    else:
        fit_frames.follow(obj)


CLASSES = (MUSLIN_OT_fit_colours,)


def register():
    fit_properties.followers.append(follow)


def unregister():
    fit_properties.followers.remove(follow)

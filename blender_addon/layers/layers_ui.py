# SPDX-License-Identifier: GPL-3.0-or-later
"""Several garments in one cloth: the settings that they have in common, and the section Several Garments."""

import bpy

from .. import drawing, words
from ..buttons import Button, active_garment, has_garment
from ..drawing import split
from ..table_properties import BoolProperty, IntProperty
from . import partners


class LayerSettings:
    """Which garments are simulated in one cloth, and in which order they are worn."""

    together: BoolProperty(
        "Together",
        "Simulate it together with all other garments that have this enabled and share a collider",
    )
    layer: IntProperty(
        "Layer",
        "Order in which garments are worn: 1 is next to the body",
        default=1,
        min=1,
        soft_max=9,
        max=99,
    )


class MUSLIN_OT_share_settings(Button, bpy.types.Operator):
    """Copy the settings that must be the same for all from this garment to all garments simulated with it"""

    bl_idname = "muslin.share_settings"
    bl_label = "Use These Settings for All"
    bl_options = {"REGISTER", "UNDO"}

    asks = (has_garment, lambda context: context.active_object.muslin.together)

    def work(self, context):
        obj = active_garment(context)
        found = partners.partners(obj, context.scene)
        partners.share(obj, found)
        names = words.listed([other.name for other in found])
        self.report({"INFO"}, f"{names} have the settings of {obj.name}")


def draw_header(layout, obj):
    layout.prop(obj.muslin, "together", text="")


def draw(layout, context, obj):
    garment = obj.muslin
    column = split(layout)
    column.active = garment.together
    column.prop(garment, "layer")
    if not garment.together:
        return
    found = partners.partners(obj, context.scene)
    if len(found) == 1:
        text = "No other garment has this enabled and shares a collider."
        drawing.paragraph(layout, context, text, icon="INFO")
        return
    box = layout.box()
    for other in found:
        marked = "LAYER_ACTIVE" if other == obj else "LAYER_USED"
        box.label(text=f"{other.muslin.layer}  {other.name}", icon=marked)
    if any(other.muslin.mirror.enabled for other in found):
        text = "Garments that are simulated together are not mirrored."
        drawing.paragraph(layout, context, text, icon="INFO")
    names = ", ".join(partners.differing(found))
    if names:
        text = f"{found[0].name} is the innermost, and its settings apply to all: {names}."
        drawing.paragraph(layout, context, text, icon="INFO")
        layout.operator("muslin.share_settings", text=f"Use {obj.name}'s for All")

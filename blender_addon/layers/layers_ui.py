# SPDX-License-Identifier: GPL-3.0-or-later
"""Several garments in one cloth: the settings that they have in common, and the section Several Garments."""

import bpy

from .. import drawing, words
from ..buttons import Button, active_garment, is_garment
from ..drawing import split
from ..table_properties import BoolProperty, IntProperty
from . import partners


class LayerSettings:
    """Which garments are simulated in one cloth, and in which order they are worn."""

    together: BoolProperty(
        name="Together",
        description="Simulate it together with all other garments that have this enabled and share a collider",
        default=False,
    )
    layer: IntProperty(
        name="Layer",
        description="Order in which garments are worn: 1 is next to the body",
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

    @classmethod
    def poll(cls, context):
        return is_garment(context.active_object) and context.active_object.muslin.together

    def work(self, context):
        obj = active_garment(context)
        found = partners.partners(obj, context.scene)
        partners.share(obj, found)
        self.report(
            {"INFO"},
            f"{words.listed([other.name for other in found])} have the settings of {obj.name}",
        )


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
    draw_differing(layout, context, obj, found)


def draw_differing(layout, context, obj, found):
    """What one cloth has once, where the garments do not agree."""
    if any(other.muslin.mirror.enabled for other in found):
        drawing.paragraph(
            layout, context, "Garments that are simulated together are not mirrored.", icon="INFO"
        )
    names = partners.differing(found)
    if names:
        text = (
            f"{found[0].name} is the innermost, and its settings apply to all: {', '.join(names)}."
        )
        drawing.paragraph(layout, context, text, icon="INFO")
        layout.operator("muslin.share_settings", text=f"Use {obj.name}'s for All")

# SPDX-License-Identifier: GPL-3.0-or-later
"""The section Several Garments: which are simulated in one cloth, in which order, and whose settings count."""

from ..scene import together
from . import words
from .setup import split


def draw_header(layout, obj):
    layout.prop(obj.muslin, "together", text="")


def draw(layout, context, obj):
    garment = obj.muslin
    column = split(layout)
    column.active = garment.together
    column.prop(garment, "layer")
    if not garment.together:
        return
    found = together.partners(obj, context.scene)
    if len(found) == 1:
        text = "Alone: no other garment has this ticked and meets the same body."
        words.paragraph(layout, context, text, icon="INFO")
        return
    box = layout.box()
    for other in found:
        marked = "LAYER_ACTIVE" if other == obj else "LAYER_USED"
        box.label(text=f"{other.muslin.layer}  {other.name}", icon=marked)
    draw_differing(layout, context, obj, found)


def draw_differing(layout, context, obj, found):
    """What one cloth has once, where the garments do not agree."""
    if any(other.muslin.mirror.enabled for other in found):
        words.paragraph(
            layout, context, "Garments that are simulated together are not mirrored.", icon="INFO"
        )
    names = together.differing(found)
    if names:
        text = (
            f"{found[0].name} is the innermost, and its settings count for all: {', '.join(names)}."
        )
        words.paragraph(layout, context, text, icon="INFO")
        layout.operator("muslin.share_settings", text=f"Use {obj.name}'s for All")

# SPDX-License-Identifier: GPL-3.0-or-later
"""The Fit Map section: where the garment is tight, as colours in the view."""

from ..fit_properties import BY_NAME
from . import words
from .setup import split


def draw_header(layout, obj):
    layout.prop(obj.muslin.fit, "enabled", text="")


def draw(layout, context, obj):
    fit = obj.muslin.fit
    column = split(layout)
    column.active = fit.enabled
    column.prop(fit, "quantity")
    column.prop(fit, "when")
    column.prop(fit, "show")
    column.prop(fit, "is_automatic")
    if not fit.is_automatic:
        unit = BY_NAME[fit.quantity].unit
        limits = column.column(align=True)
        limits.prop(fit, "least", text=f"From ({unit})")
        limits.prop(fit, "most", text=f"To ({unit})")
    has_map = BY_NAME[fit.quantity].attribute in obj.data.attributes
    draw_missing(layout, context, obj, has_map)
    row = layout.row()
    row.enabled = has_map
    row.operator("muslin.fit_colours", icon="GROUP_VCOL")


def draw_missing(layout, context, obj, has_map):
    """Why there is nothing to see, where there is not."""
    fit = obj.muslin.fit
    if has_map or not fit.enabled:
        return
    if obj.data.library is not None:
        text = "The mesh is linked from another file and takes no attributes."
    elif not any(quantity.attribute in obj.data.attributes for quantity in BY_NAME.values()):
        text = (
            "Drape the garment to see its map, or bake it: frames that are baked already have none."
        )
    else:
        text = "Without a body there is no ease."
    words.paragraph(layout, context, text, icon="INFO")

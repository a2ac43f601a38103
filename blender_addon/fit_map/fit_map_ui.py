# SPDX-License-Identifier: GPL-3.0-or-later
"""The fit map of a garment, `object.muslin.fit`: its quantities with their units and names in a mesh, the switches, the button
that makes vertex colours of it, and its section of the panel."""

import sys

import bpy

from .. import drawing, running
from ..buttons import GarmentButton, active_garment, is_garment
from ..drawing import ViewDrawing, split
from ..table_properties import BoolProperty, EnumProperty, FloatProperty
from .fit_quantities import BY_NAME, QUANTITIES


def _changed(self, _context):
    follow(self.id_data)


class MuslinFit(bpy.types.PropertyGroup):
    """Whether strain, pressure and ease are reported of a garment, and what of them is shown."""

    enabled: BoolProperty(
        "Fit Map",
        "Store strain, tension, pressure and ease of every vertex as mesh attributes, while "
        "draping and for every baked frame",
        update=_changed,
    )
    quantity: EnumProperty(
        "Show",
        "The quantity shown as colours",
        items=[(each.name, each.label, each.help) for each in QUANTITIES],
        default="pressure",
        update=_changed,
    )
    when: EnumProperty(
        "Frames",
        "Which frames of a bake to show; draping always shows the current state",
        items=(
            ("frame", "Each Frame", "The current frame"),
            (
                "worst",
                "Worst of the Animation",
                "The tightest value of each vertex over all baked frames",
            ),
        ),
        update=_changed,
    )
    show: BoolProperty(
        "Show in View", "Draw the colours and their legend in the 3D view", default=True
    )
    is_automatic: BoolProperty(
        "Automatic",
        "Fit the colour range to all but the most extreme 1 % of the vertices",
        default=True,
    )
    least: FloatProperty("From", "Lower end of the colours, in the unit of the legend")
    most: FloatProperty("To", "Upper end of the colours, in the unit of the legend", default=100.0)


class MUSLIN_OT_fit_colours(GarmentButton, bpy.types.Operator):
    """Convert the displayed fit map to vertex colours, for materials and export"""

    bl_idname = "muslin.fit_colours"
    bl_label = "To Vertex Colours"
    bl_options = {"REGISTER", "UNDO"}

    def work(self, context):
        from . import fit_frames

        obj = active_garment(context)
        self.report({"INFO"}, f"{obj.name}: made the vertex colours {fit_frames.to_colours(obj)}")


def follow(obj):
    """The map of a garment was switched on or off, or is to show other frames."""
    from . import fit_attributes, fit_frames

    running.follows_fit = None  # unknown: asked again
    if not obj.muslin.fit.enabled:
        fit_attributes.hide(obj)
    preview = running.previews.get(obj.muslin.uid)
    if preview is not None:
        preview.update_fit()
    else:
        fit_frames.follow(obj)


def shown_garment(context):
    """The garment whose map is shown in the view that is drawn: the active one, or the first that has any."""
    space = context.space_data
    if space is not None and not space.overlay.show_overlays:
        return None
    others = [obj for obj in context.view_layer.objects if obj.type == "MESH"]
    for obj in (context.object, *others):
        fit = obj.muslin.fit if is_garment(obj) and obj.mode != "EDIT" else None
        if fit is not None and fit.enabled and fit.show and obj.visible_get():
            if BY_NAME[fit.quantity].attribute in obj.data.attributes:
                return obj
    return None


def _drawn_by(name):
    """What Blender calls for every 3D view that it draws: nothing is loaded before there is something to show."""

    def draw_view():
        obj = shown_garment(bpy.context)
        if obj is not None:
            from . import fit_overlay

            getattr(fit_overlay, name)(bpy.context, obj)

    return draw_view


_drawing = ViewDrawing(POST_VIEW=_drawn_by("draw"), POST_PIXEL=_drawn_by("draw_legend"))
register = _drawing.register


def unregister():
    _drawing.unregister()
    overlay = sys.modules.get(f"{__package__}.fit_overlay")
    if overlay is not None:
        overlay.forget()


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
    if fit.enabled and not has_map:
        if obj.data.library is not None:
            text = "The mesh is linked from another file and cannot have attributes."
        elif not any(quantity.attribute in obj.data.attributes for quantity in QUANTITIES):
            text = "Drape or bake the garment to see its map; frames baked earlier have none."
        else:
            text = "Without a body there is no ease."
        drawing.paragraph(layout, context, text, icon="INFO")
    row = layout.row()
    row.enabled = has_map
    row.operator("muslin.fit_colours", icon="GROUP_VCOL")

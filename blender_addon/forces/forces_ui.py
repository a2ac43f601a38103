# SPDX-License-Identifier: GPL-3.0-or-later
"""Gravity, wind and the air in a closed garment (cushions, balloons, puffed sleeves that are sewn shut): their sections of the panel."""

from .. import drawing
from ..drawing import split
from ..muslin.table import SETTINGS, TABLE, takes
from ..table_properties import BoolProperty, FloatProperty, choice, number


class ForceSettings:
    gravity: FloatProperty(
        "Gravity", "Factor on the scene's gravity", default=1.0, min=-10.0, max=10.0
    )
    wind: number("wind")
    use_force_fields: BoolProperty(
        "Scene's Force Fields",
        "React to the scene's force fields: strength of wind in m/s, of others in N/m²",
        default=True,
    )
    normal_drag: number("normal_drag")
    tangent_drag: number("tangent_drag")
    drag_law: choice("drag_law")


def draw_forces(layout, context, obj):
    garment = obj.muslin
    column = split(layout)
    column.prop(garment, "gravity")
    if not context.scene.use_gravity:
        column.label(text="The scene's gravity is off", icon="INFO")
    column.separator()
    column.prop(garment, "wind")
    column.prop(garment, "use_force_fields", text="Force Fields")
    drag = column.column(align=True)
    drag.prop(garment, "normal_drag", text="Normal Drag")
    drag.prop(garment, "tangent_drag", text="Tangential")
    drag.prop(garment, "drag_law", text="Law")


ONLY_CLOSED = "For closed meshes: every edge between two faces, all faces pointing outward."


def draw_pressure(layout, context, obj):
    garment = obj.muslin
    column = split(layout)
    column.active = takes("pressure", garment.solver)
    column.prop(garment, "pressure")
    kept = column.row()
    kept.active = takes("volume_stiffness", garment.solver)
    kept.prop(garment, "volume_stiffness")
    drawing.paragraph(layout, context, ONLY_CLOSED)
    if not column.active:
        drawing.paragraph(layout, context, lacking("pressure"), icon="INFO")
    elif not kept.active and garment.volume_stiffness > 0:
        drawing.paragraph(layout, context, lacking("volume_stiffness"), icon="INFO")


def lacking(name):
    """The reason that the table gives for a solver without it."""
    return f"Not with this solver: {TABLE.abilities[SETTINGS[name].needs].lacking}."

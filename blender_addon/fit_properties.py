# SPDX-License-Identifier: GPL-3.0-or-later
"""What a fit map shows, and how: `object.muslin.fit`. The quantities, their units and their names in a mesh."""

from collections import namedtuple

import bpy

from .overridable import BoolProperty, EnumProperty, FloatProperty

# attribute: of the mesh, a number for each vertex in `unit`. worst: 1 where more is worse, -1 where less is.
# is_signed: it has a zero in the middle, to both sides of which it means something else.
Quantity = namedtuple("Quantity", "name label attribute unit worst is_signed help")
QUANTITIES = (
    Quantity("warp", "Strain of the Warp", "muslin_warp", "%", 1, True,
             "How much longer the warp is than it was cut, per cent"),
    Quantity("weft", "Strain of the Weft", "muslin_weft", "%", 1, True,
             "How much longer the weft is than it was cut, per cent"),
    Quantity("shear", "Shear", "muslin_shear", "°", 1, False,
             "By how much the angle of warp and weft is not the right one, degrees"),
    Quantity("tension", "Tension", "muslin_tension", "N/m", 1, False,
             "How hard the tauter of warp and weft pulls, newtons for each metre across"),
    Quantity("pressure", "Pressure", "muslin_pressure", "Pa", 1, False,
             "How hard the cloth presses on bodies, pascals"),
    Quantity("ease", "Ease", "muslin_ease", "mm", -1, False,
             "From the cloth to the nearest surface of a body, millimetres; cloth that touches keeps the thickness"),
)  # fmt: skip
BY_NAME = {quantity.name: quantity for quantity in QUANTITIES}

followers = (
    []
)  # called with an object whose map has been switched on or off, or is to show something else


def _changed(self, _context):
    for follow in followers:
        follow(self.id_data)


class MuslinFit(bpy.types.PropertyGroup):
    """Whether strain, pressure and ease are told of a garment, and what of them is shown."""

    enabled: BoolProperty(
        name="Fit Map",
        description="Tell strain, tension, pressure and ease of every vertex while the cloth drapes, and with every "
        "frame of a bake, as attributes of the mesh",
        default=False,
        update=_changed,
    )
    quantity: EnumProperty(
        name="Show",
        description="What the colours in the view mean",
        items=[(each.name, each.label, each.help) for each in QUANTITIES],
        default="pressure",
        update=_changed,
    )
    when: EnumProperty(
        name="Of",
        description="Which frames of a bake; what drapes is always shown as it is",
        items=(
            ("frame", "Each Frame", "The frame that is shown"),
            ("worst", "Worst of the Animation", "Of each vertex the tightest of all baked frames"),
        ),
        update=_changed,
    )
    show: BoolProperty(
        name="Show in View",
        description="Draw the colours and their legend into the 3D view",
        default=True,
    )
    is_automatic: BoolProperty(
        name="Automatic",
        description="The colours reach as far as all but the outermost hundredth of the garment",
        default=True,
    )
    least: FloatProperty(
        name="From", description="Where the colours begin, in the unit of the legend"
    )
    most: FloatProperty(
        name="To", description="Where the colours end, in the unit of the legend", default=100.0
    )

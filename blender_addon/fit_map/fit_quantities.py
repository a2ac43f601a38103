# SPDX-License-Identifier: GPL-3.0-or-later
"""What a fit map can show: the quantities, their units and their names in a mesh."""

from collections import namedtuple

# attribute: of the mesh, a number for each vertex in `unit`. worst: 1 where more is worse, -1 where less is.
# is_signed: it has a zero in the middle, to both sides of which it means something else.
Quantity = namedtuple("Quantity", "name label attribute unit worst is_signed help")
QUANTITIES = (
    Quantity("warp", "Warp Strain", "muslin_warp", "%", 1, True,
             "Strain along the warp relative to the pattern, percent"),
    Quantity("weft", "Weft Strain", "muslin_weft", "%", 1, True,
             "Strain along the weft relative to the pattern, percent"),
    Quantity("shear", "Shear", "muslin_shear", "°", 1, False,
             "Change of the angle between warp and weft, degrees"),
    Quantity("tension", "Tension", "muslin_tension", "N/m", 1, False,
             "The larger tension of warp and weft, newtons per metre of width"),
    Quantity("pressure", "Pressure", "muslin_pressure", "Pa", 1, False,
             "Contact pressure on bodies, pascals"),
    Quantity("ease", "Ease", "muslin_ease", "mm", -1, False,
             "Distance from the cloth to the nearest body surface, millimetres; cloth in contact keeps the thickness"),
)  # fmt: skip
BY_NAME = {quantity.name: quantity for quantity in QUANTITIES}

# SPDX-License-Identifier: GPL-3.0-or-later
"""What a fit map can show: the quantities, their units and their names in a mesh."""

from collections import namedtuple

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

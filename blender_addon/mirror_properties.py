# SPDX-License-Identifier: GPL-3.0-or-later
"""How a garment that is its own mirror image is simulated by one half: `object.muslin.mirror`."""

import bpy

from .overridable import BoolProperty, EnumProperty
from .table_properties import choice, number

PLANES = (
    ("x", "X", "Left and right of the object's own X: clothes are modelled like this"),
    ("y", "Y", "Before and behind the object's own Y"),
    ("z", "Z", "Above and below the object's own Z"),
    ("found", "Found", "Look for the plane that suits the mesh best"),
)


class MuslinMirror(bpy.types.PropertyGroup):
    """Whether, in which plane and how a garment is mirrored."""

    enabled: BoolProperty(
        name="Mirror",
        description="Simulate one half of a symmetric garment, and show its mirror image as the other",
        default=False,
    )
    method: choice("mirror", without=("off",))
    plane: EnumProperty(name="Plane", items=PLANES)
    tolerance: number("mirror_tolerance")
    closure: choice("closure")
    overlap: number("overlap")
    over: choice("over")
    # What is shown must be what is met: the mean of a walking body and its image is neither.
    asymmetric_body: choice("asymmetric_body", default="whole")
    show: BoolProperty(
        name="Show in View",
        description="Draw the plane and the vertices without a partner into the 3D view",
        default=True,
    )

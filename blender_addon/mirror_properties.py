# SPDX-License-Identifier: GPL-3.0-or-later
"""How a garment that is its own mirror image is simulated by one half: `object.muslin.mirror`."""

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty

METHODS = (
    (
        "auto",
        "Automatic",
        "One half where garment, pins, wind and body are symmetric; the whole, with a warning, else",
    ),
    ("exact", "Exact", "One half, or nothing: what is not symmetric is refused"),
    (
        "halve",
        "Cut in Halves",
        "The positive side is simulated whatever the other is like, which follows as its mirror image",
    ),
)
PLANES = (
    ("x", "X", "Left and right of the object's own X: clothes are modelled like this"),
    ("y", "Y", "Before and behind the object's own Y"),
    ("z", "Z", "Above and below the object's own Z"),
    ("found", "Found", "Look for the plane that suits the mesh best"),
)
CLOSURES = (
    ("free", "Free", "Open fronts stay open"),
    ("zip", "Zip", "The edges of the fronts meet in the plane"),
    ("button", "Button", "One front lies over the other"),
)
SIDES = (
    (
        "kept",
        "Positive Side",
        "The front on the side that the arrow points to: a figure's left, if it looks along -Y",
    ),
    ("other", "Negative Side", "The front on the other side: a figure's right"),
)
BODIES = (
    (
        "symmetrise",
        "Symmetrise",
        "The garment meets the mean of the body and its mirror image",
    ),
    ("whole", "Solve Whole", "All of the garment is simulated while the body is not symmetric"),
)


class MuslinMirror(bpy.types.PropertyGroup):
    """Whether, in which plane and how a garment is mirrored."""

    enabled: BoolProperty(
        name="Mirror",
        description="Simulate one half of a symmetric garment, and show its mirror image as the other",
        default=False,
    )
    method: EnumProperty(name="Method", items=METHODS)
    plane: EnumProperty(name="Plane", items=PLANES)
    tolerance: FloatProperty(
        name="Tolerance",
        description="Metres that a vertex may be from the mirror image of its partner; 0: chosen",
        default=0.0,
        min=0.0,
        soft_max=0.01,
        max=1.0,
        precision=5,
    )
    closure: EnumProperty(name="Closure", items=CLOSURES)
    overlap: FloatProperty(
        name="Overlap",
        description="Metres that buttoned fronts lie over each other",
        default=0.03,
        min=0.001,
        soft_max=0.2,
        max=1.0,
        precision=3,
    )
    over: EnumProperty(name="Lies Over", items=SIDES)
    asymmetric_body: EnumProperty(
        name="Body",
        description="What to do where a body is not its own mirror image",
        items=BODIES,
    )
    show: BoolProperty(
        name="Show in View",
        description="Draw the plane and the vertices without a partner into the 3D view",
        default=True,
    )

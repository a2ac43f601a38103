# SPDX-License-Identifier: GPL-3.0-or-later
"""What a garment is sewn by: `object.muslin.sewing`."""

import bpy

from .overridable import (
    BoolProperty,
    CollectionProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)


class MuslinTack(bpy.types.PropertyGroup):
    """A vertex group that is held to a body or to another garment."""

    group: StringProperty(name="Group", description="Vertex group of this garment that is held")
    target: PointerProperty(
        name="To",
        description="One of its colliders, at the places that are nearest; or a garment that is simulated together "
        "with it",
        type=bpy.types.Object,
    )
    target_group: StringProperty(
        name="Its Group", description="Of another garment: the vertex group to hold to"
    )
    release: IntProperty(
        name="Let Go at", description="Frame at which it lets go; 0: never", default=0, min=0
    )


class MuslinElastic(bpy.types.PropertyGroup):
    """A vertex group along whose edges an elastic runs."""

    group: StringProperty(
        name="Elastic",
        description="Vertex group: along the edges between its vertices runs an elastic",
    )
    share: FloatProperty(
        name="Length",
        description="What the elastic wants to be of the length of its edges",
        default=0.8,
        min=0.05,
        max=1.0,
        subtype="FACTOR",
    )
    release: IntProperty(
        name="Let Go at", description="Frame at which it lets go; 0: never", default=0, min=0
    )


class MuslinSewing(bpy.types.PropertyGroup):
    """Seams that loose edges mark, tacks and elastics."""

    enabled: BoolProperty(
        name="Sew Loose Edges",
        description="Loose edges between vertices of faces are seams: they draw together, then hold as one piece. "
        "Loose edges of chains of their own stay ropes",
        default=False,
    )
    is_even: BoolProperty(
        name="Evenly",
        description="Spread stitches that follow each other along both borders by their length; else just the marked "
        "vertices are sewn",
        default=True,
    )
    speed: FloatProperty(
        name="Speed",
        description="How fast seams close, metres a second",
        default=1.0,
        min=0.01,
        soft_max=5.0,
        unit="VELOCITY",
    )
    release: IntProperty(
        name="Open at",
        description="Frame at which the seams open again; 0: never",
        default=0,
        min=0,
    )
    tacks: CollectionProperty(type=MuslinTack)
    elastics: CollectionProperty(type=MuslinElastic)

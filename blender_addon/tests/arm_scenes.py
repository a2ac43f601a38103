# SPDX-License-Identifier: GPL-3.0-or-later
"""A sleeve and an arm that an armature bends, for tests of garments that are worn."""

import math

import bpy
import numpy as np
import scenes
from feed_scenes import mesh_object

LENGTH, RADIUS = 1.0, 0.06  # m, of an arm along X


def tube(name, radius, first, last, around=16, along=24, capped=False):
    """A tube along X between two places, open or closed at its ends."""
    points = [
        (x, radius * math.cos(turn), radius * math.sin(turn))
        for x in np.linspace(first, last, along)
        for turn in np.arange(around) * 2.0 * math.pi / around
    ]
    faces = [
        (r * around + c, r * around + (c + 1) % around, (r + 1) * around + (c + 1) % around,
         (r + 1) * around + c)
        for r in range(along - 1)
        for c in range(around)
    ]  # fmt: skip
    if capped:
        faces += [
            tuple(reversed(range(around))),
            tuple(range((along - 1) * around, along * around)),
        ]
    return mesh_object(name, points, faces)


def arm(degrees):
    """A capped tube whose outer half is bent upward at its middle by an armature."""
    body = tube("Arm", RADIUS, -0.5 * LENGTH, 0.5 * LENGTH, along=41, capped=True)
    rig = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    bpy.context.scene.collection.objects.link(rig)
    scenes.select(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    upper = rig.data.edit_bones.new("Upper")
    upper.head, upper.tail = (-0.5 * LENGTH, 0, 0), (0, 0, 0)
    lower = rig.data.edit_bones.new("Lower")
    lower.head, lower.tail, lower.parent = (0, 0, 0), (0.5 * LENGTH, 0, 0), upper
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.pose.bones["Lower"].rotation_mode = "XYZ"
    rig.pose.bones["Lower"].rotation_euler.x = math.radians(degrees)
    for name in ("Upper", "Lower"):
        body.vertex_groups.new(name=name)
    for vertex in body.data.vertices:
        lower_part = min(max(0.5 + vertex.co.x / 0.2, 0.0), 1.0)
        body.vertex_groups["Lower"].add([vertex.index], lower_part, "REPLACE")
        body.vertex_groups["Upper"].add([vertex.index], 1.0 - lower_part, "REPLACE")
    body.modifiers.new("Armature", "ARMATURE").object = rig
    return body

# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of fit maps have in common: a sheet on a ball, and the numbers that its mesh has."""

import bpy
import mathutils
import numpy as np
import scenes

NAMES = ("warp", "weft", "shear", "tension", "pressure", "ease")


def maps(obj, mesh=None):
    """quantity -> numbers, of those that the mesh has."""
    mesh = obj.data if mesh is None else mesh
    found = {}
    for name in NAMES:
        layer = mesh.attributes.get(f"muslin_{name}")
        if layer is not None:
            found[name] = np.empty(len(layer.data), dtype=np.float32)
            layer.data.foreach_get("value", found[name])
    return found


def live_layers(obj):
    """muslin_velocity and muslin_contact."""
    layers = obj.data.attributes["muslin_velocity"], obj.data.attributes["muslin_contact"]
    velocity = np.array([tuple(each.vector) for each in layers[0].data])
    return velocity, np.array([each.value for each in layers[1].data]) == 1.0


def drape(obj, frames=1):
    scenes.select(obj)
    bpy.ops.muslin.drape_now(frames=frames)


def worn(frames=10, size=17):
    """A sheet that has fallen on a turned, squeezed ball; both are garment and body of the test."""
    ball = scenes.ball(moving=False)
    ball.scale, ball.rotation_euler = (1.0, 0.8, 0.9), (0.3, 0.2, 0.1)
    obj = scenes.garment(size=size, pins=False, height=0.31)
    obj.location.x = 0.02
    obj.muslin.colliders.add().object = ball
    obj.muslin.fit.enabled = True
    if frames:
        drape(obj, frames)
    return obj, ball


def preview_of(obj):
    return scenes.running().previews[obj.muslin.uid]


def vector(point):
    return mathutils.Vector(map(float, point))

# SPDX-License-Identifier: GPL-3.0-or-later
"""What acts on the cloth from outside: the scene's gravity, and wind.

The numbers are taken as m/s² and m/s whatever the scene's unit scale is, so that a figure that was
modelled in centimetres stands in the gravity that everybody expects. Of Blender's wind fields count
direction (the object's own z) and strength (m/s); noise, flow, falloff and the limits of effector
weights do not.
"""

import numpy as np

from .shown import is_shown

FEW = 300  # objects; in a larger scene, wind fields are looked for when objects come or go


def gravity(obj, scene):
    """m/s², in the world."""
    if not scene.use_gravity:
        return (0.0, 0.0, 0.0)
    return tuple(float(part) * obj.muslin.gravity for part in scene.gravity)


def is_wind(obj):
    return obj.field is not None and obj.field.type == "WIND"


class Winds:
    """The scene's wind fields, remembered by name."""

    def __init__(self):
        self._names = []
        self._count = -1

    def total(self, scene, depsgraph):
        """Sum of all wind fields as they are now, m/s in the world."""
        count = len(scene.objects)
        if count != self._count or count < FEW:
            self._names = [obj.name for obj in scene.objects if is_wind(obj)]
            self._count = count
        total = np.zeros(3)
        for name in self._names:
            obj = scene.objects.get(name)
            if obj is not None and is_wind(obj) and is_shown(obj, depsgraph.view_layer):
                total += self._one(obj.evaluated_get(depsgraph))
        return total

    @staticmethod
    def _one(field):
        """One wind field, evaluated."""
        axis = np.array(field.matrix_world.col[2][:3])
        length = np.linalg.norm(axis)
        return axis * (field.field.strength / length) if length > 0 else np.zeros(3)


def forces(obj, scene, depsgraph, winds=None):
    """Everything for Cloth.set_forces()."""
    settings = obj.muslin
    wind = np.array(settings.wind, dtype=float)
    if settings.use_force_fields:
        wind = wind + (winds or Winds()).total(scene, depsgraph)
    return {
        "gravity": gravity(obj, scene),
        "wind": tuple(float(part) for part in wind),
        "normal_drag": settings.normal_drag,
        "tangent_drag": settings.tangent_drag,
        "drag_law": settings.drag_law,
    }

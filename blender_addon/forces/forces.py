# SPDX-License-Identifier: GPL-3.0-or-later
"""What acts on the cloth from outside: the scene's gravity, and wind.

The numbers are taken as m/s² and m/s whatever the scene's unit scale is, so that a figure that was
modelled in centimetres stands in the gravity that everyone expects. A wind field blows along its object's own z, with
its strength in m/s; fields that are not the same everywhere are fields.py's.
"""

import numpy as np

from ..scene.lookup import is_shown

FEW = 300  # objects; in a larger scene, force fields are looked for when objects come or go


def gravity(obj, scene):
    """m/s², in the world."""
    if not scene.use_gravity:
        return (0.0, 0.0, 0.0)
    return tuple(float(part) * obj.muslin.gravity for part in scene.gravity)


def blows_evenly(field):
    """Whether it is wind that is the same everywhere, and at every moment while nothing is animated."""
    fades = field.falloff_power > 0 or field.use_max_distance or field.z_direction != "BOTH"
    radial = field.radial_falloff > 0 or field.use_radial_max
    fades = fades or (field.falloff_type != "SPHERE" and radial)
    plain = field.noise == 0 and field.wind_factor == 1
    return field.type == "WIND" and plain and not fades and field.apply_to_location


class FieldObjects:
    """The scene's objects with force fields, remembered by name."""

    def __init__(self):
        self._names = []
        self._count = -1

    def shown(self, scene, depsgraph):
        """Those that are there now."""
        count = len(scene.objects)
        if count != self._count or count < FEW:
            self._names = [obj.name for obj in scene.objects if has_field(obj)]
            self._count = count
        found = (scene.objects.get(name) for name in self._names)
        return [
            obj
            for obj in found
            if obj is not None and has_field(obj) and is_shown(obj, depsgraph.view_layer)
        ]


def has_field(obj):
    return obj.field is not None and obj.field.type != "NONE"


def even_wind(objects, depsgraph):
    """Sum of the wind fields that are the same everywhere, as they are now, m/s in the world."""
    total = np.zeros(3)
    for obj in objects:
        if blows_evenly(obj.field):
            total += one_wind(obj.evaluated_get(depsgraph))
    return total


def mean_wind(obj, objects, depsgraph):
    """The wind that carries gusts along: the garment's own and the Wind fields', without their noise and falloff."""
    total = np.array(obj.muslin.wind, dtype=float)
    for each in objects:
        if each.field.type == "WIND":
            total += one_wind(each.evaluated_get(depsgraph))
    return total


def one_wind(field):
    """One wind field, evaluated."""
    axis = np.array(field.matrix_world.col[2][:3])
    length = np.linalg.norm(axis)
    return axis * (field.field.strength / length) if length > 0 else np.zeros(3)


def forces(obj, scene, depsgraph, objects=None):
    """Everything for Cloth.set_forces()."""
    settings = obj.muslin
    wind = np.array(settings.wind, dtype=float)
    if settings.use_force_fields:
        shown = (objects or FieldObjects()).shown(scene, depsgraph)
        wind = wind + even_wind(shown, depsgraph)
    return {
        "gravity": gravity(obj, scene),
        "wind": tuple(float(part) for part in wind),
        "normal_drag": settings.normal_drag,
        "tangent_drag": settings.tangent_drag,
        "drag_law": settings.drag_law,
    }

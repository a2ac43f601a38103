# SPDX-License-Identifier: GPL-3.0-or-later
"""What acts on the cloth from outside: the scene's gravity, wind, and force fields.

The numbers are taken as m/s² and m/s whatever the scene's unit scale is, so that a figure that was
modelled in centimetres stands in the gravity that everyone expects. A wind field blows along its object's own z, with
its strength in m/s.

Fields that are the same everywhere are part of the garment's wind. Of the others, what they give at each vertex is wind, m/s, and
traction, N/m²: the part that a field calls its wind (*Wind Factor*) blows, by the garment's drag, which is that of moving air
already (*Flow*); the rest pulls at the cloth's area, 1 N/m² for a strength of 1. The wind carries the pattern of Turbulence along
[Taylor 1938]: gusts pass the cloth and shake it, where a pattern that stands still would only bend it.
"""

import numpy as np

from ..scene import arrays, place
from ..scene.lookup import is_shown
from . import effectors

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
        count = len(scene.objects)
        if count != self._count or count < FEW:
            self._names = [obj.name for obj in scene.objects if has_field(obj)]
            self._count = count
        there = [scene.objects[name] for name in self._names if name in scene.objects]
        return [o for o in there if has_field(o) and is_shown(o, depsgraph.view_layer)]


def has_field(obj):
    return obj.field is not None and obj.field.type != "NONE"


def with_winds(total, objects, depsgraph):
    """A wind and those of these Wind fields, without noise and falloff, as they are now: m/s in the world."""
    for each in objects:
        evaluated = each.evaluated_get(depsgraph)
        axis = np.array(evaluated.matrix_world.col[2][:3])
        length = np.linalg.norm(axis)
        if length > 0:
            total = total + axis * (evaluated.field.strength / length)
    return total


def forces(obj, scene, depsgraph, objects=None):
    """Everything for Cloth.set_forces()."""
    settings, fields = obj.muslin, []
    if settings.use_force_fields:
        fields = (objects or FieldObjects()).shown(scene, depsgraph)
    even = [each for each in fields if blows_evenly(each.field)]
    wind = np.array(settings.wind, dtype=float) + with_winds(np.zeros(3), even, depsgraph)
    return {
        "gravity": gravity(obj, scene),
        "wind": tuple(float(part) for part in wind),
        "normal_drag": settings.normal_drag,
        "tangent_drag": settings.tangent_drag,
        "drag_law": settings.drag_law,
    }


# share of its momentum that cloth may lose to a drag within a frame: drag is explicit
HELD_AT_MOST = 0.5


def fields_of(obj, scene, depsgraph, objects=None):
    """Objects with fields that differ from place to place, and that the garment feels."""
    if not obj.muslin.use_force_fields:
        return []
    return [
        each
        for each in (objects or FieldObjects()).shown(scene, depsgraph)
        if effectors.is_known(each.field) and not blows_evenly(each.field) and each != obj
    ]


def at_vertices(objects, scene, depsgraph, places, velocities, density, carried=(0.0, 0.0, 0.0)):
    """Wind and traction at places of the world, m, with velocities, m/s; density of the cloth, kg/m²; carried: how far
    the wind has carried the air, m."""
    render = scene.render
    points = effectors.Points(
        np.asarray(places, float) / place.unit_of(scene),
        np.asarray(velocities, float),
        scene.frame_current,
        HELD_AT_MOST * density * render.fps / render.fps_base,
        np.asarray(carried, float) / place.unit_of(scene),
    )
    wind, traction = np.zeros_like(points.places), np.zeros_like(points.places)
    for each in objects:
        evaluated = each.evaluated_get(depsgraph)
        pull, drag = effectors.parts(evaluated.field, evaluated.matrix_world, points)
        part = evaluated.field.wind_factor
        wind += part * pull
        traction += (1.0 - part) * (pull + drag)
    return wind.astype(np.float32), traction.astype(np.float32)


class Air:
    """How far the wind has carried the air since frame 0: by the frame alone while the wind is steady, so that a bake that is
    continued has the same gusts; where the wind changes, from where the air is."""

    def __init__(self):
        self._frame, self._way, self._wind = 0.0, np.zeros(3), None

    def way(self, frame, rate, wind):
        """m. rate: frames per second. wind: m/s, from this frame on."""
        before = wind if self._wind is None else self._wind
        way = self._way + (frame - self._frame) / rate * before
        if self._wind is None:
            self._wind = wind
        elif not np.array_equal(wind, before):
            self._frame, self._way, self._wind = frame, way, wind
        return way


class Fields:
    """Gives a cloth the scene's fields as they are now, where they have changed."""

    def __init__(self):
        self._given, self._air = None, Air()

    def push(self, cloth, obj, scene, depsgraph, objects=None):
        objects = objects or FieldObjects()
        felt = fields_of(obj, scene, depsgraph, objects)
        if not felt:
            if self._given is not None:
                cloth.set_fields()
            self._given = None
            return
        places, velocities = cloth.state()
        carried = self._carried(obj, scene, depsgraph, felt, objects)
        now = at_vertices(felt, scene, depsgraph, places, velocities, obj.muslin.density, carried)
        now = tuple(field if field.any() else None for field in now)
        if self._given is None or not all(map(arrays.same, now, self._given)):
            cloth.set_fields(*now)
            self._given = now

    def _carried(self, obj, scene, depsgraph, felt, objects):
        """Only Turbulence has a pattern that the wind can carry."""
        if all(each.field.type != "TURBULENCE" for each in felt):
            return np.zeros(3)
        fields = [o for o in objects.shown(scene, depsgraph) if o.field.type == "WIND"]
        carrying = with_winds(np.array(obj.muslin.wind, dtype=float), fields, depsgraph)
        rate = scene.render.fps / scene.render.fps_base
        return self._air.way(scene.frame_current + scene.frame_subframe, rate, carrying)

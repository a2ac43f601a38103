# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene's force fields at each vertex of a garment: wind, m/s, and traction, N/m².

Fields that are the same everywhere are part of the garment's wind (forces.py). Of the others, the part that a field calls
its wind (*Wind Factor*) blows, by the garment's drag, which is that of moving air already (*Flow*); the rest pulls at the
cloth's area, 1 N/m² for a strength of 1. The wind carries the pattern of Turbulence along [Taylor 1938]: gusts pass the
cloth and shake it, where a pattern that stands still would only bend it.
"""

import numpy as np

from ..scene import place
from . import effectors
from .forces import FieldObjects, blows_evenly, mean_wind

HELD_AT_MOST = (
    0.5  # of its momentum that cloth loses to a drag within a frame, which is taken from its start
)


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
    """How far the wind has carried the air since frame 0.

    By the frame alone while the wind is steady: a bake that goes on later has the same gusts. Where the wind changes
    the air goes on from where it is.
    """

    def __init__(self):
        self._frame, self._way, self._wind = 0.0, np.zeros(3), None

    def way(self, frame, rate, wind):
        """m; rate: frames per second; wind, m/s, from this frame on."""
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
        self.forget()

    def forget(self):
        """The next cloth is another one."""
        self._given = None
        self._air = Air()

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
        if self._given is None or not same(now, self._given):
            cloth.set_fields(*now)
            self._given = now

    def _carried(self, obj, scene, depsgraph, felt, objects):
        """Only Turbulence has a pattern that the wind can carry."""
        if all(each.field.type != "TURBULENCE" for each in felt):
            return np.zeros(3)
        wind = mean_wind(obj, objects.shown(scene, depsgraph), depsgraph)
        rate = scene.render.fps / scene.render.fps_base
        return self._air.way(scene.frame_current + scene.frame_subframe, rate, wind)


def same(one, other):
    return all(
        (a is None) == (b is None) and (a is None or np.array_equal(a, b))
        for a, b in zip(one, other)
    )

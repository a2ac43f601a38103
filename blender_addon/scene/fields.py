# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene's force fields at each vertex of a garment: wind, m/s, and traction, N/m².

Fields that are the same everywhere are part of the garment's wind (forces.py). Of the others, the part that a field calls
its wind (*Wind Factor*) blows, by the garment's drag, which is that of moving air already (*Flow*); the rest pulls at the
cloth's area, 1 N/m² for a strength of 1.
"""

import numpy as np

from . import effectors, place
from .forces import FieldObjects, blows_evenly

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


def at_vertices(objects, scene, depsgraph, places, velocities, density):
    """Wind and traction at places of the world, m, with velocities, m/s; density of the cloth, kg/m²."""
    render = scene.render
    points = effectors.Points(
        np.asarray(places, float) / place.unit_of(scene),
        np.asarray(velocities, float),
        scene.frame_current,
        HELD_AT_MOST * density * render.fps / render.fps_base,
    )
    wind, traction = np.zeros_like(points.places), np.zeros_like(points.places)
    for each in objects:
        evaluated = each.evaluated_get(depsgraph)
        pull, drag = effectors.parts(evaluated.field, evaluated.matrix_world, points)
        part = evaluated.field.wind_factor
        wind += part * pull
        traction += (1.0 - part) * (pull + drag)
    return wind.astype(np.float32), traction.astype(np.float32)


class Fields:
    """Gives a cloth the scene's fields as they are now, where they have changed."""

    def __init__(self):
        self._given = None

    def forget(self):
        """The next cloth is another one."""
        self._given = None

    def push(self, cloth, obj, scene, depsgraph, objects=None):
        felt = fields_of(obj, scene, depsgraph, objects)
        if not felt:
            if self._given is not None:
                cloth.set_fields()
            self._given = None
            return
        places, velocities = cloth.state()
        now = at_vertices(felt, scene, depsgraph, places, velocities, obj.muslin.density)
        now = tuple(field if field.any() else None for field in now)
        if self._given is None or not same(now, self._given):
            cloth.set_fields(*now)
            self._given = now


def same(one, other):
    return all(
        (a is None) == (b is None) and (a is None or np.array_equal(a, b))
        for a, b in zip(one, other)
    )

# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user can set: `object.muslin` of a garment. Saved in the .blend, and nothing else is.

Each feature has its own settings; here they are put together. Names are those of the library's settings where they mean
the same, and these are made from its table; units are SI. What is running now is never kept here, since a file could be
saved meanwhile: see running.py.
"""

import bpy

from .bake.bake_ui import BakeSettings, MuslinBaked
from .bodies.collider_ui import CollisionSettings, MuslinCollider
from .fabric.fabric_ui import FabricSettings
from .fit_map.fit_map_ui import MuslinFit
from .forces.forces_ui import ForceSettings
from .garment.garment_ui import ShapeSettings, SolverSettings
from .layers.layers_ui import LayerSettings
from .mirror.mirror_ui import MuslinMirror
from .sewing.sewing_ui import MuslinElastic, MuslinSewing, MuslinTack
from .table_properties import (
    BoolProperty,
    IntProperty,
    MaterialNumbers,
    PointerProperty,
    StringProperty,
)


class MuslinGarment(
    ShapeSettings,
    CollisionSettings,
    ForceSettings,
    FabricSettings,
    MaterialNumbers,
    LayerSettings,
    SolverSettings,
    BakeSettings,
    bpy.types.PropertyGroup,
):
    """All settings of a garment: `object.muslin`."""

    enabled: BoolProperty("Muslin Cloth", "Simulate this object as cloth")
    uid: StringProperty(options={"HIDDEN"})  # see scene/lookup.py
    uid_owner: StringProperty(options={"HIDDEN"})  # the object's name when it got the uid
    live_pins: IntProperty(options={"HIDDEN"})  # which of those set by hand: see preview/hands.py
    mirror: PointerProperty(type=MuslinMirror)
    fit: PointerProperty(type=MuslinFit)
    sewing: PointerProperty(type=MuslinSewing)
    baked: PointerProperty(type=MuslinBaked)


CLASSES = (
    MuslinCollider,
    MuslinBaked,
    MuslinMirror,
    MuslinFit,
    MuslinTack,
    MuslinElastic,
    MuslinSewing,
    MuslinGarment,
)


def register():
    bpy.types.Object.muslin = PointerProperty(type=MuslinGarment)


def unregister():
    del bpy.types.Object.muslin

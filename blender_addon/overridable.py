# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's kinds of properties, such that a file may change them on a character that it links (library overrides)."""

from functools import partial

from bpy import props

OVERRIDE = {"LIBRARY_OVERRIDABLE"}

BoolProperty = partial(props.BoolProperty, override=OVERRIDE)
EnumProperty = partial(props.EnumProperty, override=OVERRIDE)
FloatProperty = partial(props.FloatProperty, override=OVERRIDE)
FloatVectorProperty = partial(props.FloatVectorProperty, override=OVERRIDE)
IntProperty = partial(props.IntProperty, override=OVERRIDE)
PointerProperty = partial(props.PointerProperty, override=OVERRIDE)
StringProperty = partial(props.StringProperty, override=OVERRIDE)
# Lines that are added over those of the linked file.
CollectionProperty = partial(props.CollectionProperty, override={*OVERRIDE, "USE_INSERTION"})

# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's properties made from the table of settings: label, help, default and limits of each.

Where the table's limits are open or wider than a slider should be, its `addon` entry says what Blender takes.
All of them may be changed by a file on a character that it links (library overrides).
"""

from bpy import props

from .muslin.table import MAPS, SETTINGS, TABLE


def _overridable(kind, *more):
    """Blender's property of this kind: its label and tooltip, then whatever else it takes."""
    override = {"LIBRARY_OVERRIDABLE", *more}

    def made(name="", description="", **values):
        return kind(name=name, description=description, override=override, **values)

    return made


BoolProperty = _overridable(props.BoolProperty)
EnumProperty = _overridable(props.EnumProperty)
FloatProperty = _overridable(props.FloatProperty)
FloatVectorProperty = _overridable(props.FloatVectorProperty)
IntProperty = _overridable(props.IntProperty)
PointerProperty = _overridable(props.PointerProperty)
StringProperty = _overridable(props.StringProperty)
# Lines of its own after those of the linked file.
CollectionProperty = _overridable(props.CollectionProperty, "USE_INSERTION")

MATERIAL = tuple(setting.name for setting in TABLE.structs["Material"].settings)
_POWERS = str.maketrans({"2": "²", "3": "³"})


def number(name, **changes):
    """A number, or several; `changes` are Blender's, in place of those of the table."""
    return number_of(SETTINGS[name], **changes)


def number_of(setting, **changes):
    meaning = {"name": setting.label, "description": description(setting)}
    meaning["default"] = setting.default
    limits = {"min": setting.least, "max": setting.most, **setting.addon}
    meaning.update((key, value) for key, value in limits.items() if value is not None)
    if setting.length == 3:
        return FloatVectorProperty(**{**meaning, "size": 3, "subtype": "XYZ", **changes})
    if setting.length > 1:  # measured, and not for sliders
        shape = {"size": setting.length, "options": {"HIDDEN"}}
        return FloatVectorProperty(**{**meaning, **shape, **changes})
    kind = IntProperty if setting.type == "int" else FloatProperty
    return kind(**{**meaning, **changes})


def flag(name):
    setting = SETTINGS[name]
    return BoolProperty(setting.label, description(setting), default=bool(setting.default))


def choice(name, without=(), default=None):
    """.blend files keep the place among those that are offered."""
    setting = SETTINGS[name]
    offered = [each for each in setting.enum.choices if each.word not in without]
    items = [(each.word, each.label, capital(each.help)) for each in offered]
    words = [each.word for each in offered]
    default = default or (setting.default if setting.default in words else words[0])
    return EnumProperty(setting.label, description(setting), items=items, default=default)


def description(setting):
    """The help as a tooltip: without a full stop, with the unit."""
    if setting.enum:
        return setting.enum.help.rstrip(".")
    return ", ".join(filter(None, (capital(setting.help), shown_unit(setting.unit))))


def capital(text):
    return text[:1].upper() + text[1:]


def shown_unit(unit):
    """kg/m² for kg/m^2."""
    base, *powers = unit.split("^")
    return base + "".join(power[0].translate(_POWERS) + power[1:] for power in powers)


class MaterialNumbers:
    __annotations__ = {name: number(name) for name in MATERIAL}


def map_properties(setting):
    label, help = setting.label, setting.help
    group = StringProperty(f"{label} Group", f"Vertex group with a factor on {help}")
    words = f"Factor where the group's weight is 1, on {help}; it is 1 at weight 0"
    factor = number_of(setting, name=f"{label} at Weight 1", description=words)
    return {f"{setting.name}_group": group, f"{setting.name}_factor": factor}


class MapFactors:
    __annotations__ = {
        name: made for setting in MAPS.values() for name, made in map_properties(setting).items()
    }

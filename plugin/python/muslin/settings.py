# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of a cloth by name: one flat dictionary for the three structs of the definition.

Names and units are those of MuslinClothDef, MuslinMaterial and MuslinForces in muslin.h.
Choices are words, such as model="edge", or members of the enums in _enums.
"""

import ctypes
import difflib
from enum import IntEnum

from . import _abi, _enums
from .arrays import INT32, refuse
from .calls import call, new_struct, plain_value
from .table import SETTINGS, TABLE

# The enum of each setting that is a choice, and the words of all their members.
CHOICES = {name: _enums.CHOICES[one.enum.name] for name, one in SETTINGS.items() if one.enum}
WORDS = {(name, one.value): one.word for name, enum in TABLE.enums.items() for one in enum.choices}
# Settings that belong to the plain scheme of the linear solver.
PLAIN_SETTINGS = {"iterations", "estimate", "order", "coefficients"}
# Fields that no caller sets by name: the length of the coefficients follows from what is given; the last three are one
# setting, mirror_plane: "find", or a point (m) and a normal.
HIDDEN = "size coefficient_count material forces mirror_find mirror_point mirror_normal".split()
CLOTH_FIELDS, MATERIAL_FIELDS, FORCE_FIELDS = (
    [name for name, *_ in struct._fields_ if name not in HIDDEN]
    for struct in (_abi.ClothDef, _abi.Material, _abi.Forces)
)


def word(choice):
    """The word of an enum member, as settings use it."""
    return WORDS[type(choice).__name__, choice.value]


def default_definition():
    """The library's default definition, as a struct, with a material and forces of its own."""
    definition, material, forces = map(new_struct, (_abi.ClothDef, _abi.Material, _abi.Forces))
    call("muslin_default_cloth_def", ctypes.byref(definition))
    call("muslin_default_material", ctypes.byref(material))
    call("muslin_default_forces", ctypes.byref(forces))
    definition.material, definition.forces = ctypes.pointer(material), ctypes.pointer(forces)
    return definition


def default_settings():
    """Every setting with the library's default."""
    return settings_of(default_definition())


def settings_of(definition):
    """A definition struct as a dictionary; choices are words, vectors tuples."""
    settings = {name: getattr(definition, name) for name in CLOTH_FIELDS}
    for part, names in ((definition.material, MATERIAL_FIELDS), (definition.forces, FORCE_FIELDS)):
        settings.update((name, getattr(part.contents, name)) for name in names)
    for name, kind in CHOICES.items():
        settings[name] = word(kind(settings[name]))
    for name, value in settings.items():
        settings[name] = bool(value) if SETTINGS[name].type == "flag" else plain_value(value)
    settings["coefficients"] = tuple(definition.coefficients[: definition.coefficient_count])
    plane = tuple(definition.mirror_point), tuple(definition.mirror_normal)
    settings["mirror_plane"] = "find" if definition.mirror_find else plane
    return settings


def definition_from(settings):
    """A definition struct: the library's defaults with `settings` on top.

    Coefficients without an order mean order 0; iterations without a quality the custom quality; an estimate or
    iterations without a scheme the plain one: only there do they matter.
    """
    definition = default_definition()
    settings = dict(settings)
    if "coefficients" in settings:
        settings.setdefault("order", 0)
    if PLAIN_SETTINGS & settings.keys() and "quality" not in settings:
        settings.setdefault("scheme", "plain")
    if "iterations" in settings or settings.get("scheme") not in (None, "two_level"):
        settings.setdefault("quality", "custom")
    for name, value in settings.items():
        if name in MATERIAL_FIELDS:
            set_field(definition.material.contents, name, value)
        elif name in FORCE_FIELDS:
            set_field(definition.forces.contents, name, value)
        elif name in CLOTH_FIELDS:
            set_field(definition, name, value)
        elif name == "mirror_plane":
            set_plane(definition, value)
        else:
            unknown(name, CLOTH_FIELDS + MATERIAL_FIELDS + FORCE_FIELDS + ["mirror_plane"])
    return definition


def change_struct(struct, names, settings):
    """Put settings into a material or forces struct; `names` are those allowed."""
    for name, value in settings.items():
        if name not in names:
            unknown(name, names)
        set_field(struct, name, value)


def unknown(name, names):
    close = difflib.get_close_matches(name, names, 1)
    refuse(f"there is no setting {name}" + (f"; did you mean {close[0]}?" if close else ""))


def set_field(struct, name, value):
    """Put one value into its field. Its range is the library's business, its type is ours."""
    if name == "coefficients":
        return set_coefficients(struct, value)
    if name in CHOICES:
        value = choice_of(name, value)
    elif isinstance(getattr(struct, name), int):
        value = counted_number(name, value)
    elif isinstance(getattr(struct, name), ctypes.Array):
        value = vector(name, value, SETTINGS[name].length)
    else:
        value = number(name, value)
    return setattr(struct, name, value)


def set_coefficients(definition, values):
    try:
        given = None if isinstance(values, (str, bytes)) else list(values)
    except TypeError:
        given = None
    if given is None:
        refuse(f"coefficients: {values!r} is not a list of numbers")
    numbers = [number("coefficients", value) for value in given]
    if len(numbers) > _abi.MAX_COEFFICIENTS:
        refuse(f"coefficients: {len(numbers)} given, at most {_abi.MAX_COEFFICIENTS} are possible")
    definition.coefficient_count = len(numbers)
    definition.coefficients = tuple(numbers)


def set_plane(definition, value):
    """None: the library's default, x = 0."""
    definition.mirror_find = isinstance(value, str) and value.lower() == "find"
    if value is None or definition.mirror_find:
        return
    try:
        point, normal = () if isinstance(value, str) else value
    except (TypeError, ValueError):
        refuse(f"mirror_plane: {value!r} is not 'find', or a point and a normal")
    definition.mirror_point = vector("the point of mirror_plane", point)
    definition.mirror_normal = vector("the normal of mirror_plane", normal)


def choice_of(name, value):
    kind = CHOICES[name]
    if isinstance(value, str):
        for choice in kind:
            if word(choice) == value.lower():
                return choice
        words = ", ".join(word(choice) for choice in kind)
        refuse(f"{name}: {value!r} is not one of {words}")
    if isinstance(value, IntEnum) and not isinstance(value, kind):
        refuse(f"{name}: {value!r} is a choice of something else")
    return whole_number(name, value)


def counted_number(name, value):
    """A whole number of the table, or the word that stands for 0."""
    return 0 if value == SETTINGS[name].zero is not None else whole_number(name, value)


def whole_number(name, value):
    try:
        whole = int(value)
        exact = whole == value
    except (TypeError, ValueError, OverflowError):
        exact = False
    if not exact or isinstance(value, str):
        refuse(f"{name}: {value!r} is not a whole number")
    if not INT32.min <= whole <= INT32.max:
        refuse(f"{name}: {value!r} is out of range")
    return whole


def number(name, value):
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        refuse(f"{name}: {value!r} is not a number")


def vector(name, value, length=3):
    try:
        numbers = tuple(number(name, part) for part in value)
    except TypeError:
        numbers = ()
    if len(numbers) != length:
        refuse(f"{name}: {value!r} is not {'three' if length == 3 else length} numbers")
    return numbers

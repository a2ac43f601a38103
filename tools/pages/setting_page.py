# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of all settings, from the table of settings, the command line and the add-on's properties."""

import argparse
import re

from muslin.command import drape
from muslin.table import MAPS, SETTINGS, TABLE
from pages import markdown

HEAD = """\
Every number and choice that a caller can set, once: `plugin/settings/settings.json` is the table from which this page, the C
structs, the Python settings, the options of `drape` and the add-on's properties are made. Units are SI.

*Name* is the field in C ([muslin.h](../../plugin/include/muslin.h)) and the keyword in [Python](python.md). *Panel* is the
label in Blender, where it has one ([panel.md](panel.md)). *Option* is that of the [command line](command_line.md)."""
STRUCTS = {
    "ClothDef": "The method",
    "Material": "The material",
    "Forces": "Forces",
    "Body": "Bodies and self-contact",
}
MAP_HELP = "Factors for each vertex: `muslin_cloth_set_map` in C, `Cloth.set_map` in Python, a vertex group in Blender."
# Options that are made by hand of several settings.
BY_HAND = {
    "stretch_warp": "--stretch",
    "stretch_weft": "--stretch",
    "mirror_find": "--mirror-plane",
    "mirror_point": "--mirror-plane",
    "mirror_normal": "--mirror-plane",
}
POWERS = str.maketrans({"2": "²", "3": "³"})
USED = re.compile(r'\b(?:number|choice|flag)\(\s*"(\w+)"')


def text(root):
    """The page."""
    options, shown = _options(), _in_panel(root)
    parts = [HEAD]
    for name, title in STRUCTS.items():
        struct = TABLE.structs[name]
        fields = [s for s in struct.settings if s.is_number and s.name in SETTINGS]
        parts += [f"## {title}", struct.help, _table(fields, options, shown)]
    parts += ["## Given with a call", _table(TABLE.arguments, options, shown)]
    given = {name: f"--{name}-map" for name in MAPS}
    parts += ["## Maps", MAP_HELP, _table(MAPS.values(), given, MAPS)]
    parts += ["## Choices", *(_choices(enum) for enum in TABLE.enums.values())]
    return markdown.page("Settings", *parts)


def _table(fields, options, shown):
    heads = ("name", "panel", "option", "unit", "range", "default", "meaning")
    return markdown.table(heads, [_row(field, options, shown) for field in fields])


def _row(field, options, shown):
    return (
        markdown.code(field.name),
        f"*{field.label}*" if field.name in shown else "",
        markdown.code(options.get(field.name, "")),
        re.sub(r"\^(\d)", lambda power: power[1].translate(POWERS), field.unit),
        "" if field.enum or field.type == "flag" else field.range_words(),
        _default(field),
        _meaning(field),
    )


def _default(field):
    if field.enum:
        return markdown.code(field.default)
    if field.type == "flag":
        return "on" if field.default else "off"
    values = field.default if field.length > 1 else [field.default]
    return "0" if not any(values) else ", ".join(f"{value:g}" for value in values)


def _meaning(field):
    if not field.enum:
        return markdown.sentence(field.help)
    name = field.enum.name
    note = f"; {field.help}" if field.help else ""
    return f"{markdown.sentence(field.enum.help)}{note}: [choices](#{name.lower()})"


def _choices(enum):
    rows = [
        (markdown.code(c.word), markdown.code(c.option or ""), c.label, markdown.sentence(c.help))
        for c in enum.choices
    ]
    heads = ("in Python", "option", "in Blender", "meaning")
    return "\n\n".join((f"### {enum.name}", enum.help, markdown.table(heads, rows)))


def _options():
    """{name of a setting: its option, ...}"""
    commands = argparse.ArgumentParser().add_subparsers()
    drape.add_command(commands)
    found = dict(BY_HAND)
    for action in commands.choices["drape"]._actions:
        if action.option_strings:
            found[action.dest] = action.option_strings[-1]
    return {name: option for name, option in found.items() if name in SETTINGS}


def _in_panel(root):
    """The settings that the add-on has a property of."""
    found = {field.name for field in TABLE.structs["Material"].settings if field.length == 1}
    for path in (root / "blender_addon").rglob("*.py"):
        if "tests" not in path.parts:
            found.update(USED.findall(path.read_text("utf-8")))
    return found

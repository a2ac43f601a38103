# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of what scripts can set on a garment in Blender, from the add-on's own properties.

The add-on is imported with a stand-in for bpy, which keeps what each property is given: no Blender is needed.
"""

import importlib
import math
import sys
import types
from collections import namedtuple
from unittest import mock

import muslin
from muslin.table import TABLE
from pages import markdown

HEAD = """\
`object.muslin` of a garment: what the panel shows, the names that scripts and animation use, and the settings of
[shots that are .blend files](../guide/farm.md#shots-that-are-blend-files). The words are the tooltips. [panel.md](panel.md) explains
the fields in the order of the panel; [scripting.md](../guide/scripting.md) simulates from a script."""
PACKAGE = "muslin_addon"  # what the add-on's folder is called while it is read
OTHERS = ("blf", "bmesh", "bpy_extras", "gpu", "gpu_extras", "mathutils")

Property = namedtuple("Property", "kind values")


def text(root):
    """The page."""
    with mock.patch.dict(sys.modules, _stand_ins(root)):
        garment = importlib.import_module(f"{PACKAGE}.properties").MuslinGarment
        return markdown.page(
            "Properties of a garment in Blender", HEAD, *_group("object.muslin", garment)
        )


class _Kind(type):
    """A kind of Blender's, of which anything may be asked."""

    def __getattr__(cls, name):
        return mock.MagicMock()


class _Kinds(types.ModuleType):
    """bpy.types: every name is a class that others may derive from."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        setattr(self, name, _Kind(name, (), {}))
        return getattr(self, name)


class _Properties(types.ModuleType):
    """bpy.props: every function keeps what it is given."""

    def __getattr__(self, name):
        if not name.endswith("Property"):
            raise AttributeError(name)
        return lambda **values: Property(name[: -len("Property")], values)


def _stand_ins(root):
    """Modules in place of Blender's, and the add-on's package without what it does when it is enabled."""
    bpy = mock.MagicMock(types=_Kinds("bpy.types"), props=_Properties("bpy.props"))
    package = types.ModuleType(PACKAGE)
    package.__path__ = [str(root / "blender_addon")]
    others = {name: mock.MagicMock() for name in OTHERS}
    bpy_names = {"bpy": bpy, "bpy.types": bpy.types, "bpy.props": bpy.props}
    more = {
        f"bpy.{name}": mock.MagicMock()
        for name in ("app", "app.handlers", "utils", "utils.previews")
    }
    ours = {
        PACKAGE: package,
        f"{PACKAGE}.muslin": muslin,
    }  # as in the sources: a part of the add-on
    return {**others, **more, **bpy_names, **ours}


def _group(path, group):
    """A heading and a table of a group, then those of the groups in it."""
    rows, inner = [], []
    for name, made in _annotations(group).items():
        if "HIDDEN" in made.values.get("options", ()) or not made.values.get("name"):
            if made.kind in ("Pointer", "Collection") and _is_group(made):
                inner.append((name, made))
            continue
        rows.append(_row(name, made))
        if _is_group(made):
            inner.append((name, made))
    if rows:
        yield f"## {path}"
        yield markdown.table(("name", "panel", "default", "range", "what it does"), rows)
    for name, made in inner:
        where = f"{path}.{name}" + ("[…]" if made.kind == "Collection" else "")
        yield from _group(where, made.values["type"])


def _annotations(group):
    found = {}
    for kind in reversed(group.__mro__):
        found.update(vars(kind).get("__annotations__", {}))
    return {name: made for name, made in found.items() if isinstance(made, Property)}


def _is_group(made):
    return bool(_annotations(made.values["type"])) if "type" in made.values else False


def _row(name, made):
    values = made.values
    return (
        markdown.code(name),
        f"*{values['name']}*",
        _default(made),
        _range(values),
        _meaning(values),
    )


def _default(made):
    default = made.values.get("default", 0 if made.kind in ("Float", "Int") else None)
    if made.kind == "Bool":
        return "on" if default else "off"
    if made.kind == "Enum":
        return markdown.code(default) if isinstance(default, str) else _first(made.values)
    if isinstance(default, (int, float)):
        return f"{default:g}"
    if isinstance(default, (list, tuple)):
        return ", ".join(f"{part:g}" for part in default)
    return markdown.code(default or "")


def _first(values):
    items = values.get("items")
    return markdown.code(items[0][0]) if isinstance(items, (list, tuple)) else ""


def _range(values):
    least, most = values.get("min"), values.get("max")
    bounds = [
        f"from {least:g}" if _is_bound(least) else "",
        f"to {most:g}" if _is_bound(most) else "",
    ]
    return " ".join(filter(None, bounds))


def _is_bound(value):
    return isinstance(value, (int, float)) and math.isfinite(value)


def _meaning(values):
    said = markdown.sentence(values.get("description", ""))
    items = values.get("items")
    if not isinstance(items, (list, tuple)):
        return said
    for enum in TABLE.enums.values():  # which settings.md explains
        if {item[:2] for item in items} <= {(c.word, c.label) for c in enum.choices}:
            words = ", ".join(f"`{word}` ({label})" for word, label, _ in items)
            return f"{said}: {words}; [meanings](settings.md#{enum.name.lower()})"
    choices = "; ".join(f"`{item[0]}` ({item[1]}): {item[2]}" for item in items)
    return ". ".join(filter(None, (said, choices)))

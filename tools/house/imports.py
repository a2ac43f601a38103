# SPDX-License-Identifier: GPL-3.0-or-later
"""Imports lead downward: the binding knows no Blender, its command line is on top, the add-on's folders have an order."""

from house.cycles import cycles
from house.packages import imports, modules
from house.tree import Finding

BLENDER = {"bpy", "bmesh", "mathutils", "gpu", "addon_utils", "bl_ext", "blender_addon"}
ADDON = "addon"  # it may be installed under several names
PACKAGES = (
    ("plugin/python/muslin", "muslin"),
    ("blender_addon", ADDON),
    ("test_scenes", "test_scenes"),
)
# On top of the binding: only what is named here may import it.
COMMAND, ITS_STARTER = "muslin.command", "muslin.__main__"
# From the ground; each may import those before it, and BELOW.
ORDER = ("scene", "output", "run", "operators", "ui")
BELOW = ("muslin", "properties", "fit_properties", "table_properties", "fabric_list")
# Beside the folders, and what of the add-on each may import; the registry imports all by name.
BESIDE = {
    "properties": (
        "fabric_list",
        "fit_properties",
        "mirror_properties",
        "overridable",
        "sewing_properties",
        "table_properties",
    ),
    "fabric_list": ("muslin",),
    "fit_properties": ("overridable",),
    "mirror_properties": ("overridable", "table_properties"),
    "sewing_properties": ("overridable",),
    "table_properties": ("muslin", "overridable"),
    "overridable": (),
    "handlers": ("properties", "run", "output"),
    "bytecode": (),
    "registry": (),
    "binding": ("muslin",),
    "api": ("scene", "output", "run"),
    "": ("binding", "registry"),
}


def check(tree):
    """Imports that lead upward, to Blender where it is unknown, or in a circle."""
    for folder, package in PACKAGES:
        known = modules(tree, folder, package)
        found = {name: list(imports(tree, name, known)) for name in known}
        for name in known:
            for one in found[name]:
                trouble = _trouble(package, name, one.name)
                if trouble:
                    yield Finding(known[name], one.line, trouble)
        yield from _check_circles(known, found)


def _trouble(package, name, imported):
    """Why a module must not import that; "" if it may."""
    if package == ADDON:
        return _trouble_in_addon(name.split("."), imported.split("."))
    if imported.split(".")[0] in BLENDER:
        return f"{package} must not hear of Blender: {imported}"
    if _is_in(imported, COMMAND) and not _is_in(name, COMMAND) and name != ITS_STARTER:
        return f"the command line is on top of the binding: {imported}"
    return ""


def _is_in(name, package):
    return name == package or name.startswith(package + ".")


def _trouble_in_addon(name, imported):
    if imported[0] in ("muslin", "blender_addon"):
        return "the add-on imports by relative names, whatever it is called where it is installed"
    if imported[0] != ADDON or len(imported) == 1:
        return ""
    own, other = name[1] if len(name) > 1 else "", imported[1]
    if other == own:
        return ""
    if own in ORDER:
        allowed = (*BELOW, *ORDER[: ORDER.index(own)])
    elif own in BESIDE:
        allowed = BESIDE[own] if own in ("", "registry") else (*BESIDE[own], "muslin")
    else:
        return f"{own} has no place in the order of the add-on"
    return "" if other in allowed else f"{own or 'the add-on'} must not import {other}"


def _check_circles(known, found):
    uses = {
        name: {one.name for one in found[name] if one.name in known and one.name != name}
        for name in known
    }
    for circle in cycles(uses):
        following = circle[1 % len(circle)]
        line = next(one.line for one in found[circle[0]] if one.name == following)
        text = "imports itself: " + " -> ".join([*circle, circle[0]])
        yield Finding(known[circle[0]], line, text)

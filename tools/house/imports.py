# SPDX-License-Identifier: GPL-3.0-or-later
"""Imports lead downward: the binding knows no Blender, its command line is on top, the add-on's features stand between
what all of them use and what puts them together; and no two files of it have one name."""

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
# The add-on, from the ground: what all features use; each may import those before it, and the binding.
GROUND = (
    *(
        "words",
        "scene",
        "table_properties",
        "recording",
        "running",
        "drawing",
        "buttons",
        "jobs",
        "last_error",
    ),
)
# They stand on the ground, and know each other as long as no two files do so in a circle.
FEATURES = (
    *("garment", "bodies", "forces", "fabric", "sewing", "mirror", "layers", "simulation"),
    *("fit_map", "check", "dress", "preview", "bake", "output", "farm"),
)
# On top, in this order; the last is the add-on itself.
TOP = ("properties", "preferences", "panels", "handlers", "api", "loading", "registry", "")
BINDING = "muslin"


def check(tree):
    """Imports that lead upward, to Blender where it is unknown, or in a circle."""
    for folder, package in PACKAGES:
        known = modules(tree, folder, package)
        found = {name: list(imports(tree, name, known)) for name in known}
        for name in known:
            for one in found[name]:
                complaint = _complaint(package, name, one.name)
                if complaint:
                    yield Finding(known[name], one.line, complaint)
        yield from _check_circles(known, found)
        if package == ADDON:
            yield from _check_names(known)


def _complaint(package, name, imported):
    """Why a module must not import that; "" if it may."""
    if package == ADDON:
        return _complaint_in_addon(name.split("."), imported.split("."))
    if imported.split(".")[0] in BLENDER:
        return f"{package} must not hear of Blender: {imported}"
    if _is_in(imported, COMMAND) and not _is_in(name, COMMAND) and name != ITS_STARTER:
        return f"the command line is on top of the binding: {imported}"
    return ""


def _is_in(name, package):
    return name == package or name.startswith(package + ".")


def _complaint_in_addon(name, imported):
    if imported[0] in ("muslin", "blender_addon"):
        return "the add-on imports by relative names, whatever it is called where it is installed"
    if imported[0] != ADDON or len(imported) == 1:
        return ""
    own, other = name[1] if len(name) > 1 else "", imported[1]
    if other in (own, BINDING):
        return ""
    order = (*GROUND, FEATURES, *TOP)
    places = [_place(order, folder) for folder in (own, other)]
    if None in places:
        return f"{own if places[0] is None else other} has no place in the order of the add-on"
    between_features = own in FEATURES and other in FEATURES
    if between_features or places[1] < places[0]:
        return ""
    return f"{own or 'the add-on'} must not import {other}"


def _place(order, folder):
    """Which floor of the add-on; None: no floor."""
    return next(
        (
            i
            for i, each in enumerate(order)
            if folder == each or (folder and folder in each and each is FEATURES)
        ),
        None,
    )


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


def _check_names(known):
    """Two files of one name are two places that a reader may mean."""
    first = {}
    for name, path in known.items():
        leaf = name.rpartition(".")[2]
        if first.setdefault(leaf, path) != path:
            yield Finding(path, 1, f"has the name of {first[leaf]}: what is special in it?")

# SPDX-License-Identifier: GPL-3.0-or-later
"""Includes lead downward: in native from floor to floor, from plugin to native through few doors, never up."""

import os

from house.c_text import includes
from house.cycles import cycles
from house.tree import Finding, is_program

# From the ground. Folders of one floor do not know each other; what is inside a folder belongs to its floor.
FLOORS = (
    *(("base",), ("geometry",), ("mesh", "linear"), ("laws",), ("system",), ("contact", "mirror")),
    *(("solver", "inspection"), ("simulation",), ("cloth",)),
)
LEVEL = {folder: level for level, floor in enumerate(FLOORS) for folder in floor}
# What plugin may include of native.
DOORS = {
    *(
        "base/status.h",
        "laws/maps.h",
        "laws/material.h",
        "cloth/cloth.h",
        "mesh/polygon.h",
        "mirror/closures/fronts.h",
        "mirror/symmetry/symmetry.h",
    ),
}


def check(tree):
    """Includes that lead upward or aside, past the doors, or in a circle."""
    for path in tree.c_files():
        if is_program(path):
            continue
        if path.startswith("native/"):
            yield from _check_native(tree, path)
        elif path.startswith("plugin/"):
            yield from _check_plugin(tree, path)
    yield from _check_circles(tree)


def _check_native(tree, path):
    own = path.split("/")[1]
    if own not in LEVEL:
        yield Finding(path, 1, f"native/{own} is on no floor of the house")
        return
    for line, name in includes(tree.text(path)):
        other = name.split("/")[0]
        if name.startswith("muslin") or "plugin" in name.split("/"):
            yield Finding(path, line, f"native must not hear of plugin: {name}")
        elif "/" in name and other in LEVEL and other != own and LEVEL[other] >= LEVEL[own]:
            where = "upward" if LEVEL[other] > LEVEL[own] else "to its own floor"
            yield Finding(path, line, f"{own} must not include {where}: {name}")
        elif "/" in name and other not in LEVEL and other not in ("sys", "arpa"):
            yield Finding(path, line, f"{name} is on no floor of the house")


def _check_plugin(tree, path):
    for line, name in includes(tree.text(path)):
        if name.split("/")[0] in LEVEL and name not in DOORS:
            yield Finding(path, line, f"plugin must go through native's doors, not {name}")


def _check_circles(tree):
    headers = [path for path in tree.c_files() if path.endswith(".h")]
    places = {path: _meant(tree, path, headers) for path in headers}
    for circle in cycles({path: set(meant) for path, meant in places.items()}):
        line = places[circle[0]][circle[1 % len(circle)]]
        yield Finding(circle[0], line, "includes itself: " + " -> ".join([*circle, circle[0]]))


def _meant(tree, path, headers):
    """{header: line of its include, ...}; a name is looked for in the same folder and below native."""
    found, known = {}, set(headers)
    for line, name in includes(tree.text(path)):
        for folder in (os.path.dirname(path), "native", "plugin/include", "plugin/src"):
            if f"{folder}/{name}" in known:
                found.setdefault(f"{folder}/{name}", line)
                break
    return found

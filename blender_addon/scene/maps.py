# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertex groups: which vertices are pinned, and how mass and stiffness differ over the cloth.

Weights are those painted on the mesh, from 0 to 1.
"""

import numpy as np

from .arrays import readable
from .problems import Problem

PURPOSES = {"pin_group": "pins need", "mass_group": "weight needs"}
PURPOSES.update(stretch_group="stretch needs", bend_group="bending needs")
PURPOSES.update(size_group="shrinking needs")
MAPS = ("mass", "stretch", "bend", "size")


def group_of(obj, setting):
    """The vertex group that a setting names, or None if it names none. A missing one is a Problem."""
    name = getattr(obj.muslin, setting)
    if not name:
        return None
    group = obj.vertex_groups.get(name)
    if group is None:
        what = f"the vertex group '{name}' that its {PURPOSES[setting]}"
        raise Problem(f"{obj.name} does not have {what}; choose another or none", obj.name)
    return group


def weights(obj, group_index):
    """The weight of every vertex in a group; 0 for those that are not in it."""
    with readable(obj.data) as mesh:
        found = np.zeros(len(mesh.vertices), dtype=np.float32)
        for number, vertex in enumerate(mesh.vertices):
            for member in vertex.groups:
                if member.group == group_index:
                    found[number] = member.weight
    return np.clip(found, 0.0, 1.0)


def pins(obj):
    """Pinned vertices and their weights: 1 holds exactly, below softly."""
    group = group_of(obj, "pin_group")
    if group is None:
        return np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float32)
    found = weights(obj, group.index)
    vertices = np.flatnonzero(found > 0).astype(np.int32)
    return vertices, found[vertices]


def scales(obj):
    """Factors on mass, stretch, bending and size, an array a vertex or None each: 1 at weight 0, the
    setting's factor at weight 1, evenly in between."""
    return tuple(_scale(obj, name) for name in MAPS)


def _scale(obj, name):
    group = group_of(obj, f"{name}_group")
    if group is None:
        return None
    factor = getattr(obj.muslin, f"{name}_factor")
    return 1.0 + (factor - 1.0) * weights(obj, group.index)


def chosen(obj):
    """What pins and maps are made from, to see whether the artist has changed it."""
    settings = obj.muslin
    factors = tuple(getattr(settings, f"{name}_factor") for name in MAPS)
    return settings.pin_group, tuple(getattr(settings, f"{name}_group") for name in MAPS), factors

# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertex groups: which vertices are pinned, and how mass and stiffness differ over the cloth.

Weights are those painted on the mesh, from 0 to 1.

All pins of a running cloth are those of the garment's vertex group, which holds as strongly as its animated factor says
until it is released, and what hands hold besides.
"""

from dataclasses import dataclass

import numpy as np

from ..muslin.table import MAPS
from ..scene.arrays import readable
from ..scene.problems import Problem

PURPOSES = {"pin_group": "pins need"}
PURPOSES.update((f"{name}_group", f"{each.label.lower()} needs") for name, each in MAPS.items())


def group_of(obj, setting):
    """The vertex group that a setting names, or None. A missing one is a Problem."""
    name = getattr(obj.muslin, setting)
    if not name:
        return None
    group = obj.vertex_groups.get(name)
    if group is None:
        what = f"the vertex group '{name}' that its {PURPOSES[setting]}"
        raise Problem(f"{obj.name} does not have {what}; choose another or none")
    return group


def weights(obj, group_index):
    """The weight of every vertex in a group; 0 for those outside."""
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


def maps(obj):
    """For each map an array of factors or None: 1 at weight 0, the setting's factor at weight 1, evenly in between."""
    found = {}
    for name in MAPS:
        group, factor = group_of(obj, f"{name}_group"), getattr(obj.muslin, f"{name}_factor")
        has_group = group is not None
        found[name] = 1.0 + (factor - 1.0) * weights(obj, group.index) if has_group else None
    return found


def chosen_groups(obj):
    settings = obj.muslin
    factors = tuple(getattr(settings, f"{name}_factor") for name in MAPS)
    return settings.pin_group, tuple(getattr(settings, f"{name}_group") for name in MAPS), factors


@dataclass(frozen=True)
class Pins:
    """As Cloth.set_pins() takes them: vertices, weights from 0 to 1, and target positions, n x 3, m."""

    vertices: np.ndarray
    weights: np.ndarray
    targets: np.ndarray

    def is_same_set(self, other):
        """Whether only targets differ: moving pins costs nothing, another set changes the factor."""
        same = np.array_equal(self.vertices, other.vertices)
        return same and np.array_equal(self.weights, other.weights)


def no_pins():
    return Pins(np.zeros(0, np.int32), np.zeros(0, np.float32), np.zeros((0, 3), np.float32))


def joined_pins(several):
    """The first of several sets holds a vertex that more than one has."""
    vertices = np.concatenate([pins.vertices for pins in several])
    _, first = np.unique(vertices, return_index=True)
    first.sort()
    weights = np.concatenate([pins.weights for pins in several])
    targets = np.concatenate([pins.targets for pins in several])
    return Pins(vertices[first], weights[first], np.ascontiguousarray(targets[first]))


def strength_of(obj, scene):
    garment = obj.muslin
    if garment.use_pin_release and scene.frame_current >= garment.pin_release:
        return 0.0
    return garment.pin_strength

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
    """The vertex group that a setting names, or None if it names none. A missing one is a Problem."""
    name = getattr(obj.muslin, setting)
    if not name:
        return None
    group = obj.vertex_groups.get(name)
    if group is None:
        what = f"the vertex group '{name}' that its {PURPOSES[setting]}"
        raise Problem(f"{obj.name} does not have {what}; choose another or none")
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


def maps(obj):
    """For each map an array of factors or None: 1 at weight 0, the setting's factor at weight 1, evenly in between."""
    return {name: _scale(obj, name) for name in MAPS}


def _scale(obj, name):
    group = group_of(obj, f"{name}_group")
    if group is None:
        return None
    factor = getattr(obj.muslin, f"{name}_factor")
    return 1.0 + (factor - 1.0) * weights(obj, group.index)


def chosen_groups(obj):
    """What pins and maps are made from, to see whether the artist has changed it."""
    settings = obj.muslin
    factors = tuple(getattr(settings, f"{name}_factor") for name in MAPS)
    return settings.pin_group, tuple(getattr(settings, f"{name}_group") for name in MAPS), factors


@dataclass(frozen=True)
class Pins:
    """As Cloth.set_pins() takes them: vertices, weights from 0 to 1, and where they shall be, n x 3, m."""

    vertices: np.ndarray
    weights: np.ndarray
    targets: np.ndarray

    def is_same_set(self, other):
        """Whether only targets differ: moving pins costs nothing, another set changes the factor."""
        return np.array_equal(self.vertices, other.vertices) and np.array_equal(
            self.weights, other.weights
        )


def no_pins():
    return Pins(np.zeros(0, np.int32), np.zeros(0, np.float32), np.zeros((0, 3), np.float32))


def joined_pins(several):
    """One set of several; a vertex that more than one has is held by the first of them."""
    vertices = np.concatenate([pins.vertices for pins in several])
    _, first = np.unique(vertices, return_index=True)
    first.sort()
    weights = np.concatenate([pins.weights for pins in several])
    targets = np.concatenate([pins.targets for pins in several])
    return Pins(vertices[first], weights[first], np.ascontiguousarray(targets[first]))


def strength_of(obj, scene):
    """From 0 to 1."""
    garment = obj.muslin
    if garment.use_pin_release and scene.frame_current >= garment.pin_release:
        return 0.0
    return garment.pin_strength


def strengths_of(garments, counts, scene):
    """For each pin of several garments, which have so many."""
    return np.repeat([strength_of(obj, scene) for obj in garments], counts).astype(np.float32)


def holding(vertices, weights, targets, strength):
    """Pins that still hold: vertices, weights and targets."""
    weights = (weights * strength).astype(np.float32)
    holds = weights > 0
    return vertices[holds], weights[holds], np.ascontiguousarray(targets[holds])

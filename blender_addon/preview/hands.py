# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth that is pulled and pinned with the mouse while it drapes.

What is held lives here, in memory; the garment's property `live_pins` says which of the sets that there were counts,
so an undo takes back the last pin and a redo sets it again, whatever else they do.
"""

from dataclasses import dataclass, replace
from itertools import count

import bpy
import numpy as np

from ..garment import vertex_groups
from ..garment.vertex_groups import Pins
from ..muslin import find_symmetry, grab
from ..muslin.edited import survivors
from ..muslin.inspection.surface import surface_of
from ..scene import place

GROUP = "Pins"  # the group for pins set by hand, if the garment has no pin group

_stamps = count(1)


@dataclass(frozen=True)
class Hold:
    """A patch of the cloth that is pulled or pinned. vertex: its middle. pins: where it was when it was taken."""

    vertex: int
    pins: Pins


def places(preview, obj):
    """The shown vertices in the world, m; None before the first step."""
    shape = preview.shapes.get(obj.muslin.uid)
    if shape is None:
        return None
    unit = place.unit_of(bpy.data.scenes[preview.scene_name])
    return place.to_world(shape, obj.matrix_world, unit)


class Hands:
    """What holds one garment besides its vertex group. Lengths in m, places in the world."""

    def __init__(self):
        self._cloth = self._mesh = None  # of the last follow()
        self.pull = None  # a Hold while the mouse pulls
        self.way = np.zeros(3)  # of the mouse since then, m
        self._sets = {}  # stamp -> Holds
        self._modelled = None  # the Mesh that vertices are of
        self._surface = self._partners = None  # of that mesh

    def pins(self, obj):
        return self._sets.get(obj.muslin.live_pins, ())

    @property
    def is_ready(self):
        """Whether it has followed a simulation: what settles before its first frame cannot be taken yet."""
        return self._modelled is not None

    @property
    def surface(self):
        if self._surface is None:
            self._surface = surface_of(self._modelled)
        return self._surface

    def take(self, vertex, seen):
        """seen: places() of all vertices."""
        self.pull, self.way = self._hold(vertex, seen), np.zeros(3)

    def pin(self, obj, vertex, seen):
        """The vertex is held exactly, what is around it softly."""
        pins = self._hold(vertex, seen).pins
        weights = np.where(pins.vertices == vertex, np.float32(1), pins.weights)
        self._remember(obj, (*self.pins(obj), Hold(vertex, replace(pins, weights=weights))))

    def let_go(self, obj, index=None):
        """Release one of the pins; None: all."""
        pins = self.pins(obj)
        self._remember(obj, () if index is None else (*pins[:index], *pins[index + 1 :]))

    def _hold(self, vertex, seen):
        mesh, stiffness = self._mesh, self._cloth.settings["pin_stiffness"]
        patch = grab.take(mesh, self.surface, vertex)
        weights = grab.pull_weights(self.surface, patch, stiffness)
        return Hold(vertex, Pins(patch.vertices, weights, seen[patch.vertices]))

    def _remember(self, obj, pins):
        stamp = next(_stamps)
        self._sets[stamp] = pins
        obj.muslin.live_pins = stamp

    def follow(self, simulation, member):
        """What is held during the next step: Pins of the cloth."""
        self._cloth, self._mesh = simulation.cloth, member.garment.mesh
        self._carry_over(member.garment.modelled)
        several = [hold.pins for hold in self.pins(member.find())]
        if self.pull is not None:
            pulled, positions = self.pull.pins, simulation.positions_world()[member.span]
            reach, to = grab.reach(self._mesh), pulled.targets + self.way
            targets = grab.lead(positions[pulled.vertices], to, reach)
            several.insert(0, replace(pulled, targets=targets))
        if not several:
            return vertex_groups.no_pins()
        pins = self._on_both_sides(simulation, vertex_groups.joined_pins(several))
        return replace(pins, vertices=(pins.vertices + member.begin).astype(np.int32))

    def _on_both_sides(self, simulation, pins):
        """Where one half is simulated for both, the other side is pulled, too."""
        report = simulation.cloth.mirror()
        if report.mode == "off" or report.solved_whole:
            return pins
        mesh, settings = simulation.feeder.garment.mesh, simulation.feeder.garment.settings
        plane = settings["mirror_plane"]
        if self._partners is None:
            tolerance = settings["mirror_tolerance"] or None
            self._partners = find_symmetry(mesh, plane, tolerance).partners.copy()
        # where sides differ, the vertices that are nearest to the images
        lonely = pins.vertices[self._partners[pins.vertices] < 0]
        self._partners[lonely] = grab.nearest_images(mesh.positions, lonely, plane)
        held = pins.vertices, pins.weights, pins.targets
        return Pins(*grab.mirrored(*held, self._partners, plane))

    def _carry_over(self, modelled):
        """The mesh was edited: what is left of a patch stays held."""
        if modelled is self._modelled:
            return
        before, self._modelled = self._modelled, modelled
        self._surface = self._partners = None
        if before is None:
            return
        origin = survivors(before, modelled)
        number = np.full(before.vertex_count, -1)
        number[origin[origin >= 0]] = np.flatnonzero(origin >= 0)
        if self.pull is not None:
            self.pull = _carried(self.pull, number)
        for stamp, pins in self._sets.items():
            left = (_carried(hold, number) for hold in pins)
            self._sets[stamp] = tuple(hold for hold in left if hold is not None)


class AllHands(dict):
    """uid -> Hands, of all garments of a cloth."""

    def __missing__(self, uid):
        return self.setdefault(uid, Hands())

    def follow(self, simulation):
        """What is held during the next step: Pins of the cloth."""
        held = [self[member.uid].follow(simulation, member) for member in simulation.members]
        return vertex_groups.joined_pins(held)

    def drop(self):
        for hands in self.values():
            hands.pull = None


def _carried(hold, number):
    """The Hold in the numbers of an edited mesh; None where its middle is gone."""
    vertices = number[hold.pins.vertices]
    left = vertices >= 0
    if number[hold.vertex] < 0:
        return None
    pins = Pins(vertices[left].astype(np.int32), hold.pins.weights[left], hold.pins.targets[left])
    return Hold(int(number[hold.vertex]), pins)


def write_to_group(obj, holds):
    """Add pins to the garment's group, which is made if there is none; its name."""
    group = obj.vertex_groups.get(obj.muslin.pin_group)
    if group is None:
        group = obj.vertex_groups.new(name=GROUP)
        obj.muslin.pin_group = group.name
    for hold in holds:
        for vertex, weight in zip(hold.pins.vertices.tolist(), hold.pins.weights.tolist()):
            members = {member.group: member.weight for member in obj.data.vertices[vertex].groups}
            group.add([vertex], max(weight, members.get(group.index, 0.0)), "REPLACE")
    return group.name

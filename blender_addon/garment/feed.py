# SPDX-License-Identifier: GPL-3.0-or-later
"""Feeds a running cloth from the scene, frame by frame. Keeps arrays and names, nothing of Blender."""

from functools import partial

import numpy as np

from ..bodies.colliders import Colliders
from ..forces.forces import FieldObjects, Fields, forces
from ..layers.partners import partners
from ..mirror import mirror_plane
from ..muslin import DetailCode, Outcome
from ..scene import arrays, place
from ..scene.lookup import is_shown
from ..scene.problems import Problem, speaking_of
from ..sewing import seams
from ..words import counted
from . import garment_data, garment_settings, vertex_groups
from .vertex_groups import Pins


class Feed:
    """One garment's way into one cloth. garment: what the cloth is built from. notes: sentences for the artist about what changed;
    whoever shows them may clear the list. colliders: the bodies of the cloth. jumped: what of
    them jumped in the last follow(), a sentence. hands: Pins beside those of the garment, from the
    next follow() on. mirrored, edited, sweeping: see read_garment()."""

    def __init__(self, obj, scene, depsgraph, mirrored=True, edited=False, sweeping=False):
        with speaking_of(obj.name):
            how = mirrored, edited, sweeping
            self.garment = garment_data.read_garment(obj, scene, depsgraph, *how)
            self.garment.closing = seams.front_links(obj, self.garment.mesh)
        self.partners = list  # gives the other garments of the same cloth
        self._maps = vertex_groups.chosen_groups(obj)
        self._prepare(obj, scene, sweeping, lambda: self.partners())

    def _prepare(self, obj, scene, sweeping, partners):
        self._sweeping = sweeping
        self.colliders = Colliders(partners)
        self._field_objects = FieldObjects()
        self._tacks = seams.Tacks()
        self._built_from = self._structure(obj)
        self._self_contact = self._forces = self._targets = None
        self._pins = None  # as the cloth has them
        self._strength = self._pin_strength(obj, scene)
        self.hands = vertex_groups.no_pins()
        self.jumped = ""
        self.notes = self.colliders.notes
        self.notes.extend(self.garment.notes)

    def begin(self, cloth, obj, scene, depsgraph, is_set_up=False):
        """A cloth at the garment's start, with pins, maps, forces and bodies as they are now. is_set_up: set_up() was called with it."""
        self._self_contact = self._forces = None
        self._fields = Fields()
        with speaking_of(obj.name):
            if not is_set_up:
                self.set_up(cloth)
            self._push_self_contact(cloth, obj)
            self._push_forces(cloth, obj, scene, depsgraph)
            self.colliders.begin(cloth, obj, scene, depsgraph)
            bodies = partial(self.colliders.met, scene=scene, depsgraph=depsgraph)
            others = {other.name for other in partners(obj, scene, depsgraph.view_layer)}
            self._tacks.begin(cloth, self._worn(obj), self.garment, bodies, others)

    def set_up(self, cloth):
        """What the matrix depends on, and where the cloth starts. Runs in any thread, touches nothing of Blender."""
        data = self.garment
        cloth.set_maps(**data.maps)
        self.start(cloth, data.start)
        self._targets = np.ascontiguousarray(data.start[data.pin_vertices])
        self._set_pins(cloth)

    def start(self, cloth, positions):
        """Put the cloth where it starts, its front open, and sew it again."""
        cloth.set_state(positions)
        self._tacks.start(cloth, self.garment)

    def follow(self, cloth, obj, scene, depsgraph, jump=False):
        """The scene as it is now becomes the goal of the next step. jump: bodies are there at once and sweep nothing up, as after
        going back in time."""
        self._refuse_changes(obj, depsgraph)
        with speaking_of(obj.name):
            self.colliders.follow(cloth, obj, scene, depsgraph, jump)
            self._tacks.follow(cloth, scene.frame_current)
            self._follow_pins(cloth, obj, scene, depsgraph, jump)
            self.jumped = self.colliders.carry(cloth, scene.frame_current, self._all_pins)
            self._push_forces(cloth, obj, scene, depsgraph)

    def modelled_poses(self, obj, scene, depsgraph):
        """Of the bodies, see Colliders; none where the garment itself is bent: it was made for any pose."""
        if place.is_deformed(obj):
            return []
        with speaking_of(obj.name):
            return self.colliders.modelled_poses(obj, scene, depsgraph)

    def settings_changed(self, cloth, obj):
        """Give the running cloth the settings as they are now. True: it has to be rebuilt."""
        is_other = garment_settings.needs_rebuild(cloth, obj, self._sweeping)
        if is_other or self._structure(obj) != self._built_from:
            return True
        with speaking_of(obj.name):
            self._push_settings(cloth, obj)
        return False

    def _push_settings(self, cloth, obj):
        wanted = garment_settings.material(obj, self._sweeping)
        garment_settings.push_material(cloth, wanted, cloth.settings)
        garment_settings.push_method(cloth, obj, self._sweeping)
        self._push_self_contact(cloth, obj)
        self._push_maps(cloth, obj)

    def words(self, message):
        """The library's message, with the names of bodies."""
        said = (each for each in message.sentences if getattr(each, "code", None) not in ELSEWHERE)
        return "; ".join(sentence(detail, self.colliders.name_of) for detail in said)

    def _structure(self, obj):
        """Rest shape, mirroring and sewing: what only a new cloth can take."""
        sewn = seams.closure_choice(obj), seams.sewing_choice(obj)
        return garment_settings.rest_choice(obj), mirror_plane.choice(obj), sewn

    def _worn(self, obj):
        """The garments of the cloth, with the number of the first vertex of each."""
        return [(obj, 0)]

    def _refuse_changes(self, obj, depsgraph):
        """Another mesh has other vertices; a flattened object has no way back for the result."""
        garment_data.refuse_matrix(obj, obj.evaluated_get(depsgraph).matrix_world)
        count = arrays.counts(obj.data)[0]
        if count != self.garment.vertex_count:
            raise Problem(
                f"{obj.name} has {count} vertices now, but {self.garment.vertex_count} when the "
                "simulation began; start it again"
            )

    def _follow_pins(self, cloth, obj, scene, depsgraph, jump):
        """In edit mode the garment's pins stay: Blender evaluates no modifiers there, and what is moved needs a
        new cloth."""
        stays = arrays.is_edited(obj) and not len(self.hands.vertices)
        if len(self.garment.pin_vertices) and not arrays.is_edited(obj):
            targets = self._pin_targets(obj, scene, depsgraph)
            pinned = self.garment.pin_vertices
            arrays.refuse_not_finite(obj.name, targets, pinned, "pinned vertex")
            self._targets = targets
        self._strength = self._pin_strength(obj, scene)
        pins = self._all_pins()
        is_same = pins.is_same_set(self._pins)
        if is_same and (stays or not len(pins.vertices)):
            return
        if is_same and not jump:
            cloth.move_pins(pins.targets)
        else:
            self._set_pins(cloth)

    def _all_pins(self):
        weights = (self.garment.pin_weights * self._strength).astype(np.float32)
        holds = weights > 0
        targets = np.ascontiguousarray(self._targets[holds])
        own = Pins(self.garment.pin_vertices[holds], weights[holds], targets)
        return vertex_groups.joined_pins([own, self.hands])

    def _pin_strength(self, obj, scene):
        return vertex_groups.strength_of(obj, scene)

    def _set_pins(self, cloth):
        pins = self._all_pins()
        cloth.set_pins(pins.vertices, pins.weights, pins.targets)
        self._pins = pins

    def _pin_targets(self, obj, scene, depsgraph):
        if not is_shown(obj, depsgraph.view_layer):
            return self._targets
        positions, matrix = garment_data.before_cloth(obj, depsgraph)
        return place.to_world(positions[self.garment.pin_vertices], matrix, place.unit_of(scene))

    def _push_forces(self, cloth, obj, scene, depsgraph):
        now = forces(obj, scene, depsgraph, self._field_objects)
        if now != self._forces:
            cloth.set_forces(**now)
            self._forces = now
        self._fields.push(cloth, obj, scene, depsgraph, self._field_objects)

    def _push_self_contact(self, cloth, obj):
        chosen = obj.muslin
        now = (chosen.self_contact, chosen.thickness, chosen.friction)
        if now != self._self_contact and (now[0] or (self._self_contact or now)[0]):
            cloth.set_self_contact(*now)
        self._self_contact = now

    def _push_maps(self, cloth, obj):
        """Other groups or factors; painting in the same group is seen when the cloth is built."""
        now = vertex_groups.chosen_groups(obj)
        if now == self._maps:
            return
        data = self.garment
        if now[0] != self._maps[0]:
            positions = cloth.positions()
            data.pin_vertices, data.pin_weights = vertex_groups.pins(obj)
            self._targets = np.ascontiguousarray(positions[data.pin_vertices])
            self._set_pins(cloth)
        if now[1:] != self._maps[1:]:
            data.maps = vertex_groups.maps(obj)
            cloth.set_maps(**data.maps)
        self._maps = now


# What is done about a body that is not symmetric.
THEN = {
    Outcome.SOLVED_WHOLE: "the whole garment is simulated while that lasts",
    Outcome.MEAN_MET: "the garment collides with the average of both",
    Outcome.KEPT_SIDE_MET: "both sides collide with what is on the positive side of the mirror plane only",
}


# What others say with more than the library knows: see Colliders.
ELSEWHERE = {DetailCode.BODY_JUMPED}
# {triangles}, {parts}, {tacks}: the detail's count with its noun.
OF_BODIES = {
    DetailCode.BODY_ASYMMETRIC: "{name} is not symmetric, its vertex {detail.vertex} is off by "
    "{detail.value:.3g} m, so {then}",
    DetailCode.BODY_REPEATED_VERTEX: "{triangles} of {name} with a repeated vertex, ignored",
    DetailCode.BODY_FLAT: "{triangles} of {name} without area",
    DetailCode.BODY_TURNED: "{parts} of {name} inside out, flipped",
    DetailCode.BODY_TACKS: "{tacks} released, whose place on {name} no longer exists",
}


def sentence(detail, name_of):
    """name_of: gives the name of the object that is a body, or ""."""
    body = getattr(detail, "body", None)
    name = "" if body is None else name_of(body)
    if not name or detail.code not in OF_BODIES:
        return detail
    counts = {f"{noun}s": counted(detail.count, noun) for noun in ("triangle", "part", "tack")}
    then = THEN.get(detail.outcome, "")
    return OF_BODIES[detail.code].format(name=name, detail=detail, then=then, **counts)

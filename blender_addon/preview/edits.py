# SPDX-License-Identifier: GPL-3.0-or-later
"""A garment that is edited while it drapes: it goes on at once, by sweeps, which need no factor. Meanwhile the
factor is made in the background, and then the cloth that has it takes over.

The artist's mesh is only read. What is edited is the rest shape, the cloth as it was cut: vertices that are there
after the edit stay where they have fallen to, new ones are put beside them.
"""

from time import perf_counter

import numpy as np

from ..garment import garment_data, garment_settings
from ..layers import joint_feed
from ..muslin.edited import BackgroundCloth
from ..scene import arrays, place
from ..scene.problems import Problem, speaking_of
from ..simulation import worker
from ..simulation.members import are_there
from ..simulation.simulation import Simulation, budget_of, frame_seconds

QUIET = 0.2  # s without an edit before the matrix is factored: not while a vertex is dragged
LOOK_EVERY = 0.05  # s, for moved vertices; new ones are seen at once
SHARE = 4  # times the duration of a look pass before the next, so that looking costs little
BY_SWEEPS = "edited: sweep solver until the matrix is factored"
NO_FACTOR = "edited: sweep solver, since the matrix could not be factored"


class Making:
    """The cloth that takes over from sweeps: read from the scene here, its factor made in the background."""

    def __init__(self, obj, scene, depsgraph, before):
        objects = [member.find() for member in before.members]
        self.fed = joint_feed.feeding(objects, scene, depsgraph, edited=True)
        feeder, found = self.fed
        data = feeder.garment
        for each, member, known in zip(objects, found, before.members):
            if arrays.is_edited(each) and place.is_deformed(each):
                member.garment.start = known.garment.start  # what is pinned stays
        data.start = np.concatenate([member.garment.start for member in found])
        with worker.resting():
            cloth = self.cloth = BackgroundCloth(
                data.mesh,
                frame_seconds(scene, obj),
                feeder.set_up,
                **data.settings,
                budget_ms=budget_of(obj, live=True),
            )
            worker.rest_while(lambda: cloth.is_at_work)


class Edits:
    """Which simulation goes on while one garment drapes. note: for the panel, "" where all is as usual."""

    def __init__(self):
        self.note = ""
        self._refused = False  # the mesh cannot be simulated as it is now; `note` says why
        self._was_edited = False
        self._next_look = self._make_at = 0.0
        self._making = None
        # abandoned, perhaps still at work: only one matrix is factored at a time
        self._leaving = None
        self._failure = ""  # why there is no factor of the mesh as it is now

    def follow(self, simulation, obj, scene, depsgraph):
        """The simulation to go on with: this one, or a new one of the edited mesh. None: wait for the next edit."""
        is_changed = self._look(simulation, obj, scene, depsgraph)
        if is_changed is None:
            return None if self._refused else simulation
        if not is_changed:
            self._refused = False
            return simulation
        self.stop()
        simulation.abort()
        began = perf_counter()
        try:
            fresh = Simulation(
                obj, scene, depsgraph, live=True, edited=True, sweeping=True, before=simulation
            )
        except Problem as problem:
            if not self._was_edited:
                raise
            self._refused, self.note = True, f"paused: {problem}"
            return None
        finally:
            self._wait_after(began)
        self._refused, self._make_at = False, perf_counter() + QUIET
        simulation.close()
        return fresh

    def _look(self, simulation, obj, scene, depsgraph):
        """Whether the mesh is another one; None: not looked, as nothing may have happened, or too early."""
        now = perf_counter()
        found = [(member.find(), member) for member in simulation.members]
        was_edited = self._was_edited
        self._was_edited = any(arrays.is_edited(each) for each, _ in found)
        if was_edited and not self._was_edited:  # its UV map and its groups may be others, too
            fresh = joint_feed.read_again(simulation.feeder, obj, scene, depsgraph)
            return not simulation.is_made_of(fresh)
        is_early = now < self._next_look
        if not are_there(simulation.members):
            return None if self._refused and is_early else True
        if not self._was_edited or is_early:
            return None
        edited = [(each, member) for each, member in found if arrays.is_edited(each)]
        is_same = all(is_modelled_as(each, member.garment.modelled) for each, member in edited)
        self._wait_after(now)
        return not is_same

    def _wait_after(self, began):
        now = perf_counter()
        self._next_look = now + max(LOOK_EVERY, SHARE * (now - began))

    def hand_over(self, simulation, obj, scene, depsgraph):
        """The simulation to go on with, while no step is under way: the one with a factor, once that is made."""
        if not (simulation.sweeping and garment_settings.needs_factor(obj.muslin)):
            self.stop()
            return simulation
        self.note = f"{NO_FACTOR}: {self._failure}" if self._failure else BY_SWEEPS
        if self._failure:
            return simulation
        if self._making is None:
            if self._leaving is not None and self._leaving.ready():
                self._leaving = None
            if perf_counter() >= self._make_at and self._leaving is None:
                self._making = Making(obj, scene, depsgraph, simulation)
            return simulation
        if not self._making.cloth.ready():
            return simulation
        making, self._making = self._making, None
        try:
            with speaking_of(obj.name):
                fresh = Simulation(
                    obj, scene, depsgraph, live=True, edited=True, before=simulation, making=making
                )
        except Problem as problem:  # there may be too little memory for it
            self._failure = str(problem)
            return simulation
        if fresh.settings_changed(obj):  # in a way that needs another factor
            fresh.close()
            return simulation
        simulation.close()
        self.note = ""
        return fresh

    def begin_again(self):
        """Draping continues after a while: anything may have been edited meanwhile."""
        self._was_edited, self._next_look = True, 0.0

    def stop(self):
        """The factor is not wanted any more; does not wait for it."""
        making, self._making = self._making, None
        if making is not None:
            making.cloth.abandon()
            self._leaving = making.cloth
        self.note = self._failure = ""


def is_modelled_as(obj, modelled):
    """Whether the mesh in Edit Mode, with as many vertices, edges and faces, is this one."""
    with arrays.readable(obj.data) as data:
        sizes, corners = arrays.face_sizes(data), arrays.corners(data)
        if not (
            np.array_equal(sizes, modelled.face_sizes)
            and np.array_equal(corners, modelled.face_vertices)
        ):
            return False  # there may be no rest shape to be read
        if len(modelled.edges):
            pairs = (arrays.loose_edges(data, sizes, corners), modelled.edges)
            now, before = (np.sort(arrays.pair_keys(*edges.T)) for edges in pairs)
            if not np.array_equal(now, before):
                return False
        return np.array_equal(garment_data.rest_positions(obj, data), modelled.positions)

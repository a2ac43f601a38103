# SPDX-License-Identifier: GPL-3.0-or-later
"""Settle First along the timeline: what is worn comes to rest before the first frame is left.

While the timeline stands there it settles step by step, for everybody to see; where it moves on earlier, the rest is
done at once. The shape is kept: playing in a loop settles again only if something was changed.
"""

from hashlib import sha256

from .beforehand import Beforehand

SETTLES = "settles before the first frame"


class AtRest:
    """What comes before the first frame of one preview."""

    def __init__(self):
        self._before = None
        self._key = self._rested = None  # what the last shape was made of, and a snapshot of it
        self.is_restless = False  # it had to be stopped

    @property
    def is_under_way(self):
        return self._before is not None

    @property
    def text(self):
        """For the panel; "" when there is nothing to do, or to say."""
        return f"{SETTLES}, {self._before.text}".rstrip(", ") if self._before else ""

    def begin(self, obj, simulation, scene, depsgraph):
        """The cloth is as it is in the scene, and so are the bodies. Whether it lies at rest at once."""
        self.drop()
        if not obj.muslin.settle_first:
            return False
        key = _key(obj, simulation, scene, depsgraph)
        if key == self._key and self._rested is not None:
            simulation.restore(self._rested)
            return True
        self._key, self._rested = key, None
        before = Beforehand(obj, simulation, scene, depsgraph)
        self._before = None if before.is_over else before
        return False

    def advance(self, simulation):
        """Begin the next step, or end; no step is under way, and what the last one gave was taken."""
        if self._before.is_over:
            self._end(simulation)
        else:
            simulation.begin(self._before.advance, not self._before.is_layering)

    def finish(self, simulation):
        """The timeline moves on: all steps that are left."""
        if self._before is None:
            return
        simulation.ready(None)
        simulation.collect()
        while not self._before.is_over:
            simulation.begin(self._before.advance, not self._before.is_layering)
            simulation.collect()
        self._end(simulation)

    def drop(self):
        """No step may be under way."""
        if self._before is not None:
            self._before.close()
            self._before = None

    def _end(self, simulation):
        self._rested = simulation.snapshot()
        self.is_restless = bool(self._before.note)
        simulation.levels = simulation.cloth.levels()
        self.drop()


def _key(obj, simulation, scene, depsgraph):
    """The garment's start and numbers, and where bodies are."""
    digest = sha256(simulation.positions_world().tobytes())
    cloth = simulation.cloth
    digest.update(repr((sorted(cloth.settings.items()), cloth.materials)).encode())
    digest.update(simulation.feeder.places_of_bodies(obj, scene, depsgraph))
    return digest.digest()

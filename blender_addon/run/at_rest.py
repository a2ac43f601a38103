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

    @property
    def is_under_way(self):
        return self._before is not None

    @property
    def text(self):
        """For the panel; "" when there is nothing to do, or to say."""
        return f"{SETTLES}, {self._before.text}".rstrip(", ") if self._before else ""

    def begin(self, obj, simulation, scene, depsgraph):
        """The cloth is as it is in the scene, and so are the bodies. Whether it lies at rest at once."""
        self._before = None
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
        """Take what the last step gave, and begin the next; no step is under way. Whether there is something to show."""
        is_new = simulation.started and simulation.collect()
        if self._before.is_over:
            self._end(simulation)
        else:
            simulation.begin(self._before.advance)
        return is_new

    def finish(self, simulation):
        """The timeline moves on: all steps that are left."""
        if self._before is None:
            return
        simulation.ready(None)
        simulation.collect()
        while not self._before.is_over:
            simulation.begin(self._before.advance)
            simulation.collect()
        self._end(simulation)

    def drop(self):
        self._before = None

    def _end(self, simulation):
        self._rested = simulation.snapshot()
        simulation.levels = simulation.cloth.levels()
        self._before = None


def _key(obj, simulation, scene, depsgraph):
    """The garment's start and numbers, and where bodies are."""
    digest = sha256(simulation.positions_world().tobytes())
    digest.update(repr(sorted(simulation.cloth.settings.items())).encode())
    digest.update(simulation.feeder.places_of_bodies(obj, scene, depsgraph))
    return digest.digest()

# SPDX-License-Identifier: GPL-3.0-or-later
"""The caches of one bake: each garment of the cloth has its own, and each gets every frame."""

from ..output import cache
from . import members


class Writers:
    """first: the frame that comes first. continue_from: the last one that is kept of what is baked already."""

    def __init__(self, simulation, first, continue_from):
        self._members, self._unit = simulation.members, simulation.unit
        self.each = {}
        for member in self._members:
            obj = member.find()
            folder, count = obj.muslin.cache_folder, member.garment.vertex_count
            self.each[member.uid] = cache.CacheWriter(
                obj, folder, count, first, continue_from, fit=obj.muslin.fit.enabled
            )

    def append(self, positions, maps, matrices):
        """A frame: positions in the world, fit maps or None of each, and where the objects stood.

        Gives {uid: (positions in its own space, maps)}.
        """
        shapes = members.split(self._members, positions, self._unit, matrices)
        found = dict(zip(shapes, zip(shapes.values(), maps)))
        for uid, frame in found.items():
            self.each[uid].append(*frame)
        return found

    def state(self, snapshot, frame):
        """Beside each of them: any may be gone when the bake is continued."""
        for writer in self.each.values():
            writer.state(snapshot, frame)

    def finish(self):
        """(uid, what gives the path of its cache) of each: one that fails must not lose another."""
        return [(uid, writer.finish) for uid, writer in self.each.items()]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Garments that begin inside of or through each other are put on in their order, before they move together."""

import numpy as np

from ..muslin import Cloth
from ..muslin.layers import dress, is_in_order


class Layering:
    """Steps that put garments on, one after the other. text: what is going on. Made in the main thread.

    is_over: nothing is left to be done, or nothing had to be. unposed: on bodies in the pose that they were modelled in.
    """

    def __init__(self, simulation, scene, depsgraph, unposed=False):
        self._whole, self._cloths = simulation.cloth, []
        self.is_over, self.text = True, ""
        if len(simulation.members) > 1:
            self._begin(simulation, scene, depsgraph, unposed)

    def _begin(self, simulation, scene, depsgraph, unposed):
        feeder, positions = simulation.feeder, simulation.positions_world()
        meshes = [feed.garment.mesh for feed in feeder.feeds]
        objects = feeder.objects()
        try:
            for obj, feed, member in zip(objects, feeder.feeds, simulation.members):
                cloth = Cloth(feed.garment.mesh, **feed.garment.settings)
                self._cloths.append(cloth)
                feed.begin(cloth, obj, scene, depsgraph)
                cloth.set_state(positions[member.span])
                for pose in feed.modelled_poses(obj, scene, depsgraph) if unposed else ():
                    pose.place(0.0)
            self.is_over = is_in_order(self._cloths, meshes)
        finally:
            if self.is_over:
                self.close()
        self._steps = dress(self._cloths, meshes, objects[0].muslin.thickness)

    def advance(self):
        """One step, into the cloth, too. Runs in any thread, touches nothing of Blender."""
        text = next(self._steps, None)
        if text is None:
            self.is_over = True
            self.close()
            return
        self.text = text
        self._whole.set_state(np.concatenate([cloth.positions() for cloth in self._cloths]))

    def close(self):
        while self._cloths:
            self._cloths.pop().close()

# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens before the first frame: garments that begin inside of or through each other are put on in their order, and a
garment that is worn comes to rest on its body.

Where an armature bends the body, the garment may have been made for the pose in which the body was modelled. If its
placement is better there, it settles there, and the body goes from that pose to its first frame while the cloth follows.
"""

from hashlib import sha256

import numpy as np

from ..muslin import Cloth, jumps
from ..muslin.layers import dress, is_in_order
from ..muslin.poses import run_up
from ..scene.problems import speaking_of


class Layering:
    """Steps that put garments on, one after the other. text: what is going on. is_over: nothing is left to be done. unposed: on
    bodies in their modelled pose."""

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
        """One step. Runs in any thread, touches nothing of Blender."""
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


FRAMES = 16  # for the way from the pose that the garment was made for
NEAR = 5.0  # times the distance that it keeps: a garment nearer than that to a body is worn

RESTLESS = "The cloth did not come to rest before the first frame: it slides or falls; pin whatever holds it up"


class Presettle:
    """Steps of a cloth that come before its first frame. text: what is going on; note: what there is to say after."""

    def __init__(self, obj, simulation, scene, depsgraph):
        self._cloth, self._seconds = simulation.cloth, simulation.seconds
        self._steps = iter(())
        self._layering = None
        self.is_over, self.text, self.note = True, "", ""
        if not obj.muslin.settle_first:
            return
        with speaking_of(simulation.name):
            first = self._cloth.inspect()
            if is_worn(first, obj.muslin.thickness):
                self._begin(first, simulation.feeder.modelled_poses(obj, scene, depsgraph))
                simulation.hand_over_order()
                self._layering = Layering(simulation, scene, depsgraph, self._frames > 0)

    def _begin(self, first, poses):
        """From the modelled poses of the bodies, if the placement is better there than on the first frame."""

        def every(work):
            for pose in poses:
                work(pose)

        every(lambda pose: pose.place(0.0))
        is_better = poses and badness(self._cloth.inspect()) < badness(first)
        if not is_better:
            every(lambda pose: pose.place(1.0))
        self._frames = FRAMES if is_better else 0
        self.is_over = False
        self._steps = run_up(
            self._cloth,
            self._frames,
            self._seconds,
            lambda part: jumps.of_bodies([pose.move(part) for pose in poses]),
        )

    @property
    def is_layering(self):
        """Whether the next step is one of other cloths: garments that are put on one by one."""
        return self._layering is not None and not self._layering.is_over

    def advance(self):
        """One step. Runs in any thread, touches nothing of Blender."""
        if self.is_layering:
            self._layering.advance()
            self.text = self._layering.text
            return
        reported = next(self._steps, None)
        self.is_over = reported is None
        if reported is not None:
            self.text, rests = reported
            if rests is False:
                self.note = RESTLESS
            elif rests:
                self.note = ""

    def close(self):
        if self._layering is not None:
            self._layering.close()


def is_worn(inspection, thickness):
    """Near enough to a solid to be on it. What is to fall from above is left alone, as it is without a body."""
    near = 0.0 <= inspection.nearest < NEAR * thickness
    return near or inspection.inside_count > 0


def badness(inspection):
    through = inspection.body_piercings + inspection.cloth_piercings
    return inspection.placement, inspection.inside_count + through


SETTLES = "settles before the first frame"


class AtRest:
    """What comes before the first frame of a preview: step by step, for everyone to see, while the timeline stands there; where it
    moves on earlier, the rest at once. The shape is kept: playing in a loop settles again only if something was changed.
    """

    def __init__(self):
        self._before = None
        self._key = self._rested = None  # what the last shape was made of, and a snapshot of it
        self.is_restless = False  # settling was stopped before the cloth came to rest

    @property
    def is_under_way(self):
        return self._before is not None

    @property
    def text(self):
        return f"{SETTLES}, {self._before.text}".rstrip(", ") if self._before else ""

    def begin(self, obj, simulation, scene, depsgraph):
        """The cloth is as it is in the scene, and so are the bodies. Whether it is at rest at once."""
        self.drop()
        if not obj.muslin.settle_first:
            return False
        key = _key(obj, simulation, scene, depsgraph)
        if key == self._key and self._rested is not None:
            simulation.restore(self._rested)
            return True
        self._key, self._rested = key, None
        before = Presettle(obj, simulation, scene, depsgraph)
        self._before = None if before.is_over else before
        return False

    def advance(self, simulation):
        """One step. Runs in any thread, touches nothing of Blender."""
        if not self._before.is_over:
            simulation.begin(self._before.advance, not self._before.is_layering)
            return
        self._rested = simulation.snapshot()
        self.is_restless = bool(self._before.note)
        simulation.levels = simulation.cloth.levels()
        self.drop()

    def finish(self, simulation):
        """The timeline moves on: all steps that are left."""
        while self._before is not None:
            simulation.ready(None)
            simulation.collect()
            self.advance(simulation)

    def drop(self):
        """No step may be under way."""
        if self._before is not None:
            self._before.close()
            self._before = None


def _key(obj, simulation, scene, depsgraph):
    digest = sha256(simulation.positions_world().tobytes())
    cloth = simulation.cloth
    digest.update(repr((sorted(cloth.settings.items()), cloth.materials)).encode())
    digest.update(simulation.feeder.colliders.places(obj, scene, depsgraph))
    return digest.digest()

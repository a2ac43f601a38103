# SPDX-License-Identifier: GPL-3.0-or-later
"""A preview along the timeline: a step per frame, at rest before the first one, and refined while it stands still.

Settle First: what is worn comes to rest before the first frame is left. While the timeline stands there it settles step
by step, for everyone to see; where it moves on earlier, the rest is done at once. The shape is kept: playing in a loop
settles again only if something was changed.
"""

from hashlib import sha256
from time import perf_counter

import bpy

from ..scene import arrays
from ..simulation.presettle import Presettle
from . import preview_view

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
        before = Presettle(obj, simulation, scene, depsgraph)
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
    digest.update(simulation.feeder.colliders.places(obj, scene, depsgraph))
    return digest.digest()


PAUSE = 0.5  # s that the timeline stands still before the cloth is refined


class Timeline:
    """What a Preview does when its scene goes to another frame, or stays."""

    def __init__(self):
        self._at_rest = AtRest()
        self._followed = perf_counter()  # when the timeline moved last
        self._paused = None  # the cloth as the timeline left it, while it is refined

    @property
    def is_refined(self):
        """Whether the timeline has paused: the frame stays, and only gets finer."""
        return self._paused is not None

    def follow_frame(self, scene):
        """The scene has got to another frame; called when it is evaluated."""
        obj, _, depsgraph = self.objects()
        frame, first = scene.frame_current, obj.muslin.frames(scene)[0]
        self._wake()
        if self.wants_pause(obj):
            return
        if frame == first:
            self.restart()
            self.begin_at_rest()
        elif frame == self.frame + 1:
            self._leave_first_frame()
            self.take_settings(obj, scene)
            self._simulation.feed(obj, scene, depsgraph)
            self._simulation.start()
            self._simulation.collect()
            self.measure()
            self.show(depsgraph)
            self.note = ""
        elif frame != self.frame:
            self.note = (
                f"paused: the timeline jumped to {frame}. Go to frame {self.frame + 1} to continue "
                f"or to {first} to restart; Play Every Frame never jumps"
            )

    def begin_at_rest(self):
        """The cloth is where it is in the scene: what is worn settles, in a preview on play until it moves on."""
        obj, scene, depsgraph = self.objects()
        if self._at_rest.begin(obj, self._simulation, scene, depsgraph):
            self._simulation.update_fit()
            self.show(depsgraph, is_still=True)
        self.note = self._at_rest.text

    def _leave_first_frame(self):
        """The way to the shape at rest is none of the motion."""
        if self._at_rest.is_under_way:
            self._at_rest.finish(self._simulation)
            preview_view.begin(self._simulation.shapes())

    def _come_to_rest(self, depsgraph):
        """One step of settling is shown, and the next begun: not before, since no two threads may ask a cloth."""
        if self._simulation.started and self._simulation.collect():
            self.measure()
            self.show(depsgraph, is_still=True)
        self._at_rest.advance(self._simulation)
        self.note = self._at_rest.text
        self._is_restless = self._at_rest.is_restless

    def _wake(self):
        """The timeline moves: the motion goes on as if no one had paused it."""
        self._followed = perf_counter()
        if self._paused is not None:
            self._simulation.abort()
            self._simulation.restore(self._paused)
            self._paused = None

    def pause(self):
        """The timeline stands still: refine what is too fine for it, step by step, and show it."""
        simulation = self._simulation
        if not simulation.ready():
            return
        _, _, depsgraph = self.objects()
        is_edited = any(map(arrays.is_edited, self.garments()))
        if self._at_rest.is_under_way and not is_edited:
            self._come_to_rest(depsgraph)
            return
        if perf_counter() - self._followed < PAUSE:
            return
        if (
            is_edited
            or self.shown is None  # as it is in the scene: nothing was simulated yet
            or simulation.levels.level_count < 2
            or simulation.frame != self._now()
        ):
            return
        simulation.check_meshes()
        if simulation.started and simulation.collect():
            self.measure()
            self.show(depsgraph)
        if self._paused is None:
            self._paused = simulation.snapshot()
        if not self.settled:
            simulation.start(refining=True)

    def _now(self):
        return bpy.data.scenes[self.scene_name].frame_current

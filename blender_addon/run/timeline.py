# SPDX-License-Identifier: GPL-3.0-or-later
"""A preview along the timeline: a step a frame, at rest before the first one, and refined while it stands still."""

from time import perf_counter

import bpy

from ..output import preview as view
from ..scene import arrays
from .at_rest import AtRest

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
                f"waits: the timeline jumped to {frame}. Go to frame {self.frame + 1} to go on "
                f"or to {first} to begin again; Play Every Frame never jumps"
            )

    def begin_at_rest(self):
        """The cloth is where it is in the scene: what is worn settles, in a preview on play until it moves on."""
        obj, scene, depsgraph = self.objects()
        if self._at_rest.begin(obj, self._simulation, scene, depsgraph):
            self._simulation.tell_fit()
            self.show(depsgraph, is_still=True)
        self.note = self._at_rest.text

    def _leave_first_frame(self):
        """The way to the shape at rest is none of the motion."""
        if self._at_rest.is_under_way:
            self._at_rest.finish(self._simulation)
            view.begin(self._simulation.shapes())

    def _come_to_rest(self, depsgraph):
        """One step of settling is shown, and the next begun: not before, since no two threads may ask a cloth."""
        if self._simulation.started and self._simulation.collect():
            self.measure()
            self.show(depsgraph, is_still=True)
        self._at_rest.advance(self._simulation)
        self.note = self._at_rest.text
        self._is_restless = self._at_rest.is_restless

    def _wake(self):
        """The timeline moves: the motion goes on as if nobody had paused it."""
        self._followed = perf_counter()
        if self._paused is not None:
            self._simulation.interrupt()
            self._simulation.started = False
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

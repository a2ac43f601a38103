# SPDX-License-Identifier: GPL-3.0-or-later
"""All garments of one press of the button, baked one after the other; puts the scene back after."""

from time import perf_counter

import bpy

from .. import running
from ..words import duration, sentences
from .bake import Bake

SHOW_EVERY = 0.1  # s


class BakeQueue:
    """See running.bake for what others read of it."""

    def __init__(self, plans, scene):
        self._plans = list(plans)
        self._scene_name = scene.name
        self._frame = scene.frame_current, scene.frame_subframe
        self._frames = sum(plan.frames for plan in self._plans)
        self._done = 0  # frames of the bakes that are over
        self._began = perf_counter()
        self._shown = 0.0
        self._timed = 0, 0.0  # frames, and the time when the last of them was finished
        self.bakes = []
        self.stopping = False
        running.bake = self
        self._next()

    def _next(self):
        self._now = Bake(self._plans[len(self.bakes)])
        self.bakes.append(self._now)

    @property
    def finished(self):
        over = self._now.finished
        return over and (self.stopping or len(self.bakes) == len(self._plans))

    @property
    def uids(self):
        return [uid for uid, _ in self._now.plan.members]

    @property
    def step_warnings(self):
        return self._now.judge.step_warnings

    @property
    def progress(self):
        return min(1.0, (self._done + self._now.done) / max(self._frames, 1))

    @property
    def seconds_left(self):
        """Counts down while a frame is computed, and stands where that takes longer than the others."""
        done, now = self._done + self._now.done, perf_counter()
        if done < 2:
            return None
        if done != self._timed[0]:
            self._timed = done, now
        settling = sum(bake.settling_seconds for bake in self.bakes)
        each = max(0.0, self._timed[1] - self._began - settling) / done
        return each * (self._frames - done) - min(now - self._timed[1], each)

    @property
    def text(self):
        plan, left = self._now.plan, self.seconds_left
        if self._now.text:
            return f"{plan.title}: {self._now.text}"
        at = plan.last - plan.frames + self._now.done
        time = "" if left is None else f", {duration(left)} left"
        return f"{plan.title}: frame {at} of {plan.last}{time}"

    def advance(self, seconds):
        """Work for about so many seconds; None: until everything is baked. True while there is more."""
        deadline = None if seconds is None else perf_counter() + seconds
        while not self.finished:
            if self._now.finished:
                self._done += self._now.done
                self._next()
            rest = None if deadline is None else deadline - perf_counter()
            if rest is not None and rest <= 0.0:
                return True
            try:
                self._now.advance(rest)
            except Exception:  # a bug of ours: the frames are kept and nothing hangs
                self.leave()
                self._put_back()
                raise
        self._put_back()
        return False

    def run(self, seconds=None):
        """To the end, printing the progress now and then."""
        said = None
        while self.advance(seconds):
            if (self.progress, self.text) != said:
                said = self.progress, self.text
                print("Muslin:", self.text, flush=True)

    def stop(self):
        """Soon, and with all finished frames kept; advance() brings it to its end."""
        self.stopping = True
        self._now.cancel()

    def leave(self):
        """At once, since the file or the add-on goes away."""
        self.stopping = True
        self._now.leave()
        if running.bake is self:
            running.bake = None

    def show(self):
        """The newest frame in the view, a few times per second; whether it was shown."""
        if perf_counter() < self._shown + SHOW_EVERY:
            return False
        self._now.show()
        self._shown = perf_counter()
        return True

    def _put_back(self):
        """The scene where the artist had left it."""
        if running.bake is self:
            running.bake = None
        scene = bpy.data.scenes.get(self._scene_name)
        if scene is not None:
            scene.frame_set(self._frame[0], subframe=self._frame[1])
        for bake in self.bakes:
            words = bake.error or bake.note
            running.last_words.update({uid: words for uid, _ in bake.plan.members})

    def user_frame(self):
        """Scene and frame that a file saved meanwhile is to have."""
        return self._scene_name, sum(self._frame)

    def summary(self):
        """(kind of report, sentence) of what went wrong within the steps of each garment, and of how it ended: the status bar
        shows the last one."""
        said = []
        for bake in self.bakes:
            said += [
                ("WARNING", f"{bake.plan.title}: {each.text}") for each in bake.judge.step_warnings
            ]
            said.append(self._sentence(bake))
        return said

    def _sentence(self, bake):
        plan = bake.plan
        kept = "1 frame" if bake.written == 1 else f"{bake.written or 'no'} frames"
        if bake.error:
            return "ERROR", f"{bake.error} (kept: {kept})" if bake.written else bake.error
        if not bake.written:
            return "WARNING", f"{plan.title}: stopped before the first frame; nothing was changed"
        if bake.written < plan.frames:
            return "WARNING", f"{plan.title}: stopped, {kept} kept. Continue resumes from there"
        seconds = bake.seconds_each
        each = f"{seconds * 1e3:.0f} ms" if seconds < 1.0 else duration(seconds)
        baked = f"{plan.title}: {kept} baked, {each} per frame"
        kind = "WARNING" if bake.judge.findings else "INFO"
        return kind, sentences(baked, bake.judge.words, bake.note)

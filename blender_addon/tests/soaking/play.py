# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts a life together from a seed, or takes a list of steps as it is, and lives it.

A step is (name, seed of its own): a list stays a list when some are left out, which is how a failure is shortened.
"""

import json
import random
import tempfile
import time
import traceback
from pathlib import Path

import bpy
from events import is_in_view
from support import addon

from . import cloth, files, keys, scene, steps, watch

KINDS = (cloth, files, scene)  # importing them has made the steps known
CHAPTER = 100  # steps; then everything is put away, and a new file begins
LONGEST = 60.0  # s for which work may go on after it was told to stop
GROWTH = 24.0  # MB that the process may grow in the second half of its life
FILES = 4  # open files, likewise


def script(seed, count):
    """The steps of a life."""
    rng = random.Random(seed)
    names = sorted(steps.STEPS)
    weights = [steps.STEPS[name].weight for name in names]
    return [(rng.choices(names, weights)[0], rng.getrandbits(32)) for _ in range(count)]


class Life:
    """report: for the outside, written after every step; a crash leaves the steps up to the one that crashed."""

    def __init__(self, wanted, report=None):
        self.wanted = wanted
        self.report = report
        self.done = []
        self.by_key = 0  # steps that began in the key's operator
        self.hand = keys.Hand()
        self.footprints = []
        self.folder = Path(tempfile.mkdtemp(prefix="muslin-soak-"))
        self.ear = None

    def live(self):
        """A generator of seconds to wait."""
        began = time.perf_counter()
        self.ear = watch.Ear()
        try:
            yield from self.hand.do(self._live())
        except Exception as error:
            self._tell("failed", error)
            raise
        finally:
            self.ear.close()
        took = time.perf_counter() - began
        print(
            f"{len(self.done)} steps in {took:.0f} s, {self.by_key} by the key, {self.hand.unheard} keys unheard",
            self.footprints,
        )

    def _live(self):
        files.make_library(self.folder)
        yield from self._begin(0)
        for number, (name, seed) in enumerate(self.wanted):
            if number and number % CHAPTER == 0:
                yield from self._put_away()
                yield from self._begin(number)
            yield from self._go_on(steps.STEPS[name].by_clock)
            yield from self._step(name, seed)
        yield from self._put_away()
        self._check_growth()
        self._tell("passed")

    def _go_on(self, by_clock):
        """What follows is done by the timer or by the key."""
        if self.hand.by_clock != by_clock:
            self.hand.by_clock = by_clock
            yield 0.0

    def _begin(self, number):
        files.begin(steps.Turn(number, self.folder))
        yield 0.0
        yield 0.0  # nobody touches a window that was not drawn yet; Blender itself crashes
        self.shapes = watch.shapes()

    def _step(self, name, seed):
        kind = steps.STEPS[name]
        self.done.append((name, seed))
        self.by_key += is_in_view()
        self.ear.say(f"step {len(self.done)}: {name} {seed}")
        self._tell("under way")
        try:
            waits = kind.work(steps.Turn(seed, self.folder))
            if waits is not None:
                yield from waits
        except RuntimeError as error:  # Blender itself refuses
            if "Traceback" in str(error):
                raise
        if kind.pushes:
            steps.press("ed.undo_push", message=name)
        yield 0.0  # events are handled, timers called, the window drawn
        self._look(name, kind.may_model)

    def _look(self, what, may_model):
        self.ear.listen()
        found = watch.shapes()
        if not may_model:
            watch.compare(self.shapes, found, what)
        self.shapes = found

    def _put_away(self):
        """Everything is stopped, discarded and freed, as by its buttons; then nothing may be left."""
        running = addon("running")
        yield from self._go_on(by_clock=False)
        steps.leave_modes()
        steps.press("screen.animation_cancel", restore_frame=False)
        self.shapes = watch.shapes()
        steps.press("muslin.stop")
        end = time.monotonic() + LONGEST
        while running.is_busy():
            if time.monotonic() > end:
                raise steps.Failed(f"still busy after {LONGEST:g} s")
            yield 0.05
        yield from self._go_on(by_clock=True)  # nobody works any more, and a file is read
        for each in list(bpy.data.scenes):
            if each.library is None:
                bpy.context.window_manager.windows[0].scene = each
                yield from self._put_away_garments()
        self._look("putting all away", False)
        steps.press("wm.read_homefile", use_empty=True)
        yield 0.0
        watch.nothing_left()
        self.footprints.append(watch.footprint())

    def _put_away_garments(self):
        for obj in [o for o in bpy.context.view_layer.objects if steps.is_garment(o)]:
            steps.select(obj)
            steps.press("muslin.discard")
            steps.press("muslin.free")
            yield 0.0

    def _check_growth(self):
        """From the first to the second half of the chapters; memory settles only after some of them."""
        half = len(self.footprints) // 2
        if half < 4:
            return
        for which, most, unit in ((0, GROWTH, "MB"), (1, FILES, "open files")):
            early, late = (
                sorted(each[which] for each in part)[len(part) // 2]
                for part in (self.footprints[half // 2 : half], self.footprints[half:])
            )
            if late > early + most:
                raise steps.Failed(f"it grew from {early} to {late} {unit}: {self.footprints}")

    def _tell(self, state, error=None):
        if state == "failed":
            text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
            self.ear.say(f"{text}\nSteps: {json.dumps(self.done)}")
        if self.report is not None:
            reported = {"state": state, "steps": self.done, "footprints": self.footprints}
            reported |= {"by_key": self.by_key, "unheard": self.hand.unheard}
            reported["error"] = str(error) if error is not None else ""
            self.report.write_text(json.dumps(reported), "utf-8")

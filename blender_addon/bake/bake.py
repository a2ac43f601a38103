# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes a garment, or several in one cloth, in pieces that fit between two redraws of the window.

A frame takes three parts: the scene is fed, the step runs in its thread, and meanwhile the frame
before is written and the scene put to the frame after. The same code runs blocking without a window.
"""

from contextlib import suppress
from math import floor
from time import perf_counter

import bpy

from .. import running
from ..output import cache, results
from ..preview import preview_view
from ..scene import place
from ..scene.lookup import scene_named
from ..scene.problems import Problem, ended_by
from ..simulation import members
from ..simulation.members import existing, find
from ..simulation.presettle import Presettle
from ..simulation.simulation import Simulation, depsgraph_of
from ..simulation.statistics import rows
from ..words import sentences
from .judge import Judge
from .plans import resume


PATIENCE = 0.3  # s: ESC interrupts a longer step, and waits for a shorter one
STATISTICS_EVERY = 1.0  # s; strain and energies cost a few ms
STATE_EVERY = 10.0  # s: at most this is computed again after a crash


class Bake:
    """One cloth over its frames. `error` says afterwards why it ended early, in plain words."""

    def __init__(self, plan):
        self.plan = plan
        self.done = self.written = 0  # frames that are computed, and on disk
        self.error = self.note = ""
        self.finished = False
        self.native_seconds = 0.0  # of the steps alone
        self.judge = Judge()
        # the last frame, and {uid: (positions in its own space, fit maps)}, until shown
        self.latest = None
        self._stopping = False
        self._simulation = self._waiting = self._snapshot = None
        self._writers = {}  # uid -> the CacheWriter of a garment
        self._before = None  # a Presettle
        self._parts = 1  # steps per frame, for each of which the scene is read
        self._ends_frame = False  # whether the step under way is the last of its frame
        self._seconds = 0.0  # of the steps before it
        self._state_frame = None  # of the state of the cloth; None within a step
        self._due = None  # a state to be stored with its frame
        self._next_state = self._next_statistics = self._began = 0.0
        self._ended = None
        self._created = perf_counter()
        self._work = self._run()

    # From outside

    def advance(self, seconds):
        """Work for about so many seconds (None: to the end), then return."""
        deadline = None if seconds is None else perf_counter() + seconds
        while not self.finished:
            rest = None if deadline is None else max(0.0, deadline - perf_counter())
            if self._simulation is not None and not self._simulation.ready(rest):
                return
            if rest == 0.0 or next(self._work, self) is self:
                return

    def cancel(self):
        self._stopping = True
        self._settle()

    def leave(self):
        """The file goes away. The frames stay on disk, the scene is left alone."""
        if not self.finished:
            self._stopping = self.finished = True
            self._settle()
            self._work.close()
            if self._simulation is not None and self._simulation.started and self._ends_frame:
                self._try(self._collect)
            self._end_files()

    def _settle(self):
        """Afterwards no step is under way: a long one is interrupted, a short one awaited."""
        if self._simulation is not None:
            if self._snapshot is not None or not self.done:
                self._simulation.interrupt()
            self._simulation.ready(None)

    @property
    def settling_seconds(self):
        """Until the first frame, or until now."""
        return (self._began or perf_counter()) - self._created

    @property
    def seconds_each(self):
        ended = perf_counter() if self._ended is None else self._ended
        return (ended - self._began) / self.done if self.done else 0.0

    @property
    def text(self):
        """What is going on before the first frame; "" afterwards."""
        return self._before.text if self._before is not None and not self.done else ""

    @property
    def last_written(self):
        return self.plan.last - self.plan.frames + self.written

    # The work; it yields while a step is under way

    def _run(self):
        try:
            self._begin()
            yield from self._come_to_rest()
            if not self._stopping:
                self._take_up()
            while self._simulation.frame < self.plan.last and not self._stopping:
                yield from self._frame(self._simulation.frame + 1)
                if not self._collect():
                    break
        except Problem as problem:
            self._fail(problem)
        self._end()

    def _frame(self, frame):
        """From the frame before to this one, in as many steps as the scene is read at; collects all but the last."""
        self._seconds = 0.0
        for part in range(1, self._parts + 1):
            if part > 1:
                if not self._simulation.collect() or (self._stopping and self._snapshot):
                    return
                self._seconds += self._simulation.step_seconds
            self._ends_frame = part == self._parts
            self._feed(frame - 1 + part / self._parts)
            self._simulation.start()
            self._meanwhile(frame + (part + 1 - self._parts) / self._parts)
            yield

    def _objects(self):
        """Garment, scene and evaluated scene, found again each time."""
        scene = scene_named(self.plan.scene_name)
        obj = existing(self.plan.uid, self.plan.name)
        return obj, scene, depsgraph_of(scene, obj)

    def show(self):
        """The newest frame in the view, with the scene at that frame: no body is ahead of its cloth."""
        if self.latest is None or self.finished:
            return
        frame, shapes = self.latest
        self._go_to(frame)
        for uid, name in self.plan.members:
            obj = find(uid, name)
            if obj is not None and uid in shapes:
                with suppress(Problem):  # its frames are baked all the same, and the end reports it
                    preview_view.show(obj, *shapes[uid])
        self.latest = None

    def _go_to(self, time, anew=False):
        """The scene at a frame or between two; unless it is to be evaluated again, nothing if it is there already."""
        frame = floor(time)
        scene = bpy.data.scenes.get(self.plan.scene_name)
        if scene is None:
            return
        # Blender keeps the subframe in single precision
        now = scene.frame_current, round(scene.frame_subframe, 4)
        if anew or now != (frame, round(time - frame, 4)):
            scene.frame_set(frame, subframe=time - frame)

    def _begin(self):
        self._objects()
        self._go_to(self.plan.first, anew=True)  # an edit after the last frame change may linger
        garment, scene, depsgraph = self._objects()
        self._simulation = Simulation(garment, scene, depsgraph)
        self.judge.begin(garment, self._simulation)
        most = garment.muslin.bl_rna.properties["subframes"].hard_max  # a file may have any number
        self._parts = min(max(garment.muslin.subframes, 1), most)
        try:
            for member in self._simulation.members:
                self._writers[member.uid] = self._writer_of(member)
        except Problem:  # of one: the last bakes of the others stay as they were
            while self._writers:
                self._writers.popitem()[1].abandon()
            raise
        if self.plan.resume is None:
            self._before = Presettle(garment, self._simulation, scene, depsgraph)

    def _writer_of(self, member):
        obj, count = member.find(), member.garment.vertex_count
        settings, plan = obj.muslin, self.plan
        fit, folder = settings.fit.enabled, settings.cache_folder
        return cache.CacheWriter(obj, folder, count, plan.first, plan.resume, fit=fit)

    def _come_to_rest(self):
        """Before the first frame; none of these steps is stored."""
        before = self._before
        while before is not None and not before.is_over and not self._stopping:
            self._simulation.begin(before.advance, not before.is_layering)
            yield
            if not self._simulation.collect():
                break
        if before is not None:
            before.close()
            self.note = sentences(self.note, before.note)

    def _take_up(self):
        """The first frame of this bake, or where the last one ended."""
        self._began = perf_counter()
        if self.plan.resume is None:
            self._simulation.update_fit()
            self._keep_frame()
            self.done = 1
        else:
            self._resume(self.plan.resume)
        self._state_frame = self._simulation.frame
        self.judge.watch(0.0)
        self._go_to(self._simulation.frame + 1.0 / self._parts)

    def _resume(self, frame):
        """The cloth as it was at a frame that is in the cache."""
        self._go_to(frame - 1)
        _, _, depsgraph = self._objects()
        objects = [member.find() for member in self._simulation.members]
        before = [place.as_matrix(each.evaluated_get(depsgraph).matrix_world) for each in objects]
        self._go_to(frame)
        obj, scene, depsgraph = self._objects()
        self._simulation.feed(obj, scene, depsgraph, jump=True)
        self.note = resume(self._simulation, frame, before)

    def _feed(self, time):
        self._go_to(time)
        obj, scene, depsgraph = self._objects()
        if self._state_frame is not None:  # the first step of a frame
            long = self.done <= 1 or self._simulation.step_seconds > PATIENCE / self._parts
            is_due = perf_counter() >= self._next_state
            taken = (self._simulation.snapshot(), self._state_frame) if long or is_due else None
            self._snapshot, self._due = taken if long else None, taken if is_due else None
        self._simulation.feed(obj, scene, depsgraph, part=1.0 / self._parts)
        self._state_frame = None

    def _meanwhile(self, time):
        """While the step runs: write the frame before it, and evaluate the scene for the step after it."""
        self._write()
        due, self._due = self._due, None
        if due is not None and due[1] == self.last_written:
            self._store(*due)  # a bake that is killed goes on from there, to the same bytes
            self._next_state = perf_counter() + STATE_EVERY
        if time <= self.plan.last:
            self._go_to(time)

    def _keep_frame(self):
        simulation = self._simulation
        matrices = [member.matrix for member in simulation.members]
        maps = [simulation.fit_maps_of(member, member.find()) for member in simulation.members]
        self._waiting = simulation.frame, simulation.positions_world(), maps, matrices

    def _write(self):
        if self._waiting is not None:
            (frame, positions, maps, matrices), self._waiting = self._waiting, None
            simulation = self._simulation
            shapes = members.split(simulation.members, positions, simulation.unit, matrices)
            for (uid, shape), each in zip(shapes.items(), maps):
                self._writers[uid].append(shape, each)
            self.latest = frame, dict(zip(shapes, zip(shapes.values(), maps)))
            self.written += 1

    def _store(self, snapshot, frame):
        """Beside each cache: any may be gone when the bake is continued."""
        for writer in self._writers.values():
            writer.state(snapshot, frame)

    def _collect(self):
        """The step's end; False when it was interrupted: then its frame is lost."""
        simulation = self._simulation
        if not simulation.collect():
            return False
        seconds = self._seconds + simulation.step_seconds
        self.native_seconds += seconds
        self.done += 1
        self._snapshot = None
        self._state_frame = simulation.frame
        self._keep_frame()
        self.judge.watch(seconds)
        if perf_counter() >= self._next_statistics:
            overhead = self.seconds_each - self.native_seconds / self.done
            running.statistics.update(dict.fromkeys(simulation.uids, rows(simulation, overhead)))
            self._next_statistics = perf_counter() + STATISTICS_EVERY
        return True

    # The end

    def _end_files(self):
        """Write what is left and close everything; {uid: path of its cache}, empty without any frame."""
        simulation = self._simulation
        self._settle()
        if self._writers:
            for action in (self._write, self._store_state):
                self._try(action)
        # one that fails must not lose another
        paths = {uid: self._try(writer.finish) for uid, writer in self._writers.items()}
        self._simulation = self._waiting = None
        self._writers = {}
        if simulation is not None:
            self.note = sentences(self.note, *simulation.notes())
            self._try(lambda: self.judge.end(self._state_frame is not None))
            simulation.close()
        return {uid: path for uid, path in paths.items() if path}

    def _try(self, action):
        """A Problem at the end must not lose what was finished before: it is only reported."""
        try:
            return action()
        except Problem as problem:
            self._fail(problem)
            return None

    def _fail(self, problem):
        """The first one is what ended it."""
        if not self.error:
            self.error = str(problem)
            running.errors.update({uid: ended_by(problem, name) for uid, name in self.plan.members})
            if self._simulation is not None:
                members.note_error(self._simulation.members, problem)

    def _store_state(self):
        """The state of the last frame that is written, from which Continue resumes."""
        snapshot = self._snapshot
        if snapshot is None and self._state_frame is not None:
            snapshot = self._simulation.snapshot(), self._state_frame
        if snapshot is not None and snapshot[1] == self.last_written:
            self._store(*snapshot)

    def _end(self):
        self._ended = perf_counter()
        paths = self._end_files()
        run_note = self.note  # what concerns the run, not what is shown of it
        self.finished = True
        for uid, name in self.plan.members:
            if uid in paths:
                self._try(lambda: self._present(uid, name, paths[uid], run_note))

    def _present(self, uid, name, path, run_note):
        obj, scene = existing(uid, name), scene_named(self.plan.scene_name)
        preview_view.hide(obj)
        note = results.present(obj, scene, path, obj.muslin.output, self.seconds_each)
        if note not in self.note:  # several garments share a note
            self.note = sentences(self.note, note)
        obj.muslin.baked.verdict = sentences(self.judge.words, run_note)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads of the add-on never touch Blender: no job holds anything of Blender's, none calls what asks bpy, and Python's
collector, which could free such things anywhere, stays in the main thread."""

import gc
import os
import threading
import time
import types
import unittest

import bpy
import mathutils
import scenes
from arm_scenes import RADIUS, arm, tube
from edit_support import EditTest
from support import addon
from test_together import wear

BLENDERS = (
    *(bpy.types.bpy_struct, bpy.types.bpy_prop_collection, bpy.types.bpy_prop_array),
    *(mathutils.Vector, mathutils.Matrix, mathutils.Euler, mathutils.Quaternion, mathutils.Color),
)
PATIENCE = 20  # s, for a thread that was abandoned
LEAVES = (types.ModuleType, type, types.CodeType, str, bytes, int, float)


def referents(obj):
    """What an object holds; of a function not the module that it is from."""
    if isinstance(obj, types.FunctionType):
        return [obj.__closure__, obj.__defaults__, obj.__kwdefaults__]
    return gc.get_referents(obj)


def held(job):
    """All of Blender's that can be reached from a job."""
    found, seen, rest = [], set(), [job]
    while rest:
        obj = rest.pop()
        if id(obj) in seen or isinstance(obj, LEAVES) or obj is None:
            continue
        seen.add(id(obj))
        if isinstance(obj, BLENDERS) or type(obj).__name__ == "bpy_func":
            found.append(obj)
        elif not isinstance(obj, dict) or "__builtins__" not in obj:  # which a module has
            rest += referents(obj)
    return found


class Watch:
    """Within it, what the add-on's threads do: jobs that were begun, with what they hold, and functions that ran."""

    def __init__(self, case):
        self.jobs, self.codes = [], set()
        worker, background = (
            addon("simulation.worker").Worker,
            addon("muslin.edited").BackgroundCloth,
        )
        start, begin = worker.start, background.__init__

        def noted_start(this, job):
            self.jobs.append((job, held(job)))
            start(this, job)

        def noted_begin(this, *work, **settings):
            self.jobs.append((work, held((work, settings))))
            begin(this, *work, **settings)

        worker.start, background.__init__ = noted_start, noted_begin
        case.addCleanup(setattr, worker, "start", start)
        case.addCleanup(setattr, background, "__init__", begin)
        threading.setprofile(self._called)
        case.addCleanup(threading.setprofile, None)

    def _called(self, frame, event, _):
        if event == "call":
            self.codes.add(frame.f_code)

    def names(self):
        return {code.co_name for code in self.codes}


class JobTest(EditTest):
    """codes are those of threads that began within the test."""

    def setUp(self):
        super().setUp()
        self.watch = Watch(self)

    def check(self, *functions):
        """functions: those that must have run in a thread, so that anything was looked at."""
        scenes.running().stop_everything()
        self.assertTrue(self.watch.jobs)
        for job, found in self.watch.jobs:
            self.assertEqual(found, [], job)
        self.assertLessEqual(set(functions), self.watch.names())
        home = os.path.dirname(addon("properties").__file__)
        asking = [
            f"{code.co_filename}: {code.co_name}"
            for code in self.watch.codes
            if code.co_filename.startswith(home) and "bpy" in code.co_names
        ]
        self.assertEqual(asking, [])

    def test_held_sees_what_is_held(self):
        obj = scenes.garment()
        for job in (lambda: obj, (x for x in [obj.muslin]), {"a": [obj.location]}, obj.select_get):
            self.assertTrue(held(job), job)
        self.assertEqual(held([lambda: bpy, "x", {"a": 1}]), [])

    def test_bake_with_a_body_and_fit_maps(self):
        obj = scenes.garment(pins=False, height=0.65)
        obj.muslin.colliders.add().object = scenes.ball()
        obj.muslin.fit.enabled = obj.muslin.self_contact = True
        scenes.select(obj)
        bpy.ops.muslin.bake()
        self.check("_take", "measure_fit", "tension")

    def test_steps_do_little_in_python(self):
        """Blender with Python 3.11 may crash while a thread runs Python code: what can wait is done in the main thread."""
        scenes.garment()
        bpy.ops.muslin.drape_now(frames=4)
        self.check("_take")
        for late in ("levels", "stats", "to_dataclass", "look", "positions"):
            self.assertNotIn(late, self.watch.names())
        self.assertLess(len(self.watch.names()), 40, self.watch.names())

    def test_bake_of_a_mirrored_garment_in_the_wind(self):
        obj = scenes.garment()
        obj.muslin.mirror.enabled, obj.muslin.wind = True, (1.0, 2.0, 0.0)
        bpy.ops.object.effector_add(type="TURBULENCE")
        scenes.select(obj)
        bpy.ops.muslin.bake()
        self.check("_take")

    def test_bake_that_runs_up_from_another_pose(self):
        obj = tube("Sleeve", RADIUS + 0.015, -0.25, 0.3)
        scenes.select(obj)
        bpy.ops.muslin.add()
        obj.muslin.colliders.add().object = arm(70)
        obj.muslin.settle_first, obj.muslin.output = True, "pc2"
        self.scene.frame_end = 2
        scenes.select(obj)
        bpy.ops.muslin.bake()
        self.check("_take", "run_up", "move")

    def test_drape_of_garments_that_are_put_on(self):
        body = arm(0)
        inner = wear(tube("Inner", RADIUS + 0.02, -0.25, 0.25), body)
        wear(tube("Outer", RADIUS + 0.012, -0.2, 0.2), body, 2)
        scenes.select(inner)
        bpy.ops.muslin.drape_now(frames=4)
        self.check("_take", "dress")

    def test_settling_drape(self):
        scenes.garment()
        bpy.ops.muslin.drape_now(frames=4, settle=True)
        self.check("settle", "step")

    def test_edited_drape(self):
        obj, preview = self.drape()
        self.begin_factor(obj, preview).cloth.ready(None)
        self.until_linear(preview)
        bpy.ops.object.mode_set(mode="OBJECT")
        self.check("_take", "_make", "set_up", "prepare")


class CollectorTest(EditTest):
    """Every allocation of a container collects."""

    def setUp(self):
        super().setUp()
        self.collections = []
        limits = gc.get_threshold()
        self.addCleanup(gc.set_threshold, *limits)
        gc.callbacks.append(self.noted)
        self.addCleanup(gc.callbacks.remove, self.noted)
        gc.set_threshold(1, limits[1], limits[2])

    def noted(self, phase, _):
        self.collections.append((phase, threading.current_thread().name))

    def check(self):
        names = {name for _, name in self.collections}
        self.assertEqual(names, {threading.main_thread().name})
        scenes.running().stop_everything()
        worker, limit = addon("simulation.worker"), time.monotonic() + PATIENCE
        while not gc.isenabled() and time.monotonic() < limit:
            time.sleep(0.01)  # a thread that was abandoned still ends
            worker.collect_again()
        self.assertTrue(gc.isenabled())

    def test_drape(self):
        scenes.garment()
        bpy.ops.muslin.drape_now(frames=5)
        self.check()

    def test_bake(self):
        scenes.garment()
        self.scene.frame_end = 4
        bpy.ops.muslin.bake()
        self.check()

    def test_step_that_fails(self):
        worker = addon("simulation.worker").Worker()

        def job():
            raise ValueError([[number] for number in range(1000)])

        worker.start(job)
        with self.assertRaises(ValueError):
            worker.finish()
        worker.close()
        self.check()

    def test_edited_drape(self):
        """The factor is made in a thread of its own; one that nobody wants any more ends by itself."""
        obj, preview = self.drape()
        making = self.begin_factor(obj, preview)
        making.cloth.abandon()
        making.cloth.ready(None)
        bpy.ops.object.mode_set(mode="OBJECT")
        self.check()

    def test_it_goes_on_between_two_steps(self):
        """However long the cloth drapes, garbage does not pile up."""
        scenes.garment()
        preview = addon("preview.preview").begin(bpy.context.object, self.scene, "drape")
        self.advance(preview, 2)
        before = len(self.collections)
        self.advance(preview, 5)
        self.assertGreater(len(self.collections), before)
        self.check()

    def test_who_had_switched_it_off_finds_it_so(self):
        gc.disable()
        self.addCleanup(gc.enable)
        scenes.garment()
        bpy.ops.muslin.drape_now(frames=3)
        scenes.running().stop_everything()
        self.assertFalse(gc.isenabled())

    def test_threads_that_take_turns_without_end(self):
        """Then it is done in between, in the main thread."""
        collector = addon("simulation.worker")
        self.addCleanup(setattr, collector, "MOST", collector.MOST)
        is_at_work = [True]
        self.addCleanup(collector.collect_again)
        self.addCleanup(is_at_work.clear)
        collector.MOST = 1000
        collector.rest_while(lambda: bool(is_at_work))
        kept = [[number] for number in range(2000)]
        before = len(self.collections)
        with collector.resting():
            self.assertGreater(len(self.collections), before)
        self.assertEqual((len(kept), gc.isenabled()), (2000, False))


if __name__ == "__main__":
    unittest.main()

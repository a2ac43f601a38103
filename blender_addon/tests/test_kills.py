# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender is killed (SIGKILL) at random moments of a bake: the older result and all finished frames can be read, and a
continued bake has the same bytes as one that nobody killed.

MUSLIN_KILLS  how many; a few without
"""

import os
import random
import shutil
import signal
import subprocess
import time
import unittest

import bpy
import scenes
from life import LifeTest
from support import addon

KILLS = int(os.environ.get("MUSLIN_KILLS", 3))
SEED = 1
FRAMES, OLDER = 24, 6
LONGEST = 120  # s for a Blender that nobody kills
CHILD = """
import sys
sys.path[:0] = {path!r}
import bpy
from support import addon
addon("bake.bake").STATE_EVERY = {every!r}
bpy.context.scene.frame_end = {frames}
bpy.context.view_layer.objects.active.muslin.gravity = 1.0
print("BEGIN", flush=True)
bpy.ops.muslin.bake()
print("END", flush=True)
"""


class KillTest(LifeTest):
    def setUp(self):
        super().setUp()
        self.rng = random.Random(SEED)
        self.base = os.path.join(self.folder, "base")
        obj = scenes.garment(size=17)
        ball = scenes.ball()
        obj.muslin.colliders.add().object = ball
        obj.muslin.cache_folder = "//muslin"
        scenes.select(obj)
        os.makedirs(self.base)
        bpy.ops.wm.save_as_mainfile(filepath=os.path.join(self.base, "shot.blend"))
        self.reference = self.uninterrupted(obj)
        self.scene.frame_end = OLDER
        obj.muslin.gravity = 0.5
        bpy.ops.muslin.bake()
        self.older = self.bytes_of(obj)
        bpy.ops.wm.save_mainfile()

    def uninterrupted(self, obj):
        self.scene.frame_end = FRAMES
        bpy.ops.muslin.bake()
        found = self.bytes_of(obj)
        self.assertEqual(len(found), FRAMES)
        bpy.ops.muslin.free()
        return found

    def bytes_of(self, obj):
        """Of each frame of its cache."""
        cache = addon("output.cache")
        path = cache.locate(obj)
        found = cache.read(path)
        self.assertEqual(
            os.path.getsize(path), 32 + found.positions.shape[1] * 12 * len(found.positions)
        )
        return [found.positions[index].tobytes() for index in range(len(found.positions))]

    def child(self, blend, every):
        script = CHILD.format(path=[os.path.dirname(__file__)], every=every, frames=FRAMES)
        command = [bpy.app.binary_path or "blender", "-b", blend, "--python-exit-code", "1"]
        command += ["--python-expr", script]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        for line in process.stdout:
            if line.startswith("BEGIN"):
                return process
        raise AssertionError("the other Blender ended before it began")

    def bake_seconds(self):
        """Of a whole bake in another Blender; it has the same bytes."""
        place = self.copy("whole")
        began = None
        with self.child(place, 0.0) as process:
            began = time.monotonic()
            for line in process.stdout:
                if line.startswith("END"):
                    return time.monotonic() - began
        raise AssertionError("the other Blender did not come to its end")

    def copy(self, name):
        place = os.path.join(self.folder, name)
        shutil.copytree(self.base, place)
        return os.path.join(place, "shot.blend")

    def kill_once(self, number, longest):
        """What is lost, in words."""
        blend = self.copy(f"killed-{number}")
        after = self.rng.uniform(0.0, longest)
        with self.child(blend, self.rng.choice([0.0, 1e9])) as process:
            time.sleep(after)
            process.send_signal(signal.SIGKILL)
        bpy.ops.wm.open_mainfile(filepath=blend)
        obj = bpy.data.objects["Sheet"]
        bpy.context.scene.frame_end = FRAMES
        obj.muslin.gravity = 1.0
        scenes.select(obj)
        if self.bytes_of(obj) not in (self.older, self.reference):
            return "the older result"
        left = addon("output.results").left_over(obj)
        if left:
            bpy.ops.muslin.rescue()
            rescued = self.bytes_of(obj)
            if rescued != self.reference[:left]:
                return f"some of {left} frames"
            if left < FRAMES:
                bpy.ops.muslin.continue_bake()
        elif self.bytes_of(obj) == self.older:
            bpy.ops.muslin.bake()
        print(f"killed after {after:.2f} s: {left} frames were recovered", flush=True)
        return "" if self.bytes_of(obj) == self.reference else f"the rest after {left} frames"

    def test_kills_lose_nothing(self):
        longest = 1.1 * self.bake_seconds()
        lost = [words for words in (self.kill_once(k, longest) for k in range(KILLS)) if words]
        print(f"Muslin's kills: {KILLS}, lost: {len(lost)}", flush=True)
        self.assertEqual(lost, [])


class ContinuedTest(LifeTest):
    def test_a_shorter_continuation_does_not_replace_what_it_continued(self):
        obj = scenes.garment()
        obj.muslin.cache_folder = os.path.join(self.folder, "cache")
        bpy.ops.muslin.bake()
        cache, manifests = addon("output.cache"), addon("output.manifest")
        count = len(scenes.cached(obj))
        writer = cache.CacheWriter(obj, obj.muslin.cache_folder, 81, 1, continue_from=4)
        manifests.writing.discard(writer.token)  # killed
        writer.manifest.data["parts"][writer.token]["process"] = 2**22 + 1
        writer.manifest.save()
        self.assertEqual(addon("output.results").left_over(obj), 0)
        self.scene.frame_end = 12
        bpy.ops.muslin.continue_bake()
        self.assertEqual((count, len(scenes.cached(obj))), (10, 12))

    def test_death_between_state_and_positions(self):
        """The state has its name already, the positions not yet: neither is lost."""
        obj = scenes.garment()
        obj.muslin.cache_folder = os.path.join(self.folder, "cache")
        bpy.ops.muslin.bake()
        cache, windows = addon("output.cache"), addon("muslin.windows")
        writer = cache.CacheWriter(obj, obj.muslin.cache_folder, 81, 1)
        for frame in scenes.cached(obj)[:5]:
            writer.append(frame)
        writer.state(b"after", 5)
        replace = windows.replace

        def die(old, new):
            if new.endswith(".pc2"):
                raise SystemExit
            replace(old, new)

        windows.replace = die
        try:
            with self.assertRaises(SystemExit):
                writer.finish()
        finally:
            windows.replace = replace
        self.assertTrue(addon("output.results").adopt(obj, self.scene))
        self.assertEqual(cache.read_state(cache.locate(obj)), (b"after", 5))


if __name__ == "__main__":
    unittest.main()

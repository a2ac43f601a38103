# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks of a job in .blend files: as a farm starts them, with settings by variation, and what is refused."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import bpy
import numpy as np
import scenes
from support import addon

EXPRESSION = "import bpy; bpy.ops.muslin.bake_task()"
FRAMES = 5


class FarmTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(os.path.realpath(folder.name))
        self.job = self.folder / "opening.json"
        self.blend = self.folder / "fall.blend"
        self.make_shot()

    def make_shot(self):
        """Two sheets that hang above each other, the lower one with its bake on disk."""
        scene = scenes.empty_scene()
        scene.frame_end = FRAMES
        scenes.garment("Upper", size=7, height=1.2)
        lower = scenes.garment("Lower", size=6)
        bpy.ops.wm.save_as_mainfile(filepath=str(self.blend))
        bpy.ops.muslin.bake(scope="ACTIVE")
        self.own_bake = Path(addon("output.cache").locate(lower))
        bpy.ops.wm.save_mainfile()

    def write(self, **changes):
        job = {
            "muslin_job": 1,
            "output": "caches/{shot}_{variation}/{garment}_{part}.pc2",
            "garments": {
                "upper": {"object": "Upper"},
                "both": {"object": ["Upper", "Lower"], "settings": {"substeps": 2}},
            },
            "shots": {"fall": {"blend": "fall.blend"}},
            "variations": {"plain": {}, "silk": {"fabric": "silk", "density": 0.15, "frames": 3}},
        }
        self.job.write_text(json.dumps({**job, **changes}))

    def run_task(self, task, again=False):
        """In this Blender, in a file that is freshly opened."""
        bpy.ops.wm.open_mainfile(filepath=str(self.blend))
        return addon("farm.farm_task").run(str(self.job), task, again)

    def run_process(self, task):
        """As a farm does."""
        run = [bpy.app.binary_path, "-b", "-t", "1", str(self.blend), "--python-exit-code", "1"]
        said = ["--python-expr", EXPRESSION, "--", str(self.job), task, "--threads", "1"]
        return subprocess.run([*run, *said], capture_output=True, text=True, timeout=300)

    def cache(self, name):
        return addon("muslin.pc2").read_pc2(self.folder / "caches" / name)

    def record(self, task):
        return json.loads((self.folder / "opening.batch" / f"{task}.json").read_text())

    def test_a_process_bakes_what_the_button_bakes(self):
        self.write()
        before = self.own_bake.read_bytes(), self.blend.read_bytes()
        result = self.run_process("both.fall.plain")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        upper, lower = (self.cache(f"fall_plain/both_{name}.pc2") for name in ("Upper", "Lower"))
        self.assertEqual((upper.positions.shape, upper.start), ((FRAMES, 49, 3), 1.0))
        self.assertEqual((self.own_bake.read_bytes(), self.blend.read_bytes()), before)
        left = {path.name for path in self.folder.rglob(".*")}
        self.assertEqual(left, {".both_Upper.pc2.lock", ".both_Lower.pc2.lock"})

        bpy.ops.wm.open_mainfile(filepath=str(self.blend))
        obj = bpy.data.objects["Lower"]
        obj.muslin.substeps = 2
        scenes.select(obj)
        obj.muslin.cache_folder = str(self.folder / "by_hand")
        bpy.ops.muslin.bake(scope="ACTIVE")
        np.testing.assert_array_equal(lower.positions, scenes.cached(obj))

        again = self.run_process("both.fall.plain")
        self.assertIn("finished and up to date", again.stdout)
        self.assertEqual(again.returncode, 0)
        self.assertEqual(self.run_process("nobody.fall.plain").returncode, 2)

    def test_variations_change_settings(self):
        self.write()
        for name in ("plain", "silk"):
            code, said = self.run_task(f"upper.fall.{name}")
            self.assertEqual(code, 0, said)
        plain, silk = (self.cache(f"fall_{name}/upper_Upper.pc2") for name in ("plain", "silk"))
        self.assertEqual((len(plain.positions), len(silk.positions)), (FRAMES, 3))
        self.assertTrue((plain.positions[2] != silk.positions[2]).any())
        found = self.record("upper.fall.silk")
        self.assertEqual(found["state"], "finished")
        own = self.own_bake.relative_to(self.folder).as_posix()  # a body might wear it
        self.assertEqual([one["path"] for one in found["inputs"]], [own])
        self.assertIn("up to date", self.run_task("upper.fall.silk")[1])
        self.assertIn("done", self.run_task("upper.fall.silk", again=True)[1])
        with open(self.blend, "ab") as file:  # another file, for all that is known
            file.write(b"\0")
        self.assertIn("done", self.run_task("upper.fall.silk")[1])

    def test_files_that_the_shot_reads(self):
        """A fabric of the user's own and a body's cache are inputs, as the .blend file is."""
        silk = addon("muslin.fabrics").find_fabric("silk").path
        own = self.folder / "mine.json"
        own.write_text(Path(silk).read_text())
        bpy.ops.wm.open_mainfile(filepath=str(self.blend))
        ball = scenes.ball(moving=False)
        motion = self.folder / "ball.pc2"
        with addon("muslin.pc2").Pc2Writer(motion, len(ball.data.vertices)) as writer:
            writer.write(scenes.seen(ball))
        moved = ball.modifiers.new("Motion", "MESH_CACHE")
        moved.cache_format, moved.filepath = "PC2", "//ball.pc2"
        bpy.ops.wm.save_mainfile()
        self.write(variations={"mine": {"fabric": "mine.json"}})
        self.assertEqual(self.run_task("upper.fall.mine")[0], 0)
        read = {one["path"] for one in self.record("upper.fall.mine")["inputs"]}
        self.assertLessEqual({"mine.json", "ball.pc2"}, read)
        self.assertIn("up to date", self.run_task("upper.fall.mine")[1])
        own.write_text(own.read_text() + "\n")
        self.assertIn("done", self.run_task("upper.fall.mine")[1])

    def cached_ball(self, blend, path):
        """A .blend file with a ball whose cache is written that way; the place of the cache."""
        blend.parent.mkdir(exist_ok=True)
        scenes.empty_scene()
        ball = scenes.ball(moving=False)
        bpy.ops.wm.save_as_mainfile(filepath=str(blend))
        motion = blend.parent / "ball.pc2"
        with addon("muslin.pc2").Pc2Writer(motion, len(ball.data.vertices)) as writer:
            writer.write(scenes.seen(ball))
        moved = ball.modifiers.new("Motion", "MESH_CACHE")
        moved.cache_format, moved.filepath = "PC2", path
        bpy.ops.wm.save_mainfile()
        return motion

    def test_a_linked_body_has_its_files_beside_its_own_file(self):
        """And a bake without them is none: the body would stand still."""
        linked = self.folder / "assets" / "ball.blend"
        motion = self.cached_ball(linked, "//ball.pc2")
        bpy.ops.wm.open_mainfile(filepath=str(self.blend))
        with bpy.data.libraries.load(str(linked), link=True) as (found, wanted):
            wanted.objects = [name for name in found.objects if "all" in name]
        for obj in wanted.objects:
            bpy.context.scene.collection.objects.link(obj)
        bpy.ops.wm.save_mainfile()
        self.write()
        code, said = self.run_task("upper.fall.plain")
        self.assertEqual(code, 0, said)
        read = {one["path"] for one in self.record("upper.fall.plain")["inputs"]}
        self.assertLessEqual({"assets/ball.blend", "assets/ball.pc2"}, read)
        motion.unlink()
        code, said = self.run_task("upper.fall.plain")
        self.assertEqual(code, 2, said)
        self.assertIn(f"{motion} is missing", self.record("upper.fall.plain")["reason"])

    def test_a_bake_that_is_gone_counts_where_it_is_met(self):
        self.own_bake.unlink()
        self.write()
        self.assertEqual(self.run_task("upper.fall.plain")[0], 0)
        bpy.ops.wm.open_mainfile(filepath=str(self.blend))
        bpy.data.objects["Upper"].muslin.colliders.add().object = bpy.data.objects["Lower"]
        bpy.ops.wm.save_mainfile()
        self.assertEqual(self.run_task("upper.fall.plain")[0], 2)
        self.assertIn("is missing", self.record("upper.fall.plain")["reason"])

    def test_inputs_are_as_they_were_before_the_bake(self):
        motion = self.cached_ball(self.folder / "ball.blend", "//ball.pc2")
        bpy.ops.wm.open_mainfile(filepath=str(self.blend))
        cache = bpy.data.objects["Upper"].modifiers.new("Motion", "MESH_CACHE")
        cache.cache_format, cache.filepath, cache.show_viewport = "PC2", "//ball.pc2", False
        bpy.ops.wm.save_mainfile()
        self.write()
        task = addon("farm.farm_task")

        def plan_all(*arguments):
            motion.write_bytes(motion.read_bytes() + b"changed")
            return plans.plan_all(*arguments)

        plans = addon("bake.plans")
        with mock.patch.object(task, "plan_all", plan_all):
            self.assertEqual(self.run_task("upper.fall.plain")[0], 0)
        self.assertIn("done", self.run_task("upper.fall.plain")[1])
        self.assertIn("up to date", self.run_task("upper.fall.plain")[1])

    def test_what_is_in_the_way_of_an_output(self):
        """Before the bake it is refused; after it what was baked stays."""
        self.write()
        task = addon("farm.farm_task")
        output = self.folder / "caches/fall_plain/upper_Upper.pc2"
        output.mkdir(parents=True)
        with mock.patch.object(task, "plan_all", side_effect=AssertionError("it baked")):
            code, said = self.run_task("upper.fall.plain")
        self.assertEqual((code, said), (2, f"{output}: this is a folder, not a file"))
        output.rmdir()
        unfinished = output.with_name(".upper_Upper.unfinished.pc2")

        def joint_verdict(_bakes):
            output.mkdir()
            return {}

        with mock.patch.object(task, "joint_verdict", joint_verdict):
            code, said = self.run_task("upper.fall.plain")
        self.assertEqual(code, 2)
        self.assertIn(str(unfinished), said)
        self.assertTrue(unfinished.is_file())

    def test_together_is_one_cloth(self):
        """The partner of a garment is simulated with it, and its own bake stays as it is."""
        bpy.ops.wm.open_mainfile(filepath=str(self.blend))
        ball = scenes.ball(moving=False)
        for name in ("Upper", "Lower"):
            obj = bpy.data.objects[name]
            obj.muslin.together = True
            obj.muslin.colliders.add().object = ball
        bpy.ops.wm.save_mainfile()
        before = self.own_bake.read_bytes()
        self.write()
        code, said = self.run_task("upper.fall.plain")
        self.assertEqual(code, 0, said)
        self.assertEqual(self.own_bake.read_bytes(), before)
        self.assertEqual(len(list(self.folder.rglob("caches/**/*.pc2"))), 1)
        verdict = self.record("upper.fall.plain")["verdict"]
        self.assertEqual(verdict["worst"]["inside_count"], 0)
        self.assertGreaterEqual(verdict["worst"]["largest_stretch"], 1.0)

    def test_refusals_name_the_field(self):
        wrong = (
            ({"colour": "red"}, "variations.plain.colour"),
            ({"uid": "x"}, "variations.plain.uid"),
            ({"baked.path": "x"}, "variations.plain.baked.path"),
            ({"cache_folder": "/tmp"}, "variations.plain.cache_folder"),
            ({"rna_type.name": "x"}, "variations.plain.rna_type.name"),
            ({"frames": 0}, "variations.plain.frames"),
            ({"substeps": 1.5}, "whole number"),
            ({"substeps": 1000000}, "must be from 0 to"),
            ({"self_contact": 1}, "true or false"),
            ({"wind": [1, 2]}, "must be 3 numbers"),
            ({"density": [1, 2]}, "one number"),
            ({"solver": "magic"}, "there is no magic"),
            ({"fabric": "tinfoil"}, "variations.plain.fabric"),
            ({"colliders": "Ball"}, "variations.plain.colliders"),
        )
        for settings, part in wrong:
            with self.subTest(settings):
                self.write(variations={"plain": settings})
                code, said = self.run_task("upper.fall.plain")
                self.assertEqual(code, 2, said)
                self.assertIn(part, self.record("upper.fall.plain")["reason"])
        self.write(variations={"plain": {"mirror.enabled": False, "wind": [0, 1, 0]}})
        self.assertEqual(self.run_task("upper.fall.plain")[0], 0)

    def test_what_is_not_in_the_file(self):
        self.write(garments={"coat": {}})
        self.run_task("coat.fall.plain")
        self.assertIn("has no mesh coat", self.record("coat.fall.plain")["reason"])
        bpy.ops.wm.read_homefile()
        code, said = addon("farm.farm_task").run(str(self.job), "coat.fall.plain")
        self.assertEqual(code, 2)
        self.assertIn("no file is open", said)

    def test_a_task_that_another_has(self):
        self.write()
        job = addon("muslin.farm.job").read_job(self.job)
        task = addon("muslin.farm.tasks").tasks_of(job)[0]
        with addon("muslin.farm.claim").claimed(task):
            self.assertEqual(self.run_task(task.name)[0], 75)


if __name__ == "__main__":
    unittest.main()

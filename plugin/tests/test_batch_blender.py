"""Shots of .blend files in a batch: which process is started, and what its exit codes mean. A script stands in for
Blender, which does nothing but what the add-on does around a bake; test_farm.py of the add-on has the real one.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import os
import subprocess
import sys
import time
import unittest
from pathlib import Path
from unittest import mock

from farm_jobs import JobTest, small_job
from muslin import library
from muslin.command import child

CHECKOUT = Path(__file__).resolve().parents[2]

STAND_IN = """#!{python}
import os
import sys
from pathlib import Path
from muslin import exits
from muslin.farm import work
from muslin.farm.job import read_job
from muslin.farm.record import noted
from muslin.farm.tasks import tasks_of

before, after = sys.argv[1 : sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1 :]
Path({folder!r}, "calls").open("a").write(repr(before) + "\\n")
task = next(task for task in tasks_of(read_job(after[0])) if task.name == after[1])

os.environ["MUSLIN_LIBRARY"] = os.path.join({folder!r}, "addon.so")  # not that of the command line


def simulate(task, paths):
    if task.settings.get("fabric") == "tinfoil":
        return work.Outcome(exits.BAD_INPUT, reason="variations.bad.fabric: there is none")
    for path in paths:
        path.write_bytes(b"POINTCACHE2")
    inputs = noted(task, [Path({folder!r}, "library.blend")])
    if task.settings.get("fabric") == "poor":
        worst = dict(body_piercings=1, self_piercings=0, inside_count=0, largest_stretch=1)
        verdict = dict(good=False, worst=worst, since=dict(pierced=2))
        return work.Outcome(0, verdict, inputs)
    return work.Outcome(0, inputs=inputs)


sys.exit(work.run_task(task, simulate)[1])
"""


class BlenderBatchTest(JobTest):
    def setUp(self):
        super().setUp()
        for name in ("sit.blend", "library.blend", "addon.so"):
            (self.folder / name).write_bytes(b"BLENDER")
        self.blender = self.folder / "blender"
        text = STAND_IN.format(python=sys.executable, folder=str(self.folder))
        self.blender.write_text(text)
        self.blender.chmod(0o755)

    def job(self, **variations):
        shots = {"sit": {"blend": "sit.blend"}}
        self.write(small_job(shots=shots, garments={"coat": {}}, variations=variations))

    def test_one_process_a_task(self):
        self.job(plain={}, silk={"fabric": "silk"})
        self.run_batch("--blender", self.blender, "--threads", 3)
        calls = (self.folder / "calls").read_text().splitlines()
        expected = ["-b", "-t", "3", str(self.folder / "sit.blend"), "--python-exit-code", "1"]
        expected += ["--python-expr", "import bpy; bpy.ops.muslin.bake_task()"]
        self.assertEqual(calls, [repr(expected)] * 2)
        self.assertEqual(len(self.outputs()), 2)
        self.assertIn("2 kept", self.run_batch("--blender", self.blender).stdout)
        (self.folder / "library.blend").write_bytes(b"BLENDER, changed")
        self.assertIn("2 done", self.run_batch("--blender", self.blender).stdout)

    def test_which_muslin_counts_is_that_of_blender(self):
        """What it made is known to be true without starting it, until it has another one."""
        self.job(plain={})
        run = ("--blender", self.blender)
        self.assertIn("1 done", self.run_batch(*run).stdout)
        self.assertIn("1 kept", self.run_batch(*run).stdout)
        self.assertIn("finished", self.run_batch("--list").stdout)
        self.assertEqual(len((self.folder / "calls").read_text().splitlines()), 1)
        (self.folder / "addon.so").write_bytes(b"another build")
        self.assertIn("1 done", self.run_batch(*run).stdout)
        self.assertIn("1 kept", self.run_batch(*run).stdout)

    def test_what_fails_there(self):
        self.job(plain={}, bad={"fabric": "tinfoil"})
        said = self.run_batch("--blender", self.blender, code=1).stdout
        self.assertIn("coat.sit.bad: failed: variations.bad.fabric: there is none", said)
        record = json.loads((self.state / "coat.sit.bad.json").read_text())
        self.assertEqual((record["state"], record["code"]), ("failed", 2))

    def test_no_blender(self):
        self.job(plain={})
        result = self.run_batch("--blender", self.folder / "none", code=2)
        self.assertIn("--blender: there is no program", result.stderr)

    def test_one_task_and_its_verdict(self):
        """In this process's Blender: 1 with --fail where it says that the cloth does not lie as it should."""
        self.job(plain={}, poor={"fabric": "poor"}, bad={"fabric": "tinfoil"})
        for name, flags, code in (
            ("plain", ["--fail"], 0),
            ("poor", [], 0),
            ("poor", ["--fail"], 1),
            ("bad", ["--fail"], 2),
        ):
            with self.subTest(name, flags=flags):
                said = ["--task", f"coat.sit.{name}", "--blender", self.blender, *flags]
                self.run_batch(*said, code=code)

    def test_a_signal_reaches_blender(self):
        """Of --task, which waits for it."""
        self.job(plain={})
        self.blender.write_text('#!/bin/sh\necho $$ > "$(dirname "$0")/number"\nexec sleep 60\n')
        arguments = [str(self.path), "--task", "0", "--blender", str(self.blender)]
        process = subprocess.Popen(
            [sys.executable, child.__file__, "batch", *arguments], stderr=subprocess.DEVNULL
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        number, limit = self.folder / "number", time.monotonic() + 60
        while not (number.exists() and number.read_text().endswith("\n")):
            self.assertLess(time.monotonic(), limit, "no Blender was started")
            time.sleep(0.02)
        process.terminate()
        self.assertEqual(process.wait(timeout=30), 130)
        with self.assertRaises(ProcessLookupError):
            os.kill(int(number.read_text()), 0)

    def test_blender_brings_its_own_library(self):
        """That of tools/muslin is not handed on; one that the user names is."""
        build = self.folder / "build"
        build.mkdir()
        (build / "libmuslin.so").symlink_to(library.find())
        self.job(plain={})
        self.blender.write_text(f'#!/bin/sh\necho "[$MUSLIN_LIBRARY]" > {self.folder}/named\n')
        call = [CHECKOUT / "tools/muslin", "batch", self.path, "--blender", self.blender]
        named = str(library.find())
        kept = {name: value for name, value in os.environ.items() if name != "MUSLIN_LIBRARY"}
        kept.update(MUSLIN_BUILD=str(build), MUSLIN_PYTHON=sys.executable)
        for environment, expected in (({}, ""), ({"MUSLIN_LIBRARY": named}, named)):
            with self.subTest(expected):
                given = {**kept, **environment}
                subprocess.run([*call, "--task", "0"], env=given, capture_output=True, timeout=60)
                self.assertEqual((self.folder / "named").read_text(), f"[{expected}]\n")
        with mock.patch.dict(os.environ, MUSLIN_LIBRARY=named, MUSLIN_OWN_LIBRARY=named):
            self.run_batch("--blender", self.blender, code=1)  # it bakes nothing
        self.assertEqual((self.folder / "named").read_text(), "[]\n")

    def test_no_blender_for_some_tasks(self):
        """The others are not begun."""
        self.write(small_job(shots={"still": {}, "sit": {"blend": "sit.blend"}}))
        self.run_batch("-j", 2, "--blender", self.folder / "none", code=2)
        self.assertFalse(self.state.exists())


if __name__ == "__main__":
    unittest.main()

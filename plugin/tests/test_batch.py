"""`muslin batch`: what a job becomes, what is kept, what is done again, and what a stopped one leaves.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path
from unittest import mock

import muslin
from body_meshes import ball
from farm_jobs import JobTest, small_job, write_files
from in_process import run_in_process
from muslin.command import child
from muslin.farm.claim import claimed
from muslin.farm.job import read_job
from muslin.farm.tasks import tasks_of

TASKS = ["sheet.still.plain", "sheet.wind.plain", "flag.still.plain", "flag.wind.plain"]
FLAG = {"flag": {"mesh": "flag.obj"}}
LONG = 4000  # frames, some seconds


class BatchTest(JobTest):
    def start(self, *arguments):
        """A batch in a process of its own."""
        process = subprocess.Popen(
            [sys.executable, child.__file__, "batch", str(self.path), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def wait_for(self, condition):
        limit = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), limit, "nothing happened")
            time.sleep(0.02)

    def parts(self):
        return [path for path in self.folder.rglob("*") if ".unfinished" in path.name]

    def test_tasks_are_drapes_and_are_kept_while_they_are_true(self):
        self.write(small_job())
        said = self.run_batch("-j", 2).stdout.splitlines()
        self.assertEqual(len(said), 5, said)
        self.assertIn("4 done", said[-1])
        found = self.outputs()
        self.assertEqual(
            sorted(found), sorted(f"caches/{s}/{g}_plain.pc2" for g, s, _ in map(parted, TASKS))
        )
        alone = self.folder / "alone.pc2"
        options = ["--garment", self.folder / "sheet.obj", "--pin", "0,7", "--frames", 4]
        body = ["--body", self.folder / "ball.obj", "--self-contact"]
        self.assertEqual(run_in_process("drape", *options, *body, "-o", alone).returncode, 0)
        self.assertEqual(found["caches/still/sheet_plain.pc2"], alone.read_bytes())
        alone.unlink()
        row = self.summary()["tasks"][0]
        self.assertEqual((row["piercings"], row["worst"]["inside_count"]), (0, 0))
        self.assertTrue(row["good"])
        self.assertGreater(row["seconds"], 0)

        self.assertIn("4 kept", self.run_batch().stdout)
        flag = self.folder / "flag.obj"
        flag.write_text(flag.read_text() + "# changed\n")
        damaged = self.folder / "caches/still/sheet_plain.pc2"
        damaged.write_bytes(damaged.read_bytes()[:-1])
        self.run_batch()
        redone = {"sheet.still.plain", "flag.still.plain", "flag.wind.plain"}
        self.assertEqual({name for name, state in self.states().items() if state == "done"}, redone)
        self.assertEqual(self.outputs()["caches/still/sheet_plain.pc2"], alone_bytes(found))
        self.write(small_job(settings={"frames": 4, "substeps": 2}))
        listed = self.run_batch("--list").stdout
        self.assertEqual(listed.count("to do"), 4)

    def test_variations_override_and_some_are_left_out(self):
        variations = {"plain": {}, "silk": {"fabric": "silk", "frames": 3}}
        leave_out = [{"garment": "flag"}, {"shot": "wind", "variation": "silk"}]
        self.write(small_job(variations=variations, leave_out=leave_out))
        self.run_batch("--only", "*.s*.*")
        self.assertEqual(set(self.states()), {"sheet.still.plain", "sheet.still.silk"})
        sizes = {name: len(content) for name, content in self.outputs().items()}
        frame = 12 * 64
        self.assertEqual(sizes["caches/still/sheet_plain.pc2"], 32 + 4 * frame)
        self.assertEqual(sizes["caches/still/sheet_silk.pc2"], 32 + 3 * frame)
        self.assertEqual(self.run_batch("--list").stdout.count("\n"), 3)

    def test_several_meshes_are_one_cloth(self):
        garments = {"both": {"mesh": ["sheet.obj", "flag.obj"]}}
        shots = {"still": {"bodies": ["ball.obj"]}}
        self.write(small_job(garments=garments, shots=shots, output="{garment}_{part}.pc2"))
        self.run_batch()
        self.assertEqual(set(self.outputs()), {"both_sheet.pc2", "both_flag.pc2"})
        self.write(small_job(garments=garments, shots=shots, output="{garment}.pc2"))
        self.assertIn("output:", self.run_batch(code=2).stderr)

    def test_a_task_that_fails(self):
        """The others are done, and only that one again."""
        variations = {"plain": {}, "bad": {"pin": "0-5000"}}
        self.write(small_job(variations=variations, leave_out=[{"garment": "flag"}]))
        result = self.run_batch(code=1)
        self.assertIn("sheet.still.bad: failed: ", result.stdout)
        self.assertIn("has only the vertices 0 to 63", result.stdout)
        self.assertEqual(list(self.states().values()).count("done"), 2)
        self.assertEqual(len(self.outputs()), 2)
        self.assertIn("2 kept, 2 failed", self.run_batch(code=1).stdout)

    def test_a_simulation_that_fails(self):
        """Its line tells why, and so does the summary."""
        lost = {"frames": 20, "solver": "sweep", "sweep_method": "symplectic", "stretch": 1e6}
        self.write(small_job(settings=lost))
        said = self.run_batch("--only", "sheet.wind.*", code=1).stdout
        self.assertRegex(said, r"sheet\.wind\.plain: failed: frame \d+ of 20 failed: ")
        self.assertIn("of 20 failed: ", self.summary()["tasks"][0]["reason"])

    def test_records_that_cannot_be_written(self):
        self.write(small_job())
        self.state.write_text("")
        self.assertIn("opening.batch: cannot be written: ", self.run_batch(code=2).stderr)

    def test_a_process_that_leaves_no_reason(self):
        """That of the last time is not told again."""
        garments = {"sheet": {"mesh": "sheet.obj", "settings": {"pin": "0-5000"}}}
        self.write(small_job(garments=garments, shots={"still": {}}))
        self.assertIn("has only the vertices", self.run_batch(code=1).stdout)
        record = json.loads((self.state / "sheet.still.plain.json").read_text())
        command = [sys.executable, "-c", f"raise SystemExit({record['code']})"]
        with mock.patch("muslin.command.batch.command_of", lambda *_: command):
            said = self.run_batch(code=1).stdout
        self.assertIn(f"its process ended with {record['code']}", said)

    def test_a_folder_that_a_terminal_cannot_spell(self):
        """One line a task, and none is stopped for it."""
        for name, encoding in (
            ("f\N{LATIN SMALL LETTER O WITH DIAERESIS}", "ascii"),
            ("a\nb", "utf-8"),
        ):
            with self.subTest(encoding):
                folder = self.folder / name
                folder.mkdir()
                write_files(folder)
                self.path = folder / "opening.json"
                self.write(small_job(settings={"pin": "0-5000"}, garments=FLAG))
                with mock.patch.dict(os.environ, PYTHONIOENCODING=encoding):
                    said, errors = self.start("-j", "1").communicate(timeout=60)
                self.assertEqual((len(said.splitlines()), errors), (3, ""))
                self.assertIn("2 failed", said)

    def test_a_stopped_batch_goes_on(self):
        """By Ctrl-C, an example of all three, which tools/test --all has."""
        more = (signal.SIGTERM, signal.SIGHUP) if os.environ.get("MUSLIN_LONG") else ()
        for number in (signal.SIGINT, *more):
            with self.subTest(number):
                variations = {"plain": {}, "long": {"frames": LONG, "substeps": 4}}
                self.write(small_job(variations=variations, leave_out=[{"garment": "flag"}]))
                process = self.start("-j", "2")
                self.wait_for(lambda: len(self.parts()) >= 1 and len(self.outputs_done()) >= 1)
                self.wait_for(lambda: any("long" in path.name for path in self.parts()))
                process.send_signal(number)
                said, errors = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 130, errors)
                self.assertIn("stopped", said)
                self.assertEqual(self.parts(), [])
                kept = self.outputs()
                self.assertTrue(all("plain" in name for name in kept), kept.keys())
                self.assert_free()
                variations["long"]["frames"] = 5
                self.write(small_job(variations=variations, leave_out=[{"garment": "flag"}]))
                self.run_batch()
                self.assertEqual(len(self.outputs()), 4)
                self.assertEqual({**self.outputs(), **kept}, self.outputs())
                for path in self.folder.rglob("*.pc2"):
                    path.unlink()

    def test_a_stopped_task_says_what_is_kept(self):
        self.write(small_job(variations={"long": {"frames": LONG, "substeps": 4}}))
        process = self.start("--task", "0")
        self.wait_for(lambda: any(size_of(path) > 4000 for path in self.parts()))  # some frames
        process.terminate()
        _, errors = process.communicate(timeout=60)
        self.assertIn("none of its frames are kept", errors)
        self.assertEqual((process.returncode, self.parts()), (130, []))

    def assert_free(self):
        for task in tasks_of(read_job(self.path)):
            with claimed(task) as free:
                self.assertTrue(free, "a child is still there")

    def outputs_done(self):
        return [p for p in self.folder.rglob("*.pc2") if not p.name.startswith(".")]

    def test_a_killed_task_is_done_again(self):
        """By SIGKILL, which nobody can answer: what it left is cleared away."""
        variations = {"long": {"frames": LONG, "substeps": 4}}
        self.write(small_job(variations=variations))
        process = subprocess.Popen(
            [sys.executable, child.__file__, "batch", str(self.path), "--task", "0"],
            stderr=subprocess.DEVNULL,
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.wait_for(self.parts)
        busy = run_in_process("batch", self.path, "--task", "sheet.still.long")
        self.assertEqual(busy.returncode, 75, busy.stderr)
        process.kill()
        process.wait()
        self.assertEqual((self.outputs_done(), len(self.parts())), ([], 1))
        variations["long"]["frames"] = 4
        self.write(small_job(variations=variations))
        self.run_batch("--task", "sheet.still.long")
        self.assertEqual((len(self.outputs_done()), self.parts()), (1, []))

    @unittest.skipUnless(sys.platform.startswith("linux"), "the system itself ends them")
    def test_a_killed_batch_leaves_nothing_running(self):
        """By SIGKILL: it cannot end its processes itself. The same command goes on, with the same bytes."""
        variations = {"long": {"frames": LONG, "substeps": 4}}
        self.write(small_job(variations=variations, leave_out=[{"garment": "flag"}]))
        process = self.start("-j", "2")
        self.wait_for(lambda: len(self.parts()) >= 2)
        process.kill()
        process.communicate()
        self.wait_for(self.are_free)
        self.assertEqual(self.outputs_done(), [])
        variations["long"]["frames"] = 4
        self.write(small_job(variations=variations, leave_out=[{"garment": "flag"}]))
        self.run_batch()
        went_on = self.outputs()
        self.run_batch("--again")
        self.assertEqual(self.outputs(), went_on)

    def are_free(self):
        with contextlib.ExitStack() as stack:
            tasks = tasks_of(read_job(self.path))
            return all([stack.enter_context(claimed(task)) for task in tasks])

    def test_a_task_that_could_not_record_why_it_failed(self):
        """Its own last words are reported."""
        self.write(small_job(leave_out=[{"garment": "flag"}, {"shot": "wind"}]))
        (self.folder / "caches" / "still" / ".sheet_plain.pc2.lock").mkdir(parents=True)
        said = self.run_batch(code=1).stdout
        self.assertIn("sheet.still.plain: failed: its process ended with 2: ", said)
        self.assertIn("cannot be written: Is a directory", said)

    def test_two_batches_share_the_work(self):
        self.write(small_job(variations={"a": {}, "b": {"frames": 20}}))
        said = [
            process.communicate(timeout=120) for process in [self.start("-j", "2") for _ in "ab"]
        ]
        lines = [line for text, _ in said for line in text.splitlines() if ": done" in line]
        self.assertEqual(len(lines), 8, said)
        self.assertEqual(len({line.split()[1] for line in lines}), 8, said)
        self.assertEqual(len(self.outputs()), 8)

    def test_nobody_reads_what_a_batch_tells(self):
        """Then it ends, and the processes that it started do, too."""
        variations = {"plain": {}, "long": {"frames": LONG, "substeps": 4}}
        self.write(small_job(variations=variations, leave_out=[{"garment": "flag"}]))
        process = self.start("-j", "2")
        process.stdout.close()
        process.stdout = None
        process.communicate(timeout=60)
        self.assert_free()

    def test_a_second_batch_leaves_the_log(self):
        self.write(small_job(variations={"long": {"frames": LONG, "substeps": 4}}))
        first = self.start("-j", "1", "--only", "sheet.still.*")
        self.wait_for(self.parts)
        second = self.start("-j", "1", "--only", "sheet.still.*")
        self.wait_for(lambda: len(list(self.state.glob("*.log"))) == 2)
        self.wait_for(lambda: len(list(self.state.glob("*.log"))) == 1)  # it was busy
        for process in (second, first):
            process.terminate()
            process.communicate(timeout=60)
        (log,) = self.state.glob("*.log")
        self.assertEqual(log.name, "sheet.still.long.log")
        self.assertIn("muslin: drape", log.read_text())

    def test_the_current_folder_is_not_searched(self):
        (self.folder / "numpy.py").write_text("raise SystemExit('executed')\n")
        self.write(small_job())
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        self.assertIn("4 done", self.run_batch().stdout)

    def test_fail_is_for_one_task_too(self):
        """Of a sheet whose vertices are all held, with a ball in it."""
        middle = muslin.read_obj(self.folder / "sheet.obj").positions.mean(axis=0)
        body = ball(radius=0.12, middle=middle)
        muslin.write_obj(self.folder / "ball.obj", body.positions, body.faces())
        garments = {"sheet": {"mesh": "sheet.obj", "settings": {"pin": "0-63"}}}
        self.write(small_job(garments=garments))
        task = ["--task", "sheet.still.plain"]
        self.run_batch(*task)
        self.assertIn("piercings", self.run_batch(*task, "--fail", code=1).stderr)
        self.run_batch("--task", "sheet.wind.plain", "--fail")

    def test_a_summary_is_of_the_whole_job(self):
        """Also after a batch of some tasks, or one that is stopped before it began."""
        self.write(small_job())
        self.run_batch()
        self.run_batch("--only", "flag.*", "--again")
        states = self.states()
        self.assertEqual((len(states), states["flag.wind.plain"]), (4, "done"))
        self.assertEqual(self.summary()["done"], 4)
        self.write(small_job(leave_out=[{"garment": "sheet"}]))
        self.run_batch("--only", "flag.still.*")
        self.assertEqual(self.states(), {"flag.still.plain": "kept", "flag.wind.plain": "done"})
        before = self.summary()
        with mock.patch("muslin.command.simulation.Stop.asked", True):
            self.run_batch("--again", code=130)
        self.assertEqual(self.summary(), before)

    def test_records_are_left_beside_the_job(self):
        self.write(small_job())
        self.run_batch("--task", "1")
        record = json.loads((self.state / "sheet.wind.plain.json").read_text())
        self.assertEqual((record["state"], record["code"]), ("finished", 0))
        self.assertEqual([Path(one["path"]).name for one in record["outputs"]], ["sheet_plain.pc2"])
        self.assertTrue(record["verdict"]["good"])


def size_of(path):
    """0 of one that is gone meanwhile."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def parted(name):
    return name.split(".")


def alone_bytes(found):
    return found["caches/still/sheet_plain.pc2"]

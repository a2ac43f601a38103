"""One task of a job by itself: whose an output is, what stands in its way, and what a disk without locks says.

A simulation that is made up writes what it is reported, so that only what is around it counts.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import errno
import json
import os
import unittest
from unittest import mock

from farm_jobs import JobTest, small_job
from muslin.errors import FileError, LibraryError
from muslin.farm import work
from muslin.farm.claim import claimed
from muslin.farm.job import read_job
from muslin.farm.record import is_true, read_record
from muslin.farm.tasks import tasks_of


class WorkTest(JobTest):
    def setUp(self):
        super().setUp()
        self.write(small_job())

    def task(self, path=None):
        return tasks_of(read_job(path or self.path))[0]

    def copy(self, name):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(self.path.read_bytes())
        return path

    def writing(self, content):
        def simulate(task, paths):
            self.simulated.append(task.job.path.name)
            for path in paths:
                path.write_bytes(content)
            return work.Outcome(0)

        self.simulated = []
        return simulate

    def unfinished(self):
        return [path for path in self.folder.rglob("*") if ".unfinished" in path.name]


class TestOwner(WorkTest):
    def test_a_job_waits_for_another_with_its_output(self):
        """And does not touch what that one has open."""
        task, other = self.task(), self.task(self.copy("b.json"))
        with claimed(task) as held:
            self.assertTrue(held)
            part = task.outputs[0].with_name(".sheet_plain.unfinished.pc2")
            part.write_bytes(b"half")
            self.assertEqual(work.run_task(other, self.writing(b"b")), (work.BUSY, 0))
            self.assertEqual((part.read_bytes(), self.simulated), (b"half", []))

    def test_an_output_has_one_job(self):
        task, other = self.task(), self.task(self.copy("b.json"))
        self.assertEqual(work.run_task(task, self.writing(b"a"))[0], work.DONE)
        with self.assertRaises(FileError) as caught:
            work.run_task(other, self.writing(b"b"))
        said = str(caught.exception)
        self.assertTrue(said.startswith(f"{task.outputs[0]}: belongs to the job {self.path}"), said)
        self.assertEqual((task.outputs[0].read_bytes(), self.simulated), (b"a", []))
        self.assertEqual(read_record(other)["reason"], said)
        self.assertTrue(is_true(task, read_record(task)))
        self.assertEqual(work.run_task(task, self.writing(b"c"), again=True)[0], work.DONE)

    def test_a_job_in_another_folder(self):
        """One above writes into the folder of one below."""
        above = self.folder / "above.json"
        below = self.folder / "below"
        job = json.loads(self.path.read_text())
        above.write_text(json.dumps({**job, "output": "below/" + job["output"]}))
        below.mkdir()
        for path in self.folder.glob("*.obj"):
            (below / path.name).write_bytes(path.read_bytes())
        work.run_task(self.task(above), self.writing(b"a"))
        with self.assertRaisesRegex(FileError, "belongs to the job"):
            work.run_task(self.task(self.copy("below/c.json")), self.writing(b"c"))

    def test_what_a_job_leaves_is_free(self):
        """One that was renamed, or whose records were removed."""
        for removed in (self.path, self.state / "sheet.still.plain.json"):
            with self.subTest(removed.name):
                self.write(small_job())
                other = self.task(self.copy("b.json"))
                work.run_task(self.task(), self.writing(b"a"), again=True)
                removed.unlink()
                self.assertEqual(work.run_task(other, self.writing(b"b"))[0], work.DONE)
                for path in self.folder.glob("b.*"):
                    os.rename(path, self.folder / f"{removed.name}.{path.name}")

    def test_damaged_notes_own_nothing(self):
        task = self.task()
        work.run_task(task, self.writing(b"a"))
        (note,) = task.outputs[0].parent.glob(".*.lock")
        for text in (
            "",
            "{",
            "[]",
            '{"job": 3, "task": 1}',
            '{"job": "opening.json"}',
            "[" * 99999,
        ):
            with self.subTest(text[:20]):
                note.write_text(text)
                other = self.task(self.copy("b.json"))
                self.assertEqual(work.run_task(other, self.writing(b"b"), True)[0], work.DONE)


class TestPlaces(WorkTest):
    def test_what_could_not_be_written_is_refused_first(self):
        task = self.task()
        task.outputs[0].mkdir(parents=True)
        with self.assertRaises(FileError) as caught:
            work.run_task(task, self.writing(b"a"))
        self.assertEqual(caught.exception.path, task.outputs[0])
        self.assertIn("this is a folder", str(caught.exception))
        self.assertEqual(self.simulated, [])
        self.assertEqual(read_record(task)["reason"], str(caught.exception))

    def test_a_file_where_a_folder_should_be(self):
        (self.folder / "caches").write_text("")
        with self.assertRaisesRegex(FileError, "caches/still: cannot be written"):
            work.run_task(self.task(), self.writing(b"a"))

    def test_what_is_simulated_stays_if_its_name_is_taken_meanwhile(self):
        task = self.task()

        def simulate(task, paths):
            task.outputs[0].mkdir()
            return self.writing(b"hours of work")(task, paths)

        with self.assertRaises(FileError) as caught:
            work.run_task(task, simulate)
        (left,) = self.unfinished()
        self.assertEqual(left.read_bytes(), b"hours of work")
        self.assertEqual(caught.exception.path, task.outputs[0])
        self.assertIn(str(left), str(caught.exception))
        record = read_record(task)
        self.assertEqual((record["state"], record["reason"]), ("failed", str(caught.exception)))
        task.outputs[0].rmdir()
        self.assertEqual(work.run_task(task, self.writing(b"again"))[0], work.DONE)
        self.assertEqual(self.unfinished(), [])

    def test_waits_for_a_reader_on_windows(self):
        """As everything that Muslin writes: docs/reference/windows.md."""
        with mock.patch("muslin.windows.replace", side_effect=os.replace) as replace:
            work.run_task(self.task(), self.writing(b"a"))
        self.assertIn(self.task().outputs[0], [call.args[1] for call in replace.call_args_list])

    def test_what_fails_leaves_nothing(self):
        def simulate(task, paths):
            paths[0].write_bytes(b"half")
            raise OSError(errno.ENOSPC, "No space left on device")

        with self.assertRaisesRegex(FileError, "caches/still: cannot be written: No space"):
            work.run_task(self.task(), simulate)
        self.assertEqual(self.unfinished(), [])


class TestLocks(WorkTest):
    def flock_fails(self, number):
        error = OSError(number, os.strerror(number))
        return mock.patch("muslin.farm.claim.fcntl.flock", side_effect=error)

    def test_a_disk_without_locks_is_named(self):
        for number in (errno.ENOLCK, errno.EOPNOTSUPP, errno.EIO):
            with self.subTest(number), self.flock_fails(number):
                with self.assertRaises(FileError) as caught:
                    work.run_task(self.task(), self.writing(b"a"))
                self.assertIn(f"cannot be locked: {os.strerror(number)}", str(caught.exception))

    def test_who_has_the_lock_is_waited_for(self):
        for number in (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES):
            with self.subTest(number), self.flock_fails(number):
                self.assertEqual(work.run_task(self.task(), self.writing(b"a"))[0], work.BUSY)


class TestRecord(WorkTest):
    def test_a_damaged_one_is_none(self):
        task = self.task()
        work.run_task(task, self.writing(b"a"))
        whole = json.loads(task.state(".json").read_text())
        damaged = [
            {key: whole[key] for key in whole if key != name}
            for name in ("build", "inputs", "outputs")
        ]
        damaged += [{**whole, "inputs": value} for value in (None, 3, ["x"], [{"sha256": ""}])]
        damaged += [{**whole, "verdict": value} for value in (None, [], {"worst": 3})]
        for content in damaged:
            with self.subTest(content):
                task.state(".json").write_text(json.dumps(content))
                self.assertEqual(read_record(task), {})
                self.assertIn("to do", self.run_batch("--list").stdout)
        task.state(".json").write_text(json.dumps(whole))
        self.assertTrue(is_true(task, read_record(task)))


class TestBuild(WorkTest):
    def test_what_another_build_made_is_to_be_done(self):
        """The version stays the same from one release to the next; library and settings do not."""
        task = self.task()
        work.run_task(task, self.writing(b"a"))
        changed = self.folder / "changed"
        changed.write_bytes(b"another build")
        for name in ("library.find", "table.find"):
            with self.subTest(name), mock.patch(f"muslin.{name}", lambda *_: changed):
                self.assertFalse(is_true(task, read_record(task)))
        self.assertTrue(is_true(task, read_record(task)))

    def test_without_a_library(self):
        """Jobs can be listed."""
        missing = LibraryError("the native library was not found")
        with mock.patch("muslin.library.find", side_effect=missing):
            self.assertIn("to do", self.run_batch("--list").stdout)


class TestParts(WorkTest):
    def test_names_of_objects_are_whole(self):
        """Blender numbers copies behind a dot, which is no ending of a file."""
        (self.folder / "sit.blend").write_bytes(b"BLENDER")
        garments = {"suit": {"object": ["Shirt", "Shirt.001"]}}
        shots = {"sit": {"blend": "sit.blend"}}
        self.write(small_job(garments=garments, shots=shots, output="{part}.pc2"))
        names = [path.name for path in self.task().outputs]
        self.assertEqual(names, ["Shirt.pc2", "Shirt_001.pc2"])


if __name__ == "__main__":
    unittest.main()

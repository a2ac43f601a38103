"""Files of runs that end badly: full disks, removed folders, kills. No older result is lost, and no file says of itself
what is not so.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import os
import resource
import shutil
import signal
import subprocess
import time
import unittest
from unittest import mock

import numpy as np

from muslin import FileError, Pc2Writer, read_pc2
from muslin.command import drape
from muslin.files import check_writable, write_atomic
from test_command import CommandTest
from test_interruption import RunningTest
from test_pc2 import FRAMES, FolderTest


class StaleTest(FolderTest):
    """What killed processes have left."""

    def left(self, name, days=2.0):
        path = self.folder / name
        path.write_bytes(b"left")
        then = time.time() - days * 86400
        os.utime(path, (then, then))
        return path

    def test_old_ones_of_this_name_are_taken_away(self):
        self.left(".out.pc2.123.0.part")
        self.left(".out.pc2.4567.12.part")
        write_atomic(self.path, b"new")
        self.assertEqual(self.names(), ["out.pc2"])

    def test_all_others_stay(self):
        names = (
            ".out.pc2.123.part",
            ".out.pc2.x.0.part",
            ".other.pc2.123.0.part",
            "out.pc2.123.0.part",
            ".out.pc2.123.0.part.bak",
        )
        for name in names:
            self.left(name)
        self.left(".out.pc2.9.0.part", days=0.5)
        (self.folder / ".out.pc2.8.0.part").symlink_to(self.left("mine"))
        (self.folder / ".out.pc2.7.0.part").mkdir()
        before = self.names()
        write_atomic(self.path, b"new")
        self.assertEqual(self.names(), sorted([*before, "out.pc2"]))

    def test_what_a_process_has_stays_however_old(self):
        writer = Pc2Writer(self.path, 4)
        writer.write(FRAMES[0])
        (part,) = self.names()
        os.utime(self.folder / part, (0, 0))
        write_atomic(self.path, b"new")
        self.assertEqual(self.names(), [part, "out.pc2"])
        writer.finish()
        np.testing.assert_array_equal(read_pc2(self.path).positions, FRAMES[:1])


class WriterTest(FolderTest):
    def test_it_is_a_whole_file_after_each_frame(self):
        with Pc2Writer(self.path, 4) as writer:
            (part,) = self.names()
            for count, frame in enumerate(FRAMES, 1):
                writer.write(frame)
                found = read_pc2(self.folder / part).positions
                np.testing.assert_array_equal(found, FRAMES[:count])

    def test_a_removed_folder_is_made_again(self):
        path = self.folder / "caches" / "out.pc2"
        path.parent.mkdir()
        with Pc2Writer(path, 4) as writer:
            for frame in FRAMES[:3]:
                writer.write(frame)
            shutil.rmtree(path.parent)
            writer.write(FRAMES[3])
        np.testing.assert_array_equal(read_pc2(path).positions, FRAMES[:4])
        self.assertEqual(os.listdir(path.parent), ["out.pc2"])

    def test_frames_that_cannot_get_their_name_stay(self):
        writer = Pc2Writer(self.path, 4)
        writer.write(FRAMES[0])
        self.path.mkdir()
        with self.assertRaises(FileError) as caught:
            writer.finish()
        (part,) = (name for name in self.names() if name.endswith(".part"))
        self.assertIn(part, str(caught.exception))
        np.testing.assert_array_equal(read_pc2(self.folder / part).positions, FRAMES[:1])

    def test_a_read_only_file_is_refused(self):
        self.path.write_bytes(b"old")
        self.path.chmod(0o444)
        with self.assertRaises(FileError) as caught:
            check_writable(self.path)
        self.assertIn("read-only", str(caught.exception))


class FullDiskTest(CommandTest):
    """A limit on the size of files stands for the disk; tools/bench trust has a real one."""

    def drape_limited(self, limit, *arguments):
        return subprocess.run(
            self.command(*self.drape_arguments("--frames", 20, *arguments)),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
            capture_output=True,
            text=True,
            timeout=60,
        )

    def test_the_failing_frame_is_reported_and_older_files_stay(self):
        stats = self.folder / "stats.json"
        self.drape("--frames", 20, "--stats", stats)
        older = self.output.read_bytes(), stats.read_bytes()
        frame = 12 * len(self.scene.positions)
        result = self.drape_limited(32 + 3 * frame + 5, "--stats", stats)
        self.assertEqual(result.returncode, 1, result.stderr)
        kept = self.folder / "out.unfinished.pc2"
        self.assertIn("frame 4 of 20 failed", result.stderr)
        self.assertIn(f"frames 1 to 3 are in {kept}, and {self.output} as before", result.stderr)
        self.assertIn(f"{self.folder / 'stats.unfinished.json'}: cannot be written", result.stderr)
        self.assertEqual((self.output.read_bytes(), stats.read_bytes()), older)
        self.assertEqual(kept.read_bytes()[32:], older[0][32 : 32 + 3 * frame])
        self.assertEqual(len(read_pc2(kept).positions), 3)
        self.assertEqual([name for name in os.listdir(self.folder) if ".part" in name], [])

    def test_a_complete_cache_is_reported_though_the_report_fails(self):
        frames = 32 + 20 * 12 * len(self.scene.positions)
        report = self.folder / "missing"
        report.mkdir()
        arguments = ("--frames", 20, "--stats", report / "stats.json")
        with mock.patch.object(drape, "report_start", lambda *_: report.rmdir()):
            result = self.drape(*arguments, code=2)
        self.assertIn(f"{report / 'stats.json'}: cannot be written", result.stderr)
        self.assertEqual(self.output.stat().st_size, frames)


class InterruptedTest(RunningTest):
    def test_an_older_file_stays(self):
        self.output.write_bytes(b"older")
        process = self.start("--pin", self.pin_list)
        self.wait_for_frames(process, 3)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        kept = self.folder / "out.unfinished.pc2"
        self.assertIn(f"are in {kept}, and {self.output} as before", errors)
        self.assertGreaterEqual(len(read_pc2(kept).positions), 3)
        self.assertEqual(self.output.read_bytes(), b"older")

    def test_a_signal_before_the_first_frame_leaves_nothing(self):
        def interrupt(*_):
            os.kill(os.getpid(), signal.SIGTERM)

        with mock.patch.object(drape, "report_start", interrupt):
            result = self.drape("--frames", self.FRAMES, code=130)
        self.assertIn("interrupted", result.stderr)
        self.assertEqual([name for name in os.listdir(self.folder) if ".part" in name], [])

    def test_a_killed_run_leaves_the_frames_it_had(self):
        self.drape("--frames", 200, "--pin", self.pin_list)
        whole = self.frames()
        older = self.output.read_bytes()
        process = self.start("--pin", self.pin_list)
        self.wait_for_frames(process, 3)
        process.kill()
        process.communicate()
        (part,) = (path for path in self.folder.iterdir() if path.name.endswith(".part"))
        found = read_pc2(part).positions[:200]
        self.assertGreaterEqual(len(found), 3)
        np.testing.assert_array_equal(found, whole[: len(found)])
        self.assertEqual(self.output.read_bytes(), older)

    def test_two_at_once_into_one_file(self):
        arguments = self.drape_arguments("--frames", 50, "--pin", self.pin_list)
        processes = [subprocess.Popen(self.command(*arguments)) for _ in range(2)]
        self.assertEqual([process.wait(timeout=60) for process in processes], [0, 0])
        self.assertEqual(len(self.frames()), 50)
        self.assertEqual(sorted(os.listdir(self.folder)), ["garment.obj", "out.pc2"])


if __name__ == "__main__":
    unittest.main()

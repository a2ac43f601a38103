"""Pipes that nobody writes to and devices without end, in place of each file that is read: refused at once, by name.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import os
import resource
import threading
import unittest
from contextlib import suppress
from unittest import mock

import numpy as np


from in_process import run_in_process
from muslin import FileError, Pc2Writer, pc2, read_obj, read_pc2
from muslin.command.inputs import read_npy, read_numbers
from muslin.fabric_file import read_fabric
from muslin.farm.job import read_job
from muslin.farm.record import hash_of
from muslin.measured.measurements import read_measurements
from muslin.recording.container import Recording
from muslin.upsampling import Upsampling
from test_pc2 import FRAMES, FolderTest

READERS = (
    read_obj,
    read_pc2,
    read_fabric,
    read_measurements,
    read_npy,
    read_numbers,
    Recording,
    Upsampling.load,
)
SQUARE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n"
PATIENCE = 2.0  # s
MEMORY = 1 << 30  # bytes, for what has no end
REFUSAL = "this is not an ordinary file"


class SpecialFiles(FolderTest):
    def setUp(self):
        super().setUp()
        for name in ("pipe.obj", "pipe.pc2", "pipe.json"):
            os.mkfifo(self.folder / name)
        self.over = threading.Event()
        self.addCleanup(self.over.set)
        threading.Thread(target=self.end_pipes, daemon=True).start()
        self.garment = self.folder / "sheet.obj"
        self.garment.write_text(SQUARE)

    def end_pipes(self):
        """Whoever waits for a pipe finds it empty: a test that fails ends, too."""
        while not self.over.wait(PATIENCE):
            for pipe in self.folder.glob("pipe.*"):
                with suppress(OSError):  # nobody waits
                    os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))

    def refused(self, read, path):
        with self.subTest(read=read, path=str(path)), self.assertRaises(FileError) as caught:
            read(path)
        self.assertIn(f"{path}: {REFUSAL}", str(caught.exception))

    def test_readers_wait_for_no_pipe(self):
        for read in READERS:
            self.refused(read, self.folder / "pipe.obj")
        self.refused(read_job, self.folder / "pipe.json")
        self.assertIsNone(hash_of(self.folder / "pipe.obj"))

    def test_readers_read_no_device(self):
        limits = resource.getrlimit(resource.RLIMIT_AS)
        with open("/proc/self/statm", encoding="ascii") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, limits[1]))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_AS, limits)
        for read in READERS:
            self.refused(read, "/dev/zero")

    def test_folders_are_reported_as_such(self):
        for read in READERS:
            with self.assertRaisesRegex(FileError, "this is a folder, not a file"):
                read(self.folder)

    def test_commands(self):
        mesh, motion, job = (str(self.folder / f"pipe.{end}") for end in ("obj", "pc2", "json"))
        drape = ("drape", "--frames", "2", "-o", str(self.path), "--garment")
        for path, *words in (
            (mesh, "check", mesh),
            (mesh, "info", mesh),
            (mesh, *drape, mesh),
            (motion, *drape, self.garment, "--body", f"{motion}:{self.garment}"),
            (motion, "replay", motion),
            (job, "batch", job),
        ):
            with self.subTest(words):
                result = run_in_process(*map(str, words))
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(f"{path}: {REFUSAL}", result.stderr)


class OpenedOnce(FolderTest):
    def test_frames_are_of_the_file_whose_header_was_read(self):
        """Another file takes the name after the header was read."""
        other = self.folder / "other.pc2"
        for path, positions in ((self.path, FRAMES), (other, -FRAMES)):
            with Pc2Writer(path, FRAMES.shape[1]) as writer:
                for frame in positions:
                    writer.write(frame)

        opened = pc2.FrameFile

        def swapped(*arguments):
            os.replace(other, self.path)
            return opened(*arguments)

        with mock.patch.object(pc2, "FrameFile", swapped):
            found = read_pc2(self.path).positions
        np.testing.assert_array_equal(found, FRAMES)


if __name__ == "__main__":
    unittest.main()

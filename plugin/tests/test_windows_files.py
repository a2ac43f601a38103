"""Files as they are on Windows, by a Windows that is made up: one whose files can be locked, and its paths.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import ntpath
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np
from farm_jobs import JobTest, small_job
from muslin import files, library, windows
from muslin.command import inputs
from muslin.errors import FileError
from muslin.fabric_file import read_fabric
from muslin.fabrics import find_fabric, looks_like_path
from muslin.farm import work
from muslin.farm.job import read_job
from muslin.farm.tasks import tasks_of
from muslin.obj import read_obj
from muslin.pc2 import Pc2Writer, read_pc2

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


class Locked:
    """os.replace, on a file that another program reads for the first few tries; waiting takes no time."""

    def __init__(self, tries):
        self.left = tries
        self.waited = 0.0
        self.replace = os.replace

    def __call__(self, source, target):
        if self.left:
            self.left -= 1
            raise PermissionError(13, "Access is denied", str(target))
        self.replace(source, target)

    def wait(self, seconds):
        self.waited += seconds


class TestLockedFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "cache.pc2"
        self.path.write_bytes(b"before")

    def locked(self, tries, on_windows=True):
        lock = Locked(tries)
        for target, value in (
            ("muslin.windows.ON_WINDOWS", on_windows),
            ("muslin.windows.os.replace", lock),
            ("muslin.windows.time.sleep", lock.wait),
            ("muslin.windows.openable", lambda path: path),
        ):
            patch = mock.patch(target, value)
            patch.start()
            self.addCleanup(patch.stop)
        return lock

    def names(self):
        return os.listdir(self.path.parent)

    def test_waits_for_a_reader_that_ends_soon(self):
        lock = self.locked(3)
        files.write_atomic(self.path, b"after")
        self.assertEqual(self.path.read_bytes(), b"after")
        self.assertGreater(lock.waited, 0.2)

    def test_a_reader_that_stays_is_named_and_the_file_is_whole(self):
        lock = self.locked(1000)
        with self.assertRaises(FileError) as caught:
            files.write_atomic(self.path, b"after")
        self.assertIn("another program has it open", str(caught.exception))
        self.assertIn(str(self.path), str(caught.exception))
        self.assertEqual(self.path.read_bytes(), b"before")
        self.assertEqual(self.names(), ["cache.pc2"])
        self.assertLess(lock.waited, 5)

    def test_a_cache_that_is_read_elsewhere(self):
        self.locked(1000)
        with self.assertRaises(FileError) as caught:
            with Pc2Writer(self.path, 1) as writer:
                writer.write(np.zeros((1, 3)))
        self.assertIn("another program has it open", str(caught.exception))
        part, _ = sorted(self.names())
        self.assertIn(f"its frames are in {self.path.parent / part}", str(caught.exception))
        self.assertEqual(self.path.read_bytes(), b"before")

    def test_elsewhere_a_refusal_is_reported_at_once(self):
        lock = self.locked(1000, on_windows=False)
        with self.assertRaises(FileError) as caught:
            files.write_atomic(self.path, b"after")
        self.assertIn("Access is denied", str(caught.exception))
        self.assertEqual(lock.waited, 0)


class TestPaths(unittest.TestCase):
    def openable(self, path, current="C:\\scenes"):
        with mock.patch("muslin.windows.ON_WINDOWS", True):
            with mock.patch("muslin.windows.os.getcwd", lambda: current):
                return windows.openable(path)

    def test_short_ones_are_only_written_in_full(self):
        self.assertEqual(self.openable("D:/shots/a.obj"), "D:\\shots\\a.obj")
        self.assertEqual(self.openable("..\\Müller\\布.obj"), "C:\\Müller\\布.obj")
        self.assertEqual(self.openable("\\a.obj"), "C:\\a.obj")

    def test_long_ones_get_the_prefix(self):
        long = "\\".join(["folder"] * 50)
        self.assertEqual(
            self.openable(f"D:/shots/./{long}/a.obj"), f"\\\\?\\D:\\shots\\{long}\\a.obj"
        )
        self.assertEqual(self.openable(f"{long}/a.obj"), f"\\\\?\\C:\\scenes\\{long}\\a.obj")
        self.assertEqual(
            self.openable(f"\\\\server\\share\\{long}"), f"\\\\?\\UNC\\server\\share\\{long}"
        )
        self.assertEqual(self.openable(f"\\\\?\\D:\\{long}"), f"\\\\?\\D:\\{long}")

    def test_fabrics_by_their_paths(self):
        with mock.patch("muslin.fabrics.os.path", ntpath):
            for name in ("mine/silk", "mine\\silk", "D:silk", "silk.json"):
                self.assertTrue(looks_like_path(name), name)
            self.assertFalse(looks_like_path("silk"))

    def test_elsewhere_paths_are_as_given(self):
        self.assertEqual(windows.openable("a\\b"), "a\\b")

    def test_temporary_names_have_room(self):
        """They are made of paths that needed no prefix; a process may have a number of ten digits."""
        path = "C:\\" + "a" * (windows.LONGEST - 4)
        self.assertEqual(self.openable(path), path)
        self.assertLess(len(path) + len("..4294967295.999.part"), 260)


class TestLongPaths(JobTest):
    """A folder that only openable() can find, as one with a long path is on Windows."""

    def setUp(self):
        super().setUp()
        self.far = Path("/nowhere") / ("far" * 80)
        patch = mock.patch("muslin.windows.openable", self.near)
        patch.start()
        self.addCleanup(patch.stop)

    def near(self, path):
        return str(path).replace(str(self.far), str(self.folder))

    def test_a_job(self):
        silk = find_fabric("silk").path
        (self.folder / "mine.json").write_bytes(Path(silk).read_bytes())
        self.write(small_job(settings={"fabric": "mine.json"}))
        task = tasks_of(read_job(self.far / self.path.name))[0]

        def simulate(_task, paths):
            Path(self.near(paths[0])).write_bytes(b"whole")
            return work.Outcome(0)

        self.assertEqual(work.run_task(task, simulate)[0], work.DONE)
        self.assertEqual(list(self.outputs().values()), [b"whole"])
        self.assertEqual(work.run_task(task, simulate)[0], work.KEPT)
        Path(self.near(task.outputs[0])).unlink()
        self.assertEqual(work.run_task(task, simulate)[0], work.DONE)

    def test_meshes_and_point_caches(self):
        files.write_atomic(self.far / "a.obj", TRIANGLE.encode())
        self.assertEqual(len(read_obj(self.far / "a.obj").positions), 3)
        with Pc2Writer(self.far / "a.pc2", 1) as writer:
            writer.write(np.zeros((1, 3)))
        self.assertEqual(read_pc2(self.far / "a.pc2").positions.shape, (1, 1, 3))

    def test_fabrics_and_maps(self):
        (self.folder / "mine.json").write_bytes(Path(find_fabric("silk").path).read_bytes())
        self.assertEqual(read_fabric(self.far / "mine.json").name, "mine")
        np.save(self.folder / "map.npy", np.ones(3))
        (self.folder / "map.txt").write_text("1\n1\n1\n")
        for name in ("map.npy", "map.txt"):
            self.assertEqual(inputs.read_map(str(self.far / name), 3, True).tolist(), [1, 1, 1])


class TestReading(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_obj_with_the_line_ends_of_windows(self):
        path = self.folder / "Müller 布.obj"
        path.write_bytes(b"\xef\xbb\xbf# C:\\shots\\\r\n" + TRIANGLE.replace("\n", "\r\n").encode())
        self.assertEqual(read_obj(path).positions.tolist(), [[0, 0, 0], [1, 0, 0], [0, 1, 0]])


class TestLibrary(unittest.TestCase):
    def test_is_found_by_its_name(self):
        with mock.patch("muslin.library.sys.platform", "win32"):
            self.assertEqual(library.candidates()[0].name, "muslin.dll")

    def test_a_dll_is_told_from_what_is_none(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "muslin.dll"
            path.write_bytes(b"MZ".ljust(0x3C, b"\0") + b"\x40\0\0\0PE\0\0\x64\x86" + bytes(64))
            self.assertEqual(library.machine_of(path), "Windows on x86_64")


if __name__ == "__main__":
    unittest.main()

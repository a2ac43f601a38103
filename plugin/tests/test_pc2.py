"""PC2 files: the exact bytes, and that nothing half-written ever stands under the final name.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import os
import stat
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

from muslin import FileError, MuslinError, Pc2Writer, read_pc2
from muslin.files import check_writable

FRAMES = np.arange(5 * 4 * 3, dtype=np.float32).reshape(5, 4, 3) / 7


class FolderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.path = self.folder / "out.pc2"

    def names(self):
        return sorted(os.listdir(self.folder))


class WriterTest(FolderTest):
    def test_exact_bytes(self):
        with Pc2Writer(self.path, 4, start=1.0, sampling=0.5) as writer:
            for frame in FRAMES:
                writer.write(frame)
        header = struct.pack("<12siiffi", b"POINTCACHE2\0", 1, 4, 1.0, 0.5, 5)
        self.assertEqual(self.path.read_bytes(), header + FRAMES.astype("<f4").tobytes())

    def test_final_name_appears_at_the_end(self):
        writer = Pc2Writer(self.path, 4)
        writer.write(FRAMES[0])
        self.assertFalse(self.path.exists())
        self.assertEqual(len(self.names()), 1)
        writer.finish()
        self.assertEqual(self.names(), ["out.pc2"])

    def test_early_finish_counts_what_is_there(self):
        writer = Pc2Writer(self.path, 4)
        for frame in FRAMES[:3]:
            writer.write(frame)
        writer.finish()
        writer.finish()
        np.testing.assert_array_equal(read_pc2(self.path).positions, FRAMES[:3])

    def test_exception_leaves_the_old_file(self):
        self.path.write_bytes(b"old")
        with self.assertRaises(ZeroDivisionError):
            with Pc2Writer(self.path, 4) as writer:
                writer.write(FRAMES[0])
                raise ZeroDivisionError
        self.assertEqual(self.path.read_bytes(), b"old")
        self.assertEqual(self.names(), ["out.pc2"])

    def test_no_frames_no_file(self):
        Pc2Writer(self.path, 4).finish()
        self.assertEqual(self.names(), [])

    def test_wrong_shape_is_refused(self):
        with Pc2Writer(self.path, 4) as writer:
            writer.write(FRAMES[0])
            for wrong in (FRAMES[0][:3], FRAMES, "text", None):
                with self.assertRaises(MuslinError):
                    writer.write(wrong)
        np.testing.assert_array_equal(read_pc2(self.path).positions, FRAMES[:1])

    def test_permissions_follow_the_umask(self):
        before = os.umask(0o027)
        try:
            with Pc2Writer(self.path, 4) as writer:
                writer.write(FRAMES[0])
        finally:
            os.umask(before)
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o640)

    def test_two_writers_at_once_do_not_mix(self):
        first, second = Pc2Writer(self.path, 4), Pc2Writer(self.path, 4)
        first.write(FRAMES[0])
        second.write(FRAMES[1])
        first.finish()
        np.testing.assert_array_equal(read_pc2(self.path).positions, FRAMES[:1])
        second.finish()
        np.testing.assert_array_equal(read_pc2(self.path).positions, FRAMES[1:2])

    def test_missing_folder_is_named(self):
        path = self.folder / "missing" / "out.pc2"
        with self.assertRaises(FileError) as caught:
            Pc2Writer(path, 4)
        self.assertIn(str(path), str(caught.exception))

    @unittest.skipUnless(sys.platform.startswith("linux"), "limits the size of files")
    def test_full_disk_keeps_whole_frames(self):
        """A limit on the file size stands for a disk that fills up in the third frame."""
        code = f"""if True:
            import resource, numpy, muslin
            resource.setrlimit(resource.RLIMIT_FSIZE, (32 + 48 * 2 + 20,) * 2)
            writer = muslin.Pc2Writer({str(self.path)!r}, 4)
            try:
                for frame in range(5):
                    writer.write(numpy.full((4, 3), frame))
            except muslin.FileError as error:
                print(error)
            writer.finish()"""
        result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual(result.stderr, "")
        self.assertIn("frame 3 cannot be written", result.stdout)
        expected = np.repeat(np.arange(2, dtype=np.float32), 12).reshape(2, 4, 3)
        np.testing.assert_array_equal(read_pc2(self.path).positions, expected)
        self.assertEqual(self.names(), ["out.pc2"])


class ReaderTest(FolderTest):
    def refused(self, content, part):
        self.path.write_bytes(content)
        with self.assertRaises(FileError) as caught:
            read_pc2(self.path)
        self.assertIn(str(self.path), str(caught.exception))
        self.assertIn(part, str(caught.exception))

    def header(self, version=1, vertices=4, start=3.0, frames=5):
        return struct.pack("<12siiffi", b"POINTCACHE2\0", version, vertices, start, 2.0, frames)

    def test_reads_header_and_frames(self):
        self.path.write_bytes(self.header() + FRAMES.tobytes())
        cache = read_pc2(self.path)
        np.testing.assert_array_equal(cache.positions, FRAMES)
        self.assertEqual((cache.start, cache.sampling), (3.0, 2.0))

    def test_no_frames(self):
        self.path.write_bytes(self.header(frames=0))
        self.assertEqual(read_pc2(self.path).positions.shape, (0, 4, 3))

    def test_refuses_what_is_no_pc2(self):
        self.refused(b"", "not a PC2 file")
        self.refused(b"POINTCACHE2\0", "not a PC2 file")
        self.refused(b"x" * 100, "not a PC2 file")
        self.refused(self.header() + FRAMES.tobytes()[:-1], "cut short")
        self.refused(self.header(version=2) + FRAMES.tobytes(), "version 2")
        self.refused(self.header(vertices=-1) + FRAMES.tobytes(), "-1 vertices")
        self.refused(self.header(vertices=2**31 - 1, frames=2**31 - 1), "cut short")
        self.refused(self.header(start=float("nan")) + FRAMES.tobytes(), "starts at frame nan")

    def test_missing_file(self):
        with self.assertRaises(FileError):
            read_pc2(self.folder / "missing.pc2")


class ChangedTest(FolderTest):
    """A cache that another program exports again while it is read: an error, not the end of the process."""

    def setUp(self):
        super().setUp()
        with Pc2Writer(self.path, 4) as writer:
            for frame in FRAMES:
                writer.write(frame)
        self.content = self.path.read_bytes()
        self.positions = read_pc2(self.path).positions
        np.testing.assert_array_equal(self.positions[1], FRAMES[1])
        before = self.path.stat()  # disks count time in steps
        os.utime(self.path, ns=(before.st_atime_ns, before.st_mtime_ns - 10**9))
        self.positions = read_pc2(self.path).positions

    def check_refused(self):
        for key in (4, slice(None), (slice(0, 2), [1])):
            with self.subTest(key), self.assertRaises(FileError) as caught:
                self.positions[key]
            self.assertIn(str(self.path), str(caught.exception))
            self.assertIn("changed by another program", str(caught.exception))

    def test_cut_short(self):
        os.truncate(self.path, 0)
        self.check_refused()

    def test_written_again(self):
        """Frames of two exports would be mixed, though each of them is whole."""
        self.path.write_bytes(self.content)
        self.check_refused()

    def test_replaced(self):
        """The file that was opened is read to its end: another one has its name."""
        with Pc2Writer(self.path, 4) as writer:
            writer.write(FRAMES[0])
        np.testing.assert_array_equal(self.positions, FRAMES)
        np.testing.assert_array_equal(read_pc2(self.path).positions, FRAMES[:1])

    def test_indices(self):
        for key in (0, -1, slice(1, 3), slice(None, None, -2), (slice(None), [2, 0]), (2, 1)):
            with self.subTest(key):
                np.testing.assert_array_equal(self.positions[key], FRAMES[key])
        for key in (5, -6):
            with self.assertRaises(IndexError):
                self.positions[key]
        self.assertEqual(self.positions.shape, FRAMES.shape)


class CheckWritableTest(FolderTest):
    def test_good_paths_leave_no_trace(self):
        check_writable(self.path)
        self.assertEqual(self.names(), [])

    def test_bad_paths_are_named(self):
        (self.folder / "file").write_text("")
        cases = {
            self.folder / "missing" / "a.pc2": "does not exist",
            self.folder: "this is a folder",
            self.folder / "file" / "a.pc2": "does not exist",
            "/dev/null": "not an ordinary file",
        }
        for path, part in cases.items():
            with self.subTest(path), self.assertRaises(FileError) as caught:
                check_writable(path)
            self.assertIn(part, str(caught.exception))
            self.assertIn(str(path), str(caught.exception))


if __name__ == "__main__":
    unittest.main()

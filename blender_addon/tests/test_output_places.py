# SPDX-License-Identifier: GPL-3.0-or-later
"""Disks that are full or read-only, folders that vanish, odd names and unsaved files, one by one."""

import os
import resource
import shutil
import signal
import subprocess
import sys
import unicodedata
import unittest
import warnings
from unittest import mock

import bpy

from output_support import VERTICES, OutputTest, bake, different, frames, sheet, shown
from support import addon

cache = addon("output.cache")
names = addon("output.folders")
results = addon("output.results")
Problem = addon("scene.problems").Problem


class BadPlaces(OutputTest):
    def test_read_only_folder(self):
        place = os.path.join(self.folder, "locked")
        with open(place, "w") as file:  # root may write anywhere, but not into a file
            file.write("")
        with self.assertRaisesRegex(Problem, "cannot be made"):
            cache.CacheWriter(sheet(), os.path.join(place, "caches"), VERTICES, 1)

    @unittest.skipUnless(os.path.isdir("/proc/self/fd"), "no such system")
    def test_folder_that_takes_no_files(self):
        with self.assertRaisesRegex(Problem, "cannot be written to /proc"):
            cache.CacheWriter(sheet(), "/proc/self/fd", VERTICES, 1)

    @unittest.skipIf(sys.platform == "win32" or os.geteuid() == 0, "root may write anywhere")
    def test_folder_without_permission(self):
        place = os.path.join(self.folder, "locked")
        os.mkdir(place, 0o555)
        with self.assertRaisesRegex(Problem, "you have no permission to write there"):
            cache.CacheWriter(sheet(), place, VERTICES, 1)

    def test_full_disk(self):
        """The limit on file sizes stands in for the disk's end: a write comes back short."""
        obj, data = sheet(), frames(10)
        path = bake(obj, data[:2])
        results.present(obj, bpy.context.scene, path, "pc2")
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        self.addCleanup(signal.signal, signal.SIGXFSZ, handler)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_FSIZE, before)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
        writer = cache.CacheWriter(obj, "//muslin", VERTICES, 1)
        with self.assertRaisesRegex(Problem, "Frame 14 .*The 13 finished frames are kept"):
            for index in range(20):
                writer.append(data[index % 10])
        self.assertFalse(writer.state(b"x" * 5000, 13))
        self.assertEqual(cache.read(path).positions[:].tobytes(), data[:2].tobytes())
        self.assertEqual(writer.finish(), path)
        found = cache.read(path).positions[:]
        self.assertEqual(len(found), 13)
        self.assertEqual(os.path.getsize(path), 32 + 13 * 12 * VERTICES, "no half of a frame")
        self.assertEqual(found[12].tobytes(), data[2].tobytes())
        self.assertEqual(self.caches(), ["Sheet.muslin.json", "Sheet.pc2"])

    def test_no_room_for_another_format(self):
        obj, data = sheet(), frames(13)
        path = bake(obj, data)
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        self.addCleanup(signal.signal, signal.SIGXFSZ, handler)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_FSIZE, before)
        resource.setrlimit(resource.RLIMIT_FSIZE, (3950, before[1]))
        note = results.present(obj, bpy.context.scene, path, "mdd")
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        self.assertIn("PC2 cache for now", note)
        self.assertEqual(different(obj, data, 1), 0)
        self.assertEqual(self.caches(), ["Sheet.muslin.json", "Sheet.pc2"])

    def test_folder_beside_the_file_is_taken_without_complaint(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            sheet().muslin.cache_folder = "//beside"

    def test_folder_without_slashes_is_beside_the_file(self):
        obj = sheet()
        path = bake(obj, frames(), folder="muslin/deep")
        self.assertEqual(path, os.path.join(self.folder, "muslin", "deep", "Sheet.pc2"))

    def test_really_full_disk(self):
        place = os.path.join(self.folder, "tiny")
        os.mkdir(place)
        mount = ["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", place]
        try:
            mounted = subprocess.run(mount, capture_output=True).returncode == 0
        except OSError:
            mounted = False
        if not mounted:
            self.skipTest("this process may not mount a disk")
        self.addCleanup(subprocess.run, ["umount", place], check=True)
        obj, data = sheet(), frames(100)
        writer = cache.CacheWriter(obj, place, VERTICES, 1)
        with self.assertRaisesRegex(Problem, "the disk is full"):
            for frame in data:
                writer.append(frame)
        count = writer.frames
        path = writer.finish()
        self.assertGreater(count, 50)
        self.assertEqual(cache.read(path).positions[:].tobytes(), data[:count].tobytes())
        obj.muslin.baked.path = path
        self.assertEqual(results.free(obj), "Freed")
        self.assertEqual(os.listdir(place), [])

    def test_folder_that_vanishes(self):
        obj, data = sheet(), frames()
        writer = cache.CacheWriter(obj, "//muslin", VERTICES, 1)
        for frame in data[:3]:
            writer.append(frame)
        shutil.rmtree(os.path.join(self.folder, "muslin"))
        writer.append(data[3])
        shutil.rmtree(os.path.join(self.folder, "muslin"))
        path = writer.finish()
        self.assertEqual(cache.read(path).positions[:].tobytes(), data[:4].tobytes())
        obj.muslin.baked.path = path
        self.assertEqual(results.free(obj), "Freed")
        self.assertEqual(self.caches(), [])

    def test_folder_that_vanishes_for_good(self):
        writer = cache.CacheWriter(sheet(), "//muslin", VERTICES, 1)
        writer.append(frames()[0])
        place = os.path.join(self.folder, "muslin")
        shutil.rmtree(place)
        with open(place, "w") as file:
            file.write("a file in the folder's place")
        with self.assertRaisesRegex(Problem, "Frame 2 cannot be written"):
            writer.append(frames()[1])
        with self.assertRaisesRegex(Problem, "cannot be finished"):
            writer.finish()

    def test_odd_names(self):
        for name in ("a/b", "袖 ü", "n" * 200, "..", "CON", "a\tb"):
            obj = sheet(name)
            path = bake(obj, frames(1))
            results.present(obj, bpy.context.scene, path, "pc2")
            self.assertEqual(os.path.dirname(path), os.path.join(self.folder, "muslin"))
            self.assertEqual(results.free(obj), "Freed")
        self.assertEqual(self.caches(), [])

    def test_odd_names_together(self):
        """In a folder that is copied to Windows or macOS all files have names there, and none that another one has."""
        given = [
            "con",
            "Con",
            "aux.",
            "nul ",
            "a/b",
            "a\\b",
            "a:b",
            "..",
            "Shirt",
            "shirt",
            "SHIRT ",
        ]
        given += ["\U0001f457" * 15, "\U0001f456" * 15, "é", "e\u0301", "É", "prn.a", "x" * 63]
        made = [sheet(name) for name in given]
        for obj in made:
            results.present(obj, bpy.context.scene, bake(obj, frames(1), state=b"x"), "mdd")
        found = self.caches()
        self.assertEqual(len(found), 4 * len(given), found)
        self.assertEqual(len(set(map(names.folded, found))), len(found), found)
        for file in found:
            self.assertNotRegex(file, r'[<>:"/\\|?*\x00-\x1f]|[. ]$')
            self.assertNotRegex(file.casefold(), r"^(con|prn|aux|nul|com.|lpt.)\.")
            self.assertLess(len(f".{file}.0123456789ab.freed".encode()), 144)  # encrypted disks
        for obj in made:
            self.assertEqual(results.free(obj), "Freed")
        self.assertEqual(self.caches(), [])

    def test_disk_that_takes_letters_apart(self):
        """As older ones of macOS do: they find a file by either name and list it by the longer one."""
        obj = sheet("Ärmel")
        path = bake(obj, frames(1))
        apart = [unicodedata.normalize("NFD", file) for file in self.caches()]
        with mock.patch.object(os, "listdir", return_value=apart):
            self.assertEqual(bake(obj, frames(2)), path)

    def test_broken_files_are_refused(self):
        obj = sheet()
        path = bake(obj, frames())
        for text in (b"", b"POINTCACHE2\0", b"x" * 100):
            with open(path, "wb") as file:
                file.write(text)
            with self.assertRaisesRegex(Problem, "cannot be used"):
                results.present(obj, bpy.context.scene, path, "pc2")


class Unsaved(OutputTest):
    saved = False

    def test_unsaved_file(self):
        obj, data = sheet(), frames()
        writer = cache.CacheWriter(obj, "//muslin", VERTICES, 1)
        self.assertIn("not saved yet", writer.warning)
        for frame in data:
            writer.append(frame)
        path = writer.finish()
        self.addCleanup(shutil.rmtree, os.path.dirname(path), ignore_errors=True)
        note = results.present(obj, bpy.context.scene, path, "pc2")
        self.assertIn("moves next to the .blend when that is saved", note)
        self.assertTrue(os.path.isabs(obj.modifiers[0].filepath))
        file = self.save("later.blend")
        for _ in ("now", "after it was loaded again"):
            obj = bpy.data.objects["Sheet"]
            self.assertTrue(os.path.exists(path), "an undo leads back to it")
            self.assertEqual(obj.modifiers[0].filepath, "//muslin/Sheet.pc2")
            self.assertEqual(cache.locate(obj), os.path.join(self.folder, "muslin", "Sheet.pc2"))
            self.assertEqual(obj.muslin.baked.note, "")
            self.assertEqual((shown(obj, 2) != data[1]).sum(), 0)
            bpy.ops.wm.open_mainfile(filepath=file)
        self.assertEqual(results.free(bpy.data.objects["Sheet"]), "Freed")
        self.assertEqual(os.listdir(os.path.join(self.folder, "muslin")), [])

    def test_undo_after_the_first_save_keeps_the_result(self):
        obj, data = sheet(), frames()
        path = bake(obj, data, folder="//muslin")
        self.addCleanup(shutil.rmtree, os.path.dirname(path), ignore_errors=True)
        results.present(obj, bpy.context.scene, path, "pc2")
        bpy.ops.ed.undo_push(message="baked")
        self.save("later.blend")
        bpy.ops.ed.undo_push(message="something")
        bpy.ops.ed.undo()
        for _ in ("now", "after the next save"):
            obj = bpy.data.objects["Sheet"]
            self.assertEqual((shown(obj, 2) != data[1]).sum(), 0)
            bpy.ops.wm.save_mainfile()
        self.assertEqual(obj.modifiers[0].filepath, "//muslin/Sheet.pc2")

    def test_a_copy_of_the_file_moves_nothing(self):
        obj, data = sheet(), frames()
        path = bake(obj, data, folder="//muslin")
        self.addCleanup(shutil.rmtree, os.path.dirname(path), ignore_errors=True)
        results.present(obj, bpy.context.scene, path, "pc2")
        copy = os.path.join(self.folder, "copy.blend")
        bpy.ops.wm.save_as_mainfile(filepath=copy, copy=True)
        self.assertEqual((bpy.data.filepath, cache.locate(obj)), ("", path))

    def test_a_cache_that_cannot_be_moved_stays(self):
        obj, data = sheet(), frames()
        path = bake(obj, data, folder="//muslin")
        self.addCleanup(shutil.rmtree, os.path.dirname(path), ignore_errors=True)
        results.present(obj, bpy.context.scene, path, "pc2")
        with open(os.path.join(self.folder, "muslin"), "w") as file:
            file.write("somebody's file where the folder should be")
        self.save("later.blend")
        self.assertEqual(cache.locate(obj), path)
        self.assertEqual((shown(obj, 2) != data[1]).sum(), 0)


if __name__ == "__main__":
    unittest.main()

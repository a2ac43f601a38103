# SPDX-License-Identifier: GPL-3.0-or-later
"""Cache files: whole after every frame, never lost, never foreign."""

import json
import os
import subprocess
import unittest

import bpy
import fake_layout
import numpy as np

from output_support import VERTICES, OutputTest, bake, different, frames, sheet
from support import addon

cache = addon("output.cache")
find_cache = addon("output.find_cache")
manifests = addon("output.manifest")
names = addon("output.folders")
results = addon("output.results")
Problem = addon("scene.problems").Problem


class Names(unittest.TestCase):
    def test_names_become_file_names(self):
        for name, wanted in (
            ("Shirt", "Shirt"),
            ("a/b\\c:d", "a_b_c_d"),
            ("../../etc/passwd", "_.._etc_passwd"),
            ("Ärmel 袖", "Ärmel 袖"),
            ("CON", "_CON"),
            ("nul.001", "_nul.001"),
            ("con .a", "_con .a"),
            ("Lpt1. ", "_Lpt1"),
            ("com³", "_com³"),
            ("console", "console"),
            ("com10", "com10"),
            ("Shirt. .", "Shirt"),
            (" .Shirt", "Shirt"),
            ("\U0001f457" * 63, "_" * 63),
            ("e\u0301", "\u00e9"),
            ("...", "cloth"),
            ("", "cloth"),
            ("x" * 200, "x" * 80),
            ("袖" * 60, "袖" * 26),
        ):
            self.assertEqual(names.file_name(name), wanted)

    def test_names_that_are_one_elsewhere(self):
        for several in (("Shirt", "SHIRT"), ("É", "e\u0301"), ("Straße", "STRASSE")):
            self.assertEqual(len(set(map(names.folded, several))), 1, several)
        self.assertNotEqual(names.folded("Shirt"), names.folded("Shirt-2"))


class Writer(OutputTest):
    def test_written_is_read(self):
        obj, data = sheet(), frames()
        path = bake(obj, data, start=7, state=b"snapshot")
        self.assertEqual(path, os.path.join(self.folder, "muslin", "Sheet.pc2"))
        found = cache.read(path)
        self.assertEqual(found.positions[:].tobytes(), data.tobytes())
        self.assertEqual(found.start, 7)
        self.assertEqual(cache.read_state(path), (b"snapshot", 12))
        self.assertEqual(self.caches(), ["Sheet.muslin.json", "Sheet.muslin.state", "Sheet.pc2"])
        with open(os.path.join(self.folder, "muslin", "Sheet.muslin.json")) as file:
            manifest = json.load(file)
        self.assertEqual(manifest["files"]["Sheet.pc2"], os.path.getsize(path))
        self.assertEqual(manifest["blend"], "../shot.blend")
        self.assertEqual(manifest["parts"], {})

    def test_part_is_whole_after_each_frame(self):
        obj, data = sheet(), frames()
        writer = cache.CacheWriter(obj, "//muslin", VERTICES, 1)
        part = next(name for name in self.caches() if name.endswith(".part.pc2"))
        for index, frame in enumerate(data):
            writer.append(frame)
            found = cache.read(os.path.join(self.folder, "muslin", part))
            self.assertEqual(found.positions[:].tobytes(), data[: index + 1].tobytes())
        writer.abandon()
        self.assertEqual(self.caches(), [])

    def test_old_stays_until_new_is_finished(self):
        obj, data = sheet(), frames()
        path = bake(obj, data, state=b"old")
        writer = cache.CacheWriter(obj, "//muslin", VERTICES, 1)
        writer.append(data[3])
        writer.state(b"new", 1)
        self.assertEqual(cache.read(path).positions[:].tobytes(), data.tobytes())
        self.assertEqual(cache.read_state(path), (b"old", 6))
        writer.abandon()
        self.assertEqual(cache.read(path).positions[:].tobytes(), data.tobytes())
        self.assertEqual(bake(obj, data[2:4]), path)
        self.assertEqual(cache.read(path).positions[:].tobytes(), data[2:4].tobytes())
        self.assertIsNone(cache.read_state(path), "the state of another bake")
        self.assertEqual(self.caches(), ["Sheet.muslin.json", "Sheet.pc2"])

    def test_continue_appends_and_truncates(self):
        obj, data = sheet(), frames(10)
        path = bake(obj, data[:4], start=5)
        results.present(obj, bpy.context.scene, path, "pc2")
        bake(obj, data[4:8], continue_from=8)
        self.assertEqual(cache.read(path).positions[:].tobytes(), data[:8].tobytes())
        self.assertEqual(cache.read(path).start, 5)
        bake(obj, data[9:], continue_from=6)
        self.assertEqual(cache.read(path).positions[:].tobytes(), data[[0, 1, 9]].tobytes())
        for last in (3, 9):
            with self.assertRaisesRegex(Problem, "holds frames 5 to 7"):
                cache.CacheWriter(obj, "//muslin", VERTICES, 5, continue_from=last)
        with self.assertRaisesRegex(Problem, "25 vertices and Sheet has 26"):
            cache.CacheWriter(obj, "//muslin", VERTICES + 1, 5, continue_from=6)
        self.assertEqual(self.caches(), ["Sheet.muslin.json", "Sheet.pc2"])

    def test_nothing_to_continue(self):
        with self.assertRaisesRegex(Problem, "no cache"):
            cache.CacheWriter(sheet(), "//muslin", VERTICES, 1, continue_from=1)

    def test_nothing_written_leaves_nothing(self):
        writer = cache.CacheWriter(sheet(), "//muslin", VERTICES, 1)
        self.assertIsNone(writer.finish())
        self.assertEqual(self.caches(), [])

    def test_one_bake_at_a_time(self):
        obj = sheet()
        writer = cache.CacheWriter(obj, "//muslin", VERTICES, 1)
        with self.assertRaisesRegex(Problem, "already being baked"):
            cache.CacheWriter(obj, "//muslin", VERTICES, 1)
        writer.append(frames(1)[0])
        self.assertTrue(os.path.exists(writer.finish()))

    def test_wrong_shape(self):
        writer = cache.CacheWriter(sheet(), "//muslin", VERTICES, 1)
        with self.assertRaises(Problem):
            writer.append(np.zeros((VERTICES + 1, 3), np.float32))
        writer.abandon()

    def test_damaged_state_is_not_used(self):
        path = bake(sheet(), frames(), state=b"s" * 100)
        place = os.path.splitext(path)[0] + ".muslin.state"
        with open(place, "r+b") as file:
            file.seek(-5, 2)
            file.write(b"x")
        self.assertIsNone(cache.read_state(path))


class Sharing(OutputTest):
    def test_same_file_name_of_two_objects(self):
        first, second = sheet("a/b"), sheet("a_b")
        data = frames(2, seed=3)
        one = cache.CacheWriter(first, "//muslin", VERTICES, 1)
        two = cache.CacheWriter(second, "//muslin", VERTICES, 1)  # at the same time
        one.append(data[0])
        two.append(data[1])
        paths = one.finish(), two.finish()
        self.assertNotEqual(*paths)
        for path, frame in zip(paths, data):
            self.assertEqual(cache.read(path).positions[:].tobytes(), frame.tobytes())

    def test_renamed_object_keeps_its_file(self):
        obj = sheet()
        path = bake(obj, frames())
        results.present(obj, bpy.context.scene, path, "pc2")
        obj.name = "Shirt"
        self.assertEqual(bake(obj, frames()), path)

    def test_foreign_file_is_not_overwritten(self):
        os.makedirs(os.path.join(self.folder, "muslin"))
        foreign = os.path.join(self.folder, "muslin", "Sheet.pc2")
        with open(foreign, "w") as file:
            file.write("mine")
        self.assertEqual(os.path.basename(bake(sheet(), frames())), "Sheet-2.pc2")
        with open(foreign) as file:
            self.assertEqual(file.read(), "mine")

    def test_duplicate_has_no_claim(self):
        obj, data = sheet(), frames()
        path = bake(obj, data)
        results.present(obj, bpy.context.scene, path, "pc2")
        double = obj.copy()
        bpy.context.scene.collection.objects.link(double)
        self.assertIn("is kept", results.free(double))
        self.assertEqual(cache.read(path).positions[:].tobytes(), data.tobytes())
        again = obj.copy()
        bpy.context.scene.collection.objects.link(again)
        self.assertNotEqual(bake(again, data), path)
        again = obj.copy()  # still shows the file when its owner is freed
        bpy.context.scene.collection.objects.link(again)
        self.assertIn("uses it, too", results.free(obj))
        self.assertTrue(os.path.exists(path))

    def test_another_blend_neither_overwrites_nor_deletes(self):
        obj, data = sheet(), frames()
        path = bake(obj, data)
        results.present(obj, bpy.context.scene, path, "pc2")
        self.save("shot.blend")
        self.save("shot_v2.blend")
        newer = bake(obj, data[:2])
        self.assertEqual(os.path.basename(newer), "Sheet-2.pc2")
        self.assertIn("another", results.free(obj))
        self.assertEqual(cache.read(path).positions[:].tobytes(), data.tobytes())
        os.remove(os.path.join(self.folder, "shot.blend"))  # nobody needs it any more
        obj.muslin.baked.path = path
        results.free(obj)
        self.assertFalse(os.path.exists(path))


class Deleting(OutputTest):
    def test_only_own_files(self):
        obj = sheet()
        path = bake(obj, frames(), state=b"s")
        folder = os.path.dirname(path)
        results.present(obj, bpy.context.scene, path, "pc2")
        foreign = os.path.join(folder, "Sheet.txt")
        with open(foreign, "w") as file:
            file.write("foreign")
        target = os.path.join(self.folder, "precious")
        with open(target, "wb") as file:
            file.write(b"1" * os.path.getsize(os.path.splitext(path)[0] + ".muslin.state"))
        os.remove(os.path.splitext(path)[0] + ".muslin.state")
        os.symlink(target, os.path.splitext(path)[0] + ".muslin.state")
        self.assertIn("Sheet.muslin.state", results.free(obj))
        self.assertEqual(self.caches(), ["Sheet.muslin.state", "Sheet.txt"])
        self.assertTrue(os.path.exists(target))
        self.assertEqual(obj.muslin.baked.kind, "")

    def test_a_list_that_points_elsewhere(self):
        obj = sheet()
        path = bake(obj, frames())
        results.present(obj, bpy.context.scene, path, "pc2")
        target = os.path.join(self.folder, "precious")
        with open(target, "w") as file:
            file.write("12345")
        manifest = manifests.Manifest.of(path)
        manifest.data["files"]["../precious"] = 5
        manifest.save()
        results.free(obj)
        self.assertTrue(os.path.exists(target))
        self.assertFalse(os.path.exists(path))

    def test_replaced_file_stays(self):
        obj = sheet()
        path = bake(obj, frames())
        results.present(obj, bpy.context.scene, path, "pc2")
        with open(path, "w") as file:
            file.write("something else")
        self.assertIn("Sheet.pc2", results.free(obj))
        self.assertTrue(os.path.exists(path))

    def test_broken_list_deletes_nothing(self):
        obj = sheet()
        path = bake(obj, frames())
        results.present(obj, bpy.context.scene, path, "pc2")
        for text in (
            *("", "{", "[]", "3", '{"muslin": 1}', '{"muslin": 1, "files": 3, "parts": {}}'),
            '{"muslin": 1, "files": {"x": "y"}, "parts": {}}',
            '{"muslin": 1, "files": {}, "parts": {"x": 3}}',
            '{"muslin": 1, "files": {}, "parts": {}, "aside": {"x": 3}}',
            '{"muslin": 1, "files": {}, "parts": {"a": {"pc2": "../a", "state": "a"}}}',
        ):
            with open(os.path.splitext(path)[0] + ".muslin.json", "w") as file:
                file.write(text)
            self.assertIsNone(manifests.Manifest.of(path))
        results.free(obj)
        self.assertTrue(os.path.exists(path))


CRASH = """
import os, bpy
from output_support import *
obj = bpy.data.objects["Sheet"]
writer = addon("output.cache").CacheWriter(obj, "//muslin", VERTICES, 3)
for index, frame in enumerate(frames(5, seed=9)):
    writer.append(frame)
    if index == 3:
        writer.state(b"after", 6)
writer._write(b"a frame and a half" * 25, writer._file.seek(0, 2))  # but not counted yet
os._exit(9)
"""


class Crash(OutputTest):
    def crash(self):
        """Another Blender dies in the middle of a bake."""
        script = f"import sys; sys.path[:0] = {[os.path.dirname(__file__)]!r}\n" + CRASH
        command = [bpy.app.binary_path or "blender", "-b", bpy.data.filepath]
        command += ["--python-exit-code", "1", "--python-expr", script]
        found = subprocess.run(command, capture_output=True, text=True, timeout=300)
        self.assertEqual(found.returncode, 9, found.stdout + found.stderr)

    def test_what_a_crash_left_is_adopted(self):
        obj, old = sheet(), frames(2)
        path = bake(obj, old)
        results.present(obj, bpy.context.scene, path, "pc2")
        self.save("shot.blend")
        self.crash()
        self.assertEqual(cache.read(path).positions[:].tobytes(), old.tobytes())
        note = results.adopt(obj, bpy.context.scene)
        self.assertIn("Frames 3 to 7 were recovered", note)
        self.assertEqual(different(obj, frames(5, seed=9), 3), 0)
        found = cache.read(path)
        self.assertEqual(found.positions[:].tobytes(), frames(5, seed=9).tobytes())
        self.assertEqual(found.start, 3)
        self.assertEqual(os.path.getsize(path), 32 + 5 * 12 * VERTICES)
        self.assertEqual(cache.read_state(path), (b"after", 6))
        self.assertIsNone(find_cache.adopt(obj))
        self.assertEqual(self.caches(), ["Sheet.muslin.json", "Sheet.muslin.state", "Sheet.pc2"])

    def test_continue_goes_on_after_a_crash(self):
        obj = sheet()
        addon("scene.lookup").ensure_uid(obj)
        self.save("shot.blend")
        self.crash()
        found = addon("bake.plans").plan(obj, bpy.context.scene, "continue")
        self.assertEqual((found.first, found.resume), (3, 6))  # whose state was stored
        self.assertEqual(different(obj, frames(5, seed=9), 3), 0)

    def test_the_panel_offers_the_rescue(self):
        bake_panel = next(each for each in addon("panels").SECTIONS if each.name == "bake")
        obj = sheet()
        obj.select_set(True)
        bpy.ops.muslin.add()
        self.save("shot.blend")
        rescue = "operator", "muslin.rescue"
        self.assertNotIn(rescue, fake_layout.draw(bake_panel, obj).drawn)
        self.crash()
        addon("bake.bake_ui")._looked.clear()
        drawn = fake_layout.draw(bake_panel, obj)
        self.assertIn(rescue, drawn.drawn)
        self.assertIn("left 5 frames", drawn.text())
        self.assertEqual(bpy.ops.muslin.rescue(), {"FINISHED"})
        self.assertEqual((obj.muslin.baked.frame_start, obj.muslin.baked.frame_end), (3, 7))
        with self.assertRaisesRegex(RuntimeError, "no frames to recover"):
            bpy.ops.muslin.rescue()

    def test_frames_of_another_mesh_are_not_offered(self):
        """The good bake of the mesh as it was saved must not be replaced by them."""
        obj, old = sheet(side=3), frames(2, vertices=9)
        path = bake(obj, old)
        results.present(obj, bpy.context.scene, path, "pc2")
        self.save("shot.blend")
        self.crash()
        self.assertEqual(results.left_over(obj), 0)
        self.assertEqual(results.adopt(obj, bpy.context.scene), "")
        self.assertEqual(cache.read(path).positions[:].tobytes(), old.tobytes())

    def test_a_new_bake_removes_what_a_crash_left(self):
        obj = sheet()
        addon("scene.lookup").ensure_uid(obj)
        self.save("shot.blend")
        self.crash()
        self.assertEqual(len(self.caches()), 3)
        bake(obj, frames())
        self.assertEqual(self.caches(), ["Sheet.muslin.json", "Sheet.pc2"])

    def test_death_while_finishing(self):
        obj, data = sheet(), frames()
        path = bake(obj, data[:2])
        results.present(obj, bpy.context.scene, path, "pc2")
        writer = cache.CacheWriter(obj, "//muslin", VERTICES, 1)
        for frame in data:
            writer.append(frame)
        writer.state(b"new", 6)
        save, saves = manifests.Manifest.save, []

        def die(manifest):
            saves.append(1)
            if len(saves) == 2:
                raise SystemExit
            save(manifest)

        manifests.Manifest.save = die
        self.addCleanup(setattr, manifests.Manifest, "save", save)
        with self.assertRaises(SystemExit):
            writer.finish()
        manifests.Manifest.save = save
        self.assertEqual(cache.read(path).positions[:].tobytes(), data.tobytes())
        self.assertEqual(cache.read_state(path), (b"new", 6))
        results.free(obj)
        self.assertEqual(self.caches(), [])


if __name__ == "__main__":
    unittest.main()

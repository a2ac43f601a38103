# SPDX-License-Identifier: GPL-3.0-or-later
"""A .blend with Muslin's data, and a cache beside it, from a stranger: nothing outside of the cache folder is written or
deleted, nothing is executed, and what makes no sense is refused in words."""

import json
import os
import unittest

import bpy
import scenes
from life import LifeTest
from support import addon

TOKEN = "0123456789ab"
LARGEST = 2**31 - 1
NAN, INFINITE = float("nan"), float("inf")
# Of the kinds of settings some each: what an id property takes, and the setting's own range does not.
OUT_OF_RANGE = {
    **dict.fromkeys(("subframes", "substeps", "iterations", "sweeps", "layer"), (LARGEST, 0, -1)),
    **dict.fromkeys(("solver", "output", "fabric", "quality", "model", "rest"), (LARGEST, -1)),
    **dict.fromkeys(
        ("gravity", "time_scale", "thickness", "budget_ms", "density"), (NAN, INFINITE, -1.0)
    ),
    "live_pins": (LARGEST, -1),
    "pin_strength": (NAN, 1e30),
    "uv_scale": (0.0, NAN),
}


class StrangerTest(LifeTest):
    def setUp(self):
        super().setUp()
        self.scene.frame_end = 3
        os.makedirs(os.path.join(self.folder, "shot", "muslin"))
        self.blend = os.path.join(self.folder, "shot", "shot.blend")
        self.precious = os.path.join(self.folder, "precious.pdf")
        self.beside = os.path.join(self.folder, "shot", "muslin", "precious.pdf")
        for path in (self.precious, self.beside):
            with open(path, "wb") as file:
                file.write(b"precious")

    def baked(self):
        obj = scenes.garment()
        bpy.ops.wm.save_as_mainfile(filepath=self.blend)
        obj.muslin.cache_folder = "//muslin"
        bpy.ops.muslin.bake()
        return obj

    def rewrite(self, obj, change):
        """The list of its files, changed by a stranger."""
        path = addon("output.manifest").Manifest.of(addon("output.cache").locate(obj)).path
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        change(data)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(data, file)

    def everything(self):
        """All buttons that read the list; refusals are fine."""
        for button in ("rescue", "continue_bake", "bake", "free"):
            try:
                getattr(bpy.ops.muslin, button)()
            except RuntimeError as error:
                self.assertNotIn("Traceback", str(error))
        for path in (self.precious, self.beside):
            with open(path, "rb") as file:
                self.assertEqual(file.read(), b"precious", path)

    def part(self, **more):
        names = addon("output.manifest").part_names("Sheet", TOKEN)
        part = {**names, "vertex_count": 81, "machine": "", "process": 0, "begun": 0}
        return {**part, **more}


class ListTest(StrangerTest):
    def test_files_with_other_names(self):
        listed = {"precious.pdf": 8, "../../precious.pdf": 8, "Sheet.pc2/../precious.pdf": 8}
        self.rewrite(self.baked(), lambda data: data["files"].update(listed))
        self.everything()

    def test_hidden_files_with_other_names(self):
        aside = {"Sheet.pc2": ["precious.pdf", 8], "Sheet.mdd": ["../../precious.pdf", 8]}
        self.rewrite(self.baked(), lambda data: data.update(aside=aside))
        self.everything()

    def test_parts_with_other_names(self):
        for part, token in (
            (self.part(pc2="precious.pdf", state="precious.pdf"), "precious.pdf"),
            (self.part(pc2=f"../../{TOKEN}"), TOKEN),
            (self.part(state="precious.pdf"), TOKEN),
            (self.part(fit="../../precious.pdf"), TOKEN),
        ):
            self.rewrite(self.baked(), lambda data: data["parts"].update({token: part}))
            self.everything()

    def test_finished_part_with_a_list_of_its_own(self):
        obj = self.baked()
        inner = {"pc2": "../../precious.pdf", "state": "../../precious.pdf", "vertex_count": 81}
        size = os.path.getsize(addon("output.cache").locate(obj))
        done = {"files": {"Sheet.pc2": size, "precious.pdf": 8}, "parts": {TOKEN: inner}}
        part = self.part(finished=done)
        self.rewrite(obj, lambda data: data["parts"].update({TOKEN: part}))
        self.everything()

    def test_numbers_and_words_in_each_others_place(self):
        for change in (
            {"blend": 3}, {"uid": []}, {"frame_start": "x"}, {"token": {}}, {"muslin": 1e400},
            {"parts": {TOKEN: self.part(process="x")}}, {"parts": {TOKEN: self.part(process=10**30)}},
            {"parts": {TOKEN: self.part(machine=3)}}, {"parts": {TOKEN: self.part(vertex_count=[])}},
            {"parts": {TOKEN: self.part(finished=3)}}, {"files": {"Sheet.pc2": "x"}},
        ):  # fmt: skip
            with self.subTest(change):
                self.rewrite(self.baked(), lambda data: data.update(change))
                self.everything()

    def test_endless_brackets(self):
        obj = self.baked()
        path = addon("output.manifest").Manifest.of(addon("output.cache").locate(obj)).path
        with open(path, "w", encoding="utf-8") as file:
            file.write("[" * 200000)
        self.everything()

    def test_part_of_huge_frames(self):
        """A header that promises more than the file has makes no file larger."""
        obj = self.baked()
        folder = os.path.dirname(addon("output.cache").locate(obj))
        self.rewrite(obj, lambda data: data["parts"].update({TOKEN: self.part()}))
        pc2 = addon("muslin.pc2")
        for vertices, start, frames in ((2**31 - 1, 1.0, 2**31 - 1), (81, float("inf"), 3)):
            with open(os.path.join(folder, f".Sheet.{TOKEN}.part.pc2"), "wb") as file:
                head = (pc2.MAGIC, pc2.VERSION, vertices, start, 1.0, frames)
                file.write(pc2.HEADER.pack(*head) + bytes(81 * 12 * 3))
            self.everything()
        sizes = [os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)]
        self.assertLess(max(sizes), 1 << 20)

    def test_links_are_not_written_through(self):
        obj = self.baked()
        obj.muslin.output = "mdd"
        folder = os.path.dirname(addon("output.cache").locate(obj))
        os.symlink(self.precious, os.path.join(folder, "Sheet.mdd"))
        self.rewrite(obj, lambda data: data["files"].update({"Sheet.mdd": 8}))
        bpy.ops.muslin.bake()
        self.everything()

    def test_cache_that_claims_to_come_home(self):
        """Beside a .blend that is saved, files of a folder with a telling name are copied: Muslin's own alone."""
        obj = self.baked()
        home = os.path.join(self.folder, "shot", "muslin-unsaved-x")
        os.makedirs(home)
        made = addon("output.manifest").Manifest.claim(home, "Sheet", obj.muslin.uid, "")
        path = made.place("Sheet.pc2")
        os.rename(addon("output.cache").locate(obj), path)
        os.symlink(self.precious, made.place("Sheet.mdd"))
        made.data["files"] = {"Sheet.pc2": os.path.getsize(path), "Sheet.mdd": 8}
        made.data["files"]["Sheet/../../../precious.pdf"] = 8
        made.save()
        obj.muslin.baked.path = obj.muslin.baked.absolute = obj.modifiers[0].filepath = path
        bpy.ops.wm.save_mainfile()
        names = sorted(os.listdir(os.path.join(self.folder, "shot", "muslin")))
        self.assertNotIn("Sheet.mdd", names)
        self.everything()


class SettingsTest(StrangerTest):
    def test_state_that_makes_no_sense(self):
        """Then the bake goes on from stored positions, or not at all."""
        obj = self.baked()
        path = addon("output.cache").locate(obj)
        state = os.path.splitext(path)[0] + ".muslin.state"
        token = addon("output.manifest").Manifest.of(path).data["token"]
        good = {"token": token, "frame": 2, "bytes": 1, "check": 2212294583}
        heads = ["[" * 100_000, json.dumps({**good, "frame": 2.5}), "x" * 10_000, "{}", "[]", "3"]
        for head in (json.dumps(good), *heads):
            with open(state, "wb") as file:
                file.write(b"MUSLIN STATE 1\n" + head.encode() + b"\n1")
            wanted = (b"1", 2) if head == json.dumps(good) else None
            self.assertEqual(addon("output.cache").read_state(path), wanted)
        self.everything()

    def test_cache_that_is_written_meanwhile(self):
        """By another program, while the add-on reads it: an error in words, not the end of Blender."""
        obj = self.baked()
        path = addon("output.cache").locate(obj)
        found = addon("output.cache").read(path)
        os.truncate(path, 40)
        with self.assertRaises(addon("muslin").FileError):
            found.positions[1]
        self.assertIsNone(addon("fit_map.fit_frames").velocities(path, self.scene))
        self.everything()

    def test_uid_is_no_path(self):
        obj = scenes.garment()
        for uid in ("../" * 9 + self.folder + "/x", os.path.join(self.folder, "x"), "x" * 5000):
            obj.muslin.uid = uid
            obj.muslin.uid_owner = obj.name
            bpy.ops.muslin.drape_now(frames=1)
            bpy.ops.muslin.discard()
        self.assertEqual(sorted(os.listdir(self.folder)), ["precious.pdf", "shot"])

    def raw(self, obj):
        """Its settings as the file has them, where nobody keeps to ranges."""
        get = getattr(obj, "bl_system_properties_get", None)
        return (obj if get is None else get())["muslin"]

    def test_settings_out_of_their_ranges(self):
        obj = self.baked()
        bpy.ops.muslin.free()
        for name, values in OUT_OF_RANGE.items():
            for value in values:
                with self.subTest(name, value=value):
                    before = getattr(obj.muslin, name)
                    setattr(obj.muslin, name, before)  # so that the file has it
                    self.raw(obj)[name] = value
                    for button in (
                        bpy.ops.muslin.check,
                        bpy.ops.muslin.drape_now,
                        bpy.ops.muslin.bake,
                    ):
                        self.refused_in_words(button)
                    self.refused_in_words(bpy.ops.muslin.discard)
                    self.raw(obj).pop(name)

    def refused_in_words(self, button):
        try:
            button()
        except RuntimeError as error:
            self.assertNotIn("Traceback", str(error))

    def test_objects_of_other_kinds(self):
        obj = self.baked()
        others = [obj, bpy.data.objects.new("Nothing", None)]
        others.append(bpy.data.objects.new("Eye", bpy.data.cameras.new("Eye")))
        for other in others[1:]:
            self.scene.collection.objects.link(other)
        item, tack = obj.muslin.colliders.add(), obj.muslin.sewing.tacks.add()
        for other in others:
            item.object = tack.object = other
            self.everything()


if __name__ == "__main__":
    unittest.main()

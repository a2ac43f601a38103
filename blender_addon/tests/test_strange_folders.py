# SPDX-License-Identifier: GPL-3.0-or-later
"""A cache folder that a stranger's .blend names may be any folder. Files there that Muslin has not written are neither
replaced, deleted nor written through, whatever they are called, and the panel says where it leads."""

import json
import os
import threading
import unittest
import zlib

import bpy
import fake_layout
import scenes
from support import addon
from test_strangers import TOKEN, StrangerTest

PRECIOUS = b"precious"
OUTSIDE = "The cache folder is outside the folder of this .blend"


class FolderTest(StrangerTest):
    def plant(self, folder, *names):
        for name in names:
            with open(os.path.join(folder, name), "wb") as file:
                file.write(PRECIOUS)

    def kept(self, folder, *names):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                self.assertEqual(file.read(), PRECIOUS, name)

    def shot(self):
        return os.path.join(self.folder, "shot", "muslin")


class OthersFilesTest(FolderTest):
    def test_listed_files_that_begin_otherwise(self):
        obj, others = self.baked(), ("Sheet.mdd", "Sheet-2.pc2", "Sheet.abc", "Sheet.usdc")
        self.plant(self.shot(), *others)
        self.rewrite(obj, lambda data: data["files"].update(dict.fromkeys(others, len(PRECIOUS))))
        self.everything()
        self.kept(self.shot(), *others)

    def test_hidden_files_that_begin_otherwise(self):
        obj, hidden = self.baked(), f".Sheet.mdd.{TOKEN}.freed"
        self.plant(self.shot(), hidden)
        aside = {"Sheet.mdd": [hidden, len(PRECIOUS)]}
        self.rewrite(obj, lambda data: data.update(aside=aside))
        self.everything()
        self.kept(self.shot(), hidden)

    def test_parts_that_begin_otherwise(self):
        obj, part = self.baked(), self.part()
        names = [part["pc2"], part["state"], part["fit"], part["state"] + ".new"]
        self.plant(self.shot(), *names)
        self.rewrite(obj, lambda data: data["parts"].update({TOKEN: part}))
        self.everything()
        self.kept(self.shot(), *names)

    def test_no_bake_ends_in_the_place_of_another_file(self):
        for ending in (".pc2", ".muslin.state", ".muslin.fit"):
            self.baked()
            os.replace(os.path.join(self.shot(), "Sheet.pc2"), os.path.join(self.folder, "x.pc2"))
            self.plant(self.shot(), "Sheet" + ending)
            with self.assertRaisesRegex(RuntimeError, f"Sheet{ending} is in the way, and not Musl"):
                bpy.ops.muslin.bake()
            self.kept(self.shot(), "Sheet" + ending)
            os.remove(os.path.join(self.shot(), "Sheet" + ending))
            bpy.ops.muslin.bake()
            bpy.ops.muslin.free()
            self.scene = scenes.empty_scene()
            self.scene.frame_end = 3

    def test_names_that_others_have_are_left_to_them(self):
        names = "Sheet.muslin.state", "Sheet.muslin.fit", "Sheet.mdd"
        self.plant(self.shot(), *names)
        obj = self.baked()
        self.assertIn("Sheet-2.pc2", os.path.basename(addon("output.cache").locate(obj)))
        self.everything()
        self.kept(self.shot(), *names)


class LinkTest(FolderTest):
    def link(self, name):
        os.symlink(self.precious, os.path.join(self.shot(), name))

    def test_bakes_write_through_none(self):
        for name in ("Sheet.muslin.state", "Sheet.muslin.fit", "Sheet.pc2", "Sheet.muslin.json"):
            self.link(name)
        obj = self.baked()
        obj.muslin.fit.enabled = True
        self.everything()

    def test_parts_that_are_links(self):
        part, obj = self.part(), self.baked()
        for name in (part["state"], part["fit"]):
            self.link(name)
        pc2 = addon("muslin.pc2")
        with open(os.path.join(self.shot(), part["pc2"]), "wb") as file:
            file.write(pc2.HEADER.pack(pc2.MAGIC, pc2.VERSION, 81, 1.0, 1.0, 3))
            file.write(bytes(81 * 12 * 3))
        self.rewrite(obj, lambda data: data["parts"].update({TOKEN: part}))
        bpy.ops.muslin.rescue()
        self.assertFalse(os.path.islink(os.path.join(self.shot(), "Sheet.muslin.state")))
        self.everything()

    def test_caches_that_come_home_are_written_through_none(self):
        """A bake of a file that was never saved is copied beside it when it is."""
        obj = scenes.garment()
        obj.muslin.cache_folder = "//muslin"
        bpy.ops.muslin.bake()
        for name in ("Sheet.muslin.state", "Sheet.mdd"):
            self.link(name)
        bpy.ops.wm.save_as_mainfile(filepath=self.blend)
        self.assertEqual(os.path.dirname(addon("output.cache").locate(obj)), self.shot())
        self.everything()

    def test_only_the_temporary_folder_is_one_to_come_home_from(self):
        names = addon("output.folders")
        place, _ = names.folder_for("//muslin")
        self.assertTrue(names.is_unsaved(os.path.join(place, "Sheet.pc2")))
        stranger = os.path.join(self.folder, names.UNSAVED + "x", "Sheet.pc2")
        self.assertFalse(names.is_unsaved(stranger))


class ReadingTest(FolderTest):
    def asked(self, question, *arguments):
        """Its answer; nobody waits longer than ten seconds for it."""
        found = []
        thread = threading.Thread(target=lambda: found.append(question(*arguments)), daemon=True)
        thread.start()
        thread.join(10.0)
        self.assertFalse(thread.is_alive(), "it waits")
        return found[0]

    def test_paths_lead_to_point_caches_alone(self):
        obj, other = self.baked(), os.path.join(self.folder, "other.pc2")
        bpy.ops.muslin.free()
        self.plant(self.folder, "other.pc2")
        locate = addon("output.cache").locate
        for path in (self.precious, "//../precious.pdf", "/dev/zero", "/etc", "//../precious"):
            obj.muslin.baked.kind, obj.muslin.baked.path = "pc2", path
            self.assertIsNone(locate(obj), path)
            self.everything()
        for path in (other, "//../other.pc2", "//../other.pdf"):
            obj.muslin.baked.kind, obj.muslin.baked.path = "pc2", path
            self.assertTrue(os.path.samefile(locate(obj), other))
            with self.assertRaisesRegex(addon("scene.problems").Problem, "cannot be used"):
                addon("output.cache").read(locate(obj))
            self.everything()
            self.kept(self.folder, "other.pc2")

    @unittest.skipUnless(hasattr(os, "mkfifo"), "no pipes here")
    def test_nobody_waits_for_a_pipe(self):
        path = addon("output.cache").locate(self.baked())
        for ending in (".muslin.state", ".muslin.fit"):
            beside = os.path.join(self.shot(), "Sheet" + ending)
            if os.path.exists(beside):
                os.remove(beside)
            os.mkfifo(beside)
        self.assertIsNone(self.asked(addon("output.cache").read_state, path))
        fit_file = addon("fit_map.fit_file")
        self.assertIsNone(self.asked(fit_file.read, fit_file.beside(path)))

    def test_states_have_a_largest_size(self):
        """A file that takes no room on the disk can be longer than all memory."""
        cache, obj = addon("output.cache"), self.baked()
        path = cache.locate(obj)
        token = addon("output.manifest").Manifest.of(path).data["token"]
        self.addCleanup(setattr, cache, "STATE_BYTES", cache.STATE_BYTES)
        cache.STATE_BYTES = 1000
        for count, is_read in ((999, True), (1000, False), (-1, False)):
            state = bytes(max(count, 0))
            head = {"token": token, "frame": 2, "bytes": count, "check": zlib.crc32(state)}
            with open(os.path.splitext(path)[0] + ".muslin.state", "wb") as file:
                file.write(b"MUSLIN STATE 1\n" + json.dumps(head).encode() + b"\n" + state)
            self.assertEqual(cache.read_state(path), (state, 2) if is_read else None)


class PanelTest(StrangerTest):
    def panel(self, obj):
        addon("bake.bake_ui")._looked.clear()
        layout = fake_layout.Layout()
        addon("bake.bake_ui").draw_output(layout, fake_layout.context_of(obj, width=9999), obj)
        return layout.text()

    def loaded(self, folder):
        """A garment of a file that somebody else has saved."""
        self.scene = scenes.empty_scene()
        obj = scenes.garment()
        bpy.ops.wm.save_as_mainfile(filepath=self.blend)
        obj.muslin.cache_folder = folder
        self.assertNotIn(OUTSIDE, self.panel(obj))  # who sets it knows it
        bpy.ops.wm.save_mainfile()
        bpy.ops.wm.open_mainfile(filepath=self.blend)
        obj = bpy.data.objects["Sheet"]
        scenes.select(obj)
        return obj

    def test_folders_outside_are_named(self):
        above, other = os.path.realpath(self.folder), os.path.join(self.folder, "other")
        for folder, place in (("//../other", "other"), (other, "other"), ("//..", ""), ("..", "")):
            obj = self.loaded(folder)
            wanted = os.path.join(above, place).rstrip(os.sep)
            self.assertIn(f"{OUTSIDE}: {wanted}", self.panel(obj), folder)
            obj.muslin.output = "keys"  # which leaves its frames there, too
            self.assertIn(OUTSIDE, self.panel(obj), folder)
            obj.muslin.cache_folder = folder
            self.assertNotIn(OUTSIDE, self.panel(obj), folder)

    def test_folders_inside_are_not(self):
        for folder in ("//muslin", "muslin", "//", "//a/../b", os.path.join(self.folder, "shot")):
            self.assertNotIn(OUTSIDE, self.panel(self.loaded(folder)), folder)

    def test_link_that_leads_outside(self):
        os.symlink(self.folder, os.path.join(self.folder, "shot", "linked"))
        place = os.path.realpath(self.folder)
        self.assertIn(f"{OUTSIDE}: {place}", self.panel(self.loaded("//linked")))

    def test_file_that_was_never_saved(self):
        obj = scenes.garment()
        self.assertNotIn(OUTSIDE, self.panel(obj))

    def test_bakes_there_leave_what_is_not_theirs(self):
        obj = self.loaded("//..")
        bpy.ops.muslin.bake()
        names = {"Sheet.pc2", "Sheet.muslin.json", "Sheet.muslin.state", "precious.pdf", "shot"}
        self.assertEqual({name for name in os.listdir(self.folder) if name[0] != "."}, names)
        self.assertEqual(len(scenes.cached(obj)), bpy.context.scene.frame_end)
        self.everything()
        self.assertEqual(sorted(os.listdir(self.folder)), ["precious.pdf", "shot"])


if __name__ == "__main__":
    unittest.main()

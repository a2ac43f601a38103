# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawing the panel of a stranger's .blend looks at nothing outside of its folder: servers and automounts stay asleep. What the
artist sets, or trusts, is looked at."""

import builtins
import os
import shutil
import unittest
from contextlib import ExitStack
from unittest import mock

import bpy
import fake_layout
import scenes
from support import addon
from test_strangers import TOKEN, StrangerTest

FAR = "/server/share"
LOOKS = {
    os: ("stat", "lstat", "open", "listdir", "scandir", "readlink", "access", "makedirs", "mkdir"),
    os.path: ("exists", "lexists", "isfile", "isdir", "islink", "realpath", "getsize", "samefile"),
    builtins: ("open",),
}


def looked_at(action):
    """Paths that Python asks the system for meanwhile; Blender's own C code is not seen."""
    found = []

    def noting(real):
        def asked(*arguments, **named):
            found.extend(os.fsdecode(a) for a in arguments[:2] if isinstance(a, (str, bytes)))
            return real(*arguments, **named)

        return asked

    with ExitStack() as patches:
        for module, names in LOOKS.items():
            for name in names:
                patches.enter_context(
                    mock.patch.object(module, name, noting(getattr(module, name)))
                )
        action()
    return found


class DrawingTest(StrangerTest):
    def drawn(self):
        """Everything, as if for the first time; the text of it."""
        obj = bpy.data.objects["Sheet"]
        addon("bake.bake_ui")._looked.clear()
        layouts = [fake_layout.draw(each, obj) for each in addon("panels").SECTIONS]
        return "\n".join(layout.text() for layout in layouts)

    def stranger(self, folder="//muslin", path="", change=lambda data: None):
        """A file with a bake that did not come to its end, saved and opened again."""
        obj = self.baked()
        part = self.part()
        pc2 = addon("muslin.pc2")
        with open(os.path.join(self.folder, "shot", "muslin", part["pc2"]), "wb") as file:
            file.write(pc2.HEADER.pack(pc2.MAGIC, pc2.VERSION, 81, 1.0, 1.0, 3))
            file.write(bytes(81 * 12 * 3))
        self.rewrite(obj, lambda data: (data["parts"].update({TOKEN: part}), change(data)))
        obj.muslin.cache_folder = folder
        if path:
            obj.muslin.baked.path = obj.muslin.baked.absolute = path
            obj.modifiers.clear()
        bpy.ops.wm.save_mainfile()
        bpy.ops.wm.open_mainfile(filepath=self.blend)
        scenes.select(bpy.data.objects["Sheet"])

    def stranger_elsewhere(self):
        """With everything in another folder than its own, the path of which it is given back."""
        place = os.path.join(self.folder, "elsewhere")
        blend = os.path.relpath(self.blend, place)
        self.stranger(
            place, os.path.join(place, "Sheet.pc2"), lambda data: data.update(blend=blend)
        )
        os.rename(os.path.join(self.folder, "shot", "muslin"), place)
        return place

    def quiet(self, is_far):
        """Draws; what was looked at, none of it far."""
        found = looked_at(self.drawn)
        self.assertEqual([path for path in found if is_far(path)], [])
        return found

    def test_looks_are_seen(self):
        self.stranger()
        home = os.path.join(self.folder, "shot", "muslin")
        self.assertIn(home, self.quiet(lambda path: FAR in path))
        self.assertIn("left 3 frames", self.drawn())

    def test_folders_and_caches_elsewhere(self):
        for folder in (FAR, "//.." + FAR, "//../../../../../../../../.." + FAR):
            for path in ("", f"{FAR}/Sheet.pc2", f"//..{FAR}/Sheet.pc2"):
                with self.subTest(folder, path=path):
                    self.stranger(folder, path)
                    self.quiet(lambda path: FAR in path)
                    bpy.ops.muslin.free()
                    self.scene = scenes.empty_scene()
                    self.scene.frame_end = 3

    def test_list_that_names_another_file_elsewhere(self):
        self.stranger(change=lambda data: data.update(blend=f"{FAR}/shot.blend"))
        self.quiet(lambda path: FAR in path)
        self.assertNotIn("left 3 frames", self.drawn())

    def test_links_in_its_folder(self):
        shot = os.path.join(self.folder, "shot")
        os.symlink(FAR, os.path.join(shot, "linked"))
        os.symlink("linked/..", os.path.join(shot, "back"))
        os.symlink(f"{FAR}/Sheet.pc2", os.path.join(shot, "Sheet.pc2"))
        for folder in ("//linked", "//back/muslin"):
            self.stranger(folder, "//Sheet.pc2")
            links = [os.path.join(shot, name) for name in ("linked", "back")]
            below = tuple(link + os.sep for link in links)
            self.quiet(lambda path: FAR in path or path.startswith(below))
            with mock.patch.object(os, "stat") as asked:  # follows a link
                addon("output.results").left_over(bpy.data.objects["Sheet"])
            self.assertNotIn(os.path.join(shot, "Sheet.pc2"), [c.args[0] for c in asked.mock_calls])
            shutil.rmtree(os.path.join(shot, "muslin"))
            os.mkdir(os.path.join(shot, "muslin"))
            with open(self.beside, "wb") as file:
                file.write(b"precious")
            self.scene = scenes.empty_scene()
            self.scene.frame_end = 3

    def test_trusted_folder(self):
        elsewhere = self.stranger_elsewhere()
        os.makedirs(os.path.dirname(self.beside))
        self.quiet(lambda path: path.startswith(elsewhere))
        self.assertNotIn("left 3 frames", self.drawn())
        self.assertIn("The cache folder is outside the folder of this .blend", self.drawn())
        bpy.ops.muslin.trust_folder()
        self.assertNotIn("The cache folder is outside the folder of this .blend", self.drawn())
        self.assertIn("left 3 frames", self.drawn())
        bpy.ops.wm.open_mainfile(filepath=self.blend)
        self.assertNotIn("left 3 frames", self.drawn())

    def test_buttons_look_everywhere(self):
        self.stranger_elsewhere()
        self.assertEqual(bpy.ops.muslin.rescue(), {"FINISHED"})


class LinkTest(unittest.TestCase):
    def setUp(self):
        self.reach = addon("output.folders")
        self.links = {}
        patch = mock.patch.object(self.reach, "_link", self.links.get)
        patch.start()
        self.addCleanup(patch.stop)

    def out(self, path, home="/home"):
        return self.reach.led_out(path, home)

    def test_by_words(self):
        for path in ("/home", "/home/a", "/home/a/b"):
            self.assertEqual(self.out(path), "")
        for path in ("/", "/homes", "/net/a"):
            self.assertEqual(self.out(path), path)

    def test_links(self):
        self.links.update({"/home/in": "a/b", "/home/out": "/net/x", "/home/a/up": "../../x"})
        self.links.update({"/home/own": "/home/a", "/home/odd": "/home/a/../../net"})
        self.links.update({"/home/by": "out/../a", "/home/to": "own/up", "/home/round": "round"})
        wanted = {"in/c": "", "out/c": "/net/x/c", "a/up/c": "/x/c", "own/c": "", "by": "/net/a"}
        wanted |= {"to/c": "/x/c", "odd/c": "/net/c", "round": "/home/round"}
        self.assertEqual({path: self.out(f"/home/{path}") for path in wanted}, wanted)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons that add and remove, and what all of them say without a library."""

import os
import unittest

import bpy

import scenes
from life import LifeTest
from support import addon


class ButtonTest(LifeTest):
    def test_add_makes_garments_of_selected_meshes_only(self):
        sheet, camera = scenes.grid("Sheet"), bpy.data.objects.new("Eye", None)
        self.scene.collection.objects.link(camera)
        scenes.select(sheet)
        camera.select_set(True)
        bpy.ops.muslin.add()
        self.assertTrue(sheet.muslin.enabled and sheet.muslin.uid)
        self.assertFalse(camera.muslin.enabled)

    def test_colliders_are_added_from_the_selection_and_removed(self):
        obj = self.garment()
        bodies = [scenes.ball(name) for name in ("A", "B")]
        scenes.select(obj)
        for body in bodies:
            body.select_set(True)
        bpy.ops.muslin.collider_add()
        bpy.ops.muslin.collider_add()  # again: they are there already
        settings = obj.muslin
        self.assertEqual({item.object.name for item in settings.colliders}, {"A", "B"})
        bpy.ops.muslin.collider_remove()
        bpy.ops.muslin.collider_remove()
        self.assertEqual(len(settings.colliders), 0)

    def test_nothing_selected_is_reported(self):
        obj = self.garment()
        bpy.context.view_layer.objects.active = None
        obj.select_set(False)
        with self.assertRaisesRegex(RuntimeError, "Select a garment first"):
            bpy.ops.muslin.bake(scope="ACTIVE")


class LibraryTest(LifeTest):
    """The native library is missing or wrong: panels work and every button says why."""

    def lose(self, path):
        library, running = addon("muslin.library"), scenes.running()
        kept = library._loaded
        library._loaded = None
        os.environ["MUSLIN_LIBRARY"] = path

        def put_back():
            library._loaded = kept
            os.environ.pop("MUSLIN_LIBRARY", None)

        self.addCleanup(put_back)
        return running

    def check(self, path, *words):
        self.garment()
        running = self.lose(path)
        for word in (path, bpy.app.version_string, *words):
            self.assertIn(word, running.look_for_library().message)
        for button in (bpy.ops.muslin.bake, bpy.ops.muslin.preview, bpy.ops.muslin.drape_now):
            with self.assertRaisesRegex(RuntimeError, "Muslin cannot simulate here"):
                button()
        self.assertFalse(running.is_busy())

    def test_missing(self):
        self.check("/nowhere/libmuslin.so", "not a file")

    def test_no_library(self):
        path = os.path.join(self.folder, "libmuslin.so")
        with open(path, "wb") as file:
            file.write(b"this is no library at all, only some words")
        self.check(path, "no ELF library")

    def test_other_machine(self):
        path = os.path.join(self.folder, "libmuslin.so")
        with open(path, "wb") as file:
            file.write(b"\x7fELF\x02\x01\x01" + bytes(11) + b"\xf3\x00" + bytes(100))
        self.check(path, "riscv64")

    def test_there(self):
        self.assertEqual(scenes.running().look_for_library().message, "")


if __name__ == "__main__":
    unittest.main()

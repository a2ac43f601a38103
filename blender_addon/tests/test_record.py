# SPDX-License-Identifier: GPL-3.0-or-later
"""The switch in the preferences: a bake is recorded, and replayed without Blender to the same bytes."""

import os
import subprocess
import unittest
from pathlib import Path

import bpy

import fake_layout
import scenes
from support import addon, package
from test_bake import InFolder

TOOL = Path(__file__).resolve().parents[2] / "tools" / "muslin"


def preferences():
    """The add-on's; an empty file leaves Blender without any, though the add-on stays loaded."""
    known = bpy.context.preferences.addons
    if package() not in known:
        known.new().module = package()
    return known[package()].preferences


def replay(path):
    """Exit code and words of the command line, in a Python of the machine."""
    library = str(addon("muslin.library").find())
    environment = {
        k: v for k, v in os.environ.items() if k not in ("PYTHONHOME", "LD_LIBRARY_PATH")
    }
    environment["MUSLIN_LIBRARY"] = library
    answer = subprocess.run(
        [TOOL, "replay", path], capture_output=True, text=True, timeout=300, env=environment
    )
    return answer.returncode, answer.stdout + answer.stderr


class RecordTest(InFolder):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.switch_off)
        preferences().record_folder = os.path.join(self.folder, "reports")

    def switch_off(self):
        preferences().record = False
        preferences().record_folder = ""

    def files(self):
        return sorted(Path(self.folder, "reports").glob("*"))

    def shown(self):
        layout = fake_layout.Layout()
        context = fake_layout.context_of(None, width=2000, region_type="WINDOW")
        addon("preferences").draw_recording(layout, context, preferences())
        return layout.text()

    def bake(self):
        obj = self.garment(pins=True, height=0.65)
        obj.muslin.colliders.add().object = scenes.ball()
        obj.muslin.self_contact = True
        self.scene.frame_end = 5
        scenes.select(obj)
        self.assertEqual(bpy.ops.muslin.bake(), {"FINISHED"})
        return obj

    def test_bake_is_replayed_without_blender(self):
        preferences().record = True
        (file,) = self.files()
        self.bake()
        self.assertIn(file.name, self.shown())
        preferences().record = False
        code, said = replay(file)
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"\d\d+ calls, \d\d+ outputs, all the same bytes")
        self.assertEqual(self.files(), [file])

    def test_names_stay_at_home(self):
        preferences().record = True
        self.bake()
        preferences().record = False
        data = self.files()[0].read_bytes()
        for word in (b"Sheet", b"Ball", self.folder.encode()):
            self.assertNotIn(word, data)

    def test_nothing_is_recorded_unasked(self):
        self.bake()
        self.assertEqual(self.files(), [])
        self.assertIsNone(addon("recording").path())

    def test_folder_that_cannot_be_made_is_reported_and_the_bake_goes_on(self):
        Path(self.folder, "file").write_text("in the way")
        preferences().record_folder = os.path.join(self.folder, "file", "below")
        preferences().record = True
        self.assertIn("Nothing is recorded", self.shown())
        obj = self.bake()
        self.assertEqual(obj.muslin.baked.frame_end, 5)
        self.assertIn("Nothing is recorded", scenes.running().last_words[obj.muslin.uid])

    def test_switched_on_before_blender_was_started(self):
        """Recording starts when the library is first needed."""
        record = addon("recording")
        preferences().record = True
        record.stop()  # as a new session is: wanted, not begun
        self.assertIn("first simulated", self.shown())
        self.bake()
        self.assertEqual(len(self.files()), 2)
        self.assertIsNotNone(record.path())


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""The user's own fabrics in the menu: they come, go and break without harm."""

import json
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import bpy
import fake_layout
from support import addon

TIN = {"density": 2, "stretch_warp": 9e5, "stretch_weft": 9e5, "shear": 3e5, "bend": 0.1}


class UserFabrics(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for patch in (
            mock.patch.dict(os.environ, {"MUSLIN_FABRICS": str(self.folder)}),
            mock.patch.object(addon("fabric.fabric_list"), "LOOK_AGAIN", 0.0),
        ):
            patch.start()
            self.addCleanup(patch.stop)
        mesh = bpy.data.meshes.new("Sheet")
        mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
        self.object = bpy.data.objects.new("Sheet", mesh)
        bpy.context.scene.collection.objects.link(self.object)
        bpy.context.view_layer.objects.active = self.object
        self.garment = self.object.muslin

    def write(self, name, **content):
        (self.folder / name).write_text(json.dumps(content))

    def test_a_new_file_is_in_the_menu_without_a_restart(self):
        with self.assertRaises(TypeError):
            self.garment.fabric = "tin"
        self.write("tin.json", material=TIN, contact={"friction": 0.7})
        self.garment.fabric = "tin"
        self.assertEqual((self.garment.fabric, self.garment.density), ("tin", 2))
        self.assertAlmostEqual(self.garment.friction, 0.7, 6)
        self.garment.fabric = "cotton"
        self.assertAlmostEqual(self.garment.friction, 0.3, 6)

    def test_a_file_that_is_gone_leaves_its_numbers(self):
        self.write("tin.json", material=TIN)
        self.garment.fabric = "tin"
        (self.folder / "tin.json").unlink()
        self.assertEqual((self.garment.fabric, self.garment.density), ("", 2))
        self.assertIsNone(addon("fabric.fabric_list").chosen(self.garment))
        self.assertTrue(addon("fabric.fabric_list").is_changed(self.garment))
        bpy.ops.muslin.reset_fabric()
        self.assertEqual(self.garment.density, 2)
        self.assertIn("The file of this fabric is missing", self.drawn())
        self.write("tin.json", material=TIN)
        self.assertEqual(self.garment.fabric, "tin")

    def test_a_broken_file_is_shown_with_its_reason(self):
        self.write("tin.json", material={**TIN, "bend": -1})
        self.assertEqual(self.garment.fabric, "cotton")
        reasons = [one.reason for one in addon("fabric.fabric_list").broken()]
        self.assertEqual(len(reasons), 1)
        self.assertIn("material.bend: -1 is not from 0 to 10 N m", reasons[0])
        self.assertIn("material.bend", self.drawn())

    def test_links_that_lead_nowhere_hide_no_other_file(self):
        for name in ("a.json", "z.json"):  # a folder's files come in any order
            os.symlink(self.folder / name, self.folder / name)
        os.symlink("/nowhere", self.folder / "m.json")
        reasons = [one.reason for one in addon("fabric.fabric_list").broken()]
        self.assertEqual(len(reasons), 3)
        self.assertIn("a.json: cannot be read", reasons[0])
        self.write("tin.json", material=TIN)
        self.garment.fabric = "tin"
        self.write("tin.json", material={**TIN, "density": 12.5})  # of another size
        bpy.ops.muslin.reset_fabric()
        self.assertEqual(self.garment.density, 12.5)

    def test_names_that_are_no_text_break_no_menu(self):
        for name in (b"t\xff.json", b"a\nb.json", b"50% \xf0\x9f\x98\x80.json", b"\xff.json"):
            with open(os.fsencode(self.folder) + b"/" + name, "w") as file:
                json.dump({"material": TIN}, file)
        (self.folder / "b\n\x1b.json").write_text("{")
        self.write("tin.json", material=TIN)
        self.garment.fabric = "tin"
        self.assertEqual(self.garment.density, 2)
        names = [item[0] for item in addon("fabric.fabric_list").items()]
        for name in names:
            self.garment.fabric = name
            self.assertEqual(self.garment.fabric, name)
        self.assertTrue(
            all(label.isprintable() for _, label, *_ in addon("fabric.fabric_list").items())
        )
        self.assertEqual(len(names) - names.index("neoprene"), 3)  # tin, and the one of odd text
        self.assertIn("the name of this file cannot be printed", self.drawn())
        for reason in (one.reason for one in addon("fabric.fabric_list").broken()):
            self.assertTrue(reason.isprintable(), reason)

    def test_a_measured_fabric_and_back(self):
        rows = [[50, -3, 80, 30]] + [[60, 1, 120, 30]] * 5
        self.write("tin.json", density=0.2, stretching=rows, bending=[[4e-6] * 5] * 3)
        self.garment.fabric = "tin"
        self.assertEqual(self.garment.model, "membrane")
        self.assertEqual(tuple(self.garment.stretch_samples[:4]), (100, 0, 160, 60))
        self.assertFalse(addon("fabric.fabric_list").is_changed(self.garment))
        self.assertIn("Measured fabric: stretch", self.drawn())
        self.garment.fabric = "cotton"
        self.assertEqual(self.garment.model, "triangle")
        self.assertFalse(any(self.garment.stretch_samples) or any(self.garment.bend_samples))
        self.assertNotIn("Measured fabric: stretch", self.drawn())

    def test_what_is_taken_for_the_warp_without_a_uv_map(self):
        self.garment.fabric = "denim"
        self.assertIn("the warp is vertical", self.drawn())
        self.object.data.uv_layers.new()
        self.assertNotIn("the warp is vertical", self.drawn())
        self.object.data.uv_layers.remove(self.object.data.uv_layers[0])
        self.garment.fabric = "rubber"  # the same in all directions
        self.assertNotIn("the warp is vertical", self.drawn())

    def test_how_a_fabric_meets_bodies_is_not_taken_back(self):
        self.garment.thickness = 0.002
        self.garment.density = 3
        bpy.ops.muslin.reset_fabric()
        self.assertAlmostEqual(self.garment.thickness, 0.002, 6)
        self.assertAlmostEqual(self.garment.density, 0.15, 6)

    def test_every_fabric_of_muslin_has_a_swatch(self):
        """A small picture of its own; window_panel.py looks at the icons, which only a window has."""
        listed = addon("fabric.fabric_list")
        self.write("tin.json", material=TIN)
        icons = {name: icon for name, _, _, icon, _ in listed.items()}
        self.assertEqual(icons.pop("tin"), "NONE")
        self.assertNotIn("NONE", icons.values())
        files = {path.stem: path for path in listed.SWATCHES.glob("*.png")}
        self.assertEqual(set(files), set(icons))
        for path in files.values():
            self.assertLess(path.stat().st_size, 20_000, path)
            image = bpy.data.images.load(str(path))
            self.assertEqual(tuple(image.size), (96, 96))
            bpy.data.images.remove(image)

    def drawn(self):
        """All words of the fabric's panel."""
        layout = fake_layout.Layout()
        addon("fabric.fabric_ui").draw_fabric(
            layout, fake_layout.context_of(self.object), self.object
        )
        return layout.text()


if __name__ == "__main__":
    unittest.main()

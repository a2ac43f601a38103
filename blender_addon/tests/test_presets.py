# SPDX-License-Identifier: GPL-3.0-or-later
"""Fabrics of the artist's own: saved, shared as files, removed; and a row of copies to compare some."""

import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import bpy
import fake_layout
import numpy as np
import scenes
from arm_scenes import RADIUS, arm, tube
from support import addon


class PresetTest(unittest.TestCase):
    def setUp(self):
        scenes.empty_scene()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        patch = mock.patch.object(addon("fabric.fabric_list"), "LOOK_AGAIN", 0.0)
        patch.start()
        self.addCleanup(patch.stop)
        self.object = scenes.garment()
        self.garment = self.object.muslin
        self.presets = addon("fabric.fabric_list").preset_folder()
        self.addCleanup(self.remove_presets)

    def remove_presets(self):
        for path in self.presets.glob("*.json"):
            path.unlink()

    def test_saved_beside_blenders_own_and_offered(self):
        self.garment.fabric = "denim"
        self.garment.density, self.garment.friction = 0.55, 0.65
        bpy.ops.muslin.save_fabric(name="Stiff Denim")
        self.assertEqual(self.garment.fabric, "stiff_denim")
        self.assertFalse(addon("fabric.fabric_list").is_changed(self.garment))
        path = self.presets / "stiff_denim.json"
        self.assertIn(bpy.utils.user_resource("SCRIPTS", path="presets"), str(path))
        content = json.loads(path.read_text())
        self.assertEqual((content["label"], content["material"]["density"]), ("Stiff Denim", 0.55))
        other = scenes.garment("Other")
        other.muslin.fabric = "stiff_denim"
        self.assertAlmostEqual(other.muslin.density, 0.55, 6)
        self.assertAlmostEqual(other.muslin.friction, 0.65, 6)
        self.assertAlmostEqual(other.muslin.stretch_warp, self.garment.stretch_warp, 3)

    def test_saved_again_it_has_the_new_numbers(self):
        bpy.ops.muslin.save_fabric(name="Mine")
        self.garment.density = 0.9
        self.assertTrue(addon("fabric.fabric_list").is_changed(self.garment))
        bpy.ops.muslin.save_fabric(name="Mine")
        self.assertFalse(addon("fabric.fabric_list").is_changed(self.garment))
        self.assertEqual(len(list(self.presets.glob("*.json"))), 1)

    def test_names_that_are_taken_or_no_names(self):
        with self.assertRaisesRegex(RuntimeError, "A fabric named silk already exists"):
            bpy.ops.muslin.save_fabric(name="Silk")
        for name in ("", "../cotton", "a/b"):
            with self.assertRaisesRegex(RuntimeError, "Use letters"):
                bpy.ops.muslin.save_fabric(name=name)
        self.assertEqual(list(self.presets.glob("*.json")), [])

    def test_names_that_windows_keeps_for_itself(self):
        bpy.ops.muslin.save_fabric(name="Con")
        self.assertEqual([path.name for path in self.presets.glob("*.json")], ["_con.json"])
        self.assertEqual(addon("fabric.fabric_list").chosen(self.garment).label, "Con")

    def test_removed_it_leaves_its_numbers(self):
        self.assertFalse(bpy.ops.muslin.remove_fabric.poll())  # one that comes with Muslin
        self.garment.density = 0.77
        bpy.ops.muslin.save_fabric(name="Mine")
        bpy.ops.muslin.remove_fabric()
        self.assertNotIn("mine", [item[0] for item in addon("fabric.fabric_list").items()])
        self.assertAlmostEqual(self.garment.density, 0.77, 6)

    def test_shared_as_a_file(self):
        self.garment.fabric = "wool"
        self.garment.bend = 3e-5
        path = self.folder / "thick wool"
        bpy.ops.muslin.export_fabric(filepath=str(path))
        self.garment.fabric = "cotton"
        bpy.ops.muslin.import_fabric(filepath=f"{path}.json")
        self.assertEqual(self.garment.fabric, "thick wool")
        self.assertAlmostEqual(self.garment.bend, 3e-5, 9)
        Path(f"{path}.json").write_text("{}")
        with self.assertRaisesRegex(RuntimeError, "material"):
            bpy.ops.muslin.import_fabric(filepath=f"{path}.json")
        with self.assertRaisesRegex(RuntimeError, "cannot be read"):
            bpy.ops.muslin.import_fabric(filepath=str(self.folder / "none.json"))

    def test_a_measured_fabric_is_saved_whole(self):
        rows = [[50, 3, 80, 30]] + [[60, 1, 120, 30]] * 5
        tin = {"density": 0.2, "stretching": rows, "bending": [[4e-6] * 5] * 3}
        (self.folder / "tin.json").write_text(json.dumps(tin))
        bpy.ops.muslin.import_fabric(filepath=str(self.folder / "tin.json"))
        self.assertEqual(self.garment.model, "membrane")
        bpy.ops.muslin.save_fabric(name="Copy of Tin")
        before = list(self.garment.stretch_samples)
        self.garment.fabric = "cotton"
        self.garment.fabric = "copy_of_tin"
        self.assertEqual(
            (self.garment.model, list(self.garment.stretch_samples)), ("membrane", before)
        )

    def test_a_folder_that_cannot_be_made_is_reported(self):
        blocked = self.folder / "file"
        blocked.write_text("")
        with mock.patch.object(
            addon("fabric.fabric_list"), "preset_folder", lambda: blocked / "muslin"
        ):
            with self.assertRaisesRegex(RuntimeError, "cannot be made"):
                bpy.ops.muslin.save_fabric(name="Mine")

    def test_files_that_cannot_be_written_or_removed_are_reported(self):
        bpy.ops.muslin.export_fabric(filepath=str(self.folder / "mine.json"))
        full = OSError(28, "No space left on device")
        with mock.patch.object(Path, "write_bytes", side_effect=full):
            with self.assertRaisesRegex(RuntimeError, "mine.json cannot be written: No space"):
                bpy.ops.muslin.import_fabric(filepath=str(self.folder / "mine.json"))
        bpy.ops.muslin.save_fabric(name="Mine")
        with mock.patch.object(Path, "unlink", side_effect=OSError(13, "Permission denied")):
            with self.assertRaisesRegex(RuntimeError, "mine.json cannot be removed: Permission"):
                bpy.ops.muslin.remove_fabric()

    def test_compared_by_its_label(self):
        bpy.ops.muslin.save_fabric(name="My Cloth")
        compare = addon("fabric.compare_fabrics").Comparison
        for word in ("My Cloth", "my cloth", "my_cloth"):
            job = compare(self.object, bpy.context.scene, [word])
            self.assertIn("Sheet in My Cloth", job.text)
            job.stop()


class CompareTest(unittest.TestCase):
    def setUp(self):
        self.scene = scenes.empty_scene()
        self.body = arm(0)
        self.sleeve = tube("Sleeve", RADIUS + 0.015, -0.25, 0.3, along=14)
        bpy.context.view_layer.objects.active = self.sleeve
        self.sleeve.muslin.enabled = True
        self.sleeve.muslin.colliders.add().object = self.body
        bpy.context.view_layer.update()

    def copies(self):
        found = bpy.data.collections["Fabrics of Sleeve"].objects
        return sorted(
            (o for o in found if " in " in o.name), key=lambda o: o.matrix_world.translation.x
        )

    def test_a_row_of_copies(self):
        before = scenes.modelled(self.sleeve)
        self.assertEqual(bpy.ops.muslin.compare_fabrics(fabrics="silk, Leather"), {"FINISHED"})
        silk, leather = self.copies()
        self.assertEqual((silk.name, leather.name), ("Sleeve in Silk", "Sleeve in Leather"))
        self.assertEqual(scenes.modelled(self.sleeve), before)
        self.assertEqual(self.sleeve.muslin.fabric, "cotton")
        shapes = [scenes.seen(obj) for obj in (silk, leather)]
        start = np.frombuffer(before, np.float32).reshape(-1, 3)
        for shape in shapes:
            self.assertGreater(np.abs(shape - start).max(), 0.002)
        self.assertGreater(np.abs(shapes[0] - shapes[1]).max(), 0.001)  # the fabrics differ
        collection = bpy.data.collections["Fabrics of Sleeve"]
        self.assertEqual(sum(obj.type == "FONT" for obj in collection.objects), 2)
        bodies = [obj for obj in collection.objects if obj.name.startswith("Arm")]
        self.assertEqual(len({obj.data for obj in bodies}), 1)
        widths = [obj.matrix_world.translation.x for obj in bodies]
        gap = self.body.matrix_world.translation.x
        self.assertGreater(min(widths) - gap, self.body.dimensions.x)
        self.assertFalse(any(obj.muslin.enabled for obj in (silk, leather)))
        self.assertIsNone(scenes.running().job)

    def test_a_name_that_is_none(self):
        with self.assertRaisesRegex(RuntimeError, "there is no fabric slik; there are cotton"):
            bpy.ops.muslin.compare_fabrics(fabrics="slik")
        with self.assertRaisesRegex(RuntimeError, "name a fabric"):
            bpy.ops.muslin.compare_fabrics(fabrics=" , ")
        self.assertIsNone(scenes.running().job)

    def test_stopped_it_keeps_what_is_ready(self):
        job = addon("fabric.compare_fabrics").Comparison(
            self.sleeve, self.scene, ["silk", "denim", "wool"]
        )
        while job.progress < 0.3:
            job.advance(0.001)
        job.advance(0.001)
        job.stop()
        self.assertEqual([obj.name for obj in self.copies()], ["Sleeve in Silk"])
        self.assertIn("1 of 3", job.result)
        self.assertFalse(scenes.running().is_busy())

    def at_the_second(self):
        """A comparison that has its first copy and works on the next."""
        job = addon("fabric.compare_fabrics").Comparison(self.sleeve, self.scene, ["silk", "denim"])
        while job.progress < 0.4:
            job.advance(0.001)
        job.advance(0.001)
        return job

    def test_stopped_before_the_first_it_leaves_nothing(self):
        meshes = {mesh.name for mesh in bpy.data.meshes}
        job = addon("fabric.compare_fabrics").Comparison(self.sleeve, self.scene, ["silk"])
        job.advance(0.001)
        self.assertGreater(len(bpy.data.meshes), len(meshes))
        job.stop()
        self.assertEqual(list(bpy.data.collections), [])
        self.assertEqual({mesh.name for mesh in bpy.data.meshes}, meshes)

    def test_what_is_deleted_meanwhile_is_reported(self):
        job = self.at_the_second()
        bpy.data.objects.remove(bpy.data.objects["Sleeve in Denim"])
        job.advance(None)
        self.assertIn("Sleeve in Denim was deleted", job.error)
        self.assertEqual([obj.name for obj in self.copies()], ["Sleeve in Silk"])
        job = self.at_the_second()
        bpy.data.collections.remove(bpy.data.collections["Fabrics of Sleeve.001"])
        job.advance(None)
        self.assertRegex(job.error, "is gone|was deleted")
        self.assertNotIn("Sleeve in Denim", bpy.data.objects)
        self.assertFalse(scenes.running().is_busy())

    def test_undone_meanwhile(self):
        bpy.ops.ed.undo_push(message="dressed")
        self.sleeve.location.x = 0.001
        bpy.ops.ed.undo_push(message="moved")
        job = self.at_the_second()
        bpy.ops.ed.undo()
        job.advance(None)
        self.assertRegex(job.error, "is gone|was deleted")
        self.assertNotIn("Sleeve in Denim", bpy.data.objects)
        self.assertFalse(scenes.running().is_busy())

    def test_copies_are_plain(self):
        garment = self.sleeve.muslin
        garment.fit.enabled = garment.together = garment.sewing.enabled = True
        garment.sewing.elastics.add().share = 0.9
        garment.output = "pc2"
        self.scene.frame_end = 2
        bpy.ops.muslin.bake(scope="ACTIVE")
        self.assertIn("muslin_warp", self.sleeve.data.attributes)
        bpy.ops.muslin.compare_fabrics(fabrics="silk")
        (copy,) = self.copies()
        made = copy.muslin
        chosen = made.enabled, made.together, made.fit.enabled, made.sewing.enabled
        self.assertFalse(any(chosen))
        self.assertEqual((made.baked.kind, made.baked.path, len(made.sewing.elastics)), ("", "", 0))
        self.assertFalse([one.name for one in copy.data.attributes if "muslin" in one.name])
        self.assertEqual(garment.baked.kind, "pc2")

    def test_a_mistake_leaves_nothing_stuck(self):
        class Button(addon("jobs").JobButton):
            _job, _timer, _next_show = mock.Mock(finished=False), "timer", 0.0

        button, context = Button(), mock.Mock()
        button._job.advance.side_effect = ReferenceError("removed")
        with self.assertRaises(ReferenceError):
            button.modal(context, mock.Mock(type="TIMER"))
        context.window_manager.event_timer_remove.assert_called_once_with("timer")
        button._job.leave.assert_called_once_with()

    def test_in_the_panel(self):
        layout = fake_layout.Layout()
        addon("fabric.fabric_ui").draw_fabric(
            layout, fake_layout.context_of(self.sleeve), self.sleeve
        )
        for name in ("save", "remove", "import", "export"):
            self.assertIn(("operator", f"muslin.{name}_fabric"), layout.drawn)
        self.assertIn(("operator", "muslin.compare_fabrics"), layout.drawn)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""What is shown is what was written, to the bit; in this Blender and in one without Muslin."""

import json
import os
import shutil
import unittest
from dataclasses import replace
from unittest import mock

import bpy
import numpy as np

from output_support import (
    VERTICES,
    OutputTest,
    bake,
    coordinates,
    different,
    frames,
    other_blender,
    sheet,
    shown,
)
from support import addon

exports = addon("output.exports")
output_kinds = addon("output.output_kinds")
find_cache = addon("output.find_cache")
modifier = addon("output.modifier")
preview = addon("preview.preview_view")
results = addon("output.results")
Problem = addon("scene.problems").Problem

KINDS = ("pc2", "mdd", "keys", "relative")

PLAY = """
import bpy, json, numpy as np
assert not hasattr(bpy.types.Object, "muslin"), "Muslin is installed here"
for path in PATHS:
    bpy.ops.wm.open_mainfile(filepath=path)
    found = []
    for frame in range(3, 11):
        bpy.context.scene.frame_set(frame)
        mesh = bpy.data.objects["Sheet"].evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        flat = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", flat)
        found.append(flat.tolist())
    print("PLAYED", json.dumps(found))
"""


def played(*paths):
    """Frames 3 to 10 of each file as another Blender shows them."""
    lines = other_blender(PLAY.replace("PATHS", repr(paths))).splitlines()
    found = [json.loads(line[7:]) for line in lines if line.startswith("PLAYED ")]
    return np.array(found, dtype=np.float32).reshape(len(paths), 8, -1, 3)


class Exact(OutputTest):
    def present(self, kind, obj=None, start=4):
        obj, data = obj or sheet(), frames()
        note = results.present(obj, bpy.context.scene, bake(obj, data, start), kind)
        self.assertEqual(obj.muslin.baked.kind, kind, note)
        return obj, data

    def test_every_kind_is_exact(self):
        for kind in KINDS:
            with self.subTest(kind):
                obj, data = self.present(kind)
                self.assertEqual(different(obj, data, 4), 0)
                self.assertEqual((shown(obj, 1) != data[0]).sum(), 0, "before the first frame")
                self.assertEqual((shown(obj, 50) != data[-1]).sum(), 0, "after the last frame")

    def test_a_wrong_start_would_show(self):
        obj, data = self.present("pc2")
        self.assertGreater(different(obj, data, 5), 0)

    def test_negative_frames(self):
        bpy.context.scene.frame_start = 1
        for kind in KINDS:
            obj, data = self.present(kind, start=-3)
            self.assertEqual(different(obj, data, -3), 0, kind)

    def test_remapped_time(self):
        render = bpy.context.scene.render
        for old, new in ((100, 50), (50, 100), (60, 100)):
            render.frame_map_old, render.frame_map_new = old, new
            for kind in KINDS:
                obj, data = self.present(kind)
                self.assertEqual(different(obj, data, 4), 0, f"{kind} {old} {new}")

    def test_freed_files_are_hidden_then_gone(self):
        obj, data = self.present("mdd")
        results.free(obj, undoable=True)
        self.assertFalse([name for name in self.caches() if name[0] != "." and "json" not in name])
        path = bake(obj, data[:2])
        results.present(obj, bpy.context.scene, path, "pc2")
        self.assertEqual(self.caches(), ["Sheet.muslin.json", "Sheet.pc2"])

    def test_freed_in_two_folders(self):
        """A save may only come long after: what the first folder hides must not be forgotten."""
        obj, data = self.present("pc2")
        results.free(obj, undoable=True)
        obj.muslin.cache_folder = "//other"
        results.present(obj, bpy.context.scene, bake(obj, data[:2]), "pc2")
        results.free(obj, undoable=True)
        results.purge()
        self.assertEqual(self.caches(), [])
        self.assertEqual(os.listdir(os.path.join(self.folder, "other")), [])

    def test_between_frames(self):
        """As motion blur asks for them, whatever the kind."""
        for kind in KINDS:
            obj, data = self.present(kind)
            bpy.context.scene.frame_set(4, subframe=0.5)
            np.testing.assert_allclose(shown(obj), (data[0] + data[1]) / 2, 1e-6, 1e-7, kind)

    def test_changing_the_kind_leaves_nothing(self):
        obj, before = sheet(), None
        before = coordinates(obj.data.vertices).tobytes()
        for kind in (*KINDS, *reversed(KINDS)):
            self.present(kind, obj)
            self.assertEqual(len(obj.modifiers), kind in ("pc2", "mdd"))
            self.assertEqual(obj.data.shape_keys is not None, kind in ("keys", "relative"))
            self.assertEqual("Sheet.mdd" in self.caches(), kind == "mdd")
        self.assertEqual(results.free(obj), "Freed")
        self.assertEqual(self.caches(), [])
        self.assertEqual(len(obj.modifiers), 0)
        self.assertIsNone(obj.data.shape_keys)
        self.assertEqual(len(bpy.data.actions), 0)
        self.assertEqual(coordinates(obj.data.vertices).tobytes(), before)

    def test_changed_mesh_is_refused(self):
        obj = sheet()
        path = bake(obj, frames(2, VERTICES + 1))
        with self.assertRaisesRegex(Problem, "26 vertices and Sheet has 25"):
            results.present(obj, bpy.context.scene, path, "pc2")

    def test_undo_and_redo(self):
        for kind in KINDS:
            with self.subTest(kind):
                bpy.ops.wm.read_homefile(use_empty=True)
                bpy.ops.wm.save_as_mainfile(filepath=os.path.join(self.folder, "shot.blend"))
                obj, data = sheet(), frames()
                base = coordinates(obj.data.vertices)
                bpy.ops.ed.undo_push(message="sheet")
                path = bake(obj, data, 4)
                results.present(obj, bpy.context.scene, path, kind)
                bpy.ops.ed.undo_push(message="baked")
                bpy.ops.ed.undo()
                obj = bpy.data.objects["Sheet"]
                self.assertEqual(obj.muslin.baked.kind, "")
                self.assertEqual((shown(obj, 5) != base).sum(), 0)
                self.assertTrue(os.path.exists(path), "undo deletes no cache")
                bpy.ops.ed.redo()
                obj = bpy.data.objects["Sheet"]
                self.assertEqual(obj.muslin.baked.kind, kind)
                self.assertEqual(different(obj, data, 4), 0)
                results.free(obj, undoable=True)
                bpy.ops.ed.undo_push(message="freed")
                self.assertEqual((shown(obj, 5) != base).sum(), 0)
                bpy.ops.ed.undo()
                obj = bpy.data.objects["Sheet"]
                self.assertEqual(different(obj, data, 4), 0, "a bake that was freed comes back")
                bpy.ops.ed.redo()
                obj = bpy.data.objects["Sheet"]
                self.assertEqual((shown(obj, 5) != base).sum(), 0)
                self.assertFalse(os.path.exists(path))
                self.save("shot.blend")
                self.assertEqual(self.caches(), [], "saved without it: gone for good")

    def test_undone_bake_shows_the_newer_file(self):
        for kind in ("pc2", "mdd"):
            obj, data = sheet(kind), frames()
            bpy.ops.ed.undo_push(message="sheet")
            results.present(obj, bpy.context.scene, bake(obj, data[:3], 4), kind)
            bpy.ops.ed.undo_push(message="first")
            results.present(obj, bpy.context.scene, bake(obj, data[2:], 9), "pc2")
            bpy.ops.ed.undo_push(message="second")
            bpy.ops.ed.undo()
            obj = bpy.data.objects[kind]
            self.assertFalse(results.heal(obj), "it is done after every undo")
            self.assertEqual(obj.muslin.baked.frame_start, 9)
            self.assertEqual(different(obj, data[2:], 9), 0)


class Elsewhere(OutputTest):
    def prepare(self, kind):
        obj, data = sheet(), frames(8)
        results.present(obj, bpy.context.scene, bake(obj, data, 3), kind)
        return data

    def test_plays_without_muslin(self):
        paths, baked = [], []
        for kind in KINDS:
            bpy.ops.wm.read_homefile(use_empty=True)
            self.save(f"{kind}/shot.blend")
            baked.append(self.prepare(kind))
            paths.append(self.save(f"{kind}/shot.blend"))
        for kind, found, data in zip(KINDS, played(*paths), baked):
            with self.subTest(kind):
                self.assertEqual(int((found != data).sum()), 0)

    def test_moved_with_its_folder(self):
        data = self.prepare("pc2")
        self.save("shot.blend")
        moved = self.folder + "-moved"
        shutil.move(self.folder, moved)
        self.addCleanup(shutil.rmtree, moved)
        self.assertEqual(int((played(os.path.join(moved, "shot.blend"))[0] != data).sum()), 0)

    def test_save_as_into_another_folder(self):
        for kind in KINDS:
            with self.subTest(kind):
                bpy.ops.wm.read_homefile(use_empty=True)
                self.save("shot.blend")
                data = self.prepare(kind)
                self.save("shot.blend")
                path = self.save("deep/er/copy.blend")
                obj = bpy.data.objects["Sheet"]
                self.assertEqual(different(obj, data, 3), 0)
                if kind == "mdd":  # the others: in this Blender
                    self.assertEqual(int((played(path)[0] != data).sum()), 0)
                original = os.path.join(self.folder, "muslin", "Sheet.pc2")
                self.assertEqual(find_cache.locate(obj), original)
                self.assertIn("another", results.free(obj))
                self.assertTrue(os.path.exists(original), "the first .blend still plays it")
                shutil.rmtree(os.path.join(self.folder, "muslin"))


class Preview(OutputTest):
    def test_shows_and_restores_to_the_bit(self):
        obj, data = sheet(), frames()
        base = coordinates(obj.data.vertices).tobytes()
        for frame in data:
            preview.show(obj, frame)
            bpy.context.view_layer.update()
            self.assertEqual((shown(obj) != frame).sum(), 0)
        self.assertEqual((shown(obj, 77) != data[-1]).sum(), 0)
        self.assertTrue(preview.hide(obj))
        self.assertFalse(preview.hide(obj))
        self.assertEqual(shown(obj).tobytes(), base)
        self.assertEqual(coordinates(obj.data.vertices).tobytes(), base)

    def test_wins_over_the_cache(self):
        obj, data = sheet(), frames()
        results.present(obj, bpy.context.scene, bake(obj, data[:5]), "pc2")
        preview.show(obj, data[5])
        self.assertEqual((shown(obj, 1) != data[5]).sum(), 0)
        preview.hide(obj)
        self.assertEqual(different(obj, data[:5], 1), 0)

    def test_wins_over_keys(self):
        obj, data = sheet(), frames()
        for kind in ("keys", "relative"):
            results.present(obj, bpy.context.scene, bake(obj, data[:5]), kind)
            preview.show(obj, data[5])
            self.assertEqual((shown(obj, 1) != data[5]).sum(), 0)
            preview.hide(obj)
            self.assertEqual(different(obj, data[:5], 1), 0)

    def test_never_saved(self):
        obj, data = sheet(), frames()
        preview.show(obj, data[0])
        taken = preview.take_out()
        path = self.save("shot.blend")
        self.assertEqual(len(obj.modifiers), 0)
        preview.put_back(taken)
        self.assertEqual((shown(obj) != data[0]).sum(), 0)
        bpy.ops.wm.open_mainfile(filepath=path)
        self.assertEqual(len(bpy.data.objects["Sheet"].modifiers), 0)

    def test_leftovers_go(self):
        obj = sheet()
        preview.show(obj, frames(1)[0])
        bpy.ops.wm.open_mainfile(filepath=self.save("shot.blend"))
        preview.remove_leftovers()
        self.assertEqual(len(bpy.data.objects["Sheet"].modifiers), 0)

    def test_folder_is_removed_and_made_again(self):
        obj, data = sheet(), frames(2)
        preview.show(obj, data[0])
        place = preview.folder()
        preview.forget()
        self.assertFalse(os.path.exists(place))
        preview.show(obj, data[1])
        self.assertEqual((shown(obj) != data[1]).sum(), 0)


class Place(OutputTest):
    def test_between_deformers_and_the_rest(self):
        for kind in (modifier.CACHE, modifier.PREVIEW):
            obj = sheet()
            obj.modifiers.new("Wave", "WAVE")
            obj.modifiers.new("Subdivision", "SUBSURF")
            modifier.attach(obj, kind, "//x.pc2")
            self.assertEqual([m.name for m in obj.modifiers], ["Wave", kind, "Subdivision"])

    def test_no_context_is_overridden(self):
        """Whatever the artist edits meanwhile; 3.4 has only an operator that moves modifiers."""
        obj, other = sheet(), sheet("Other")
        obj.modifiers.new("Subdivision", "SUBSURF")
        bpy.ops.object.mode_set(mode="EDIT")
        with mock.patch.object(modifier, "_overridden", side_effect=AssertionError):
            modifier.attach(obj, modifier.CACHE, "//x.pc2")
        self.assertEqual([m.name for m in obj.modifiers], ["Muslin Cache", "Subdivision"])
        self.assertEqual(bpy.context.view_layer.objects.active, other)
        self.assertEqual((bpy.context.mode, other.mode, obj.mode), ("EDIT_MESH", "EDIT", "OBJECT"))
        bpy.ops.object.mode_set(mode="OBJECT")

    def test_the_artist_may_move_it(self):
        obj, data = sheet(), frames()
        results.present(obj, bpy.context.scene, bake(obj, data), "pc2")
        obj.modifiers.new("Wave", "WAVE")
        results.present(obj, bpy.context.scene, bake(obj, data), "pc2")
        self.assertEqual([m.name for m in obj.modifiers], ["Muslin Cache", "Wave"])

    def test_namesake_of_another_type_is_not_ours(self):
        obj = sheet()
        obj.modifiers.new("Muslin Cache", "WAVE")
        results.present(obj, bpy.context.scene, bake(obj, frames()), "pc2")
        self.assertEqual(len(obj.modifiers), 2)
        results.free(obj)
        self.assertEqual([m.type for m in obj.modifiers], ["WAVE"])

    def test_object_outside_the_scene(self):
        obj = sheet()
        obj.modifiers.new("Subdivision", "SUBSURF")
        bpy.context.scene.collection.objects.unlink(obj)
        preview.show(obj, frames(1)[0])
        self.assertEqual([m.name for m in obj.modifiers], ["Muslin Preview", "Subdivision"])


class Exports(OutputTest):
    def test_missing_exporters_are_said_plainly(self):
        for kind, name in (("abc", "Alembic"), ("usd", "USD")):
            if exports.available(output_kinds.BY_NAME[kind]):
                continue
            obj = sheet()
            with self.assertRaisesRegex(Problem, f"built without {name}"):
                results.check(obj, kind)
            path = bake(obj, frames())
            with self.assertRaisesRegex(Problem, f"built without {name}"):
                results.present(obj, bpy.context.scene, path, kind)
            self.assertTrue(os.path.exists(path))

    def test_present_exporters_export(self):
        for kind in output_kinds.KINDS:
            if kind.operator and exports.available(kind):
                obj = sheet()
                results.present(obj, bpy.context.scene, bake(obj, frames()), kind.name)
                place = find_cache.locate(obj)[:-4] + kind.ending
                self.assertGreater(os.path.getsize(place), 1000)
                results.free(obj)
                self.assertFalse(os.path.exists(place))

    def test_only_the_garment_and_everything_put_back(self):
        """With an exporter that only looks: Debian's Blenders have none."""
        obj, other, seen = sheet(), sheet("Other"), []
        scene = bpy.context.scene

        class Looks(bpy.types.Operator):
            bl_idname = "wm.muslin_looks"
            bl_label = "Looks"
            filepath: bpy.props.StringProperty()
            selected: bpy.props.BoolProperty()
            start: bpy.props.IntProperty()
            end: bpy.props.IntProperty()

            def execute(self, context):
                seen.append([o.name for o in context.selected_objects])
                seen.append((self.start, self.end, scene.frame_start, scene.frame_end))
                with open(self.filepath, "w") as file:
                    file.write("Ogawa, exported")  # as Alembic files begin
                return {"FINISHED"}

        bpy.utils.register_class(Looks)
        self.addCleanup(bpy.utils.unregister_class, Looks)
        looks = replace(output_kinds.BY_NAME["abc"], operator="muslin_looks")
        patch = mock.patch.dict(output_kinds.BY_NAME, abc=looks)
        patch.start()
        self.addCleanup(patch.stop)
        obj.select_set(False)
        other.select_set(True)
        bpy.context.view_layer.objects.active = other
        scene.frame_set(17)
        results.present(obj, scene, bake(obj, frames(), 4), "abc")
        self.assertEqual(seen, [["Sheet"], (4, 9, 4, 9)])
        self.assertEqual([o.name for o in bpy.context.selected_objects], ["Other"])
        self.assertEqual(bpy.context.view_layer.objects.active, other)
        self.assertEqual((scene.frame_start, scene.frame_end, scene.frame_current), (1, 250, 17))
        self.assertIn("Sheet.abc", self.caches())
        self.assertEqual(different(obj, frames(), 4), 0)
        results.free(obj)
        self.assertEqual(self.caches(), [])


if __name__ == "__main__":
    unittest.main()

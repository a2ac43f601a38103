# SPDX-License-Identifier: GPL-3.0-or-later
"""Shape keys of a bake beside the artist's own: those are never touched."""

import unittest

import bpy

from output_support import OutputTest, bake, coordinates, different, frames, sheet, shown
from support import addon

arrays = addon("scene.arrays")
keys = addon("output.keys")
modifier = addon("output.modifier")
results = addon("output.results")
Problem = addon("scene.problems").Problem


def animate(obj, name, value):
    """The artist's own curve."""
    key = obj.data.shape_keys
    block = key.key_blocks[name]
    block.value = value
    block.keyframe_insert("value", frame=1)
    return key.animation_data.action


def portrait(obj):
    """Everything of the artist's keys that must stay as it is."""
    key = obj.data.shape_keys
    if key is None:
        return None
    blocks = [
        (b.name, b.value, b.mute, b.slider_max, b.vertex_group, b.relative_key.name, b.frame)
        + (coordinates(b.data).tobytes(),)
        for b in key.key_blocks
    ]
    animation = key.animation_data
    action = animation.action.name if animation and animation.action else None
    points = [
        (curve.data_path, [tuple(point.co) for point in curve.keyframe_points])
        for group in keys.curves(key)
        for curve in group
    ]
    drivers = [d.data_path for d in animation.drivers] if animation else []
    state = (key.use_relative, key.eval_time, obj.active_shape_key_index, sorted(key.keys()))
    return blocks, animation is None, action, points, drivers, state


class Keys(OutputTest):
    def artist(self, count=2):
        """A sheet with the artist's own keys, all at rest, the last one active."""
        obj = sheet()
        obj.shape_key_add(name="Basis", from_mix=False)
        for index in range(count):
            block = obj.shape_key_add(name=f"Fold {index}", from_mix=False)
            block.data[index].co.z += 0.25
            block.value = 0.0
        obj.active_shape_key_index = count
        return obj

    def present(self, obj, kind, start=1, data=None):
        data = frames() if data is None else data
        note = results.present(obj, bpy.context.scene, bake(obj, data, start), kind)
        return data, note

    def untouched(self, obj, wanted_kind, asked="keys", word=""):
        """A bake and its end leave the artist's keys as they were."""
        before = portrait(obj)
        data, note = self.present(obj, asked)
        self.assertEqual(obj.muslin.baked.kind, wanted_kind, note)
        self.assertIn(word, note)
        if before:
            names = [block[0] for block in before[0]]
            found = [block.name for block in obj.data.shape_keys.key_blocks]
            self.assertEqual(found[: len(names)], names)
            self.assertEqual(obj.active_shape_key_index, before[5][2])
        self.assertEqual(different(obj, data, 1), 0)
        bpy.context.scene.frame_set(1)
        self.present(obj, asked, data=data[:3])  # again, over the first
        results.free(obj)
        bpy.context.scene.frame_set(1)
        self.assertEqual(portrait(obj), before)
        return note

    def test_names(self):
        obj = sheet()
        self.present(obj, "keys", start=9)
        wanted = ["Basis", "Muslin Rest", *(f"Muslin {frame:04d}" for frame in range(9, 15))]
        self.assertEqual([b.name for b in obj.data.shape_keys.key_blocks], wanted)

    def test_without_own_keys(self):
        self.untouched(sheet(), "keys")
        self.untouched(sheet(), "relative", "relative")
        self.assertEqual(len(bpy.data.actions), 0)

    def test_with_a_basis_only(self):
        for kind in ("keys", "relative"):
            self.untouched(self.artist(0), kind, kind)

    def test_own_relative_keys(self):
        self.untouched(self.artist(), "relative", "keys", "Relative instead of absolute")
        self.untouched(self.artist(), "relative", "relative")
        self.assertEqual(len(bpy.data.actions), 0)

    def test_namesakes(self):
        obj = self.artist(0)
        block = obj.shape_key_add(name="Muslin 0001", from_mix=False)
        block.data[3].co.x = 5
        block.value = 0.0
        self.untouched(obj, "relative")

    def test_muted_key_is_no_obstacle(self):
        obj = self.artist()
        obj.data.shape_keys.key_blocks["Fold 1"].value = 0.5
        obj.data.shape_keys.key_blocks["Fold 1"].mute = True
        self.untouched(obj, "relative")

    def test_keys_in_use(self):
        obj = self.artist()
        obj.data.shape_keys.key_blocks["Fold 1"].value = 0.5
        self.untouched(obj, "pc2", "keys", "Fold 1 is in use")

    def test_animated_and_driven_keys(self):
        obj = self.artist()
        animate(obj, "Fold 0", 0.0)
        self.untouched(obj, "pc2", "relative", "Fold 0 is in use")
        obj = self.artist()
        obj.data.shape_keys.key_blocks["Fold 0"].driver_add("value")
        self.untouched(obj, "pc2", "keys", "Fold 0 is in use")

    def test_own_absolute_keys(self):
        obj = self.artist()
        obj.data.shape_keys.use_relative = False
        self.untouched(obj, "pc2", "keys", "absolute keys of its own")

    def test_own_curves_in_the_same_action(self):
        obj = self.artist()
        action = animate(obj, "Fold 0", 0.0)
        obj.data.shape_keys.key_blocks["Fold 0"].keyframe_delete("value", frame=1)
        key = obj.data.shape_keys
        if key.animation_data is None or key.animation_data.action is None:
            key.animation_data_create()
            key.animation_data.action = action
        key.key_blocks["Fold 1"].slider_max = 2.0
        key.key_blocks["Fold 1"].keyframe_insert("slider_max", frame=3)
        self.untouched(obj, "relative")
        self.assertIn(action.name, bpy.data.actions)

    def test_animated_time_makes_them_relative(self):
        obj = self.artist(0)
        key = obj.data.shape_keys
        key.eval_time = 3.0
        key.keyframe_insert("eval_time", frame=1)
        self.untouched(obj, "relative", "keys", "animated already")

    def test_shared_action(self):
        first, second = self.artist(), self.artist()
        action = animate(first, "Fold 0", 0.0)
        second.data.shape_keys.animation_data_create()
        second.data.shape_keys.animation_data.action = action
        self.untouched(second, "pc2", "relative")

    def test_what_the_artist_adds_later_stays(self):
        for kind in ("keys", "relative"):
            obj = sheet()
            self.present(obj, kind)
            obj.shape_key_add(name="Later", from_mix=False).data[0].co.z = 7
            results.free(obj)
            key = obj.data.shape_keys
            self.assertEqual([b.name for b in key.key_blocks], ["Basis", "Later"])
            self.assertTrue(key.use_relative)
            self.assertEqual(key.key_blocks["Later"].data[0].co.z, 7)

    def test_renamed_key_stays(self):
        obj = sheet()
        self.present(obj, "keys")
        obj.data.shape_keys.key_blocks["Muslin 0003"].name = "Keep this"
        results.free(obj)
        self.assertEqual([b.name for b in obj.data.shape_keys.key_blocks], ["Basis", "Keep this"])

    def test_basis_that_the_artist_deletes(self):
        """Then the last of Muslin's keys takes all keys with it, and the mesh stays as it is modelled."""
        for kind in ("keys", "relative"):
            obj = sheet()
            modelled = coordinates(obj.data.vertices).tobytes()
            data, _ = self.present(obj, kind)
            obj.shape_key_remove(obj.data.shape_keys.key_blocks["Basis"])
            self.assertEqual(coordinates(obj.data.vertices).tobytes(), modelled)
            self.assertEqual(arrays.modelled_positions(obj.data).tobytes(), modelled)
            self.assertEqual(different(obj, data, 1), 0)
            self.present(obj, kind, data=data[:3])  # again, as if nothing had happened
            self.assertEqual(obj.data.shape_keys.key_blocks[0].name, "Basis")
            obj.shape_key_remove(obj.data.shape_keys.key_blocks["Basis"])
            results.free(obj)
            self.assertIsNone(obj.data.shape_keys)
            self.assertEqual(coordinates(obj.data.vertices).tobytes(), modelled)
            self.assertEqual((obj.muslin.baked.kind, len(bpy.data.actions)), ("", 0))

    def test_basis_that_the_artist_deletes_under_own_keys(self):
        """Without one, the mesh would get the shape of the artist's next key when Muslin's go."""
        for kind in ("keys", "relative"):
            obj = sheet()
            modelled = coordinates(obj.data.vertices).tobytes()
            self.present(obj, kind)
            obj.shape_key_add(name="Later", from_mix=False).data[0].co.z = 7
            obj.shape_key_remove(obj.data.shape_keys.key_blocks["Basis"])
            results.free(obj)
            blocks = obj.data.shape_keys.key_blocks
            self.assertEqual([block.name for block in blocks], ["Basis", "Later"])
            self.assertEqual(blocks["Later"].relative_key.name, "Basis")
            for place in (obj.data.vertices, blocks["Basis"].data):
                self.assertEqual(coordinates(place).tobytes(), modelled)
            self.assertEqual(blocks["Later"].data[0].co.z, 7)

    def test_continue_with_more_frames(self):
        for kind in ("keys", "relative"):
            obj, data = sheet(), frames(9)
            self.present(obj, kind, data=data[:5])
            path = bake(obj, data[5:], continue_from=5)
            results.present(obj, bpy.context.scene, path, kind)
            self.assertEqual(different(obj, data, 1), 0)
            self.assertEqual(obj.muslin.baked.frame_end, 9)

    def test_a_deformer_before_the_cloth(self):
        obj = sheet()
        obj.modifiers.new("Wave", "WAVE")
        self.untouched(obj, "pc2", "keys", "Wave would deform them a second time")

    def test_edit_mode(self):
        obj = sheet()
        data, _ = self.present(obj, "keys")
        bpy.context.view_layer.objects.active = obj
        bpy.ops.object.mode_set(mode="EDIT")
        with self.assertRaisesRegex(Problem, "Leave edit mode"):
            results.free(obj)
        bpy.ops.object.mode_set(mode="OBJECT")
        self.assertEqual(different(obj, data, 1), 0)
        other = sheet()
        bpy.context.view_layer.objects.active = other
        bpy.ops.object.mode_set(mode="EDIT")
        _, note = self.present(other, "keys")
        self.assertIn("edit mode", note)
        bpy.ops.object.mode_set(mode="OBJECT")
        self.assertEqual(different(other, data, 1), 0)

    def test_shared_mesh(self):
        obj = sheet()
        twin = bpy.data.objects.new("Twin", obj.data)
        bpy.context.scene.collection.objects.link(twin)
        data, note = self.present(obj, "keys")
        self.assertIn("Twin", note)
        self.assertEqual(different(twin, data, 1), 0)
        _, note = self.present(obj, "auto")
        self.assertEqual(obj.muslin.baked.kind, "pc2")
        self.assertIn("Twin", note)
        self.assertEqual(len(twin.modifiers), 0)
        self.assertIsNone(twin.data.shape_keys)

    def test_linked_mesh(self):
        sheet("Linked")
        path = self.save("library.blend")
        bpy.ops.wm.read_homefile(use_empty=True)
        self.save("shot.blend")
        with bpy.data.libraries.load(path, link=True) as (_, wanted):
            wanted.meshes = ["Linked"]
        obj = bpy.data.objects.new("Shirt", bpy.data.meshes["Linked"])
        bpy.context.scene.collection.objects.link(obj)
        for kind in ("keys", "relative"):
            with self.assertRaisesRegex(Problem, "Choose PC2 Cache, or make the mesh local"):
                results.check(obj, kind)
        data, note = self.present(obj, "auto")
        self.assertEqual(obj.muslin.baked.kind, "pc2")
        self.assertIn("linked", note)
        self.assertEqual(different(obj, data, 1), 0)
        results.free(obj)

    def test_linked_object(self):
        sheet("Linked")
        path = self.save("library.blend")
        bpy.ops.wm.read_homefile(use_empty=True)
        with bpy.data.libraries.load(path, link=True) as (_, wanted):
            wanted.objects = ["Linked"]
        with self.assertRaisesRegex(Problem, "make it local"):
            results.check(bpy.data.objects["Linked"], "pc2")

    def test_lock_is_said(self):
        obj = sheet()
        obj.show_only_shape_key = True
        self.assertIn("Lock", self.present(obj, "keys")[1])

    def test_duplicate_keeps_its_keys(self):
        obj = sheet()
        data, _ = self.present(obj, "relative")
        double = obj.copy()
        double.data = obj.data.copy()
        bpy.context.scene.collection.objects.link(double)
        results.free(obj)
        self.assertEqual(different(double, data, 1), 0)
        results.free(double)
        self.assertIsNone(double.data.shape_keys)
        self.assertEqual(len(bpy.data.actions), 0)

    def test_bake_of_a_duplicate(self):
        obj = sheet()
        data, _ = self.present(obj, "keys")
        double = obj.copy()
        double.data = obj.data.copy()
        bpy.context.scene.collection.objects.link(double)
        other = frames(seed=8)
        _, note = self.present(double, "keys", data=other)
        self.assertEqual(double.muslin.baked.kind, "keys", note)
        self.assertEqual(different(double, other, 1), 0)
        self.assertEqual(different(obj, data, 1), 0)

    def test_the_bake_is_off_when_it_is_quiet(self):
        """What the simulation reads must not hold its own result."""
        place = addon("scene.place")
        for kind in ("keys", "relative", "pc2"):
            obj = sheet()
            base = coordinates(obj.data.vertices)
            data, _ = self.present(obj, kind)
            with place.quiet(obj, bpy.context.view_layer):
                self.assertEqual((shown(obj) != base).sum(), 0, kind)
            bpy.context.view_layer.update()
            self.assertEqual(different(obj, data, 1), 0, kind)


class Choice(OutputTest):
    def test_the_limit(self):
        kind, why = results.choose("auto", 10000, 100)
        self.assertEqual(kind, "keys")
        self.assertEqual(why, "Shape keys: only 12 MB")
        self.assertEqual(results.choose("auto", 81, 4)[1], "Shape keys: only 3.9 kB")
        kind, why = results.choose("auto", 20000, 250)
        self.assertEqual(kind, "pc2")
        self.assertIn("60 MB of shape keys would be written with every save (limit 32 MB)", why)
        self.assertEqual(results.choose("mdd", 20000, 250), ("mdd", ""))

    def test_auto_takes_what_is_possible(self):
        obj = sheet()
        obj.shape_key_add(name="Basis")
        obj.shape_key_add(name="Mine", from_mix=False).value = 0.0
        note = results.present(obj, bpy.context.scene, bake(obj, frames()), "auto")
        self.assertEqual(obj.muslin.baked.kind, "relative")
        self.assertIn("relative keys of its own", note)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins follow everything before the cloth exactly once, and a quiet read leaves no trace."""

import os
import struct
import tempfile
import unittest

import bpy
import mathutils
import numpy as np
import feed_scenes as scenes
from support import addon

feed = addon("garment.feed")
place = addon("scene.place")
muslin = addon("muslin")
Problem = addon("scene.problems").Problem
STEP = 1 / 24


class Watched:
    """Stands before a cloth and remembers what it is told about pins."""

    def __init__(self, cloth):
        self._cloth = cloth
        self.targets = None

    def __getattr__(self, name):
        return getattr(self._cloth, name)

    def set_pins(self, vertices, weights=None, targets=None):
        self.targets = targets
        self._cloth.set_pins(vertices, weights, targets)

    def move_pins(self, targets):
        self.targets = targets
        self._cloth.move_pins(targets)


def begin(obj):
    scene, depsgraph = bpy.context.scene, scenes.depsgraph()
    made = feed.Feed(obj, scene, depsgraph)
    cloth = Watched(muslin.Cloth(made.garment.mesh, **made.garment.settings))
    made.begin(cloth, obj, scene, depsgraph)
    return made, cloth


def follow(made, cloth, obj, **how):
    made.follow(cloth, obj, bpy.context.scene, scenes.depsgraph(), **how)


def bone(name="Rig", length=1.0):
    """An armature of one bone along the world's z, animated by the caller."""
    data = bpy.data.armatures.new(name)
    rig = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    made = data.edit_bones.new("Bone")
    made.head, made.tail = (0, 0, 0), (0, 0, length)
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def fake_cache(obj, folder, name="Muslin Cache"):
    """A cache of one frame that puts all vertices far away, as a finished bake would."""
    count = len(obj.data.vertices)
    path = os.path.join(folder, "far.pc2")
    with open(path, "wb") as file:
        file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, count, 0.0, 1.0, 1))
        file.write(np.full((count, 3), 77.0, dtype="<f4").tobytes())
    modifier = obj.modifiers.new(name, "MESH_CACHE")
    modifier.cache_format, modifier.filepath = "PC2", path
    return modifier


class Following(unittest.TestCase):
    def setUp(self):
        scenes.empty()
        self.cloth = scenes.garment()
        scenes.group(self.cloth, "Pin", {0: 1.0, 4: 0.5, 24: 1.0})
        self.cloth.muslin.pin_group = "Pin"
        self.pins = [0, 4, 24]

    def rig(self):
        """Armature, parent and shape key all at once; each animated from frame 1 to 11."""
        cloth = self.cloth
        cloth.shape_key_add(name="Basis")
        key = cloth.shape_key_add(name="Lift")
        for number, point in enumerate(key.data):
            point.co = point.co + mathutils.Vector((0, 0, 0.1 * number))
        carrier = bpy.data.objects.new("Carrier", None)
        bpy.context.scene.collection.objects.link(carrier)
        rig = bone()
        scenes.group(cloth, "Bone", {number: 1.0 for number in range(25)})
        modifier = cloth.modifiers.new("Armature", "ARMATURE")
        modifier.object = rig
        cloth.parent = rig.parent = carrier
        cloth.scale, cloth.location = (-1.0, 2.0, 0.5), (0.2, 0.1, 0.0)
        return carrier, rig, key

    def pose(self, carrier, rig, key, share):
        carrier.location = (3 * share, 1.0, 0.0)
        carrier.rotation_euler = (0.0, 0.7 * share, 0.0)
        rig.pose.bones["Bone"].rotation_mode = "XYZ"
        rig.pose.bones["Bone"].rotation_euler = (0.0, 0.9 * share, 0.0)
        key.value = share

    def keyframes(self, carrier, rig, key):
        for frame, share in ((1, 0.0), (11, 1.0)):
            self.pose(carrier, rig, key, share)
            carrier.keyframe_insert("location", frame=frame)
            carrier.keyframe_insert("rotation_euler", frame=frame)
            rig.pose.bones["Bone"].keyframe_insert("rotation_euler", frame=frame)
            key.keyframe_insert("value", frame=frame)

    def expected(self, carrier, rig, key):
        """By hand, in double precision: key, then bone in the rig's space, then the object."""
        posed = np.array(
            rig.pose.bones["Bone"].matrix @ rig.data.bones["Bone"].matrix_local.inverted()
        )
        carried, own = np.array(carrier.matrix_world), np.array(self.cloth.matrix_basis)
        found = []
        for number in self.pins:
            point = np.array([*self.cloth.data.vertices[number].co, 1.0])
            point[2] += key.value * 0.1 * number
            bent = posed @ (own @ point)  # rig and cloth have the same parent
            found.append((carried @ bent)[:3])
        return np.array(found)

    def check(self, made, cloth, parts):
        for frame in (4, 11, 7):
            bpy.context.scene.frame_set(frame)
            follow(made, cloth, self.cloth)
            np.testing.assert_allclose(cloth.targets, self.expected(*parts), atol=3e-6)

    def test_armature_parent_and_key_once(self):
        parts = self.rig()
        self.keyframes(*parts)
        bpy.context.scene.frame_set(1)
        made, cloth = begin(self.cloth)
        np.testing.assert_allclose(cloth.targets, self.expected(*parts), atol=3e-6)
        self.check(made, cloth, parts)

    def test_under_a_finished_bake_and_subdivision(self):
        parts = self.rig()
        self.keyframes(*parts)
        with tempfile.TemporaryDirectory() as folder:
            fake_cache(self.cloth, folder)
            self.cloth.modifiers.new("Subdivision", "SUBSURF")
            bpy.context.scene.frame_set(1)
            made, cloth = begin(self.cloth)
            self.assertLess(np.abs(made.garment.start).max(), 50)
            self.check(made, cloth, parts)
            self.assertTrue(all(m.show_viewport for m in self.cloth.modifiers))
            evaluated = self.cloth.evaluated_get(scenes.depsgraph())
            self.assertAlmostEqual(evaluated.data.vertices[0].co.x, 77.0, places=3)

    def test_inside_a_frame_change(self):
        """The live preview reads while Blender tells of a new frame."""
        parts = self.rig()
        self.keyframes(*parts)
        self.cloth.modifiers.new("Solid", "SOLIDIFY")
        bpy.context.scene.frame_set(1)
        made, cloth = begin(self.cloth)
        seen = {}

        def reported(scene, depsgraph):
            made.follow(cloth, bpy.data.objects["Cloth"], scene, depsgraph)
            seen[scene.frame_current] = np.array(cloth.targets)

        bpy.app.handlers.frame_change_post.append(reported)
        try:
            for frame in (5, 6, 11):
                bpy.context.scene.frame_set(frame)
                np.testing.assert_allclose(seen[frame], self.expected(*parts), atol=3e-6)
        finally:
            bpy.app.handlers.frame_change_post.remove(reported)

    def test_in_a_scene_that_is_not_looked_at(self):
        parts = self.rig()
        self.keyframes(*parts)
        self.cloth.modifiers.new("Solid", "SOLIDIFY")
        scene = bpy.context.scene
        layer = scene.view_layers[0]
        bpy.context.window.scene = bpy.data.scenes.new("Other")
        scene.frame_set(1)
        layer.update()
        made = feed.Feed(self.cloth, scene, layer.depsgraph)
        cloth = Watched(muslin.Cloth(made.garment.mesh, **made.garment.settings))
        made.begin(cloth, self.cloth, scene, layer.depsgraph)
        scene.frame_set(7)
        made.follow(cloth, self.cloth, scene, layer.depsgraph)
        bpy.context.window.scene = scene
        np.testing.assert_allclose(cloth.targets, self.expected(*parts), atol=3e-6)

    def test_under_muslins_own_keys(self):
        """Absolute keys that Muslin made move the mesh, but not what is read of it."""
        cloth = self.cloth
        cloth.shape_key_add(name="Basis")
        for number in range(3):
            block = cloth.shape_key_add(name=f"Muslin {number}")
            for point in block.data:
                point.co = (9, 9, 9)
            block.value = 1.0
        keys = cloth.data.shape_keys
        for relative in (False, True):
            scenes.record_keys(cloth, absolute=not relative)
            keys.use_relative = relative
            keys.eval_time = 20
            made, watched = begin(cloth)
            np.testing.assert_allclose(watched.targets, scenes.local(cloth)[self.pins], atol=1e-6)
            # and with something that has to be evaluated
            modifier = cloth.modifiers.new("Nothing", "CAST")
            modifier.factor = 0.0
            made, watched = begin(cloth)
            np.testing.assert_allclose(watched.targets, scenes.local(cloth)[self.pins], atol=1e-6)
            cloth.modifiers.remove(modifier)
            self.assertEqual(keys.use_relative, relative)
            self.assertFalse(any(block.mute for block in keys.key_blocks))

    def test_parent_alone_is_not_evaluated_twice(self):
        carrier = bpy.data.objects.new("Carrier", None)
        bpy.context.scene.collection.objects.link(carrier)
        self.cloth.parent = carrier
        made, cloth = begin(self.cloth)
        carrier.location.x = 2.5
        follow(made, cloth, self.cloth)
        wanted = scenes.local(self.cloth)[self.pins] + (2.5, 0, 0)
        np.testing.assert_allclose(cloth.targets, wanted, atol=1e-6)
        bpy.context.scene.unit_settings.scale_length = 0.01
        follow(made, cloth, self.cloth)
        np.testing.assert_allclose(cloth.targets, 0.01 * wanted, atol=1e-8)
        self.assertFalse(place.is_deformed(self.cloth))

    def test_armature_as_deforming_parent(self):
        """The old way: the armature is a parent that bends, without any modifier."""
        rig = bone()
        scenes.group(self.cloth, "Bone", {number: 1.0 for number in range(25)})
        self.cloth.parent, self.cloth.parent_type = rig, "ARMATURE"
        made, cloth = begin(self.cloth)
        rig.pose.bones["Bone"].location = (0, 1, 0)  # along the bone: the world's z
        follow(made, cloth, self.cloth)
        wanted = scenes.local(self.cloth)[self.pins] + (0, 0, 1)
        np.testing.assert_allclose(cloth.targets, wanted, atol=1e-5)

    def test_pins_are_at_their_targets_after_a_step(self):
        made, cloth = begin(self.cloth)
        self.cloth.location.z = 0.25
        follow(made, cloth, self.cloth)
        cloth.step(STEP)
        np.testing.assert_allclose(cloth.positions()[[0, 24], 2], 0.25, atol=1e-6)
        self.assertLess(cloth.positions()[12, 2], 0.2)

    def test_no_pins_reads_nothing(self):
        self.cloth.muslin.pin_group = ""
        made, cloth = begin(self.cloth)
        cloth.targets = None
        follow(made, cloth, self.cloth)
        self.assertIsNone(cloth.targets)

    def test_edit_mode_keeps_the_pins(self):
        made, cloth = begin(self.cloth)
        self.cloth.location.z = 1
        bpy.context.view_layer.objects.active = self.cloth
        bpy.ops.object.mode_set(mode="EDIT")
        try:
            cloth.targets = None
            follow(made, cloth, self.cloth)
            self.assertIsNone(cloth.targets)
        finally:
            bpy.ops.object.mode_set(mode="OBJECT")

    def test_changed_topology_is_reported(self):
        made, cloth = begin(self.cloth)
        self.cloth.data.vertices.add(1)
        with self.assertRaisesRegex(Problem, "Cloth has 26 vertices now, but 25"):
            follow(made, cloth, self.cloth)

    def test_a_pin_without_a_place(self):
        made, cloth = begin(self.cloth)
        self.cloth.data.vertices[4].co.x = float("nan")
        with self.assertRaisesRegex(Problem, r"1 pinned vertex \(4\)") as caught:
            follow(made, cloth, self.cloth)
        self.assertEqual(caught.exception.indices, [4])


class Quiet(unittest.TestCase):
    def setUp(self):
        scenes.empty()
        self.cloth = scenes.garment()
        self.cloth.modifiers.new("Cast", "CAST")
        self.cloth.modifiers.new("Muslin Preview", "MESH_CACHE")
        self.cloth.modifiers.new("Solid", "SOLIDIFY")
        self.cloth.modifiers.new("Off", "SUBSURF").show_viewport = False
        self.cloth.shape_key_add(name="Basis")
        self.cloth.shape_key_add(name="Muslin 1").mute = False
        self.cloth.shape_key_add(name="Muslin 2").mute = True
        self.cloth.shape_key_add(name="Mine").mute = False
        self.cloth.shape_key_add(name="Muslin of Old").mute = False  # kept by the artist
        self.cloth.data.shape_keys.use_relative = False
        scenes.record_keys(self.cloth, absolute=True)

    def flags(self):
        keys = self.cloth.data.shape_keys
        return (
            [m.show_viewport for m in self.cloth.modifiers],
            [block.mute for block in keys.key_blocks],
            keys.use_relative,
        )

    def test_switches_off_what_comes_after(self):
        with place.quiet(self.cloth, bpy.context.view_layer):
            modifiers, mutes, relative = self.flags()
        self.assertEqual(modifiers, [True, False, False, False])
        self.assertEqual(mutes, [False, True, True, False, False])
        self.assertTrue(relative)

    def test_puts_everything_back(self):
        earlier = self.flags()
        with place.quiet(self.cloth, bpy.context.view_layer):
            pass
        self.assertEqual(self.flags(), earlier)

    def test_puts_everything_back_after_an_exception(self):
        earlier = self.flags()
        with self.assertRaises(ZeroDivisionError):
            with place.quiet(self.cloth, bpy.context.view_layer):
                1 / 0
        self.assertEqual(self.flags(), earlier)

    def test_puts_everything_back_when_blender_cannot_evaluate(self):
        class Broken:
            @staticmethod
            def update():
                raise RuntimeError

        earlier = self.flags()
        with self.assertRaises(RuntimeError):
            with place.quiet(self.cloth, Broken):
                self.fail("nothing may be read")
        self.assertEqual(self.flags(), earlier)

    def test_place_in_the_stack(self):
        self.assertEqual(place.cloth_place(self.cloth), 1)
        self.cloth.modifiers.remove(self.cloth.modifiers["Muslin Preview"])
        self.assertEqual(place.cloth_place(self.cloth), 1)  # before Solid
        self.cloth.modifiers.remove(self.cloth.modifiers["Solid"])
        self.cloth.modifiers.remove(self.cloth.modifiers["Off"])
        self.assertEqual(place.cloth_place(self.cloth), 1)  # at the end


if __name__ == "__main__":
    unittest.main()

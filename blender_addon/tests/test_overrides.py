# SPDX-License-Identifier: GPL-3.0-or-later
"""A character that is linked and overridden: its settings can be changed, baked, saved and loaded again."""

import os
import shutil
import tempfile
import unittest
from types import SimpleNamespace

import bpy
import numpy as np
import scenes
from support import addon

LEAVES_OVERRIDES = bpy.app.version < (4, 0, 0)  # make_local() is only for what is linked


def properties_of(group, path="muslin"):
    """(path, property) of everything below a group that an artist or the add-on can set."""
    for prop in group.bl_rna.properties:
        if prop.identifier in ("rna_type", "name"):
            continue
        yield f"{path}.{prop.identifier}", prop
        if is_group(prop):
            yield from properties_of(getattr(group, prop.identifier), f"{path}.{prop.identifier}")


def is_group(prop):
    kind = getattr(prop, "fixed_type", None)
    return kind is not None and kind.identifier.startswith("Muslin") and prop.type == "POINTER"


class OverrideTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="muslin-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        scenes.empty_scene()
        self.make_library()
        self.link()

    def make_library(self, baked=False):
        """A sheet over a ball, in a collection, as somebody else's file."""
        obj = scenes.garment(pins=False, height=0.5)
        ball = scenes.ball(moving=False)
        obj.muslin.colliders.add().object = ball
        obj.muslin.stretch_warp = 1234.0
        obj.data.uv_layers.new()  # each face is a panel
        collection = bpy.data.collections.new("Character")
        for each in (obj, ball):
            bpy.context.scene.collection.objects.unlink(each)
            collection.objects.link(each)
        bpy.context.scene.collection.children.link(collection)
        self.library = os.path.join(self.folder, "characters", "character.blend")
        os.makedirs(os.path.dirname(self.library), exist_ok=True)
        bpy.ops.wm.save_as_mainfile(filepath=self.library)
        if baked:
            scenes.select(obj)
            bpy.ops.muslin.bake()
            bpy.ops.wm.save_mainfile()

    def link(self):
        """A shot with that character, overridden."""
        scenes.empty_scene()
        self.shot = os.path.join(self.folder, "shot.blend")
        bpy.ops.wm.save_as_mainfile(filepath=self.shot)
        with bpy.data.libraries.load(self.library, link=True) as (found, wanted):
            wanted.collections = found.collections
        (linked,) = wanted.collections
        scene = bpy.context.scene
        scene.collection.children.link(linked)
        linked.override_hierarchy_create(scene, bpy.context.view_layer)
        bpy.context.view_layer.update()

    @property
    def garment(self):
        return next(o for o in bpy.data.objects if o.name == "Sheet" and o.library is None)

    def reload(self):
        bpy.ops.wm.save_mainfile()
        bpy.ops.wm.open_mainfile(filepath=self.shot)

    def test_every_property_can_be_overridden(self):
        for path, prop in properties_of(self.garment.muslin):
            self.assertTrue(prop.is_overridable, path)

    def test_settings_survive(self):
        settings = self.garment.muslin
        self.assertAlmostEqual(settings.stretch_warp, 1234.0)
        settings.stretch_warp = 777.0
        settings.thickness = 0.006
        settings.quality = "draft"
        settings.mirror.plane = "y"
        settings.pin_group = "Elsewhere"
        self.reload()
        settings = self.garment.muslin
        self.assertAlmostEqual(settings.stretch_warp, 777.0)
        self.assertAlmostEqual(settings.thickness, 0.006)
        found = settings.quality, settings.mirror.plane, settings.pin_group
        self.assertEqual(found, ("draft", "y", "Elsewhere"))

    def test_every_group_survives(self):
        wanted = {
            "mirror": ("plane", "y"),
            "fit": ("quantity", "ease"),
            "sewing": ("is_even", False),
        }
        wanted["baked"] = "note", "By hand"
        settings = self.garment.muslin
        groups = {path for path, prop in properties_of(settings) if is_group(prop)}
        self.assertEqual(groups, {f"muslin.{name}" for name in wanted})
        for group, (name, value) in wanted.items():
            setattr(getattr(settings, group), name, value)
        tack = settings.sewing.tacks.add()
        tack.group, tack.release = "Strap", 7
        self.reload()
        settings = self.garment.muslin
        for group, (name, value) in wanted.items():
            self.assertEqual(getattr(getattr(settings, group), name), value, group)
        self.assertEqual(
            [(one.group, one.release) for one in settings.sewing.tacks], [("Strap", 7)]
        )

    def break_override(self):
        """What it overrides is made local under it; gives the garment."""
        linked = next(
            obj for obj in bpy.data.objects if obj.library is not None and obj.name == "Sheet"
        )
        linked.make_local()
        obj = next(
            obj
            for obj in bpy.data.objects
            if obj.override_library is not None and obj.type == "MESH" and obj.muslin.enabled
        )
        if obj.override_library.reference.library is not None:
            self.skipTest("this Blender keeps what is overridden linked")
        scenes.select(obj)
        return obj

    def test_broken_override_is_refused(self):
        """Blender crashes where such an object gets a modifier."""
        self.break_override()
        for button in (bpy.ops.muslin.drape_now, bpy.ops.muslin.bake):
            with self.assertRaisesRegex(RuntimeError, "not linked any more"):
                button()

    def test_override_that_breaks_during_a_bake(self):
        """The frames go on being baked; they cannot be shown, which is reported at the end."""
        scene = bpy.context.scene
        plans = addon("bake.plans").plan_all([self.garment], scene)
        queue = addon("bake.bake_queue").BakeQueue(plans, scene)
        while queue.bakes[0].latest is None:
            self.assertTrue(queue.advance(0.001))
        self.break_override()
        self.assertTrue(queue.show())
        while queue.advance(None):
            pass
        self.assertEqual(queue.bakes[0].written, queue.bakes[0].plan.frames)
        self.assertIn("not linked any more", queue.summary()[0][1])

    def test_colliders_of_what_is_linked_stay(self):
        linked = next(obj for obj in bpy.data.objects if obj.library and obj.name == "Sheet")
        bpy.context.scene.collection.objects.link(linked)
        scenes.select(linked)
        for button in (bpy.ops.muslin.collider_add, bpy.ops.muslin.collider_remove):
            with self.assertRaisesRegex(RuntimeError, "is linked from another file"):
                button()
        self.assertEqual(len(linked.muslin.colliders), 1)
        scenes.select(self.garment)
        with self.assertRaisesRegex(RuntimeError, "from the file that it is linked from"):
            bpy.ops.muslin.collider_remove()

    def test_panels_are_the_shots_own(self):
        scenes.select(self.garment)
        self.assertEqual(bpy.ops.muslin.cut_pattern(), {"FINISHED"})
        made = bpy.context.object
        self.assertEqual(made.users_collection, (bpy.context.scene.collection,))
        self.assertTrue(LEAVES_OVERRIDES or made.override_library is None)

    def test_compared_copies_are_the_shots_own(self):
        scenes.select(self.garment)
        self.assertEqual(bpy.ops.muslin.compare_fabrics(fabrics="silk"), {"FINISHED"})
        made = bpy.data.objects["Sheet in Silk"]
        self.assertTrue(LEAVES_OVERRIDES or made.override_library is None)
        self.assertEqual((made.data.library, made.data.override_library), (None, None))
        self.assertFalse(made.muslin.enabled)

    def test_the_linked_garment_itself_is_refused(self):
        linked = next(o for o in bpy.data.objects if o.name == "Sheet" and o.library is not None)
        context = SimpleNamespace(active_object=linked)
        with self.assertRaisesRegex(Exception, "Sheet is linked from another file"):
            addon("sewing.sewing_ui").sewing_of(context)
        with self.assertRaisesRegex(Exception, "Sheet is linked from another file"):
            addon("api").start(linked)

    def test_a_collider_of_the_shot(self):
        """The linked one stays, the added one is there after a reload and is met."""
        floor = scenes.grid("Floor", 3, 4.0, height=0.4)
        obj = self.garment
        scenes.select(obj)
        floor.select_set(True)
        self.assertEqual(bpy.ops.muslin.collider_add(), {"FINISHED"})
        self.assertEqual([item.object.name for item in obj.muslin.colliders], ["Ball", "Floor"])
        self.reload()
        found = [item.object.name for item in self.garment.muslin.colliders]
        self.assertEqual(found, ["Ball", "Floor"])

    def test_a_bake_survives(self):
        obj = self.garment
        scenes.select(obj)
        self.assertEqual(bpy.ops.muslin.bake(), {"FINISHED"})
        frames = np.array(scenes.cached(obj))
        self.assertEqual(len(frames), 10)
        self.reload()
        obj = self.garment
        baked = obj.muslin.baked
        self.assertEqual((baked.kind, baked.frame_start, baked.frame_end), ("pc2", 1, 10))
        bpy.context.scene.frame_set(10)
        self.assertTrue(np.array_equal(scenes.seen(obj), frames[9]))
        scenes.select(obj)
        self.assertEqual(bpy.ops.muslin.free(), {"FINISHED"})
        self.assertIsNone(addon("output.cache").locate(obj))
        self.reload()
        self.assertEqual(self.garment.muslin.baked.kind, "")

    def test_a_character_that_was_baked_in_its_own_file(self):
        """Its own bake is shown until the shot has one, and again when that is freed."""
        scenes.empty_scene()
        self.make_library(baked=True)
        self.link()
        bpy.context.scene.frame_set(10)
        own = scenes.seen(self.garment).copy()
        self.garment.muslin.gravity = 0.5
        scenes.select(self.garment)
        bpy.ops.muslin.bake()
        frames = np.array(scenes.cached(self.garment))
        self.assertFalse(np.array_equal(frames[9], own))
        self.reload()
        bpy.context.scene.frame_set(10)
        self.assertTrue(np.array_equal(scenes.seen(self.garment), frames[9]))
        scenes.select(self.garment)
        bpy.ops.muslin.free()
        self.reload()
        bpy.context.scene.frame_set(10)
        self.assertTrue(np.array_equal(scenes.seen(self.garment), own))

    def test_the_linked_file_itself_is_left_alone(self):
        linked = next(o for o in bpy.data.objects if o.name == "Sheet" and o.library is not None)
        scenes.select(self.garment)
        bpy.ops.muslin.bake()
        self.assertEqual(linked.muslin.baked.kind, "")


if __name__ == "__main__":
    unittest.main()

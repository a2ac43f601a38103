# SPDX-License-Identifier: GPL-3.0-or-later
"""Garments that are simulated by one half: previews, bakes, what makes them whole, and the measurement."""

import os
import unittest
from unittest import mock

import bpy
import fake_layout
import mirror_scenes as made
import numpy as np
import scenes
from life import LifeTest
from support import addon

PANEL = next(each for each in addon("panels").SECTIONS if each.name == "mirror")


def shift_right(obj, first, last, by=0.016):
    """The object moves by so much between two frames."""
    obj.keyframe_insert("location", frame=first)
    obj.location.x += by
    obj.keyframe_insert("location", frame=last)


class SuitTest(LifeTest):
    """A symmetric shirt on a symmetric figure."""

    def suit(self, **settings):
        self.scene.frame_end = 4
        return made.suit(os.path.join(self.folder, "cache"), **settings)

    def test_baked_to_a_cache(self):
        obj, _, partners = self.suit()
        obj.muslin.output = "pc2"
        bpy.ops.muslin.bake()
        self.assertTrue(made.solved(obj)[0], made.solved(obj))
        self.assertRegex(made.solved(obj)[1], r"^half: [\d,]+ of [\d,]+ vertices$")
        frames = scenes.cached(obj)
        self.assertEqual(len(frames), 4)
        for positions in frames:
            self.assertTrue(made.is_mirrored(positions, partners))
        self.assertGreater(np.abs(frames[3] - frames[0]).max(), 1e-3)
        drawn = fake_layout.draw(PANEL, obj)
        self.assertIn("Half: ", drawn.text())
        self.assertIn("CHECKMARK", drawn.icons())

    def test_baked_to_shape_keys(self):
        for output in ("keys", "relative"):
            with self.subTest(output):
                self.setUp()
                obj, _, partners = self.suit()
                obj.muslin.output = output
                bpy.ops.muslin.bake()
                before = scenes.seen(obj)
                self.scene.frame_set(4)
                positions = scenes.seen(obj)
                self.assertGreater(np.abs(positions - before).max(), 1e-3)
                self.assertTrue(made.is_mirrored(positions, partners))

    def test_continued(self):
        """As if it had not been stopped, to the bit."""
        obj, _, partners = self.suit()
        obj.muslin.output = "pc2"
        bpy.ops.muslin.bake()
        whole = scenes.cached(obj).copy()
        self.scene.frame_end = 2
        bpy.ops.muslin.bake()
        self.scene.frame_end = 4
        bpy.ops.muslin.continue_bake()
        self.assertEqual(scenes.cached(obj).tobytes(), whole.tobytes())

    def test_continued_mirrored(self):
        """What was baked whole goes on from its mean with its mirror image."""
        obj, _, partners = self.suit(method="exact", enabled=False)
        obj.muslin.output = "pc2"
        self.scene.frame_end = 2
        bpy.ops.muslin.bake()
        self.assertFalse(made.is_mirrored(scenes.cached(obj)[1], partners))
        self.scene.frame_end = 4
        obj.muslin.mirror.enabled = True
        bpy.ops.muslin.continue_bake()
        self.assertTrue(made.is_mirrored(scenes.cached(obj)[3], partners))

    def test_draped(self):
        obj, _, partners = self.suit()
        mesh = scenes.modelled(obj)
        bpy.ops.muslin.drape_now(frames=3)
        self.assertTrue(made.is_mirrored(scenes.seen(obj), partners))
        self.assertIn("half: ", made.solved(obj)[1])
        bpy.ops.muslin.discard()
        self.assertEqual(scenes.modelled(obj), mesh)

    def test_previewed_along_the_timeline(self):
        obj, _, partners = self.suit()
        bpy.ops.muslin.preview()
        for frame in (2, 3, 4):
            self.scene.frame_set(frame)
        self.assertTrue(made.is_mirrored(scenes.seen(obj), partners))
        self.assertIn("half: ", made.solved(obj)[1])

    def test_agrees_with_the_whole(self):
        """What is shown is what the whole garment does, to a small part of how far it falls."""
        results = []
        for enabled in (True, False):
            self.setUp()
            obj, _, _ = self.suit(enabled=enabled)
            obj.muslin.quality = "final"
            obj.muslin.colliders.clear()  # what touches amplifies every rounding
            bpy.ops.muslin.drape_now(frames=3)
            results.append(scenes.seen(obj).copy())
            start = np.frombuffer(scenes.modelled(obj), np.float32).reshape(-1, 3)
        moved = np.abs(results[1] - start).max()
        self.assertLess(np.abs(results[0] - results[1]).max(), 0.002 * moved)

    def test_measured(self):
        obj, _, _ = self.suit()
        before = scenes.modelled(obj)
        with mock.patch.object(addon("mirror.measure"), "SECONDS", 0.5):
            self.assertEqual(bpy.ops.muslin.measure_mirror(), {"FINISHED"})
        speed = fake_layout.draw(PANEL, obj).text()
        self.assertRegex(speed, r"[\d.]+ instead of [\d.]+ ms per frame")
        self.assertIsNone(scenes.running().job)
        self.assertFalse(scenes.running().previews)
        self.assertEqual(scenes.modelled(obj), before)
        obj.muslin.mirror.method = "exact"  # not what was measured
        self.assertNotIn("instead of", fake_layout.draw(PANEL, obj).text())

    def test_measurement_can_be_stopped_anywhere(self):
        obj, _, _ = self.suit()
        running, measure = scenes.running(), addon("mirror.measure")
        for rounds in (0, 1, 2, 4):
            now = measure.Measure(obj, self.scene)
            for _ in range(rounds):
                now.advance(0.001)
            self.assertTrue(running.is_busy())
            now.stop()
            self.assertFalse(running.is_busy())
            self.assertFalse(now.advance(None))
        now = measure.Measure(obj, self.scene)
        now.advance(0.001)
        bpy.ops.wm.read_homefile(use_empty=True)  # another file
        self.assertIsNone(running.job)


class PlaceTest(LifeTest):
    def test_moved_turned_and_scaled(self):
        """The half is solved wherever the garment stands, and comes back mirrored in its own space."""
        for scale in ((1, 1, 1), (1.5, 0.8, 1.2)):
            for plane in ("x", "found"):
                self.setUp()
                obj = made.roof()
                obj.location, obj.rotation_euler = (0.7, -3.0, 2.0), (0.0, 0.0, 0.9)
                obj.scale = scale
                made.mirrored(obj, method="exact", plane=plane)
                before = scenes.seen(obj).copy()
                bpy.ops.muslin.drape_now(frames=3)
                self.assertIn("half: 35 of 63", made.solved(obj)[1])
                positions = scenes.seen(obj)
                partners = np.arange(63).reshape(7, 9)[:, ::-1].ravel()
                np.testing.assert_allclose(
                    positions, positions[partners] * made.FLIP, atol=2e-6, rtol=0
                )
                self.assertLess(positions[:, 2].max(), before[:, 2].max() - 0.02)

    def test_in_another_unit(self):
        self.scene.unit_settings.scale_length = 0.01
        obj = made.roof()
        obj.scale = (100, 100, 100)
        obj.location.x = 30.0
        made.mirrored(obj, method="exact")
        bpy.ops.muslin.drape_now(frames=1)
        self.assertIn("half: 35 of 63", made.solved(obj)[1])


class WholeTest(LifeTest):
    """What makes it whole, and how that is reported."""

    def test_asymmetric_mesh(self):
        obj = made.roof()
        obj.data.vertices[10].co.z += 0.05
        made.mirrored(obj)
        bpy.ops.muslin.drape_now(frames=1)
        is_well, text = made.solved(obj)
        self.assertFalse(is_well)
        self.assertRegex(text, "^whole, since 2 vertices have no mirror image")
        self.assertIn("ERROR", fake_layout.draw(PANEL, obj).icons())
        self.assertEqual(bpy.ops.muslin.measure_mirror(), {"CANCELLED"})
        self.assertIsNone(scenes.running().job)

    def test_asymmetric_mesh_with_a_closure(self):
        obj = made.roof()
        obj.data.vertices[10].co.z += 0.05
        made.mirrored(obj, closure="zip")
        bpy.ops.muslin.drape_now(frames=1)
        self.assertRegex(made.solved(obj)[1], "^whole, since 2 vertices have no mirror image")

    def test_exact_is_unwilling(self):
        """The library's words are in the panel, nothing is left behind, and off works again."""
        obj = made.roof()
        obj.data.vertices[10].co.z += 0.05
        made.mirrored(obj, method="exact", folder=os.path.join(self.folder, "cache"))
        for button in (bpy.ops.muslin.drape_now, bpy.ops.muslin.bake, bpy.ops.muslin.preview):
            scenes.running().solved.clear()
            with self.assertRaisesRegex(RuntimeError, "no mirror image"):
                button()
            drawn = fake_layout.draw(PANEL, obj)
            self.assertIn("2 vertices have no mirror image", " ".join(drawn.text().split()))
        self.assertFalse(scenes.running().is_busy() or scenes.running().previews)
        obj.muslin.mirror.enabled = False
        bpy.ops.muslin.drape_now(frames=1)
        self.assertEqual(self.preview(obj).steps, 1)

    def test_separate_part(self):
        obj = made.roof()
        extra = scenes.grid("Pocket", 3, side=0.1, height=0.2)
        extra.location.x = 0.2
        scenes.select(obj)
        extra.select_set(True)
        bpy.ops.object.join()
        made.mirrored(obj)
        bpy.ops.muslin.drape_now(frames=2)
        self.assertRegex(made.solved(obj)[1], "^half: ")
        self.assertTrue(np.isfinite(scenes.seen(obj)).all())
        self.assertGreater(scenes.seen(obj)[-1][0], 0.1)

    def test_what_the_library_calls_it_does_not_matter(self):
        """The line of the panel is made of codes and numbers; causes are quoted as they are."""
        binding = addon("muslin.cloth")
        real = binding.message

        def mumble(handle=0):
            reported = real(handle)
            for detail in reported.details:
                detail.cause = "x" * len(detail.cause)
            other = type(reported)("x" * len(reported))
            other.details = reported.details
            return other

        with mock.patch.object(binding, "message", mumble):
            self.test_body_that_goes_aside()
            self.setUp()
            obj = made.roof()
            obj.data.vertices[10].co.z += 0.05
            made.mirrored(obj)
            bpy.ops.muslin.drape_now(frames=1)
            self.assertRegex(made.solved(obj)[1], "^whole, since x+$")

    def test_body_that_goes_aside(self):
        for choice in ("whole", "symmetrise"):
            self.setUp()
            ball = scenes.ball(moving=False)
            shift_right(ball, 3, 4)
            obj = made.mirrored(made.roof(height=0.4), asymmetric_body=choice)
            obj.muslin.colliders.add().object = ball
            self.scene.frame_end = 5
            obj.muslin.output = "relative"
            bpy.ops.muslin.bake()
            said = scenes.running().last_words[obj.muslin.uid]
            self.assertIn("Ball is not symmetric", said)
            is_well, text = made.solved(obj)
            self.assertFalse(is_well)
            words = "Ball is 3.2 cm from its mirror image (frame 4)"
            if choice == "whole":
                self.assertEqual(text, f"whole, since {words}")
            else:
                self.assertRegex(text, "^half: 35 of 63 vertices. ")
                self.assertIn(words, text)

    def test_body_on_the_other_side(self):
        """Nothing of it is where the half is, nor is there a partner to take a mean with."""
        self.scene.frame_end = 2
        obj = made.mirrored(made.roof(), os.path.join(self.folder, "cache"))
        obj.muslin.mirror.asymmetric_body = "symmetrise"
        other = made.roof("Other", height=-0.5)
        other.location.x = -2.0
        obj.muslin.colliders.add().object = other
        bpy.ops.muslin.bake()
        self.assertRegex(made.solved(obj)[1], "Other is .* and counts on the positive side only$")

    def test_asymmetric_pins(self):
        obj = made.mirrored(made.roof())
        obj.vertex_groups.new(name="Pins").add([0], 1.0, "REPLACE")
        obj.muslin.pin_group = "Pins"
        bpy.ops.muslin.drape_now(frames=1)
        self.assertRegex(
            made.solved(obj)[1], r"^whole, since 1 pin has no mirror image.*frame 1\)$"
        )

    def test_closed_fronts_take_no_whole(self):
        obj = made.mirrored(made.roof(), closure="zip", asymmetric_body="whole")
        bpy.ops.muslin.drape_now(frames=1)
        self.assertIn("half: 35 of 63", made.solved(obj)[1])


class MethodTest(LifeTest):
    def test_cut_in_halves(self):
        """Sides that are not modelled alike: the positive one decides, the other one follows."""
        obj = made.mirrored(scenes.grid("Sheet", 8), method="halve")
        bpy.ops.muslin.drape_now(frames=3)
        self.assertTrue(made.solved(obj)[0])
        self.assertIn("half: 40 of 64", made.solved(obj)[1])
        self.assertLess(scenes.seen(obj)[:, 2].max(), 0.99)

    def test_zip(self):
        """Two sheets with a slit between them come together in the plane, as far as they are drawn."""
        apart = {}
        for closure in ("free", "zip"):
            self.setUp()
            obj = made.mirrored(made.slit_sheet(), method="exact", closure=closure)
            self.scene.gravity = (0.0, 0.0, 0.0)
            bpy.ops.muslin.drape_now(frames=18)
            apart[closure] = np.abs(scenes.seen(obj)[:, 0]).min()
        self.assertAlmostEqual(apart["free"], 0.01, 4)
        self.assertLess(apart["zip"], 1e-5)


class ChangeTest(LifeTest):
    """Settings that change while the cloth drapes."""

    def test_on_and_off(self):
        """Switched on, it goes on from its mean with its mirror image: no fall begins anew."""
        obj = made.mirrored(made.roof(), enabled=False)
        obj.muslin.wind = (0.3, 0.0, 0.0)
        bpy.ops.muslin.drape_now(frames=6)
        before = scenes.seen(obj).copy()
        partners = np.arange(63).reshape(7, 9)[:, ::-1].ravel()
        self.assertFalse(np.allclose(before, before[partners] * made.FLIP, atol=1e-4))
        self.assertNotIn(obj.muslin.uid, scenes.running().solved)
        obj.muslin.wind = (0.0, 0.0, 0.0)
        obj.muslin.mirror.enabled = True
        obj.muslin.mirror.method = "exact"
        bpy.ops.muslin.drape_now(frames=1)
        now = scenes.seen(obj).copy()
        self.assertIn("half: 35 of 63", made.solved(obj)[1])
        self.assertTrue(made.is_mirrored(now, partners))
        self.assertLess(now[:, 2].max(), before[:, 2].max())
        obj.muslin.mirror.enabled = False
        bpy.ops.muslin.drape_now(frames=1)
        self.assertLess(scenes.seen(obj)[:, 2].max(), now[:, 2].max())
        self.assertEqual(self.preview(obj).cloth.mirror().mode, "off")

    def test_only_what_acts_builds_anew(self):
        obj = made.mirrored(made.roof())
        bpy.ops.muslin.drape_now(frames=1)
        cloth = self.preview(obj).cloth
        obj.muslin.mirror.overlap = 0.05  # of no button
        obj.muslin.mirror.show = False
        bpy.ops.muslin.drape_now(frames=1)
        self.assertIs(self.preview(obj).cloth, cloth)
        obj.muslin.mirror.asymmetric_body = "symmetrise"
        bpy.ops.muslin.drape_now(frames=1)
        self.assertIsNot(self.preview(obj).cloth, cloth)

    def test_deleted_while_previewed(self):
        obj = made.mirrored(made.roof())
        bpy.ops.muslin.drape_now(frames=1)
        bpy.data.objects.remove(obj)
        addon("preview.preview").tidy()
        self.assertFalse(scenes.running().previews)


if __name__ == "__main__":
    unittest.main()

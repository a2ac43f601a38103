# SPDX-License-Identifier: GPL-3.0-or-later
"""Dress This Body: which of the selected meshes wear and which are worn, and all that one button sets."""

import contextlib
import functools
import itertools
import unittest
from unittest import mock

import bpy
import fake_layout
import scenes
from arm_scenes import RADIUS, arm, tube
from support import addon

ROOT = addon("dress.dress_ui")


def press(*objects, active=None):
    bpy.context.view_layer.update()
    for each in bpy.context.view_layer.objects:
        each.select_set(each in objects)
    bpy.context.view_layer.objects.active = active or objects[-1]
    return bpy.ops.muslin.dress()


def noting_call(cloth, real, name, called):
    """A method of a cloth, which leaves its name when it is called."""
    called.append(name)
    return real(cloth)


class DressTest(unittest.TestCase):
    def setUp(self):
        self.scene = scenes.empty_scene()
        self.body = arm(0)
        self.sleeve = tube("Sleeve", RADIUS + 0.015, -0.25, 0.3, along=14)

    def test_in_any_order(self):
        for order in itertools.permutations((self.body, self.sleeve)):
            self.assertEqual(press(*order), {"FINISHED"})
            self.assertTrue(self.sleeve.muslin.enabled and self.sleeve.muslin.self_contact)
            self.assertFalse(self.body.muslin.enabled)
            self.assertEqual([i.object for i in self.sleeve.muslin.colliders], [self.body])
            self.assertEqual(bpy.context.view_layer.objects.active, self.sleeve)
            preview = scenes.running().previews[self.sleeve.muslin.uid]
            self.assertGreater(preview.steps, 0)
            self.assertEqual(addon("check.check_ui").last_findings(self.sleeve), [])

    def test_it_settles_and_drapes_on_when_the_body_moves(self):
        press(self.body, self.sleeve)
        preview = scenes.running().previews[self.sleeve.muslin.uid]
        self.assertTrue(preview.settled)
        self.assertIn("at rest", preview.text)
        rested, steps = preview.shown.copy(), preview.steps
        bpy.ops.muslin.drape_now(frames=3)  # nothing has changed: it stays
        self.assertEqual(preview.steps, steps)
        self.body.location.z += 0.02
        bpy.context.view_layer.update()
        bpy.ops.muslin.drape_now(frames=3)
        self.assertEqual(preview.steps, steps + 3)
        self.assertGreater(abs(preview.shown - rested).max(), 0.005)

    def test_a_bent_body_is_dressed_from_its_modelled_pose(self):
        """The sleeve was made around the straight arm."""
        body = arm(80)
        bpy.data.objects.remove(self.body)
        press(body, self.sleeve)
        preview = scenes.running().previews[self.sleeve.muslin.uid]
        self.assertTrue(preview.settled)
        found = preview.cloth.inspect()
        self.assertEqual(
            (found.inside_count, found.body_piercings, found.openings_empty), (0, 0, 0)
        )
        self.assertLess(found.stretch_p99, 1.15)

    def test_judged_before_it_moves_only_where_a_pose_is_chosen(self):
        cloth = addon("muslin.cloth").Cloth
        for bend, first in ((0, "settle"), (80, "inspect")):
            self.setUp()
            if bend:
                bpy.data.objects.remove(self.body)
                self.body = arm(bend)
            else:
                self.body.modifiers.clear()
            called = []
            with contextlib.ExitStack() as noting:
                for name in ("settle", "inspect"):
                    real = getattr(cloth, name)
                    noted = functools.partialmethod(noting_call, real, name, called)
                    noting.enter_context(mock.patch.object(cloth, name, noted))
                press(self.body, self.sleeve)
            self.assertEqual((bend, called[0]), (bend, first))

    def test_what_nothing_holds_is_reported(self):
        self.body.location.x = 5.0
        press(self.body, self.sleeve)
        preview = scenes.running().previews[self.sleeve.muslin.uid]
        self.assertIn("does not come to rest", preview.text)

    def test_a_garment_that_is_closed(self):
        """Modelled with an inside: the taller of two closed ones is the body."""
        shell = tube("Shell", RADIUS + 0.02, -0.2, 0.2, capped=True)
        self.body.rotation_euler.y = shell.rotation_euler.y = 1.5708
        press(shell, self.body)
        self.assertEqual((shell.muslin.enabled, self.body.muslin.enabled), (True, False))

    def test_several_garments(self):
        other = tube("Cuff", RADIUS + 0.01, 0.35, 0.45)
        press(self.body, self.sleeve, other)
        for obj in (self.sleeve, other):
            self.assertEqual([item.object for item in obj.muslin.colliders], [self.body])
        self.assertEqual(bpy.context.view_layer.objects.active, other)

    def test_an_active_object_that_is_not_selected_is_left_alone(self):
        floor = scenes.grid("Floor", 3, 4.0, height=-1.0)
        press(self.body, self.sleeve, active=floor)
        self.assertFalse(floor.muslin.enabled)
        self.assertEqual([item.object for item in self.sleeve.muslin.colliders], [self.body])
        self.assertEqual(bpy.context.view_layer.objects.active, self.sleeve)

    def test_the_message_for_garments_alone_says_what_is_missing(self):
        with self.assertRaisesRegex(RuntimeError, "select the body, too"):
            other = tube("Cuff", RADIUS + 0.01, 0.35, 0.45)
            self.sleeve.muslin.enabled = other.muslin.enabled = True
            press(self.sleeve, other)

    def test_what_a_garment_collides_with_stays_a_body(self):
        opened = tube("Open Arm", RADIUS - 0.01, -0.4, 0.4)
        self.sleeve.muslin.enabled = True
        self.sleeve.muslin.colliders.add().object = opened
        press(self.sleeve, opened, self.body)
        self.assertFalse(opened.muslin.enabled or self.body.muslin.enabled)
        found = [item.object for item in self.sleeve.muslin.colliders]
        self.assertEqual(found, [opened, self.body])

    def test_what_cannot_be_simulated_is_reported_and_not_draped(self):
        self.sleeve.data.vertices[3].co.x = float("nan")
        self.assertEqual(press(self.body, self.sleeve), {"FINISHED"})
        found = addon("check.check_ui").last_findings(self.sleeve)
        self.assertTrue(any(finding.stops for finding in found))
        self.assertNotIn(self.sleeve.muslin.uid, scenes.running().previews)

    def test_bad_starts_are_reported(self):
        self.sleeve.location.z = 0.05
        press(self.body, self.sleeve)
        kinds = {finding.kind for finding in addon("check.check_ui").last_findings(self.sleeve)}
        self.assertIn("inside", kinds)

    def test_the_button_is_there_for_two_meshes(self):
        for chosen, there in (((self.body, self.sleeve), True), ((self.sleeve,), False)):
            layout = fake_layout.Layout()
            context = fake_layout.context_of(self.sleeve)
            context.selected_objects = list(chosen)
            ROOT.draw_dress(layout, context)
            self.assertEqual(("operator", "muslin.dress") in layout.drawn, there)


if __name__ == "__main__":
    unittest.main()

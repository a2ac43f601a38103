# SPDX-License-Identifier: GPL-3.0-or-later
"""Several garments in one cloth: who belongs together, one bake with a cache each, live, and what may go wrong."""

import unittest

import bpy
import fake_layout
import numpy as np
import scenes
from arm_scenes import RADIUS, arm, tube
from support import addon
from test_scenes.levels import long_test


def wear(obj, body, layer=1, **settings):
    """A garment on a body, together with others."""
    scenes.select(obj)
    bpy.ops.muslin.add()
    garment = obj.muslin
    garment.colliders.add().object = body
    garment.together, garment.layer, garment.output = True, layer, "pc2"
    garment.self_contact = True
    for name, value in settings.items():
        setattr(garment, name, value)
    return obj


def radii(obj, frame=-1):
    """Distances of the vertices of a cached frame from the arm's axis."""
    points = np.array(scenes.cached(obj)[frame])
    return np.hypot(points[:, 1], points[:, 2])


class TogetherCase(unittest.TestCase):
    def setUp(self):
        self.scene = scenes.empty_scene()
        self.scene.frame_end = 4
        self.body = arm(0)
        self.inner = wear(tube("Inner", RADIUS + 0.012, -0.25, 0.25), self.body)
        self.outer = wear(tube("Outer", RADIUS + 0.03, -0.2, 0.2), self.body, 2)
        bpy.context.view_layer.update()

    def partners(self, obj):
        found = addon("layers.partners").partners(obj, self.scene, bpy.context.view_layer)
        return [other.name for other in found]


class RuleTest(TogetherCase):
    def test_those_that_want_it_and_share_a_body(self):
        self.assertEqual(self.partners(self.outer), ["Inner", "Outer"])
        self.assertEqual(self.partners(self.inner), ["Inner", "Outer"])
        self.outer.muslin.together = False
        self.assertEqual(self.partners(self.inner), ["Inner"])
        self.assertEqual(self.partners(self.outer), ["Outer"])

    def test_layers_order_them(self):
        self.inner.muslin.layer = 3
        self.assertEqual(self.partners(self.inner), ["Outer", "Inner"])

    def test_another_body_is_another_outfit(self):
        self.outer.muslin.colliders[0].object = scenes.ball(moving=False)
        self.assertEqual(self.partners(self.inner), ["Inner"])

    def test_what_is_disabled_is_left_out(self):
        self.outer.hide_viewport = True
        self.assertEqual(self.partners(self.inner), ["Inner"])

    def test_panel_tells_what_differs_and_shares_it(self):
        self.outer.muslin.thickness, self.outer.muslin.quality = 0.002, "final"
        sections = {section.name: section for section in addon("panels").SECTIONS}
        layout = fake_layout.draw(sections["together"], self.outer)
        self.assertIn(("operator", "muslin.share_settings"), layout.drawn)
        self.assertEqual(
            addon("layers.partners").differing([self.inner, self.outer]), ["Quality", "Thickness"]
        )
        scenes.select(self.outer)
        bpy.ops.muslin.share_settings()
        self.assertEqual(addon("layers.partners").differing([self.inner, self.outer]), [])
        self.assertEqual(self.inner.muslin.quality, "final")


class BakeTest(TogetherCase):
    def test_one_bake_with_a_cache_each(self):
        scenes.select(self.outer)
        self.assertEqual(bpy.ops.muslin.bake(scope="ACTIVE"), {"FINISHED"})
        for obj in (self.inner, self.outer):
            self.assertEqual(obj.muslin.baked.kind, "pc2")
            self.assertEqual(scenes.cached(obj).shape, (4, len(obj.data.vertices), 3))
        self.assertGreater(radii(self.outer).min(), RADIUS)
        self.assertGreater(radii(self.inner).min(), RADIUS)

    def test_all_is_one_cloth_each_once(self):
        plans = addon("bake.plans").plan_all([self.inner, self.outer], self.scene)
        self.assertEqual([plan.title for plan in plans], ["Inner and Outer"])

    def test_outputs_of_their_own(self):
        self.inner.muslin.output = "relative"
        bpy.ops.muslin.bake(scope="ALL")
        self.assertEqual(
            [obj.muslin.baked.kind for obj in (self.inner, self.outer)], ["relative", "pc2"]
        )

    def test_positions_are_in_each_ones_own_space(self):
        self.outer.muslin.settle_first = self.inner.muslin.settle_first = False
        bpy.ops.muslin.bake(scope="ALL")
        plain = scenes.cached(self.outer)[0].copy()
        mesh = np.array([tuple(v.co) for v in self.outer.data.vertices])
        np.testing.assert_allclose(plain, mesh, atol=1e-6)
        self.outer.location.x = 0.05
        bpy.ops.muslin.bake(scope="ALL")
        np.testing.assert_allclose(scenes.cached(self.outer)[0], mesh, atol=1e-6)

    def test_pins_and_maps_of_each(self):
        group = self.outer.vertex_groups.new(name="Pins")
        group.add([0, 5], 1.0, "REPLACE")
        self.outer.muslin.pin_group = "Pins"
        heavy = self.inner.vertex_groups.new(name="Heavy")
        heavy.add([1], 1.0, "REPLACE")
        self.inner.muslin.mass_group, self.inner.muslin.mass_factor = "Heavy", 3.0
        made = addon("layers.joint_feed").feeding(
            [self.inner, self.outer], self.scene, bpy.context.evaluated_depsgraph_get()
        )[0]
        begin = len(self.inner.data.vertices)
        self.assertEqual(made.garment.pin_vertices.tolist(), [begin, begin + 5])
        self.assertEqual(made.garment.maps["mass"][:3].tolist(), [1.0, 3.0, 1.0])
        others = [each for name, each in made.garment.maps.items() if name != "mass"]
        self.assertEqual({each is None for each in others}, {True})
        bpy.ops.muslin.bake(scope="ALL")
        track = scenes.cached(self.outer)
        np.testing.assert_allclose(track[-1][[0, 5]], track[0][[0, 5]], atol=1e-5)

    def test_stop_and_continue_is_exact(self):
        bpy.ops.muslin.bake(scope="ALL")
        whole = [scenes.cached(obj).copy() for obj in (self.inner, self.outer)]
        bpy.ops.muslin.free(scope="ALL")
        self.scene.frame_end = 2
        bpy.ops.muslin.bake(scope="ALL")
        self.scene.frame_end = 4
        bpy.ops.muslin.continue_bake(scope="ALL")
        for obj, track in zip((self.inner, self.outer), whole):
            self.assertEqual(scenes.cached(obj).tobytes(), track.tobytes())

    @long_test
    def test_from_current_frame(self):
        bpy.ops.muslin.bake(scope="ALL")
        first = scenes.cached(self.outer)[:2].tobytes()
        self.scene.frame_set(2)
        bpy.ops.muslin.bake_from_current(scope="ALL")
        self.assertEqual(scenes.cached(self.outer)[:2].tobytes(), first)
        self.assertEqual(len(scenes.cached(self.inner)), 4)

    @long_test
    def test_bakes_that_do_not_fit_are_not_continued(self):
        bpy.ops.muslin.bake(scope="ALL")
        scenes.select(self.outer)
        bpy.ops.muslin.free()
        self.scene.frame_end = 6
        with self.assertRaisesRegex(RuntimeError, "there is no bake to continue"):
            bpy.ops.muslin.continue_bake(scope="ALL")

    def test_one_is_deleted_meanwhile(self):
        plans, bakequeue = addon("bake.plans"), addon("bake.bake_queue")
        queue = bakequeue.BakeQueue(plans.plan_all([self.inner], self.scene), self.scene)
        while queue.bakes[0].done < 2:
            queue.advance(0.05)
        bpy.data.objects.remove(self.outer)
        while queue.advance(0.5):
            pass
        self.assertRegex(queue.bakes[0].error, "Outer was deleted")
        self.assertGreaterEqual(len(scenes.cached(self.inner)), 2)

    def test_different_rest_shapes_are_refused(self):
        self.outer.data.uv_layers.new()
        self.outer.muslin.rest = "uv"
        with self.assertRaisesRegex(RuntimeError, "one has a UV map for its rest shape"):
            bpy.ops.muslin.bake(scope="ALL")


class FabricTest(TogetherCase):
    @long_test
    def test_each_stretches_as_alone(self):
        """Hung up without a body, a soft and a stiff sheet sag together as each does by itself."""
        sheets = []
        for number, stretch in enumerate((20.0, 6000.0)):
            obj = scenes.garment(f"Sheet {number}", size=9, side=0.5, height=1.0 + number)
            obj.muslin.stretch_warp = obj.muslin.stretch_weft = stretch
            obj.muslin.self_contact, obj.muslin.quality = True, "final"
            sheets.append(obj)
        self.scene.frame_end = 8

        def bake(is_together):
            for obj in sheets:
                obj.muslin.together = is_together
                obj.muslin.colliders.clear()
            for obj in sheets[: 1 if is_together else 2]:
                scenes.select(obj)
                bpy.ops.muslin.bake(scope="ACTIVE")
            return [np.array(scenes.cached(obj)[-1]) for obj in sheets]

        alone, joined = bake(False), bake(True)
        between = np.abs(alone[0] - alone[1] + (0.0, 0.0, 1.0)).mean()
        self.assertGreater(between, 0.005)
        for one, other in zip(alone, joined):
            self.assertLess(np.abs(other - one).mean(), 0.2 * between)


class LayersTest(TogetherCase):
    def test_the_outer_one_comes_out(self):
        """It begins below the inner one, which nothing but the layers tells."""
        for obj, radius in ((self.inner, RADIUS + 0.02), (self.outer, RADIUS + 0.012)):
            for vertex in obj.data.vertices:
                vertex.co.yz = vertex.co.yz.normalized() * radius
        bpy.ops.muslin.bake(scope="ALL")
        inner, outer = radii(self.inner), radii(self.outer)
        middle = np.abs(np.array(scenes.cached(self.inner)[-1])[:, 0]) < 0.15
        self.assertGreater(outer.mean(), inner[middle].mean() + 0.002)

    def test_dress_orders_by_distance(self):
        for obj in (self.inner, self.outer):
            obj.muslin.together, obj.muslin.layer = False, 1
        self.inner.name, self.outer.name = "Zed", "Abel"
        for each in bpy.context.view_layer.objects:
            each.select_set(True)
        bpy.context.view_layer.objects.active = self.outer
        self.assertEqual(bpy.ops.muslin.dress(), {"FINISHED"})
        self.assertEqual((self.inner.muslin.layer, self.outer.muslin.layer), (1, 2))
        previews = scenes.running().previews
        self.assertIs(previews[self.inner.muslin.uid], previews[self.outer.muslin.uid])


class LiveTest(TogetherCase):
    def drape(self, frames=3):
        scenes.select(self.outer)
        bpy.ops.muslin.drape_now(frames=frames)
        return scenes.running().previews[self.outer.muslin.uid]

    def test_all_are_shown_and_kept(self):
        meshes = [scenes.modelled(obj) for obj in (self.inner, self.outer)]
        preview = self.drape()
        self.assertIs(scenes.running().previews[self.inner.muslin.uid], preview)
        for obj, mesh in zip((self.inner, self.outer), meshes):
            self.assertNotEqual(scenes.seen(obj).tobytes(), mesh)
        shown = scenes.seen(self.inner).tobytes()
        bpy.ops.muslin.keep(mode="mesh")
        self.assertEqual(scenes.modelled(self.inner), shown)
        self.assertEqual(scenes.running().previews, {})

    def test_one_that_has_not_been_simulated_yet_is_not_kept(self):
        preview = self.drape()
        del preview.shapes[self.outer.muslin.uid]
        with self.assertRaisesRegex(RuntimeError, "Outer has not been simulated yet"):
            bpy.ops.muslin.keep(mode="mesh")

    def test_discard_restores_all(self):
        meshes = [scenes.modelled(obj) for obj in (self.inner, self.outer)]
        self.drape()
        bpy.ops.muslin.discard()
        for obj, mesh in zip((self.inner, self.outer), meshes):
            self.assertEqual(scenes.seen(obj).tobytes(), mesh)

    def test_the_others_go_on_without_one_that_is_deleted(self):
        preview = self.drape()
        before = scenes.seen(self.inner)
        bpy.data.objects.remove(self.outer)
        preview.mode = "drape"
        preview.advance(None)
        preview.advance(None)
        self.assertEqual(preview.uids, [self.inner.muslin.uid])
        self.assertLess(np.abs(scenes.seen(self.inner) - before).max(), 0.1)  # it falls

    @long_test
    def test_one_more_is_put_on_over_what_hangs_already(self):
        self.outer.muslin.together = False
        scenes.select(self.inner)
        bpy.ops.muslin.drape_now(frames=3)
        before = scenes.seen(self.inner)
        self.outer.muslin.together = True
        bpy.ops.muslin.drape_now(frames=1)
        preview = scenes.running().previews[self.outer.muslin.uid]
        self.assertEqual(preview.uids, [self.inner.muslin.uid, self.outer.muslin.uid])
        self.assertLess(np.abs(scenes.seen(self.inner) - before).max(), 0.02)

    def test_a_hand_holds_the_outer_one(self):
        preview = self.drape()
        preview.mode = "drape"
        places = addon("preview.hands").places(preview, self.outer)
        preview.hands_of(self.outer.muslin.uid).pin(self.outer, 7, places)
        for _ in range(3):
            preview.advance(None)
        begin = len(self.inner.data.vertices)
        self.assertIn(begin + 7, preview._simulation.feeder.hands.vertices.tolist())
        now = addon("preview.hands").places(preview, self.outer)
        np.testing.assert_allclose(now[7], places[7], atol=1e-4)

    def test_fit_maps_of_each(self):
        self.outer.muslin.fit.enabled = True
        preview = self.drape()
        self.assertEqual(preview.mode, "held")
        counts = [len(obj.data.attributes) for obj in (self.inner, self.outer)]
        self.assertGreater(counts[1], counts[0])

    def test_fabrics_of_each_change_while_it_drapes(self):
        self.inner.muslin.density, self.outer.muslin.density = 0.1, 0.5
        preview = self.drape()
        self.assertEqual([round(m["density"], 4) for m in preview.cloth.materials], [0.1, 0.5])
        preview.mode, cloth = "drape", preview.cloth
        self.outer.muslin.density = 0.7
        preview.advance(None)
        self.assertIs(preview.cloth, cloth)
        self.assertEqual([round(m["density"], 4) for m in cloth.materials], [0.1, 0.7])

    def test_settings_that_are_moved(self):
        preview = self.drape()
        preview.mode = "drape"
        cloth = preview.cloth
        self.inner.muslin.gravity = 0.0
        preview.advance(None)
        preview.advance(None)
        self.assertIs(preview.cloth, cloth)
        self.assertEqual(tuple(cloth.settings["gravity"]), (0.0, 0.0, 0.0))
        self.outer.muslin.together = False
        preview.advance(None)
        self.assertEqual(preview.uids, [self.inner.muslin.uid])
        self.assertNotIn(self.outer.muslin.uid, scenes.running().previews)

    @long_test
    def test_along_the_timeline(self):
        scenes.select(self.inner)
        bpy.ops.muslin.preview()
        for frame in (1, 2, 3):
            self.scene.frame_set(frame)
        preview = scenes.running().previews[self.outer.muslin.uid]
        self.assertEqual((preview.frame, len(preview.shapes)), (3, 2))


class BodyTest(TogetherCase):
    """A garment that is not simulated is a body, and two that meet each other are no loop."""

    def test_a_baked_garment_is_met_as_it_is_shown(self):
        self.inner.muslin.together = self.outer.muslin.together = False
        scenes.select(self.inner)
        bpy.ops.muslin.bake(scope="ACTIVE")
        self.inner.muslin.colliders.add().object = self.outer
        self.outer.muslin.colliders.add().object = self.inner
        scenes.select(self.outer)
        self.assertEqual(bpy.ops.muslin.bake(scope="ACTIVE"), {"FINISHED"})
        inner, outer = radii(self.inner), radii(self.outer)
        middle = np.abs(np.array(scenes.cached(self.inner)[-1])[:, 0]) < 0.15
        self.assertGreater(outer.mean(), inner[middle].mean() + 0.001)

    def test_partners_are_no_bodies(self):
        self.outer.muslin.colliders.add().object = self.inner
        wanted = addon("bodies.colliders").wanted(self.inner, self.outer)
        self.assertEqual([other.name for other, _ in wanted.values()], [self.body.name])


if __name__ == "__main__":
    unittest.main()

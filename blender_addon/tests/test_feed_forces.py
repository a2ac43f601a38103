# SPDX-License-Identifier: GPL-3.0-or-later
"""Gravity, wind and settings reach the cloth, at the start and while it runs."""

import math
import unittest

import bpy
import numpy as np
import feed_scenes as scenes
from support import addon

feed = addon("garment.feed")
forces = addon("forces.forces")
muslin = addon("muslin")


def wind_field(name, strength, turn=(0, 0, 0)):
    bpy.ops.object.effector_add(type="WIND", rotation=turn)
    made = bpy.context.object
    made.name = name
    made.field.strength, made.field.noise = strength, 0.0
    return made


class Outside(unittest.TestCase):
    def setUp(self):
        self.scene = scenes.empty()
        self.cloth = scenes.garment()

    def forces(self):
        return forces.forces(self.cloth, self.scene, scenes.depsgraph())

    def test_gravity_of_the_scene(self):
        self.scene.gravity = (1, 0, -5)
        self.cloth.muslin.gravity = 0.5
        self.assertEqual(self.forces()["gravity"], (0.5, 0.0, -2.5))
        self.scene.unit_settings.scale_length = 0.01  # the number stays m/s²
        self.assertEqual(self.forces()["gravity"], (0.5, 0.0, -2.5))
        self.scene.use_gravity = False
        self.assertEqual(self.forces()["gravity"], (0, 0, 0))

    def test_own_wind_and_fields_add_up(self):
        self.cloth.muslin.wind = (1, 2, 3)
        wind_field("Up", 5)
        side = wind_field("Side", 4, (0, math.pi / 2, 0))
        side.scale = (2, 2, 7)  # its size is no strength
        np.testing.assert_allclose(self.forces()["wind"], (5, 2, 8), atol=1e-5)
        self.cloth.muslin.use_force_fields = False
        np.testing.assert_allclose(self.forces()["wind"], (1, 2, 3), atol=1e-6)

    def test_animated_field(self):
        field = wind_field("Gust", 0)
        for frame, strength, turn in ((1, 0, 0), (11, 10, math.pi)):
            field.field.strength, field.rotation_euler.x = strength, turn
            field.keyframe_insert("field.strength", frame=frame)
            field.keyframe_insert("rotation_euler", frame=frame)
        for frame in (1, 5, 11):
            self.scene.frame_set(frame)
            turn = field.rotation_euler.x
            wanted = field.field.strength * np.array((0, -math.sin(turn), math.cos(turn)))
            np.testing.assert_allclose(self.forces()["wind"], wanted, atol=1e-5)
        np.testing.assert_allclose(self.forces()["wind"], (0, 0, -10), atol=1e-5)

    def test_hidden_and_other_fields_do_not_blow(self):
        wind_field("Off", 5).hide_viewport = True
        bpy.ops.object.effector_add(type="FORCE")
        np.testing.assert_allclose(self.forces()["wind"], (0, 0, 0))

    def test_wind_that_fades_is_no_wind_of_all(self):
        field = wind_field("Fan", 5).field
        for name, value in (
            *(("noise", 1.0), ("falloff_power", 2.0), ("wind_factor", 0.5)),
            *(("z_direction", "POSITIVE"), ("use_max_distance", True)),
        ):
            earlier = getattr(field, name)
            setattr(field, name, value)
            np.testing.assert_allclose(self.forces()["wind"], (0, 0, 0), err_msg=name)
            setattr(field, name, earlier)
            np.testing.assert_allclose(self.forces()["wind"], (0, 0, 5), atol=1e-6, err_msg=name)

    def test_fields_come_and_go(self):
        objects = forces.FieldObjects()
        self.assertEqual(objects.shown(self.scene, scenes.depsgraph()), [])
        field = wind_field("New", 2)
        self.assertEqual(objects.shown(self.scene, scenes.depsgraph()), [field])
        bpy.data.objects.remove(field)
        self.assertEqual(objects.shown(self.scene, scenes.depsgraph()), [])


class Changes(unittest.TestCase):
    def setUp(self):
        self.scene = scenes.empty()
        self.cloth = scenes.garment()
        scenes.group(self.cloth, "Pin", {0: 1.0, 4: 1.0})
        scenes.group(self.cloth, "Stiff", {7: 1.0})
        depsgraph = scenes.depsgraph()
        self.feed = feed.Feed(self.cloth, self.scene, depsgraph)
        self.running = muslin.Cloth(self.feed.garment.mesh, **self.feed.garment.settings)
        self.feed.begin(self.running, self.cloth, self.scene, depsgraph)
        self.running.step(1 / 24)

    def changed(self):
        return self.feed.settings_changed(self.running, self.cloth)

    def test_nothing(self):
        self.assertFalse(self.changed())
        count = self.running.report().factor_count
        self.running.step(1 / 24)
        self.assertEqual(self.running.report().factor_count, count)

    def test_sliders_act_at_once(self):
        settings = self.cloth.muslin
        settings.stretch_warp, settings.bend, settings.quality = 500, 1e-3, "draft"
        settings.substeps = 3
        self.assertFalse(self.changed())
        now = self.running.settings
        self.assertEqual((now["stretch_warp"], now["quality"], now["substeps"]), (500, "draft", 3))
        self.assertAlmostEqual(now["bend"], 1e-3, places=8)
        analyses = self.running.report().analysis_count
        self.running.step(1 / 24)
        self.assertEqual(self.running.report().analysis_count, analyses)

    def test_fixed_iterations_take_over_from_the_quality(self):
        settings = self.cloth.muslin
        settings.iterations = 2
        self.assertFalse(self.changed())
        self.assertEqual(self.running.settings["quality"], settings.quality)
        settings.fixed_iterations = True
        self.assertFalse(self.changed())
        now = self.running.settings
        self.assertEqual((now["quality"], now["iterations"]), ("custom", 2))
        self.running.step(1 / 24)
        self.assertEqual(self.running.report().iterations, 2)
        settings.fixed_iterations = False
        self.assertFalse(self.changed())
        self.assertEqual(self.running.settings["quality"], settings.quality)

    def test_self_contact(self):
        reported = []
        self.running.set_self_contact = lambda *given: reported.append(given)
        settings = self.cloth.muslin
        self.assertFalse(self.changed())
        self.assertEqual(reported, [])
        settings.self_contact, settings.friction = True, 0.5
        self.assertFalse(self.changed())
        self.assertEqual((reported[-1][0], reported[-1][2]), (True, 0.5))
        self.feed.begin(self.running, self.cloth, self.scene, scenes.depsgraph())
        self.assertEqual(len(reported), 2)  # a new cloth has to be told again
        settings.self_contact = False
        self.assertFalse(self.changed())
        self.assertFalse(reported[-1][0])

    def test_wind_while_running(self):
        self.cloth.muslin.wind = (0, 0, 30)
        self.feed.follow(self.running, self.cloth, self.scene, scenes.depsgraph())
        self.assertEqual(self.running.settings["wind"], (0, 0, 30))

    def test_what_needs_a_new_cloth(self):
        for name, value in (
            *(("solver", "implicit"), ("scheme", "plain"), ("integrator", "bdf2")),
            *(("model", "edge"), ("flat", True), ("rest", "uv"), ("rest_key", "x")),
            *(("sweep_method", "kang2"), ("sweeps", 3)),
        ):
            earlier = getattr(self.cloth.muslin, name)
            setattr(self.cloth.muslin, name, value)
            self.assertTrue(self.changed(), name)
            setattr(self.cloth.muslin, name, earlier)
            self.assertFalse(self.changed(), name)

    def test_pins_and_maps_while_running(self):
        self.cloth.muslin.pin_group = "Pin"
        self.cloth.muslin.mass_group = "Stiff"
        self.assertFalse(self.changed())
        self.running.step(1 / 24)
        self.assertEqual(self.running.report().pinned_count, 2)
        self.assertAlmostEqual(float(self.feed.garment.maps["mass"][7]), 10.0, places=5)
        self.cloth.muslin.pin_group = ""
        self.assertFalse(self.changed())
        self.running.step(1 / 24)
        self.assertEqual(self.running.report().pinned_count, 0)

    def test_every_solver_and_scheme_is_accepted(self):
        for solver, scheme in (("linear", "plain"), ("linear", "anderson"), ("implicit", "plain")):
            self.cloth.muslin.solver, self.cloth.muslin.scheme = solver, scheme
            data = feed.Feed(self.cloth, self.scene, scenes.depsgraph()).garment
            with muslin.Cloth(data.mesh, **data.settings) as cloth:
                cloth.step(1 / 24)
                self.assertLess(cloth.positions()[:, 2].min(), 0)


class Mirrored(unittest.TestCase):
    """A mesh and its mirror image move as mirror images: polygons are cut alike on both sides."""

    def run_once(self, mirrored):
        scene = scenes.empty()
        flip = -1.0 if mirrored else 1.0
        random = np.random.default_rng(3)
        cells = 6
        side = np.linspace(0, 1, cells + 1)
        points = np.array([(x, y, 0.0) for y in side for x in side])
        points += random.uniform(-0.03, 0.03, points.shape)
        points[:, 0] *= flip
        row = cells + 1
        faces = [
            (r * row + c, r * row + c + 1, (r + 1) * row + c + 1, (r + 1) * row + c)
            for r in range(cells)
            for c in range(cells)
        ]
        # one n-gon of two quads
        faces[7:9] = [(*faces[7][:2], faces[8][1], faces[8][2], *faces[7][2:])]
        if mirrored:
            faces = [tuple(reversed(face)) for face in faces]
        cloth = scenes.mesh_object("Cloth", points, faces)
        scenes.group(cloth, "Pin", {0: 1.0, cells: 1.0})
        cloth.muslin.pin_group = "Pin"
        cloth.muslin.scheme = (
            "plain"  # a quality decides by sums, where rounding makes a difference
        )
        depsgraph = scenes.depsgraph()
        made = feed.Feed(cloth, scene, depsgraph)
        with muslin.Cloth(made.garment.mesh, **made.garment.settings) as running:
            made.begin(running, cloth, scene, depsgraph)
            for _ in range(12):
                made.follow(running, cloth, scene, depsgraph)
                running.step(1 / 24)
            return running.positions() * (flip, 1, 1)

    def test_mirrored_mesh_has_mirrored_results(self):
        plain, mirrored = self.run_once(False), self.run_once(True)
        self.assertGreater(np.abs(plain[:, 2]).max(), 0.1)
        np.testing.assert_allclose(plain, mirrored, atol=1e-5)

    def test_halves_of_a_symmetric_mesh_move_alike(self):
        scene = scenes.empty()
        cells = 8
        cloth = scenes.garment(cells=cells)
        cloth.muslin.scheme = "plain"  # two levels go over patches, which no mirror has made
        data = feed.Feed(cloth, scene, scenes.depsgraph()).garment
        with muslin.Cloth(data.mesh, **data.settings) as running:
            running.set_pins([0, cells])
            for _ in range(12):
                running.step(1 / 24)
            found = running.positions().reshape(cells + 1, cells + 1, 3)
        self.assertGreater(np.abs(found[..., 2]).max(), 0.05)
        np.testing.assert_allclose(found[:, ::-1] * (-1, 1, 1), found, atol=1e-6)

    def test_place_in_the_world_changes_nothing(self):
        """A regular grid has squares with two equal diagonals: how they are cut must not depend on
        where rounding puts them."""
        found = []
        for offset in ((0, 0, 0), (300, -200, 50)):
            scene = scenes.empty()
            cloth = scenes.garment(cells=10)
            cloth.location = offset
            bpy.context.view_layer.update()
            data = feed.Feed(cloth, scene, scenes.depsgraph()).garment
            with muslin.Cloth(data.mesh, **data.settings) as running:
                running.set_pins([0, 10])
                for _ in range(12):
                    running.step(1 / 24)
                found.append(running.positions())
        self.assertTrue(np.array_equal(*found))


if __name__ == "__main__":
    unittest.main()

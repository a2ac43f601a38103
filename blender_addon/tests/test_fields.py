# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene's force fields reach each vertex of a running cloth, and move it as they should."""

import math
import unittest

import bpy
import numpy as np
import feed_scenes as scenes
from support import addon

feed = addon("garment.feed")
fields = addon("forces.forces")
muslin = addon("muslin")

STRENGTH = 2.0
WEAK_WIND = 3.0  # m/s
FRAMES = 4


class Felt(unittest.TestCase):
    def setUp(self):
        self.scene = scenes.empty()
        self.scene.use_gravity = False
        self.scene.render.fps = 24
        self.cloth = scenes.garment()
        self.cloth.muslin.integrator = "euler"

    def field(self, kind, where=(0, 0, 0), **settings):
        bpy.ops.object.effector_add(type=kind, location=where)
        made = bpy.context.object
        made.field.noise, made.field.strength = 0.0, STRENGTH
        for name, value in settings.items():
            setattr(made.field, name, value)
        return made

    def run_cloth(self, frames=FRAMES):
        """The way that each vertex goes, and what it was given at last."""
        depsgraph = scenes.depsgraph()
        made = feed.Feed(self.cloth, self.scene, depsgraph)
        with muslin.Cloth(made.garment.mesh, **made.garment.settings) as running:
            made.begin(running, self.cloth, self.scene, depsgraph)
            start = running.positions()
            for _ in range(frames):
                made.follow(running, self.cloth, self.scene, depsgraph)
                running.step(1 / 24)
            return running.positions() - start

    def test_a_plane_of_force_is_a_weight(self):
        """2 N/m² on 0.x kg/m² is an acceleration, the same as gravity's."""
        self.field("FORCE", (0, 0, -50), shape="PLANE")
        pulled = self.run_cloth()
        density = self.cloth.muslin.density
        self.assertGreater(pulled[:, 2].min(), 1e-3)
        bpy.data.objects.remove(bpy.context.object)
        self.scene.use_gravity, self.scene.gravity = True, (0, 0, STRENGTH / density)
        np.testing.assert_allclose(pulled, self.run_cloth(), atol=1e-5)

    def test_falloff_is_felt_vertex_by_vertex(self):
        self.field("FORCE", (-50, 0, 0), shape="PLANE", falloff_power=1.0)
        objects = fields.fields_of(self.cloth, self.scene, scenes.depsgraph())
        places = np.float32([[0, 0, 1], [0, 0, 3]])
        wind, traction = fields.at_vertices(
            objects, self.scene, scenes.depsgraph(), places, 0 * places, 0.2
        )
        self.assertFalse(wind.any())
        np.testing.assert_allclose(traction, [[0, 0, 1.0], [0, 0, 0.5]], atol=1e-6)

    def test_units_of_the_scene(self):
        """Distances fade in Blender's units."""
        self.field("FORCE", shape="PLANE", falloff_power=1.0)
        self.scene.unit_settings.scale_length = 0.01
        objects = fields.fields_of(self.cloth, self.scene, scenes.depsgraph())
        places = np.float32([[0, 0, 0.01]])
        _, traction = fields.at_vertices(
            objects, self.scene, scenes.depsgraph(), places, 0 * places, 0.2
        )
        np.testing.assert_allclose(traction, [[0, 0, 1.0]], atol=1e-6)

    def test_wind_factor_divides_wind_and_force(self):
        self.field("FORCE", shape="PLANE", wind_factor=0.25)
        objects = fields.fields_of(self.cloth, self.scene, scenes.depsgraph())
        places = np.float32([[0, 0, 1]])
        wind, traction = fields.at_vertices(
            objects, self.scene, scenes.depsgraph(), places, 0 * places, 0.2
        )
        np.testing.assert_allclose([wind[0, 2], traction[0, 2]], [0.5, 1.5], atol=1e-6)

    def test_a_fan_blows_only_before_it(self):
        fan = self.field("WIND", (0, 0, 5), z_direction="POSITIVE")
        np.testing.assert_allclose(self.run_cloth(), 0, atol=1e-9)
        fan.location.z = -5
        self.assertGreater(self.run_cloth()[:, 2].min(), 1e-4)

    def test_fields_end(self):
        depsgraph = scenes.depsgraph()
        made = feed.Feed(self.cloth, self.scene, depsgraph)
        field = self.field("FORCE", shape="PLANE")
        reported = []
        with muslin.Cloth(made.garment.mesh, **made.garment.settings) as running:
            real = running.set_fields
            running.set_fields = lambda *given: (reported.append(given), real(*given))
            made.begin(running, self.cloth, self.scene, scenes.depsgraph())
            made.follow(running, self.cloth, self.scene, scenes.depsgraph())
            self.assertEqual(len(reported), 1)  # nothing has moved
            field.hide_viewport = True
            made.follow(running, self.cloth, self.scene, scenes.depsgraph())
            made.follow(running, self.cloth, self.scene, scenes.depsgraph())
        self.assertEqual(reported[1:], [()])

    def test_drag_never_turns_cloth_round(self):
        self.field("DRAG", linear_drag=2.0, quadratic_drag=2.0)
        objects = fields.fields_of(self.cloth, self.scene, scenes.depsgraph())
        speed = np.float32([[0, 0, 100]])
        _, traction = fields.at_vertices(objects, self.scene, scenes.depsgraph(), speed, speed, 0.2)
        self.assertAlmostEqual(traction[0, 2] / 0.2 / 24, -50, places=3)  # half of it in a frame


class CarriedTurbulence(unittest.TestCase):
    """Turbulence in a wind: gusts that pass."""

    def setUp(self):
        self.scene = scenes.empty()
        self.scene.render.fps = 24

    def effector(self, kind, strength, **turned):
        bpy.ops.object.effector_add(type=kind, **turned)
        made = bpy.context.object
        made.field.noise, made.field.strength = 0.0, strength
        return made

    def pushed(self, obj, frames):
        """What pulls at the cloth at each of the frames, while it stays where it is."""
        depsgraph, reported, found = scenes.depsgraph(), [], []
        given = feed.Feed(obj, self.scene, depsgraph)
        with muslin.Cloth(given.garment.mesh, **given.garment.settings) as running:
            real = running.set_fields
            running.set_fields = lambda *now: (reported.append(now[1]), real(*now))
            given.begin(running, obj, self.scene, depsgraph)
            for frame in frames:
                self.scene.frame_set(frame)
                given.follow(running, obj, self.scene, scenes.depsgraph())
                found.append(reported[-1])
        return found

    def test_it_stands_still_in_still_air(self):
        self.effector("TURBULENCE", STRENGTH)
        first, second = self.pushed(scenes.garment(), (2, 3))
        np.testing.assert_array_equal(first, second)

    def test_a_wind_carries_its_pattern(self):
        """24 m/s carry it a metre in a frame: what is a metre downstream then feels what was here before."""
        self.effector("TURBULENCE", STRENGTH)
        self.effector("WIND", 24.0, rotation=(0, math.pi / 2, 0))  # along x
        obj = scenes.garment()
        first, second = self.pushed(obj, (2, 3))
        self.assertGreater(np.abs(second - first).max(), 0.1)
        obj.location.x += 1.0
        (downstream,) = self.pushed(obj, (3,))
        np.testing.assert_allclose(downstream, first, atol=1e-4)

    def test_a_steady_wind_blows_the_same_from_any_first_frame(self):
        self.effector("TURBULENCE", STRENGTH)
        obj = scenes.garment()
        obj.muslin.wind = (3.0, 1.0, 0.0)
        *_, late = self.pushed(obj, range(1, 8))
        np.testing.assert_array_equal(late, self.pushed(obj, (7,))[0])

    def test_air_goes_on_from_where_it_is_when_the_wind_changes(self):
        air, wind = fields.Air(), np.array([2.0, 0.0, 0.0])
        self.assertEqual(air.way(12, 24, wind)[0], 1.0)
        self.assertEqual(air.way(24, 24, 3 * wind)[0], 2.0)
        self.assertEqual(air.way(36, 24, 3 * wind)[0], 5.0)

    def test_a_flag_flutters(self):
        """By itself its edge moves with 0.7 m/s in this wind, and no faster where the pattern stands still."""
        self.effector("WIND", WEAK_WIND, rotation=(0, math.pi / 2, 0))
        gusts = self.effector("TURBULENCE", STRENGTH)
        gusts.field.size = 0.5
        self.assertGreater(self.tip_speed(), 1.0)

    def tip_speed(self):
        """Root mean square speed of the free edge in the last of three seconds, m/s, of a flag of 0.9 by 0.6 m whose pole is at x = 0."""
        columns, rows = 16, 11
        places = [
            (0.9 * c / (columns - 1), 0.0, 0.6 * r / (rows - 1))
            for r in range(rows)
            for c in range(columns)
        ]
        faces = [
            (k, k + 1, k + columns + 1, k + columns)
            for k in range((rows - 1) * columns)
            if (k + 1) % columns
        ]
        flag = scenes.mesh_object("Flag", places, faces)
        flag.muslin.enabled = True
        scenes.group(flag, "Pole", {columns * r: 1.0 for r in range(rows)})
        flag.muslin.pin_group = "Pole"
        self.scene.frame_set(1)
        depsgraph = scenes.depsgraph()
        made, squares = feed.Feed(flag, self.scene, depsgraph), []
        with muslin.Cloth(made.garment.mesh, **made.garment.settings) as running:
            made.begin(running, flag, self.scene, depsgraph)
            for frame in range(2, 74):
                self.scene.frame_set(frame)
                made.follow(running, flag, self.scene, scenes.depsgraph())
                running.step(1 / 24)
                speed = running.state()[1][columns - 1 :: columns].astype(float)
                squares.append((speed**2).sum(axis=1).mean())
        bpy.data.objects.remove(flag)
        return math.sqrt(np.mean(squares[-24:]))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Force fields at points, against what Blender's own particles feel of the same fields."""

import unittest

import bpy
import numpy as np
import feed_scenes as scenes
from mathutils import Euler
from support import addon

effectors = addon("forces.effectors")

STEP = 0.04  # s, of a particle at 25 frames a second
SPOTS = [(0.3, 0.2, 0.4), (-0.7, 0.5, 0.1), (0.2, -1.1, -0.6), (1.3, 0.9, 0.8), (-0.2, -0.3, -1.4)]


def at_points(field, matrix, points):
    """The field's force at each point: what a particle of 1 kg feels, N."""
    pull, drag = effectors.parts(field, matrix, points)
    return pull + drag


def field_of(kind, **settings):
    """A field beside the middle that is turned."""
    bpy.ops.object.effector_add(type=kind, location=(0.1, -0.2, 0.15))
    made = bpy.context.object
    made.rotation_euler = Euler((0.4, -0.3, 0.7))
    made.scale = (1, 1, 3)
    made.field.noise = 0.0
    for name, value in settings.items():
        setattr(made.field, name, value)
    return made


def particles(velocity):
    """One on each of SPOTS, of 1 kg, which nothing but fields moves."""
    mesh = bpy.data.meshes.new("Spots")
    mesh.from_pydata(SPOTS, [], [])
    obj = bpy.data.objects.new("Spots", mesh)
    bpy.context.scene.collection.objects.link(obj)
    obj.modifiers.new("Particles", "PARTICLE_SYSTEM")
    settings = obj.particle_systems[0].settings
    settings.count, settings.frame_start, settings.frame_end = len(SPOTS), 1, 1
    settings.lifetime, settings.emit_from, settings.mass = 50, "VERT", 1.0
    settings.use_emit_random = False
    settings.normal_factor = settings.factor_random = 0.0
    settings.object_align_factor = velocity
    settings.integrator, settings.effector_weights.gravity = "EULER", 0.0
    settings.use_size_deflect = settings.use_multiply_size_mass = False
    return obj


def felt(obj, scene):
    """Places, velocities and accelerations of the particles at their start."""
    states = []
    for frame in (1, 2):
        scene.frame_set(frame)
        system = obj.evaluated_get(scenes.depsgraph()).particle_systems[0]
        states.append([(tuple(p.location), tuple(p.velocity)) for p in system.particles])
    (places, before), (_, after) = np.array(states).transpose(0, 2, 1, 3)
    return places, before, (after - before) / STEP


class AsParticlesFeel(unittest.TestCase):
    def check(self, kind, velocity=(0, 0, 0), **settings):
        scene = scenes.empty()
        scene.render.fps, scene.render.fps_base = 25, 1.0
        field = field_of(kind, **settings)
        spots = particles(velocity)
        places, moving, wanted = felt(spots, scene)
        self.assertEqual(len(places), len(SPOTS))
        evaluated = field.evaluated_get(scenes.depsgraph())
        points = effectors.Points(places, moving)
        got = at_points(evaluated.field, evaluated.matrix_world, points)
        self.assertGreater(np.abs(wanted).max(), 1e-3)
        scale = max(1.0, np.abs(wanted).max())
        np.testing.assert_allclose(got, wanted, atol=2e-4 * scale, err_msg=f"{kind} {settings}")

    def test_wind(self):
        self.check("WIND", strength=3.0)
        self.check("WIND", strength=3.0, falloff_power=1.5)
        self.check("WIND", strength=3.0, falloff_power=2.0, shape="POINT")

    def test_limits_and_sides(self):
        limits = {"use_min_distance": True, "distance_min": 0.5, "falloff_power": 2.0}
        self.check("WIND", strength=3.0, shape="POINT", **limits)
        self.check("FORCE", strength=3.0, use_max_distance=True, distance_max=1.3)
        for side in ("POSITIVE", "NEGATIVE"):
            self.check("FORCE", strength=3.0, z_direction=side)

    def test_tubes_and_cones(self):
        radial = {"radial_falloff": 1.0, "falloff_power": 0.5}
        self.check("FORCE", strength=2.0, falloff_type="TUBE", **radial)
        self.check("WIND", strength=2.0, falloff_type="CONE", **radial)
        limits = {
            "use_radial_min": True,
            "radial_min": 0.4,
            "use_radial_max": True,
            "radial_max": 1,
        }
        self.check("WIND", strength=2.0, falloff_type="TUBE", **radial, **limits)

    def test_forces_of_all_shapes(self):
        for shape in ("POINT", "LINE", "PLANE"):
            self.check("FORCE", strength=2.0, shape=shape, falloff_power=1.0)
        self.check("FORCE", strength=2.0, use_gravity_falloff=True)

    def test_vortices(self):
        self.check("VORTEX", strength=2.0)
        self.check("VORTEX", strength=0.7, falloff_power=1.0)
        self.check("VORTEX", (0.2, -0.3, 0.1), strength=0.7, shape="PLANE", falloff_power=1.0)

    def test_turbulence(self):
        self.check("TURBULENCE", strength=3.0, size=0.6)
        self.check("TURBULENCE", strength=3.0, size=0.4, use_global_coords=True, falloff_power=1.0)

    def test_what_holds_back(self):
        moving = (0.4, -0.8, 0.3)
        self.check("DRAG", moving, linear_drag=0.5, quadratic_drag=0.7, falloff_power=1.0)
        self.check("HARMONIC", moving, strength=2.0, rest_length=0.3, harmonic_damping=0.2)
        self.check("WIND", moving, strength=2.0, flow=0.6, falloff_power=1.0, shape="POINT")
        self.check("MAGNET", moving, strength=2.0)


class Noise(unittest.TestCase):
    def test_it_is_spread_around_the_strength(self):
        scenes.empty()
        field = field_of("WIND", strength=5.0, seed=3)
        field.field.noise = 2.0
        points = effectors.Points(
            np.random.default_rng(1).random((4000, 3)), np.zeros((4000, 3)), 7
        )
        found = [
            np.linalg.norm(at_points(field.field, field.matrix_world, points), axis=1)
            for _ in range(2)
        ]
        np.testing.assert_array_equal(*found)  # the same seed and frame
        self.assertLessEqual(np.abs(found[0] - 5).max(), 2.0 + 1e-6)
        self.assertGreater(found[0].std(), 0.5)
        points.frame = 8
        other = at_points(field.field, field.matrix_world, points)
        self.assertFalse(np.array_equal(np.linalg.norm(other, axis=1), found[0]))

    def test_frames_before_the_first(self):
        scenes.empty()
        field = field_of("FORCE", noise=1.0).field
        found = [effectors.noises(field, frame, 100) for frame in (-5, -4, -5)]
        np.testing.assert_array_equal(found[0], found[2])
        self.assertFalse(np.array_equal(found[0], found[1]))


if __name__ == "__main__":
    unittest.main()

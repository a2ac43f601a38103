"""Cloth on bodies, still and carried: friction as Coulomb says, nothing behind the true surface.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest
from functools import lru_cache

import numpy as np

from contact_plays import NO_DRAG, STEP, body_piercings, carried, fastest, scene_of, square, still
from test_scenes import solids
from test_scenes.contact.catalogue import make
from test_scenes.contact.judge import TOLERANCE, Judge, deep_frames
from test_scenes.contact.play import Play
from test_scenes.levels import long_test

DOWN_THE_RAMP = np.array([-np.cos(np.radians(20)), 0, -np.sin(np.radians(20))])


@lru_cache(maxsize=None)
def ramp_ways(frames, friction, **settings):
    """Mean speed down a ramp of 20 degrees after every frame, m/s, and the largest way, m."""
    speeds, ways = [], []
    with Play(make("incline", friction=friction, count=13), **NO_DRAG, **settings) as play:
        for _ in range(frames):
            play.step()
            speeds.append((play.velocities().astype(float) @ DOWN_THE_RAMP).mean())
            moved = (play.positions() - play.track[0]).astype(float) @ DOWN_THE_RAMP
            ways.append(np.abs(moved).max())
    return np.array(speeds), np.array(ways)


class InclineTest(unittest.TestCase):
    METHODS = (
        {"quality": "fit"},
        {"quality": "draft"},
        {"quality": "fit", "integrator": "bdf2"},
    )

    def check_slide(self, method):
        theory = 9.81 * (np.sin(np.radians(20)) - 0.3 * np.cos(np.radians(20)))
        speeds, _ = ramp_ways(40, 0.3, **method)
        frames = np.arange(12, 41)
        ratio = np.polyfit(frames * STEP, speeds[frames - 1], 1)[0] / theory
        print(f"\n{method}: {ratio:.4f} of the theory", end="")
        self.assertAlmostEqual(ratio, 1, delta=0.03)

    def test_slides_as_theory_says(self):
        for method in self.METHODS:
            with self.subTest(method):
                self.check_slide(method)

    @long_test
    def test_slides_as_theory_says_implicit(self):
        """Friction that slides must not hold what the conventional solver starts from rest."""
        self.check_slide({"solver": "implicit", "iterations": 1})

    @long_test
    def test_stays_where_friction_holds_it(self):
        """Once it lies there."""
        for method in (*self.METHODS, {"solver": "implicit", "iterations": 1}):
            with self.subTest(method):
                _, ways = ramp_ways(60, 0.5, **method)
                print(f"\n{method}: {1000 * ways[5]:.2f} mm, then {1000 * ways[-1]:.2f}", end="")
                self.assertLess(ways[-1] - ways[5], 1e-5)

    @long_test
    def test_stays_from_the_first_frame(self):
        """It slips a little while it lands: friction only guesses how much it will weigh."""
        for method in (*self.METHODS, {"solver": "implicit", "iterations": 1}):
            with self.subTest(method):
                _, ways = ramp_ways(60, 0.5, **method)
                self.assertLess(ways[-1], 0.002)


class SphereTest(unittest.TestCase):
    RADIUS, MIDDLE = 0.25, np.array([0, 0, 0.75])

    def radii(self, positions, middle):
        return np.linalg.norm(positions.astype(float) - middle, axis=1)

    def test_no_vertex_behind_the_true_surface(self):
        """The body is a polyhedron within the ball: its own faces are the measure, the ball a check."""
        flat = self.RADIUS - 0.004  # how deep the faces of the polyhedron lie, and some
        for method in ({}, {"solver": "implicit", "iterations": 1}, {"integrator": "bdf2"}):
            with self.subTest(method):
                scene = make("sphere_centred", count=15)
                with Play(scene, **method) as play:
                    play.run(24)
                least = min(self.radii(here, self.MIDDLE).min() for here in play.track)
                self.assertEqual(deep_frames(scene, play.track)[0], 0)
                self.assertGreater(least, flat)
                self.assertLess(least, self.RADIUS + 0.01)  # it lies on it

    def test_the_judge_sees_a_fall_through(self):
        scene = make("sphere_centred", count=25)
        with Play(scene, meets=False) as play:
            play.run(20)
        self.assertGreater(deep_frames(scene, play.track)[0], 5)

    @long_test
    def test_carried_at_two_metres_a_second(self):
        """A sphere under a cloth speeds up to 2 m/s: the cloth stays on it and comes along."""
        scene = make("sphere_centred", count=15, friction=0.8)
        ball = scene.bodies[0]
        mesh = solids.uv_sphere(self.RADIUS, self.MIDDLE)

        def way(frame):
            late = max(0.0, frame - 30)
            slow = min(late, 24)  # a second to get to its speed
            return np.array([(slow * slow / 48 + max(0.0, late - 24)) * 2 * STEP, 0, 0])

        scene.bodies[0] = carried(mesh, way, name=ball.name)
        judge = Judge(scene)
        with Play(scene) as play:
            for frame in range(1, 73):
                here = play.step()
                self.assertLess(judge.depths(here, frame).max(), TOLERANCE, frame)
            velocity = play.velocities().astype(float)
            on_top = play.positions()[:, 2] > 0.9
            print(f"\nsphere carried by {way(72)[0]:.2f} m: cloth by", end=" ")
            print(f"{(here - play.track[0])[:, 0].mean():.2f} m", end="")
            self.assertGreater(on_top.sum(), 20)
            self.assertAlmostEqual(velocity[on_top, 0].mean(), 2.0, delta=0.3)


class TableTest(unittest.TestCase):
    def test_lies_on_slab_and_sheet(self):
        for name in ("table", "table_sheet"):
            with self.subTest(name):
                scene = make(name, count=17)
                with Play(scene) as play:
                    play.run(36)
                self.assertEqual(deep_frames(scene, play.track)[0], 0)
                self.assertEqual(body_piercings(play), 0)
                here = play.positions()
                above = (np.abs(play.track[0][:, :2]) < 0.3).all(1)
                self.assertGreater(here[above, 2].min(), 0.75 + 0.5 * scene.thickness())
                self.assertLess(here[above, 2].max(), 0.75 + 4 * scene.thickness())
                self.assertLess(here[:, 2].min(), 0.7)  # the rest hangs

    @long_test
    def test_friction_carries_the_cloth(self):
        """A table that speeds up by less than friction can hold, and by more."""
        for pull, held in ((0.5, True), (8.0, False)):
            with self.subTest(pull=pull):
                slab = solids.box((2.0, 1.0, 0.03), (0, 0, -0.015), cells=(4, 2, 1))

                def way(frame, pull=pull):
                    return np.array([pull * (max(0.0, frame - 6) * STEP) ** 2 / 2, 0, 0])

                scene = scene_of(
                    square(13, 0.4, 0.0045, (-0.2, 0)), [carried(slab, way)], friction=0.4
                )
                with Play(scene, **NO_DRAG) as play:
                    play.run(18)
                moved = (play.positions() - play.track[0])[:, 0].mean()
                print(f"\ntable moved {way(18)[0]:.3f} m, cloth {moved:.3f} m", end="")
                if held:
                    self.assertAlmostEqual(moved, way(18)[0], delta=0.003)
                else:  # dragged along at the most that friction gives
                    expected = 0.4 * 9.81 * (12 * STEP) ** 2 / 2
                    self.assertAlmostEqual(moved, expected, delta=0.12 * expected)


class ShapesTest(unittest.TestCase):
    @long_test
    def test_open_body_keeps_cloth_outside(self):
        """A sphere with a hole at its top is a sheet: what lies on it stays outside, over the hole as well."""
        ball = solids.icosphere(0.25, (0, 0, 0), 3)
        corners = ball.positions[ball.faces]
        ball.faces = ball.faces[corners[:, :, 2].min(1) < 0.23]
        scene = scene_of(square(21, 0.7, 0.28), [still(ball, closed=False)], friction=0.5)
        with Play(scene) as play:
            play.run(36)
        radii = [np.linalg.norm(here.astype(float), axis=1) for here in play.track]
        low = [here[:, 2] < 0.2 for here in play.track]
        least = min(r[some].min(initial=1) for r, some in zip(radii, low))
        self.assertGreater(least, 0.25 - 0.004)
        self.assertGreater(low[-1].sum(), 200)
        self.assertEqual(body_piercings(play), 0)

    @long_test
    def test_overlapping_solids(self):
        middles = np.array([[-0.1, 0, 0], [0.1, 0, 0]])
        scene = scene_of(
            square(21, 0.8, 0.2),
            [still(solids.icosphere(0.17, middle, 3)) for middle in middles],
            friction=0.4,
        )
        with Play(scene) as play:
            play.run(36)
        self.assertEqual(deep_frames(scene, play.track)[0], 0)
        self.assertEqual(body_piercings(play), 0)
        for middle in middles:
            least = np.linalg.norm(play.positions() - middle, axis=1).min()
            self.assertLess(least, 0.19)

    @long_test
    def test_rest_is_rest(self):
        scene = make("table", count=15)
        with Play(scene) as play:
            play.run(160)
            speed = play.mean_speed()
            print(f"\nafter 160 frames on the table: {1000 * speed:.2f} mm/s", end="")
            self.assertLess(speed, 0.005)
            self.assertLess(fastest(play, 10), 0.1)


if __name__ == "__main__":
    unittest.main()

"""No room left, or inside from the start: the cloth stays finite and calm, and the stats tell.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import itertools
import unittest

import numpy as np

from contact_plays import body_piercings, fastest, largest_strain, scene_of, square, still
from test_scenes import solids
from test_scenes.contact.bad import CLOSING_FRAMES, closing_plates, swallowed
from test_scenes.contact.judge import TOLERANCE, Judge
from test_scenes.contact.play import Play
from test_scenes.levels import long_test


class SqueezedTest(unittest.TestCase):
    METHODS = (
        {},
        {"self_contact": True},
        {"solver": "implicit", "iterations": 1},
        {"integrator": "bdf2"},
    )

    plays = {}  # by gap and method; tests ask different things of the same

    def close(self, gap, **settings):
        """The play after the plates have closed and half a second more."""
        key = gap, *settings.items()
        if key not in self.plays:
            self.plays[key] = self.play_closing(gap, **settings)
        return self.plays[key]

    def play_closing(self, gap, **settings):
        play = Play(closing_plates(gap, count=15), **settings)
        self.addClassCleanup(play.cloth.close)
        speed = fastest(play, CLOSING_FRAMES + 12)
        stuck = [stats.stuck for stats in play.history]
        print(f"\nplates to {1000 * gap:g} mm, {settings}: fastest {speed:.2f} m/s,", end=" ")
        print(f"at the end {play.mean_speed():.3f} m/s, stuck {max(stuck)} {stuck[-1]}", end="")
        self.assertTrue(np.isfinite(play.positions()).all())
        self.assertLess(speed, 5.0)
        self.assertLess(largest_strain(play), 0.3)
        return play

    def depth(self, play):
        return Judge(play.scene).depths(play.positions(), play.frame).max()

    def test_room_enough(self):
        play = self.close(0.02)
        self.assertEqual(max(stats.stuck for stats in play.history), 0)
        self.assertLess(self.depth(play), TOLERANCE)
        self.assertLess(play.mean_speed(), 0.005)

    @long_test
    def test_less_room_than_the_thickness(self):
        for gap, method in itertools.product((0.004, 0.002), self.METHODS):
            with self.subTest(method, gap=gap):
                play = self.close(gap, **method)
                self.assertLess(self.depth(play), TOLERANCE)
                self.assertLess(np.abs(play.positions()[:, 2]).max(), gap)

    def test_no_room_at_all(self):
        """Whatever becomes of it: finite, whole, no faster than a fall, and the stats tell."""
        for method in self.METHODS:
            with self.subTest(method):
                play = self.close(-0.01, **method)
                self.assertGreater(max(stats.stuck for stats in play.history), 0.8 * 15 * 15)

    @long_test
    def test_calm_with_less_room_than_the_thickness(self):
        """The two shells overlap: it comes to rest in the middle."""
        for method in self.METHODS:
            with self.subTest(method):
                play = self.close(0.004, **method)
                self.assertLess(play.mean_speed(), 0.02)

    def test_stays_between_plates_that_overlap(self):
        """No room at all: it is held in the middle of what overlaps."""
        for method in self.METHODS:
            with self.subTest(method):
                play = self.close(-0.01, **method)
                self.assertLess(np.abs(play.positions()[:, 2]).max(), 0.02)
                self.assertGreater(play.history[-1].stuck, 0.8 * 15 * 15)

    def test_it_comes_free_again(self):
        """The plates open as they closed: nothing is stuck any more."""
        scene = closing_plates(-0.005, count=15)
        for body in scene.bodies:
            closing = body.place
            body.place = lambda frame, go=closing: go(min(frame, 2 * CLOSING_FRAMES - frame))
        with Play(scene) as play:
            speed = fastest(play, 2 * CLOSING_FRAMES)
            self.assertGreater(max(stats.stuck for stats in play.history), 0)
            self.assertEqual(play.history[-1].stuck, 0)
            self.assertLess(speed, 3.0)
            self.assertEqual(body_piercings(play), 0)


class InsideTest(unittest.TestCase):
    def check_pushed_out(self, play, frames, speed_bound):
        speed = fastest(play, frames)
        judge = Judge(play.scene)
        depth = judge.depths(play.positions(), play.frame).max()
        print(f"\npushed out: fastest {speed:.2f} m/s, strain", end=" ")
        print(f"{largest_strain(play):.3f}, depth {1000 * depth:.3f} mm", end="")
        self.assertLess(depth, TOLERANCE)
        self.assertLess(speed, speed_bound)
        self.assertLess(largest_strain(play), 0.5)

    def test_started_inside(self):
        for method in ({}, {"solver": "implicit", "iterations": 1}):
            with self.subTest(method), Play(swallowed(count=19), **method) as play:
                self.check_pushed_out(play, 24, 4.0)
                self.assertGreater(play.positions()[:, 2].max(), 0.09)  # it hangs on the sphere

    def test_appears_around_a_moving_cloth(self):
        """A ball of 5 cm appears in the middle of a cloth that has been falling for a while."""
        scene = scene_of(square(25, 0.6, 0.5), [])
        with Play(scene) as play:
            play.run(4)
            middle = play.positions()[12 * 25 + 12] + np.float32([0.004, 0.003, -0.02])
            ball = still(solids.icosphere(0.05, middle, 3))
            scene.bodies.append(ball)
            play.bodies.append(play.cloth.add_body((ball.positions(0), ball.triangles())))
            before = play.largest_speed()
            self.check_pushed_out(play, 24, before + 4.0)

    def test_the_depth_is_seen_without_contact(self):
        with Play(swallowed(), meets=False) as play:
            play.step()
            judge = Judge(play.scene)
            self.assertGreater(judge.depths(play.positions(), 1).max(), 0.01)


if __name__ == "__main__":
    unittest.main()

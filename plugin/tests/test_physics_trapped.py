"""Cloth between two skins of a body that touches itself: within, even, unstretched, and out when they part.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from test_scenes import solids
from test_scenes.contact import trapped
from test_scenes.contact.play import Play
from test_scenes.contact.trapped_judge import Skins, judged

BODY_SPEEDS = 2.5  # over the body's fastest, at most: nothing is flung


class TrappedTest(unittest.TestCase):
    def check(self, scene, quality, held):
        with Play(scene, quality=quality, fabric={}) as play:
            found = judged(scene, play.run().track)
        self.assertGreaterEqual(found.held, held)  # else the scene shows nothing
        self.assertEqual((found.wrong_frames, found.left), (0, 0), found)
        self.assertLess(found.stretch, 1.3, found)
        self.assertLess(found.uneven, 0.0013, found)
        self.assertLess(found.uneven_mean, 0.0006, found)  # two layers share the room
        self.assertLess(found.speed, BODY_SPEEDS * found.body_speed, found)

    def test_a_cuff_on_legs_of_one_surface(self):
        self.check(trapped.cuff(), "draft", 25)

    def test_two_layers_between_a_hand_and_a_thigh(self):
        self.check(trapped.pocket(), "fit", 60)

    def test_nothing_in_the_way_is_seen_to_be_wrong(self):
        """The same judge, of cloth that meets nothing."""
        scene = trapped.cuff()
        with Play(scene, quality="draft", fabric={}, meets=False) as play:
            found = judged(scene, play.run(24).track)
        self.assertGreater(found.wrong_frames, 4)
        self.assertGreater(found.deepest, 0.005)


class SkinsTest(unittest.TestCase):
    """Two balls of 0.1 m that overlap by 2 cm about x = 0."""

    def setUp(self):
        balls = [solids.uv_sphere(0.1, (x, 0, 0), 40, 80) for x in (-0.09, 0.09)]
        faces = np.concatenate([balls[0].faces, balls[1].faces + len(balls[0].positions)])
        self.skins = Skins(np.concatenate([ball.positions for ball in balls]), faces)

    def test_between_behind_one_and_before_both(self):
        places = np.array([[0.002, 0, 0], [0.05, 0, 0], [0, 0.05, 0]])
        self.assertEqual(self.skins.around(places).tolist(), [2, 1, 0])

    def test_off_the_middle(self):
        self.assertAlmostEqual(self.skins.unevenness(np.array([0.002, 0, 0])), 0.002, 4)
        self.assertAlmostEqual(self.skins.unevenness(np.array([-0.006, 0, 0])), 0.006, 4)

    def test_how_deep_behind_one(self):
        places = np.array([[0.0105, 0.0, 0], [0.013, 0, 0], [-0.16, 0, 0], [-0.1895, 0, 0]])
        found = self.skins.depths_alone(places)
        self.assertEqual(found[0], 0)  # by the rim of the overlap
        np.testing.assert_allclose(found[1:], [0.003, 0.03, 0.0005], atol=2e-4)


if __name__ == "__main__":
    unittest.main()

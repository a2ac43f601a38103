"""Contact with every solver and integrator; the same bytes for any number of threads.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import itertools
import unittest

import numpy as np

from contact_plays import self_piercings
from test_scenes.contact.catalogue import make
from test_scenes.contact.judge import deep_frames
from test_scenes.contact.play import Play

METHODS = (
    {},
    {"integrator": "bdf2"},
    {"scheme": "anderson", "iterations": 6},
    {"estimate": "rotation", "iterations": 1},
    {"estimate": "translation", "iterations": 1},
    {"solver": "implicit", "iterations": 1},
    {"solver": "implicit", "iterations": 1, "integrator": "bdf2"},
)


class SameBytesTest(unittest.TestCase):
    def states(self, scene, threads, frames, **method):
        with Play(scene, self_contact=True, threads=threads, **method) as play:
            play.run(frames)
            self.assertGreater(play.history[-1].contacts, 0)
            return b"".join(part.tobytes() for part in play.cloth.state())

    def test_threads_with_bodies_and_layers(self):
        scenes = {
            "stack": (make("stack", count=11), 4),
            "sphere": (make("sphere_centred", count=25), 4),
            "plate": (make("plate", count=31), 3),
        }
        for name, method in itertools.product(
            scenes, ({}, {"solver": "implicit", "iterations": 1})
        ):
            with self.subTest(method, scene=name):
                scene, frames = scenes[name]
                found = {self.states(scene, threads, frames, **method) for threads in (1, 2, 3)}
                self.assertEqual(len(found), 1)

    def test_two_runs_are_equal_and_a_moved_start_is_not(self):
        scene = make("sphere_centred", count=15)
        first = self.states(scene, 1, 10)
        self.assertEqual(first, self.states(scene, 1, 10))
        scene.cloth.positions[:, 0] += np.float32(1e-5)
        self.assertNotEqual(first, self.states(scene, 1, 10))


class MethodsTest(unittest.TestCase):
    def test_drape_over_a_sphere(self):
        """Every method keeps the cloth out, on the sphere, and near where the others have it."""
        heights = {}
        for model, method in itertools.product(("edge", "triangle"), METHODS):
            with self.subTest(method, model=model):
                scene = make("sphere_centred", count=13)
                with Play(scene, model=model, self_contact=True, **method) as play:
                    play.run(14)
                here = play.positions()
                self.assertEqual(deep_frames(scene, play.track)[0], 0)
                self.assertEqual(self_piercings(play), 0)
                self.assertGreater(here[:, 2].max(), 0.98)
                heights[model, str(method)] = float(here[:, 2].mean())
        print("\nmean heights:", *[f"{height:.3f}" for height in heights.values()], end="")

    def test_conventional_and_linear_drapes_agree(self):
        """Mean height of the drape at fit, against the converged implicit solver's."""
        ends = []
        for method in ({"quality": "fit"}, {"solver": "implicit", "iterations": 10}):
            with Play(make("sphere_centred", count=13), **method) as play:
                play.run(24)
                ends.append(play.positions()[:, 2].astype(float).mean())
        print(f"\nfit {ends[0]:.4f} m, converged {ends[1]:.4f} m", end="")
        self.assertAlmostEqual(ends[0], ends[1], delta=0.02)
        self.assertGreater(min(ends), 0.7)

    def test_guesses_by_rotation_keep_their_flight(self):
        """In short steps on a sphere they fall as far as those by translation: contacts leave a step its inertia."""
        drops = []
        for estimate in ("rotation", "translation"):
            plain = {"scheme": "plain", "iterations": 1, "substeps": 20, "estimate": estimate}
            scene = make("sphere", count=21)
            with Play(scene, **plain) as play:
                play.run(8)
            drops.append(float((scene.cloth.positions - play.positions())[:, 2].mean()))
        print(f"\ndrops: rotation {drops[0]:.3f} m, translation {drops[1]:.3f} m", end="")
        self.assertGreater(drops[1], 0.1)
        self.assertAlmostEqual(drops[0], drops[1], delta=0.1 * drops[1])


if __name__ == "__main__":
    unittest.main()

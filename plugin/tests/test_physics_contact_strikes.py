"""Bodies that are fast, thin or smaller than a triangle of the cloth do not come through it.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from contact_plays import STEP, body_piercings, largest_strain
from test_scenes.contact.catalogue import make
from test_scenes.contact.judge import deep_frames
from test_scenes.contact.play import Play

# Until the plate has pushed the cloth by 30 cm; later it may slip off beside it.
PUSHED_FRAMES = 5


def behind_the_plate(play, half):
    """Vertices in the way of the plate, half its size wide, that are behind its front face."""
    front = play.scene.bodies[0].positions(play.frame)
    middle = (front.min(0) + front.max(0)) / 2
    here = play.positions()
    in_way = (np.abs(here - middle)[:, [0, 2]] < half).all(1)
    return int((in_way & (here[:, 1] < middle[1])).sum()), int(in_way.sum())


class FastTest(unittest.TestCase):
    IMPLICIT = {"solver": "implicit", "iterations": 1, "substeps": 2}
    METHODS = ({}, IMPLICIT, {"substeps": 1}, {"integrator": "bdf2"})

    def check(self, name, half, meets=True, **settings):
        """The most vertices behind the plate in a frame in which it is in the cloth, and deep frames."""
        scene = make(name, count=31)
        worst = 0
        with Play(scene, meets=meets, **settings) as play:
            for _ in range(PUSHED_FRAMES):
                play.step()
                passed, in_way = behind_the_plate(play, half)
                worst = max(worst, passed)
        self.assertGreater(scene.bodies[0].positions(play.frame)[:, 1].mean(), 0.2)
        self.assertGreater(in_way, 10)
        return worst, deep_frames(scene, play.track)[0]

    def test_a_plate_at_three_metres_a_second(self):
        for method in self.METHODS:
            with self.subTest(method):
                behind, deep = self.check("plate", (0.12, 0.12), **method)
                # asked for, second order bounces, and limp cloth then folds about the plate's border
                self.assertLessEqual(behind, 8 if "integrator" in method else 0)
                self.assertEqual(deep, 0)

    def test_without_contact_it_would_pass(self):
        self.assertGreater(self.check("plate", (0.12, 0.12), meets=False)[0], 10)

    def test_a_blade_at_three_metres_a_second(self):
        """Edge first: the cloth in front of the edge is pushed along, no vertex is left inside.

        Of starts that differ by a micrometre some slip off the edge: half of them are carried along. A single Newton step
        of the conventional solver leaves a vertex 0.3 mm inside for a frame in one of twenty starts.
        """
        for method in self.METHODS:
            if method.get("substeps") != 1:
                with self.subTest(method):
                    plays = [self.push_by_blade(method, start) for start in range(5)]
                    self.assertGreater(np.median([pushed for pushed, _ in plays]), 0.5)
                    inside = sum(frames for _, frames in plays)
                    self.assertLessEqual(inside, 1 if method.get("solver") == "implicit" else 0)

    def test_a_blade_in_single_substeps(self):
        """The blade moves 125 mm in each substep; whatever slips off after the first blow, all are struck.

        Of 86 starts and roundings two had a vertex in the blade for a frame.
        """
        plays = [self.push_by_blade({"substeps": 1}, start) for start in range(6)]
        self.assertGreater(min(pushed for pushed, _ in plays), 0.125)
        self.assertLessEqual(sum(frames for _, frames in plays), 1)

    def test_tears_are_mended_outside_of_the_blade(self):
        """Starts in which edges before the blade are torn, and drawn together into it unless they are put before it."""
        for start in (8, 26):
            with self.subTest(start):
                frames = self.push_by_blade({"solver": "implicit", "iterations": 1}, start)[1]
                self.assertEqual(frames, 0)

    def push_by_blade(self, method, start):
        """(way of the cloth over that of the blade's edge, frames with a vertex inside) of a start."""
        scene = make("blade", count=31)
        noise = np.random.default_rng(start).normal(size=scene.cloth.positions.shape)
        scene.cloth.positions += np.float32(1e-6 if start else 0) * noise.astype(np.float32)
        with Play(scene, **method) as play:
            play.run(8)
        frames, depth = deep_frames(scene, play.track)
        pushed, edge = (x[:, 1].max() for x in (play.positions(), scene.bodies[0].positions(8)))
        print(
            f"\nblade, {method}: edge {edge:.2f} m, cloth {pushed:.2f} m, {1e3 * depth:.2f} mm deep",
            end="",
        )
        return pushed / edge, frames

    @unittest.expectedFailure
    def test_their_edges_pierce_nothing_on_the_way(self):
        """Today the borders of plate and blade come through triangles from the fifth frame on."""
        for name in ("plate", "blade"):
            with self.subTest(name), Play(make(name, count=31)) as play:
                pierced = []
                for _ in range(10):
                    play.step()
                    pierced.append(body_piercings(play))
                print(f"\n{name}: piercings by frame {pierced}", end="")
                self.assertEqual(max(pierced), 0)

    def test_the_whole_sweep_ends_clean(self):
        scene = make("plate", count=21)
        with Play(scene) as play:
            play.run(24)
        self.assertEqual(deep_frames(scene, play.track)[0], 0)
        self.assertEqual(body_piercings(play), 0)
        reach = np.linalg.norm(play.positions() - play.track[0], axis=1).max()
        self.assertLess(reach, 3.0 * 24 * STEP)
        strain = play.history[-1].largest_strain
        print(f"\nplate: largest strain at the end {strain:.2f}", end="")
        self.assertLess(strain, 0.5)

    @unittest.expectedFailure
    def test_the_sweep_stretches_no_edge_by_half_on_the_way(self):
        """Today 0.04 to 7, a matter of chance: where the corners pierce, cloth is caught. Of six meshes some are."""
        most = 0
        for count in range(40, 46):
            with Play(make("plate", count=count)) as play:
                play.run(24)
            most = max(most, largest_strain(play))
        print(f"\nplate: largest strain on the way {most:.2f}", end="")
        self.assertLess(most, 0.5)


class SmallTest(unittest.TestCase):
    """What is smaller than a triangle touches no vertex: its faces and edges must hold the cloth."""

    def check(self, name, frames, struck=0, **settings):
        """struck: frames that the first blow may take to come out again."""
        scene = make(name)
        with Play(scene, **settings) as play:
            for _ in range(frames):
                play.step()
                if play.frame % 5 == 0 and play.frame > struck:
                    self.assertEqual(body_piercings(play), 0, play.frame)
        self.assertEqual(deep_frames(scene, play.track)[0], 0)
        return play

    def test_bead(self):
        """It pushes the cloth in front of it."""
        for method in ({}, {"integrator": "bdf2"}):
            with self.subTest(method):
                play = self.check("bead", 30, **method)
                front = play.scene.bodies[0].positions(30)[:, 1].max()
                self.assertGreater(play.positions()[:, 1].max(), 0.9 * front)

    def test_pole(self):
        """The cloth hangs from the tip, 0.8 m high."""
        play = self.check("pole", 30)
        self.assertGreater(play.positions()[:, 2].max(), 0.78)
        self.assertLess(play.positions()[:, 2].min(), 0.6)

    def test_bead_and_pole_with_the_implicit_solver(self):
        """One Newton step does not see what it pushes into: among contacts it takes more."""
        for name in ("bead", "pole"):
            with self.subTest(name):
                self.check(name, 10, solver="implicit", iterations=1)

    def test_corner(self):
        self.check("corner", 20, struck=5)

    def test_a_bead_that_is_not_met_pierces(self):
        scene = make("bead")
        with Play(scene, meets=False) as play:
            play.run(8)
            self.assertGreater(body_piercings(play), 0)


if __name__ == "__main__":
    unittest.main()

"""Parts of a mirrored cloth without a mirror image: simulated apart, sewn to the garment below.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import hashlib
import unittest

import numpy as np

from mirror_meshes import STEP, image, partners, places, quads, roof, triangles, with_pocket
from muslin import Cloth, Mesh
from test_mirror_bodies import ball

COUNT = 63  # vertices of roof()
CORNERS = [0, 8]


def run(cloth, frames):
    collected = []
    for _ in range(frames):
        cloth.step(STEP)
        state = np.concatenate(cloth.state()).tobytes()
        collected.append(hashlib.sha256(state).hexdigest()[:16])
    return collected


def with_flap():
    """roof() with a long strip that begins near it and hangs in the air beside it, on one side."""
    flap = places(3, 9, 0.1, 0.8) * np.float32([1, 1, 0]) + np.float32([0.3, 0.69, 0.17])
    faces = [list(face) for face in triangles(9, 7)] + quads(3, 9, COUNT).tolist()
    return Mesh.from_faces(np.concatenate([places(), flap]), faces)


class ExtrasTest(unittest.TestCase):
    def test_the_garment_is_as_without(self):
        with Cloth(with_pocket(), mirror="exact") as cloth, Cloth(roof(), mirror="exact") as plain:
            for each in (cloth, plain):
                each.set_pins(CORNERS)
            run(cloth, 6)
            run(plain, 6)
            self.assertEqual(cloth.mirror().extra_count, 9)
            np.testing.assert_array_equal(cloth.positions()[:COUNT], plain.positions())

    def test_pocket_goes_along(self):
        """Its border keeps its distance from the garment below; its middle is free, but goes along."""
        mesh = with_pocket()
        with Cloth(mesh, mirror="auto") as cloth:
            cloth.set_pins(CORNERS)
            run(cloth, 8)
            self.assertEqual(cloth.warnings, [])
            positions = cloth.positions()
            np.testing.assert_array_equal(positions[:COUNT], image(positions[:COUNT], partners()))
            below = positions[:COUNT][np.argmin(np.linalg.norm(places() - [0.2, 0, 0.06], axis=1))]
            moved = np.linalg.norm(below - [0.2, 0, 0.06])
            self.assertGreater(moved, 0.02)
            distance = np.linalg.norm(positions[COUNT:] - below, axis=1)
            self.assertLess(distance.max(), 0.12)
            self.assertGreater(np.abs(cloth.state()[1][COUNT:]).max(), 0)

    def test_only_what_is_near_is_sewn(self):
        mesh = with_flap()
        with Cloth(mesh, mirror="exact") as cloth:
            cloth.set_pins([*range(COUNT)])  # the garment stands still
            run(cloth, 10)
            moved = np.linalg.norm(cloth.positions() - mesh.positions, axis=1)
            self.assertLess(moved[: COUNT + 3].max(), 1e-6)
            self.assertGreater(moved[-3:].min(), 0.1)

    def test_pins_scales_and_state(self):
        mesh = with_flap()
        end = mesh.vertex_count - 1
        with Cloth(mesh, mirror="exact") as cloth:
            cloth.set_pins([0, 8, end])
            cloth.set_scales(mass=np.linspace(1, 1, mesh.vertex_count))
            run(cloth, 3)
            np.testing.assert_allclose(cloth.positions()[end], mesh.positions[end], atol=1e-7)
            targets = mesh.positions[[0, 8, end]] + np.float32([0, 0, 0.05])
            cloth.move_pins(targets)
            run(cloth, 1)
            np.testing.assert_allclose(cloth.positions()[[0, 8, end]], targets, atol=1e-7)
            moved = mesh.positions + np.float32([0, 0.1, 0.2])
            cloth.set_state(moved, moved * np.float32([0, 0, 1]))
            np.testing.assert_array_equal(cloth.positions(), moved)
            np.testing.assert_array_equal(cloth.state()[1], moved * np.float32([0, 0, 1]))
            self.assertLess(cloth.stats().kinetic_energy, 1)

    def test_flap_meets_the_garment_and_bodies(self):
        """A loose sheet above one side falls on the garment, and another beside it on a body."""
        sheet = places(5, 5, 0.1, 0.1) * np.float32([1, 1, 0])
        sheets = [sheet + np.float32([0.2, 0, 0.3]), sheet + np.float32([0.8, 0, 0.3])]
        faces = [list(face) for face in triangles(9, 7)]
        faces += quads(5, 5, COUNT).tolist() + quads(5, 5, COUNT + 25).tolist()
        mesh = Mesh.from_faces(np.concatenate([places(), *sheets]), faces)
        with Cloth(mesh, mirror="exact") as cloth:
            cloth.set_pins([*range(COUNT)])
            cloth.add_body(ball(x=0.8, z=0.1))
            run(cloth, 20)
            heights = cloth.positions()[COUNT:, 2].reshape(2, 25)
            self.assertLess(heights.max(), 0.28)
            self.assertGreater(heights[0].max(), 0.03)
            self.assertGreater(heights[1].max(), 0.1)  # without the ball it would be far below

    def test_snapshot(self):
        with Cloth(with_pocket(), mirror="auto") as cloth, Cloth(
            with_pocket(), mirror="auto"
        ) as other:
            for each in (cloth, other):
                each.set_pins(CORNERS)
                each.set_self_contact(True)
            run(cloth, 4)
            halved = cloth.snapshot()
            frames = run(cloth, 3)
            cloth.set_pins([0])
            run(cloth, 2)
            self.assertEqual(cloth.mirror().solved_whole, 1)
            for each in (cloth, other):
                each.set_pins(CORNERS, None, places()[CORNERS])
                each.restore(halved)
                self.assertEqual(run(each, 3), frames)

    def test_whole_and_back(self):
        mesh = with_flap()
        settings = {"scheme": "plain", "iterations": 100}
        with Cloth(mesh, mirror="auto", **settings) as cloth:
            cloth.set_pins(CORNERS)
            run(cloth, 3)
            for wind, whole in (((1e-4, 0, 0), 1), ((0, 0, 0), 0)):
                cloth.set_forces(wind=wind)
                before = cloth.positions()
                cloth.step(1e-5)
                self.assertEqual(cloth.mirror().solved_whole, whole)
                self.assertLess(np.abs(cloth.positions() - before).max(), 2e-4)

    def test_stray_vertices_stay(self):
        mesh = Mesh.from_faces(np.concatenate([places(), [[0.1, 0.2, 3]]]), triangles(9, 7))
        with Cloth(mesh, mirror="exact") as cloth:
            run(cloth, 2)
            np.testing.assert_array_equal(cloth.positions()[-1], np.float32([0.1, 0.2, 3]))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes for mirrored simulation: symmetric to the bit, in motion too, and of the sizes they are named by."""

import unittest
from functools import lru_cache

import numpy as np

from muslin import find_symmetry
from test_scenes import mannequin
from test_scenes.contact import mirrored
from test_scenes.contact.play import mesh_of
from test_scenes.mesh import Mesh
from test_scenes.mirror import mirror_pairs

FRAMES = 100
PLANE = ((0, 0, 0), (1, 0, 0))


@lru_cache(maxsize=None)
def scenes():
    return {
        "small": mirrored.tshirt(0.065),
        "jacket": mirrored.jacket(),
        "fine": mirrored.tshirt(0.0069),
        "hanging": mirrored.hanging(),
    }


class SymmetricTest(unittest.TestCase):
    def test_vertex_counts(self):
        counts = {name: len(scene.cloth.positions) for name, scene in scenes().items()}
        wanted = {"small": 336, "jacket": 1942, "fine": 19682, "hanging": 2601}
        self.assertEqual(counts, wanted)

    def test_cloth_mirrors_to_the_bit(self):
        for name, scene in scenes().items():
            pairs = mirror_pairs(scene.cloth)
            own = {frozenset(face) for face in scene.cloth.faces.tolist()}
            image = {frozenset(face) for face in pairs[scene.cloth.faces].tolist()}
            self.assertEqual(own, image, name)
            self.assertEqual(sorted(scene.pins), sorted(pairs[scene.pins]), name)

    def test_bodies_mirror_to_the_bit_at_every_frame(self):
        for name in ("small", "jacket"):
            for shape in scenes()[name].bodies:
                pairs = mirror_pairs(Mesh(shape.positions(0), shape.faces))
                own = {frozenset(face) for face in shape.faces.tolist()}
                self.assertEqual(own, {frozenset(face) for face in pairs[shape.faces].tolist()})
                for frame in range(FRAMES + 1):
                    here = shape.positions(frame)
                    np.testing.assert_array_equal(here, here[pairs] * mirrored.MIRROR)

    def test_arms_rise_and_chest_bows(self):
        """A body that stood still would mirror as well."""
        shape = scenes()["small"].bodies[0]
        start, raised, bowed = (shape.positions(frame) for frame in (0, 24, 12))
        hands = np.abs(start[:, 0]) > 0.5
        self.assertGreater((raised - start)[hands, 2].min(), 0.2)
        head = start[:, 2] > 1.6
        self.assertGreater(np.abs((bowed - start)[head, 1]).min(), 0.03)

    def test_quads_are_cut_alike(self):
        for name, scene in scenes().items():
            meshes = [scene.cloth] + [Mesh(one.positions(0), one.faces) for one in scene.bodies[:1]]
            for mesh in meshes:
                found = find_symmetry(mesh_of(mesh), plane=PLANE)
                wrong = (found.unpaired, found.faces_without, found.differing_cuts)
                self.assertEqual(wrong, (0, 0, 0), name)
                self.assertGreater(found.on_plane, 0)

    def test_jacket_is_open_in_front_only(self):
        cloth = scenes()["jacket"].cloth
        left, right = mirrored.fronts(cloth)
        self.assertEqual(len(left), len(right))
        self.assertFalse(set(left.ravel()) & set(right.ravel()))
        edge = mirrored.front_edge(cloth)
        self.assertGreater(np.ptp(cloth.positions[edge, 2]), 0.5)
        np.testing.assert_allclose(cloth.positions[edge, 0], 0.006, atol=1e-3)
        self.assertGreater(cloth.positions[cloth.positions[:, 0] == 0, 1].min(), 0)

    def test_standing_still_from_a_frame_on(self):
        shape = mirrored.jacket(0.05, 0.03, last=12).bodies[0]
        self.assertFalse((shape.positions(11) == shape.positions(12)).all())
        np.testing.assert_array_equal(shape.positions(12), shape.positions(50))

    def test_even_sheets_are_refused(self):
        with self.assertRaises(ValueError):
            mirrored.hanging(50)


class UnevenTest(unittest.TestCase):
    def test_one_arm_goes_its_own_way_and_comes_back(self):
        shape = mirrored.uneven_tshirt(0.065, 0.03).bodies[0]
        pairs = mirror_pairs(Mesh(shape.positions(0), shape.faces))
        off = [
            np.abs(here - here[pairs] * mirrored.MIRROR).max()
            for here in map(shape.positions, (0, 20, 35, 50, 70))
        ]
        self.assertLess(max(off[k] for k in (0, 1, 3, 4)), 1e-6)
        self.assertGreater(off[2], 0.1)

    def test_sides_are_triangulated_differently(self):
        scene = mirrored.two_triangulations(0.04, 0.03)
        found = find_symmetry(mesh_of(scene.cloth), plane=PLANE)
        x = scene.cloth.positions[:, 0]
        self.assertEqual(found.unpaired, np.count_nonzero(x < 0) - np.count_nonzero(x > 0))
        self.assertGreater(found.unpaired, 100)

    def test_pocket_is_before_the_shirt(self):
        scene = mirrored.pocketed()
        pocket = scene.cloth.positions[-(mirrored.POCKET**2) :]
        self.assertGreater(pocket[:, 0].min(), 0)
        self.assertGreater(mannequin.distance(pocket).min(), 0.015)
        gaps = np.linalg.norm(
            pocket[:, None] - scene.cloth.positions[None, : -len(pocket)], axis=2
        ).min(1)
        self.assertGreater(gaps.min(), 0.004)
        self.assertLess(gaps.max(), 0.03)


if __name__ == "__main__":
    unittest.main()

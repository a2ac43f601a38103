"""The judge of contact, against geometry by brute force and against formulas.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

import mesh_geometry as geometry
from test_scenes import solids
from test_scenes.contact import judge
from test_scenes.contact.catalogue import make


class SolidsTest(unittest.TestCase):
    def test_depths_in_a_box(self):
        box = solids.box((0.8, 0.6, 0.1), cells=(4, 3, 1))
        points = np.random.default_rng(5).uniform(-0.5, 0.5, (3000, 3)) * (1, 1, 0.2)
        expected = (np.array([0.4, 0.3, 0.05]) - np.abs(points)).min(1).clip(0)
        self.assertGreater((expected > 0).sum(), 200)
        found = judge.depths(points, box.positions, box.faces)
        np.testing.assert_allclose(found, expected, atol=3e-7)

    def test_the_same_as_solid_angles(self):
        body = make("tshirt", body_spacing=0.03).bodies[0]
        points = body.positions(17).astype(float)
        chosen = np.random.default_rng(6).permutation(len(points))[:200]
        near = points[chosen] + np.random.default_rng(7).normal(0, 0.02, (len(chosen), 3))
        corners = geometry.corners_of(points, body.triangles())
        expected = np.round(geometry.winding(near, corners)).astype(int)
        self.assertGreater(expected.sum(), 30)
        found = judge.winding(near, points, body.triangles())
        np.testing.assert_array_equal(found, expected)

    def test_points_over_vertices_and_edges(self):
        """Rays through shared edges and corners count once: the mesh's own grid as points."""
        box = solids.box((1, 1, 1), cells=(4, 4, 4))
        inner = np.array(np.meshgrid(*[np.linspace(-0.375, 0.375, 7)] * 3)).reshape(3, -1).T
        turned = inner @ judge.TURN  # so that the judge's own rays are along the edges
        rotated = box.positions.astype(float) @ judge.TURN
        self.assertTrue((judge.winding(turned, rotated, box.faces) == 1).all())


class SheetTest(unittest.TestCase):
    def setUp(self):
        self.sheet = solids.sheet((1.0, 1.0)).positions
        self.above = np.array([[0.0, 0, 0.1], [0.7, 0, 0.1]])

    def depths(self, *track):
        sheet = judge.Sheet(self.sheet, self.above)
        return [sheet.depths(np.array(points, float)).round(9).tolist() for points in track]

    def test_through_the_middle_and_back(self):
        beside = self.above[1]
        found = self.depths([[0, 0, -0.02], beside], [[0, 0, -0.1], beside], [[0, 0, 0.1], beside])
        self.assertEqual(found, [[0.02, 0], [0.1, 0], [0, 0]])

    def test_around_the_border(self):
        middle = self.above[0]
        found = self.depths([middle, [0.7, 0, -0.1]], [middle, [0.3, 0, -0.1]])
        self.assertEqual(found, [[0, 0], [0, 0]])


if __name__ == "__main__":
    unittest.main()

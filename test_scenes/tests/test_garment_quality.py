# SPDX-License-Identifier: GPL-3.0-or-later
"""How meshes are cut finer, and who is inside a body."""

import unittest
from types import SimpleNamespace

import numpy as np
from test_scenes import garments as drawn
from test_scenes import solids
from test_scenes.contact import quality
from test_scenes.mesh import Mesh, unique_edges
from test_scenes.mirror import mirror_pairs
from test_scenes.refine import refined, subdivide


def area(mesh):
    a, b, c = mesh.positions[mesh.triangles()].astype(float).transpose(1, 0, 2)
    return np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2


def torus(large, small, around=48, along=24):
    """A closed tube around the z axis, of quads."""
    turn, rise = np.meshgrid(
        np.arange(around) * 2 * np.pi / around, np.arange(along) * 2 * np.pi / along, indexing="ij"
    )
    out = large + small * np.cos(rise)
    points = np.stack([out * np.cos(turn), out * np.sin(turn), small * np.sin(rise)], -1)
    numbers = np.arange(around * along).reshape(around, along)
    after, above = np.roll(numbers, -1, 0), np.roll(numbers, -1, 1)
    both = np.roll(after, -1, 1)
    quads = np.stack([numbers, after, both, above], -1).reshape(-1, 4)
    return Mesh(points.reshape(-1, 3), quads)


class Finer(unittest.TestCase):
    def test_symmetry_is_kept_to_the_bit(self):
        shirt = drawn.tshirt(0.06)
        for _ in range(2):
            shirt = subdivide(shirt)
            pairs = mirror_pairs(shirt)  # raises where a vertex has no image
            edges = {tuple(edge) for edge in unique_edges(shirt.faces)[0].tolist()}
            images = {tuple(sorted(edge)) for edge in pairs[np.array(sorted(edges))].tolist()}
            self.assertEqual(edges, images)

    def test_flat_polygons_keep_their_area_and_their_side(self):
        points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0.5, 0), (0.5, 2, 0)]
        faces = [(0, 1, 2, 3), (1, 4, 2), (3, 2, 5)]
        mesh = Mesh(np.array(points, float), faces, edges=[(4, 5)])
        finer = subdivide(mesh)
        self.assertEqual([len(face) for face in finer.faces].count(4), 4)
        self.assertEqual([len(face) for face in finer.faces].count(3), 8)
        self.assertEqual(len(finer.positions), 6 + 8 + 1 + 1)
        self.assertEqual(finer.edges.tolist(), [[4, 15], [5, 15]])
        self.assertAlmostEqual(area(finer), area(mesh), places=6)
        a, b, c = finer.positions[finer.triangles()].transpose(1, 0, 2)
        self.assertTrue((np.cross(b - a, c - a)[:, 2] > 0).all())

    def test_uvs_are_cut_like_positions(self):
        points = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0.5, 0)], float)
        faces = [(0, 1, 2, 3), (1, 4, 2)]
        mesh = Mesh(points, faces, uvs=points[:, :2], face_uvs=faces)
        finer = subdivide(subdivide(mesh))
        for face, corners in zip(finer.faces, finer.face_uvs):
            places, uvs = finer.positions[list(face), :2], finer.uvs[list(corners)]
            np.testing.assert_allclose(places, uvs, atol=1e-6)

    def test_the_count_nearest_to_what_is_wanted(self):
        shirt = drawn.tshirt(0.06)
        start = len(shirt.positions)
        self.assertIs(refined(shirt, start), shirt)
        self.assertIs(refined(shirt, start // 3), shirt)
        self.assertAlmostEqual(len(refined(shirt, 4 * start).positions) / start, 4, delta=0.3)
        self.assertAlmostEqual(len(refined(shirt, 12 * start).positions) / start, 16, delta=2)


class Inside(unittest.TestCase):
    def points(self, size):
        return np.random.default_rng(5).uniform(-size, size, (1500, 3)).astype(np.float32)

    def test_a_sphere(self):
        ball = solids.icosphere(0.5, subdivisions=4)
        points = self.points(0.7)
        away = np.linalg.norm(points, axis=1)
        points = points[np.abs(away - 0.5) > 0.003]  # its faces cut a little off
        wanted = int((np.linalg.norm(points, axis=1) < 0.5).sum())
        self.assertGreater(wanted, 100)
        self.assertEqual(quality.inside(points, ball.positions, ball.triangles()), wanted)

    def test_a_torus_has_a_hole(self):
        tube = torus(0.5, 0.2)
        points = self.points(0.8)
        across = np.hypot(np.hypot(points[:, 0], points[:, 1]) - 0.5, points[:, 2])
        points, across = points[np.abs(across - 0.2) > 0.01], across[np.abs(across - 0.2) > 0.01]
        wanted = int((across < 0.2).sum())
        self.assertGreater(wanted, 100)
        self.assertEqual(quality.inside(points, tube.positions, tube.triangles()), wanted)

    def test_quads_are_judged_along_the_cut_they_start_with(self):
        # cut from its first to its third corner
        kite = [(0, -1, 0), (1.2, 0, 0), (0, 1, 0), (-1.2, 0, 0)]
        tongue = [(0, -0.5, 0.3), (0, -0.45, 0.7), (0, -0.4, 0.3)]
        cloth = Mesh(np.array(kite + tongue, float), [(0, 1, 2, 3), (4, 5, 6)])
        folded = np.array([(0, -1, 0), (0.6, 0, 1), (0, 1, 0), (-0.6, 0, 1)] + tongue, float)
        judge = quality.Judge(SimpleNamespace(cloth=cloth, bodies=[]))
        self.assertEqual(judge.counts(folded, 0), (0, 0, 0))  # the tongue stands in the open fold
        pushed = folded - np.array([(0, 0, 0)] * 4 + [(0, 0, 0.5)] * 3)
        # now both of its long sides go through the fold
        self.assertEqual(judge.counts(pushed, 0)[2], 2)

    def test_the_frames_that_are_judged(self):
        self.assertEqual(quality.judged_frames(20), [8, 12, 16, 20])
        self.assertEqual(quality.judged_frames(10), [8, 10])
        self.assertEqual(quality.judged_frames(3), [3])


if __name__ == "__main__":
    unittest.main()

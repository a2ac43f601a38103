"""Several garments in one cloth: their meshes joined, openings closed, and layers put on in their order.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest
from pathlib import Path

import numpy as np

from muslin import Cloth, Mesh, read_obj
from muslin.inspection.intersections import body_piercings, find_piercings, tolerance_of
from muslin.layers import closed, dress, first_vertices, is_in_order, joined, openings
from muslin.inspection.surface import surface_of
from test_scenes.levels import long_test

SHARED_DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
AROUND, ALONG = 24, 15
THICKNESS = 0.004  # m


def tube(radius, length=0.4, ends=False):
    """A tube around z, of quads, open or with a face at each end."""
    turns = np.arange(AROUND) * 2 * np.pi / AROUND
    ring = np.column_stack([radius * np.cos(turns), radius * np.sin(turns)])
    heights = np.linspace(-length / 2, length / 2, ALONG)
    points = np.concatenate([np.column_stack([ring, np.full(AROUND, z)]) for z in heights])
    rows = np.arange(AROUND)
    after = (rows + 1) % AROUND
    faces = [
        (r * AROUND + a, r * AROUND + b, (r + 1) * AROUND + b, (r + 1) * AROUND + a)
        for r in range(ALONG - 1)
        for a, b in zip(rows, after)
    ]
    if ends:
        faces += [tuple(reversed(rows)), tuple(rows + (ALONG - 1) * AROUND)]
    return Mesh.from_faces(points, faces)


def worn(mesh, body):
    """A garment alone with its body, weightless: tubes do not slide down."""
    cloth = Cloth(mesh, gravity=(0.0, 0.0, 0.0))
    cloth.set_self_contact(True, THICKNESS)
    cloth.add_body(body, THICKNESS)
    return cloth


def volume(mesh):
    """m3 by the divergence theorem: triangles are seen from outside counter-clockwise."""
    found = surface_of(mesh)
    a, b, c = (found.points[found.triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def radii(positions):
    return np.hypot(positions[:, 0], positions[:, 1])


class JoinTest(unittest.TestCase):
    def test_faces_edges_and_maps_keep_their_vertices(self):
        one = Mesh.from_faces(np.eye(3), [(0, 1, 2)], uvs=np.zeros((3, 2)))
        other = Mesh.from_faces(np.eye(4, 3), [(1, 2, 3)], edges=[(0, 1)], uvs=np.ones((3, 2)))
        whole = joined([one, other])
        self.assertEqual(whole.faces(), [[0, 1, 2], [4, 5, 6]])
        self.assertEqual(whole.edges.tolist(), [[3, 4]])
        self.assertEqual(whole.corner_uvs.tolist(), [[0, 0]] * 3 + [[1, 1]] * 3)
        self.assertEqual(first_vertices([one, other]).tolist(), [0, 3, 7])

    def test_no_map_where_one_has_none(self):
        one = Mesh.from_faces(np.eye(3), [(0, 1, 2)], uvs=np.zeros((3, 2)))
        self.assertIsNone(joined([one, Mesh.from_faces(np.eye(3), [(0, 1, 2)])]).uvs)


class ClosedTest(unittest.TestCase):
    def test_openings_are_the_rings_at_the_ends(self):
        rings = openings(tube(0.1))
        self.assertEqual(sorted(map(len, rings)), [AROUND, AROUND])
        wanted = {*range(AROUND), *range((ALONG - 1) * AROUND, ALONG * AROUND)}
        self.assertEqual({int(v) for ring in rings for v in ring}, wanted)

    def test_a_closed_tube_has_the_volume_of_its_prism(self):
        mesh = tube(0.1)
        prism = 0.4 * 0.5 * AROUND * 0.1**2 * np.sin(2 * np.pi / AROUND)
        found = closed(mesh, mesh.positions)
        self.assertEqual(openings(found), [])
        self.assertAlmostEqual(volume(found), prism, places=7)

    def test_what_is_closed_stays(self):
        mesh = tube(0.1, ends=True)
        self.assertEqual(closed(mesh, mesh.positions).faces(), mesh.faces())


class DressTest(unittest.TestCase):
    def setUp(self):
        self.body = tube(0.1, 1.0, ends=True)

    def check_order(self, inner, outer):
        meshes = [tube(inner), tube(outer, 0.3)]
        cloths = [worn(mesh, self.body) for mesh in meshes]
        return is_in_order(cloths, meshes), cloths, meshes

    def test_clean_layers_are_in_order(self):
        self.assertTrue(self.check_order(0.106, 0.115)[0])

    def test_an_outer_one_that_begins_inside_comes_out(self):
        in_order, cloths, meshes = self.check_order(0.11, 0.106)
        self.assertFalse(in_order)
        said = list(dress(cloths, meshes, THICKNESS))
        self.assertRegex(said[-1], "putting on garment 2 of 2")
        inner, outer = (radii(cloth.positions()) for cloth in cloths)
        middle = np.abs(meshes[0].positions[:, 2]) < 0.15
        self.assertGreater(outer.min(), inner[middle].mean())
        self.assertTrue(is_in_order(cloths, meshes))

    @long_test
    @unittest.skipUnless((SHARED_DATA / "body.obj").exists(), f"no garments in {SHARED_DATA}")
    def test_modelled_garments_end_in_order(self):
        """They pass through each other at 50 and more places where they begin."""
        body = read_obj(SHARED_DATA / "body.obj")
        for names in (("tshirt", "jacket_open"), ("longsleeve", "tshirt")):
            with self.subTest(names):
                self.check_garments(body, [read_obj(SHARED_DATA / f"{name}.obj") for name in names])

    def check_garments(self, body, meshes):
        cloths = []
        for mesh in meshes:
            cloths.append(Cloth(mesh))
            cloths[-1].set_self_contact(True, THICKNESS)
            cloths[-1].add_body(body, THICKNESS)
        self.assertFalse(is_in_order(cloths, meshes))
        for _ in dress(cloths, meshes, THICKNESS):
            pass
        whole = Cloth(joined(meshes))
        whole.set_self_contact(True, THICKNESS)
        whole.add_body(body, THICKNESS)
        whole.set_state(np.concatenate([cloth.positions() for cloth in cloths]))
        while not whole.settle().settled:
            pass
        parts = np.split(whole.positions(), first_vertices(meshes)[1:-1])
        inner, outer = (
            surface_of(Mesh(part, mesh.face_sizes, mesh.face_vertices))
            for part, mesh in zip(parts, meshes)
        )
        tolerance = tolerance_of(outer)
        self.assertEqual(len(find_piercings(inner, outer, tolerance)), 0)
        self.assertEqual(len(find_piercings(outer, inner, tolerance)), 0)
        for each in (inner, outer):
            self.assertFalse(any(map(len, body_piercings(each, surface_of(body)))))
        self.check_outside(whole.fit().gap, parts)

    def check_outside(self, gap, parts):
        """Where the outer one is near to the inner one, it is farther from the body; but for a few at armpits."""
        count = len(parts[0])
        away = np.linalg.norm(parts[1][:, None] - parts[0][None], axis=2)
        below = gap[count:] < gap[:count][away.argmin(axis=1)] - 0.5 * THICKNESS
        near = away.min(axis=1) < 0.02
        self.assertGreater(near.sum(), 100)
        self.assertEqual((below & near).sum(), 0)


if __name__ == "__main__":
    unittest.main()

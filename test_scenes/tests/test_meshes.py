# SPDX-License-Identifier: GPL-3.0-or-later
"""What every user of the scenes relies on: counts, shapes, orientation, symmetry, equal bits."""

import tempfile
import unittest
from functools import lru_cache
from pathlib import Path

import numpy as np

from test_scenes import defects, garments, mannequin, patterns, sheets
from test_scenes.catalogue import SCENES, make
from test_scenes.delaunay import delaunay
from test_scenes.levels import long_test
from test_scenes.mesh import boundary_loops, directed_edges, triangle_angles, unique_edges
from test_scenes.mirror import mirror_pairs
from test_scenes.objfile import read_obj, write_obj

GARMENTS = {
    "tshirt": garments.tshirt,
    "jacket": garments.jacket,
    "skirt": garments.skirt,
    "trousers": garments.trousers,
}
PUBLISHED_TRIANGLES = {1245: 2348, 2485: 4768, 4219: 8176}
PUBLISHED_ENTRIES = {
    166: 1872,
    1098: 13426,
    5498: 69406,
    1245: 15293,
    2485: 30969,
    4219: 53067,
    1780: 21412,
    918: 10816,
    3176: 39352,
}


@lru_cache(maxsize=None)
def made(name):
    return make(name)[0]


@lru_cache(maxsize=None)
def all_patterns():
    squares = [f"square_{count}" for count in patterns.RESOLUTION_SQUARES]
    swings = [f"swing_{count}" for count in patterns.SWING_SQUARES]
    panels = [make_panel.__name__ for make_panel in patterns.DRESS_PANELS]
    return [made(name) for name in (*squares, *swings, *panels)]


def euler_characteristic(mesh):
    return len(mesh.positions) - len(unique_edges(mesh.faces)[0]) + len(mesh.faces)


def matrix_entries(mesh):
    """Entries of the matrix: vertices, pairs joined by an edge, pairs across an inner edge."""
    sides = directed_edges(mesh.faces)
    across = mesh.faces[:, [2, 0, 1]].ravel()
    joined = {tuple(sorted(side)) for side in sides.tolist()}
    opposite = {tuple(side): vertex for side, vertex in zip(sides.tolist(), across.tolist())}
    for (start, end), vertex in list(opposite.items()):
        if (end, start) in opposite:
            joined.add(tuple(sorted((vertex, opposite[end, start]))))
    return len(mesh.positions) + 2 * len(joined)


class Checks(unittest.TestCase):
    def assert_oriented_manifold(self, mesh):
        sides = directed_edges(mesh.faces)
        self.assertEqual(len(np.unique(sides, axis=0)), len(sides), mesh.name)
        self.assertLessEqual(unique_edges(mesh.faces)[1].max(), 2, mesh.name)

    def assert_no_duplicates(self, mesh):
        self.assertEqual(len(np.unique(mesh.positions, axis=0)), len(mesh.positions), mesh.name)
        self.assertEqual(len(np.unique(mesh.faces)), len(mesh.positions), mesh.name)


def plane_cross(one, other):
    return one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]


class DelaunayTest(unittest.TestCase):
    def test_no_point_lies_in_a_circumcircle(self):
        points = np.random.default_rng(5).random((300, 2))
        triangles = delaunay(points)
        a, b, c = (points[triangles[:, k]] for k in range(3))
        cross = plane_cross(b - a, c - a)
        self.assertTrue((cross > 0).all())
        first, second = ((b - a) ** 2).sum(1), ((c - a) ** 2).sum(1)
        x = (first * (c - a)[:, 1] - second * (b - a)[:, 1]) / (2 * cross)
        y = (second * (b - a)[:, 0] - first * (c - a)[:, 0]) / (2 * cross)
        centres = a + np.column_stack([x, y])
        radii = np.sqrt(x * x + y * y)
        gaps = np.linalg.norm(points[None] - centres[:, None], axis=2) - radii[:, None]
        self.assertGreater(gaps.min(), -1e-6)

    def test_a_lattice_of_cocircular_points_is_filled(self):
        x, y = np.meshgrid(np.arange(20.0), np.arange(20.0))
        self.assertEqual(len(delaunay(np.column_stack([x.ravel(), y.ravel()]))), 2 * 19 * 19)

    def test_equal_points_are_refused(self):
        with self.assertRaises(ValueError):
            delaunay([(0, 0), (1, 0), (0, 1), (1, 0)])


@long_test
class PatternTest(Checks):
    def test_counts_are_exact(self):
        counts = [len(mesh.positions) for mesh in all_patterns()]
        self.assertEqual(counts, [166, 1098, 5498, 1245, 2485, 4219, 5472, 1780, 918, 3176])
        for mesh in all_patterns():
            expected = PUBLISHED_TRIANGLES.get(len(mesh.positions), len(mesh.faces))
            self.assertEqual(len(mesh.faces), expected)

    def test_one_sheet_with_one_border_numbered_first(self):
        for mesh in all_patterns():
            self.assert_oriented_manifold(mesh)
            self.assert_no_duplicates(mesh)
            self.assertEqual(euler_characteristic(mesh), 1, mesh.name)
            loops = boundary_loops(mesh.faces)
            self.assertEqual([sorted(loop) for loop in loops], [list(range(len(loops[0])))])

    def test_triangles_face_up_and_are_well_shaped(self):
        for mesh in all_patterns():
            corners = mesh.uvs.astype(float)[mesh.faces]
            cross = plane_cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            self.assertGreater(cross.min(), 0, mesh.name)
            self.assertGreater(triangle_angles(mesh.positions, mesh.faces).min(), 18, mesh.name)

    def test_matrix_entries_agree_with_the_published_ones(self):
        for mesh in all_patterns():
            published = PUBLISHED_ENTRIES.get(len(mesh.positions))
            if published:
                self.assertAlmostEqual(matrix_entries(mesh) / published, 1, delta=0.006)

    def test_swing_pins_are_the_upper_corners(self):
        mesh, pins = patterns.swing_square(1245)
        corners = mesh.positions[pins].tolist()
        self.assertEqual(corners, [[-0.5, 0.5, 0], [0.5, 0.5, 0]])


class SheetTest(Checks):
    def test_grid_alternates_its_diagonals(self):
        mesh = sheets.grid(3, 3)
        diagonals = {tuple(edge) for edge in unique_edges(mesh.faces)[0].tolist()}
        for diagonal in ((0, 4), (2, 4), (4, 6), (4, 8)):
            self.assertIn(diagonal, diagonals)
        self.assertEqual(sheets.grid(4, 3, diagonals="quads").faces.shape, (6, 4))

    def test_response_sheet(self):
        mesh, pins = sheets.response_sheet()
        self.assertEqual((len(mesh.positions), len(mesh.faces)), (5476, 10658))
        self.assertEqual(pins.tolist(), [5402, 5475])
        self.assert_oriented_manifold(mesh)

    def test_rolled_sheet_keeps_its_material(self):
        mesh = sheets.cylinder_sheet(200, 5, 0.3)
        x, _, z = mesh.positions.T.astype(float)
        self.assertLess(np.abs(np.hypot(x, z - 0.3) - 0.3).max(), 1e-6)

    def test_rope_hangs_on_the_cloth(self):
        mesh, pins = sheets.cloth_with_rope()
        self.assertIn(mesh.edges[0, 0], mesh.faces)
        self.assertNotIn(pins[0], mesh.faces)
        self.assertEqual(len(sheets.rope(50).edges), 49)


class GarmentTest(Checks):
    def test_positions_and_faces_mirror_to_the_bit(self):
        for name in (*GARMENTS, "mannequin"):
            mesh = made(name)
            pairs = mirror_pairs(mesh)
            own = {tuple(sorted(face)) for face in mesh.faces.tolist()}
            mirrored = {tuple(sorted(face)) for face in pairs[mesh.faces].tolist()}
            self.assertEqual(own, mirrored, mesh.name)

    def test_garments_are_open_tubes(self):
        expected = {"t-shirt": (4, -2), "jacket": (3, -1), "skirt": (2, 0), "trousers": (3, -1)}
        for make_garment in GARMENTS.values():
            for spacing in (0.04, 0.02):
                mesh = make_garment(spacing)
                self.assert_oriented_manifold(mesh)
                self.assert_no_duplicates(mesh)
                holes, euler = expected[mesh.name]
                self.assertEqual(len(boundary_loops(mesh.faces)), holes, mesh.name)
                self.assertEqual(euler_characteristic(mesh), euler, mesh.name)
                angles = triangle_angles(mesh.positions, mesh.triangles())
                self.assertGreater(angles.min(), 5, mesh.name)

    def test_mannequin_is_closed(self):
        for spacing in (0.03, 0.014):
            mesh = mannequin.figure(spacing)
            self.assert_oriented_manifold(mesh)
            self.assertEqual(set(unique_edges(mesh.faces)[1]), {2})
            self.assertEqual(euler_characteristic(mesh), 2)
            self.assertLess(np.abs(mannequin.distance(mesh.positions)).max(), spacing / 5)

    def test_garments_stay_clear_of_the_body(self):
        for name in GARMENTS:
            mesh = made(name)
            self.assertGreater(mannequin.distance(mesh.positions).min(), 0.005, mesh.name)
            middles = mesh.positions[mesh.faces].mean(1)
            self.assertGreater(mannequin.distance(middles).min(), 0.003, mesh.name)

    def test_faces_look_away_from_the_body(self):
        for name in (*GARMENTS, "mannequin"):
            mesh = made(name)
            corners = mesh.positions[mesh.triangles()].astype(float)
            normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            outward = mannequin.direction_outward(corners.mean(1))
            self.assertGreater(((normal * outward).sum(1) > 0).mean(), 0.98, mesh.name)


class CatalogueTest(unittest.TestCase):
    @long_test
    def test_the_same_bits_twice(self):
        for name in SCENES:
            if not name.endswith(("5498", "5472", "4219", "2485")):  # as the others, only slower
                self.assertEqual(make(name)[0].digest(), made(name).digest(), name)

    def test_every_defect_says_what_is_wrong(self):
        for name in defects.DEFECTS:
            text = defects.statement(name)
            self.assertTrue(text.endswith(".") and "\n" not in text, name)

    def test_obj_keeps_positions_to_the_bit(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "mesh.obj"
            for name in ("tshirt", "square_166", "cloth_with_rope"):
                mesh = made(name)
                write_obj(path, mesh)
                copy = read_obj(path)
                np.testing.assert_array_equal(copy.positions, mesh.positions)
                np.testing.assert_array_equal(copy.faces, mesh.faces)
                if mesh.edges is not None:
                    np.testing.assert_array_equal(copy.edges, mesh.edges)


if __name__ == "__main__":
    unittest.main()

"""The judge of intersections: counts known by hand or found by another formula, and all the ways
to touch without crossing.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest
from pathlib import Path

import numpy as np

import intersection_meshes as meshes
from intersection_meshes import SQUARE, grid, joined, rotation, sphere, unsewn, upright
from muslin import MuslinError, read_obj
from muslin.inspection.intersections import (
    BoxTree,
    body_piercings,
    count_between,
    count_self,
    overlapping,
    self_piercings,
)
from muslin.inspection.surface import surface_of, surface_of_faces
from test_scenes import garments, mannequin, sheets

SHARED_DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
FLAT = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], float)
# Stands in x = 0.3 and reaches through the flat square; narrower than it.
STANDING = np.array([(0.3, 0.2, -1), (0.3, 0.8, -1), (0.3, 0.8, 1), (0.3, 0.2, 1)], float)


def soup(seed, vertices=90, faces=60):
    """Triangles between random points of the unit cube; many share a vertex."""
    random = np.random.default_rng(seed)
    corners = [random.choice(vertices, 3, replace=False) for _ in range(faces)]
    return random.random((vertices, 3)), np.array(corners)


class KnownCountTest(unittest.TestCase):
    def test_two_squares(self):
        # Two sides and the diagonal of the standing one, and the diagonal of the flat one.
        self.assertEqual(count_between(FLAT, SQUARE, STANDING, SQUARE), (1, 3))
        self.assertEqual(count_between(STANDING, SQUARE, FLAT, SQUARE), (3, 1))
        self.assertEqual(count_self(*joined((FLAT, SQUARE), (STANDING, SQUARE))), 4)

    def test_two_grids(self):
        # The upright one stands in x = 0.5125, between two columns of 0.025: 41 rows and 40
        # diagonals of the flat one reach through it. Its own rows are 0.05 apart and it reaches
        # over the flat one on both sides: 19 posts and 20 diagonals stand on the flat one.
        flat, flat_faces = grid(40, 40)
        wall, wall_faces = grid(20, 20, 2.0)
        wall = upright(wall) + [0.5125, -0.512, -1.013]
        self.assertEqual(count_between(flat, flat_faces, wall, wall_faces)[0], 81)
        low, high = 0.512, 1.512  # of the wall's own coordinate along the floor
        posts = sum(low < 0.1 * k < high for k in range(21))
        # In the row that is cut, at a height of 0.013 above its lower edge, the diagonals lean.
        leaning = sum(low < 0.1 * k + 0.013 < high for k in range(20))
        counts = count_between(flat, flat_faces, wall, wall_faces)
        self.assertEqual(counts[1], posts + leaning)
        self.assertEqual(counts, meshes.all_pairs_between(flat, flat_faces, wall, wall_faces))

    def test_fold_that_does_not_touch(self):
        positions, faces = grid(12, 6)
        turn = np.clip(4 * positions[:, 0] - 2, -1, 1) * np.pi / 2  # half a turn in the middle
        rest = positions[:, 0] - np.clip(positions[:, 0], 0.25, 0.75)
        folded = np.column_stack(
            [np.cos(turn) - np.abs(rest), positions[:, 1], 0.01 * np.sin(turn)]
        )
        self.assertEqual(count_self(folded, faces), 0)
        through = folded.copy()
        through[:, 2] *= np.where(rest < -0.1, -2, 1)  # one end comes out on the other side
        self.assertGreater(count_self(through, faces), 0)

    def test_random_triangles(self):
        for seed in range(6):
            positions, faces = soup(seed)
            other, other_faces = soup(seed + 100)
            edges = meshes.edges_of(faces)
            expected = meshes.all_pairs(positions, edges, positions, faces, same=True)
            self.assertGreater(expected, 100)
            self.assertEqual(count_self(positions, faces), expected)
            self.assertEqual(
                count_between(positions, faces, other, other_faces),
                meshes.all_pairs_between(positions, faces, other, other_faces),
            )

    def test_sphere_through_a_sheet(self):
        ball, ball_faces = sphere(radius=0.3)
        sheet, sheet_faces = grid(15, 15)
        for height in (-0.31, -0.29, 0.013, 0.2):
            place = ball + [0.513, 0.487, height]
            expected = meshes.all_pairs_between(sheet, sheet_faces, place, ball_faces)
            self.assertEqual(expected == (0, 0), height == -0.31)
            self.assertEqual(count_between(sheet, sheet_faces, place, ball_faces), expected)

    def test_copies_have_the_same_count(self):
        positions, faces = soup(7)
        expected = count_self(positions, faces)
        for scale in (1e-6, 1.0, 1e6):
            for seed in range(3):
                moved = scale * (positions @ rotation(seed).T + [3, -2, 1])
                self.assertEqual(count_self(moved, faces), expected, (scale, seed))

    def test_order_of_faces_and_corners_does_not_matter(self):
        positions, faces = soup(8)
        expected = count_self(positions, faces)
        order = np.random.default_rng(1).permutation(len(faces))
        self.assertEqual(count_self(positions, faces[order][:, [1, 0, 2]]), expected)

    def test_many_triangles(self):
        # 20000 triangles each; the second sheet is tilted and cuts along one known line.
        flat, faces = grid(100, 100)
        tilted = flat.copy()
        tilted[:, 2] = 0.3 * (tilted[:, 0] - 0.5037)
        # Rows and diagonals, each passing its twin at the same place; the outer rows only touch.
        expected = 99 + 100
        self.assertEqual(count_between(flat, faces, tilted, faces), (expected, expected))


class TouchTest(unittest.TestCase):
    """Nothing here may count, exactly in place or rounded to float32 after a rotation."""

    def placed(self, *meshes_of_one_scene):
        yield meshes_of_one_scene
        for seed in range(8):
            turn, shift = rotation(seed), np.array([0.7, -1.1, 0.4])
            yield tuple(
                ((positions @ turn.T + shift).astype(np.float32), faces)
                for positions, faces in meshes_of_one_scene
            )

    def assert_touch(self, one, other):
        for first, second in self.placed(one, other):
            self.assertEqual(count_between(*first, *second), (0, 0))
            self.assertEqual(count_self(*joined(first, second)), 0)

    def test_sheets_in_one_plane(self):
        positions, faces = grid(6, 6)
        turned = positions @ np.array([[0.8, 0.6, 0], [-0.6, 0.8, 0], [0, 0, 1]])
        for other in (positions, positions + [0.03, 0.05, 0], positions + [1, 0, 0], turned):
            self.assert_touch((positions, faces), (other, faces))

    def test_edge_across_a_ridge(self):
        roof = np.array([(-1, -1, -1), (0, -1, 0), (0, 1, 0), (-1, 1, -1), (1, -1, -1), (1, 1, -1)])
        roof_faces = [(0, 1, 2), (0, 2, 3), (1, 4, 5), (1, 5, 2)]
        sheet = np.array([(-1, 0.1, 0), (1, 0.2, 0), (0.1, 0.3, 2)])
        self.assert_touch((sheet, [(0, 1, 2)]), (roof.astype(float), roof_faces))

    def test_tip_on_a_face_an_edge_and_a_corner(self):
        tip = np.array([(0, 0, 0), (0.3, 0, 1), (-0.2, 0.3, 1), (-0.2, -0.3, 1)])
        tip_faces = [(0, 1, 2), (0, 2, 3), (0, 3, 1)]
        for place in ((0.6, 0.3, 0), (0.5, 0.5, 0), (0, 0, 0), (0.5, 0, 0)):
            self.assert_touch((FLAT, SQUARE), (tip + place, tip_faces))

    def test_edge_on_a_tip(self):
        tip = np.array([(0, 0, 0), (0.3, 0, -1), (-0.2, 0.3, -1), (-0.2, -0.3, -1)])
        sheet = np.array([(-1, -0.2, 0), (1, 0.2, 0), (0, 0.3, 2)])
        self.assert_touch((sheet, [(0, 1, 2)]), (tip, [(0, 1, 2), (0, 2, 3), (0, 3, 1)]))

    def test_border_on_a_face(self):
        wall, faces = grid(5, 5)
        self.assert_touch((FLAT, SQUARE), (0.6 * upright(wall) + [0.4, 0.2, 0], faces))

    def test_ball_that_hangs_in_a_corner_of_three_sheets(self):
        ball = np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)])
        faces = [(a, b, c) for a in (0, 1) for b in (2, 3) for c in (4, 5)]
        wall = 3 * FLAT
        sheets_of_corner = joined(
            (wall, SQUARE), (wall[:, [2, 0, 1]], SQUARE), (wall[:, [1, 2, 0]], SQUARE)
        )
        self.assert_touch(sheets_of_corner, (ball + 1.0, faces))

    def test_seams_that_are_not_sewn(self):
        ball, faces = unsewn(*sphere())
        self.assertEqual(count_self(ball, faces), 0)
        positions, faces = soup(9)
        self.assertEqual(count_self(*unsewn(positions, faces)), count_self(positions, faces))

    def test_shared_vertices(self):
        fan = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (-1, 0, 0), (0.2, 0.2, 1), (0.2, 0.2, -1)])
        self.assertEqual(count_self(fan, [(0, 1, 2), (0, 2, 3), (0, 4, 3), (0, 5, 1)]), 0)
        # The edge 4-5 of a face at the same corner does go through.
        self.assertEqual(count_self(fan, [(0, 1, 2), (0, 4, 5)]), 1)


class ExactCrossingTest(unittest.TestCase):
    """Crossings through sides, corners and vertices count, and what passes once counts once."""

    def through_flat(self, x, y):
        """A rope of one edge and a rope of two that meet at the sheet, at (x, y)."""
        rope = np.array([(x - 0.02, y + 0.01, -1), (x, y, 0), (x + 0.02, y - 0.01, 1)], float)
        return (
            count_between(rope[[0, 2]], [], FLAT, SQUARE, [(0, 1)])[0],
            count_between(rope, [], FLAT, SQUARE, [(0, 1), (1, 2)])[0],
        )

    def test_inside_a_face(self):
        self.assertEqual(self.through_flat(0.7, 0.2), (1, 1))

    def test_between_two_faces(self):
        self.assertEqual(self.through_flat(0.5, 0.5), (1, 1))

    def test_at_the_border_is_a_touch(self):
        self.assertEqual(self.through_flat(0.5, 0.0), (0, 0))
        self.assertEqual(self.through_flat(1.0, 1.0), (0, 0))

    def test_two_borders_on_opposite_sides_are_two_touches(self):
        left, right = FLAT - [1, 0.5, 0], FLAT + [0, -0.5, 0.5]
        positions, faces = joined((left, SQUARE), (right, SQUARE))
        rope = np.array([(0, 0.1, -1), (0, 0.1, 1)])
        self.assertEqual(count_between(rope, [], positions, faces, [(0, 1)])[0], 0)

    def test_thin_face_is_a_face(self):
        thin = np.array([(0, 0, 0), (1, 0, 0), (0.5, 1e-4, 0)])
        rope = np.array([(0.5, 3e-5, -1), (0.5, 4e-5, 1)])
        self.assertEqual(count_between(rope, [], thin, [(0, 1, 2)], [(0, 1)])[0], 1)

    def test_through_a_corner_of_many_faces(self):
        positions, faces = grid(2, 2)
        positions[4, 2] = 0.3  # the middle is the top of a tent
        rope = np.array([(0.48, 0.51, -1), (0.5, 0.5, 0.3), (0.5, 0.49, 1.2)])
        straight = np.array([(0.5, 0.5, -1), (0.5, 0.5, 1)])
        self.assertEqual(count_between(rope, [], positions, faces, [(0, 1), (1, 2)])[0], 1)
        self.assertEqual(count_between(straight, [], positions, faces, [(0, 1)])[0], 1)

    def test_sheets_that_cross_in_common_places(self):
        flat, faces = grid(4, 4)
        for offset in ((0.5, 0, -0.5), (0.5, 0.125, -0.5), (0.625, 0, -0.5), (0.5, 0, -0.625)):
            wall = upright(flat) + offset
            counts = count_between(flat, faces, wall, faces)
            self.assertGreaterEqual(min(counts), 3, offset)
            self.assertLessEqual(max(counts), 3 * 5, offset)
            moved = count_between(flat, faces, wall + [3e-3, 2e-3, 1e-3], faces)
            self.assertLess(abs(sum(counts) - sum(moved)), sum(moved), offset)

    def test_three_faces_at_a_side(self):
        wall = np.array([(0, 0, 0), (1, 1, 0), (0.5, 0.5, 1)])
        positions, faces = joined((FLAT, SQUARE), (wall, [(0, 1, 2)]))
        rope = np.array([(0.9, 0.2, 0.4), (0.1, 0.8, -0.4)])
        self.assertGreaterEqual(count_between(rope, [], positions, faces, [(0, 1)])[0], 1)

    def test_faces_without_area_change_nothing(self):
        positions, faces = soup(10)
        expected = count_self(positions, faces)
        thin = [(0, 0, 1), (2, 2, 2)]
        middle = 0.5 * (positions[faces[0, 0]] + positions[faces[0, 1]])
        more = np.concatenate([positions, [middle]])
        thin.append((faces[0, 0], faces[0, 1], len(positions)))
        extra = count_self(more, np.concatenate([faces, thin]))
        # Their sides are edges as good as others; only faces 0-1 and the half sides are new.
        new = [(0, 1), (faces[0, 0], len(positions)), (faces[0, 1], len(positions))]
        new = [edge for edge in new if sorted(edge) not in meshes.edges_of(faces).tolist()]
        self.assertEqual(
            extra, expected + meshes.all_pairs(more, np.array(new), more, faces, same=True)
        )


class PolygonTest(unittest.TestCase):
    def test_quads(self):
        quad = [(0, 1, 2, 3)]
        self.assertEqual(sum(count_between(FLAT, quad, STANDING, quad)), 4)

    def test_quad_is_cut_where_it_bends(self):
        # Corners 1 and 3 are down and the long way apart: the ridge runs from 0 to 2.
        bent = np.array([(-0.4, 0, 1), (0, -1, 0), (0.4, 0, 1), (0, 1, 0)])
        rope = np.array([(0, -0.1, 0.7), (0, 0.1, 0.7)])
        self.assertEqual(count_between(rope, [], bent, [(0, 1, 2, 3)], [(0, 1)])[0], 0)
        rope[:] = [(0, -0.3, 0.95), (0, 0.01, 0.95)]
        self.assertEqual(count_between(rope, [], bent, [(1, 2, 3, 0)], [(0, 1)])[0], 1)

    def test_notched_polygons(self):
        star = [(0, 0), (2, 0), (2, 2), (1, 0.5), (0, 2)]
        arrow = [(0, 0.8), (2, 1), (0, 1.2), (0.5, 1)]  # the shorter diagonal lies outside
        inside = {5: [(0.2, 1), (1.8, 1), (1, 0.2)], 4: [(1.2, 1.02), (0.3, 1.12)]}
        outside = {5: [(1, 1.2), (0.8, 1.5)], 4: [(0.1, 1.05), (0.2, 1)]}
        for shape in (star, arrow):
            for axes in ((0, 1, 2), (2, 0, 1), (1, 2, 0), (1, 0, 2), (0, 2, 1)):
                for first in range(len(shape)):
                    polygon = np.array([*shape, *inside[len(shape)], *outside[len(shape)]])
                    places = np.column_stack([polygon, np.zeros(len(polygon))])
                    ropes = np.stack([places - [0, 0, 1], places + [0, 0, 1]], axis=1)
                    face = np.roll(np.arange(len(shape)), first)
                    count = len(inside[len(shape)])
                    for rows, expected in (
                        (ropes[len(shape) : len(shape) + count], count),
                        (ropes[len(shape) + count :], 0),
                    ):
                        found = count_between(
                            rows.reshape(-1, 3)[:, axes],
                            [],
                            places[: len(shape)][:, axes],
                            [face],
                            np.arange(2 * len(rows)).reshape(-1, 2),
                        )
                        self.assertEqual(found[0], expected, (len(shape), axes, first))

    def test_ropes_through_the_cloth_itself(self):
        rope = np.array([(0.7, 0.2, -1), (0.7, 0.25, 1), (0.2, 0.7, -1), (3, 3, 3)])
        positions = np.concatenate([FLAT, rope])
        edges = [(4, 5), (5, 6), (6, 7), (0, 4)]
        self.assertEqual(count_self(positions, SQUARE, edges), 2)
        self.assertEqual(count_self(positions, SQUARE), 0)

    def test_where(self):
        cloth = surface_of_faces(*joined((FLAT, SQUARE), (STANDING, SQUARE)))
        found = self_piercings(cloth)
        np.testing.assert_array_equal(found.edges, [(0, 2), (4, 6), (4, 7), (5, 6)])
        # The flat square is cut from corner to corner: what lies beyond y = x is face 1.
        self.assertEqual(found.faces.tolist(), [3, 1, 0, 1])
        places = [(0.3, 0.3, 0), (0.3, 0.5, 0), (0.3, 0.2, 0), (0.3, 0.8, 0)]
        np.testing.assert_allclose(found.points, places, atol=1e-12)


class BoxTest(unittest.TestCase):
    def test_pairs_of_boxes(self):
        random = np.random.default_rng(2)
        for count, other_count in ((1, 1), (1, 70), (200, 3), (333, 257)):
            low, other_low = random.random((count, 3)), random.random((other_count, 3))
            high = low + random.random((count, 3)) ** 4
            other_high = other_low + 0.1 * random.random((other_count, 3))
            apart = (low[:, None] > other_high) | (other_low > high[:, None])
            expected = np.argwhere(~apart.any(axis=2))
            pairs = overlapping(BoxTree(low, high), BoxTree(other_low, other_high))
            found = np.concatenate(
                [np.zeros((0, 2), int), *(np.column_stack(pair) for pair in pairs)]
            )
            found = found[np.lexsort((found[:, 1], found[:, 0]))]
            np.testing.assert_array_equal(found, expected)


class BadInputTest(unittest.TestCase):
    def test_refused(self):
        wrong = FLAT.copy()
        wrong[2, 1] = np.nan
        cases = (
            ("vertex 2", (wrong, SQUARE)),
            ("vertex 4", (FLAT, [(0, 1, 4)])),
            ("vertex -1", (FLAT, SQUARE, [(0, -1)])),
            ("positions", (FLAT[:, :2], SQUARE)),
            ("edges", (FLAT, SQUARE, [(0, 1, 2)])),
        )
        for part, arguments in cases:
            with self.assertRaisesRegex(MuslinError, part):
                count_self(*arguments)

    def test_nothing(self):
        self.assertEqual(count_self(np.zeros((0, 3)), []), 0)
        self.assertEqual(count_self(np.zeros((3, 3)), [(0, 1, 2)]), 0)
        self.assertEqual(count_between(FLAT, SQUARE, np.zeros((0, 3)), []), (0, 0))


class GarmentTest(unittest.TestCase):
    def test_shirt_at_rest_and_pushed_into_the_mannequin(self):
        shirt, mesh = garments.tshirt(), mannequin.figure()
        figure = (mesh.positions, mesh.faces)
        self.assertEqual(count_self(shirt.positions, shirt.faces), 0)
        self.assertEqual(count_between(shirt.positions, shirt.faces, *figure), (0, 0))
        pushed = shirt.positions + np.float32([0, 0.03, 0])
        self.assertGreater(min(count_between(pushed, shirt.faces, *figure)), 20)

    def test_rope_sewn_to_cloth(self):
        scene, _ = sheets.cloth_with_rope()
        self.assertEqual(count_self(scene.positions, scene.faces, scene.edges), 0)

    @unittest.skipUnless((SHARED_DATA / "body.obj").exists(), f"no garments in {SHARED_DATA}")
    def test_modelled_garments(self):
        figure = surface_of(read_obj(SHARED_DATA / "body.obj"))
        for name in ("tshirt", "trousers"):
            mesh = read_obj(SHARED_DATA / f"{name}.obj")
            cloth = surface_of(mesh, weld=True)
            through_body, through_cloth = body_piercings(cloth, figure)
            for found, edged, faced in (
                (self_piercings(cloth), cloth, cloth),
                (through_body, cloth, figure),
                (through_cloth, figure, cloth),
            ):
                # Symmetric garments have seams exactly on edges of the symmetric body.
                arguments = edged.points, edged.edges, faced.points, faced.triangles
                inside = meshes.inside_both(*arguments, same=edged is faced)
                least, most = (inside > 0).sum(), (inside > -1e-9).sum()
                self.assertLessEqual(least, len(found), name)
                self.assertLessEqual(len(found), most, name)
                self.assertLessEqual(most - least, 8, name)


if __name__ == "__main__":
    unittest.main()

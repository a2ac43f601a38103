"""Starts that are crossed or buried, and halves that cannot be had.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from mirror_meshes import STEP
from muslin import Cloth, DetailCode, Mesh, Outcome
from muslin.inspection import placement
from muslin.inspection.intersections import count_between, count_self
from muslin.layers import joined
from muslin.poses import settle
from test_mirror_other_side import drum, faces_of, sleeve
from test_scenes import garments
from test_scenes.mesh import unique_edges

THIN = np.float32([0.3, 1, 0.3])  # a limb on either side of the drum, and what is around them
AWAY = 0.3  # m, of these from the middle
BESIDE = 0.036  # m: more than a limb's radius, less than the drum's


def with_limbs(mesh):
    """The mesh, and thin ones on either side, their own images."""
    right = mesh.positions * THIN + np.float32([AWAY, 0, 0])
    others = [[face[::-1] for face in faces_of(mesh)], faces_of(mesh)]
    places = [right * np.float32([-1, 1, 1]), right]
    return joined([mesh, *(Mesh.from_faces(*each) for each in zip(places, others))])


def settled(mesh, places, **settings):
    """Where a tube rests that begins at these places."""
    with Cloth(mesh, quality="draft", **settings) as cloth:
        cloth.add_body(with_limbs(drum()))
        cloth.set_self_contact(True)
        cloth.set_state(places)
        for _ in settle(cloth):
            pass
        return cloth.positions()


class BuriedTest(unittest.TestCase):
    def is_worn(self, positions, mesh):
        solid = with_limbs(drum())
        self.assertEqual(
            count_between(positions, faces_of(mesh), solid.positions, faces_of(solid)), (0, 0)
        )
        for middle, tube in zip((0, -AWAY, AWAY), np.split(positions, 3)):
            angles = np.sort(np.arctan2(tube[:, 2], tube[:, 0] - middle))
            gaps = np.diff(angles, append=angles[0] + 2 * np.pi)
            self.assertLess(gaps.max(), 1)  # it is all around

    def test_beyond_the_middle(self):
        """Each vertex by itself would leave the limbs on the wrong side."""
        mesh = with_limbs(sleeve(other=20))
        for way in ((BESIDE, 0, 0), (0, 0, -BESIDE), (-0.03, 0, -0.03)):
            self.is_worn(settled(mesh, mesh.positions + np.float32(way)), mesh)

    def test_by_half_it_stays_in_the_mirror_plane(self):
        mesh = with_limbs(sleeve(other=20))
        places = mesh.positions + np.float32([0, 0, -BESIDE])
        self.is_worn(settled(mesh, places, mirror="exact"), mesh)

    def test_it_is_said_that_settling_helps(self):
        mesh = with_limbs(sleeve(other=20))
        with Cloth(mesh, quality="draft") as cloth:
            cloth.add_body(with_limbs(drum()))
            cloth.prepare(STEP)
            self.assertFalse(placement.settles(cloth.inspect()))
            cloth.set_state(mesh.positions + np.float32([0.03, 0, 0]))
            self.assertTrue(placement.settles(cloth.inspect()))

    def test_what_is_pinned_stays(self):
        mesh = with_limbs(sleeve(other=20))
        with Cloth(mesh, quality="draft") as cloth:
            cloth.add_body(with_limbs(drum()))
            places = mesh.positions + np.float32([BESIDE, 0, 0])
            cloth.set_state(places)
            cloth.set_pins([0], targets=places[:1])
            cloth.settle()
            np.testing.assert_allclose(cloth.positions()[0], places[0], atol=1e-6)


def jacket(other_front=0.0, opening=0.08, spacing=0.03):
    """A jacket whose other side has triangles for quads, and vertices elsewhere; its front is drawn aside by this, m."""
    made = garments.jacket(spacing, opening)
    points = np.array(made.positions, np.float64)
    beside = points[:, 0] < 0
    inner = points[:, 0] < -0.3 * spacing
    points[inner] += np.random.default_rng(1).uniform(-0.1, 0.1, (inner.sum(), 3)) * spacing
    front = beside & (points[:, 1] < points[:, 1].mean()) & (points[:, 0] > -0.1)
    points[front, 0] += other_front * (1 + points[front, 0] / 0.1)
    points[front, 1] -= 0.2 * abs(other_front)
    faces = []
    for a, b, c, d in np.asarray(made.faces).tolist():
        whole = points[[a, b, c, d], 0].max() >= 0
        faces += [[a, b, c, d]] if whole else [[b, c, d], [b, d, a]]
    return Mesh.from_faces(points.astype(np.float32), faces)


def stretch(mesh, positions):
    first, second = unique_edges(faces_of(mesh))[0].T

    def lengths(points):
        return np.linalg.norm(points[first].astype(float) - points[second], axis=1)

    return float((lengths(positions) / lengths(mesh.positions)).max())


class UnevenTest(unittest.TestCase):
    def test_a_zip_does_not_tear_the_other_side(self):
        """Its front closes from where it is, 8 mm beside the image of the other one."""
        for aside in (0.0, -0.008):
            mesh = jacket(aside)
            with Cloth(mesh, mirror="halve", closure="zip", quality="draft") as cloth:
                cloth.set_self_contact(True)
                cloth.prepare(STEP)
                self.assertEqual(cloth.mirror().mode, "halve")
                self.assertLess(stretch(mesh, cloth.positions()), 1.01)
                for _ in range(14):
                    cloth.step(STEP)
                    self.assertLess(stretch(mesh, cloth.positions()), 1.1)

    def test_fronts_that_lap_over_are_simulated_whole(self):
        mesh = jacket(0.02, opening=0.03, spacing=0.02)
        for closure in ("free", "zip"):
            with Cloth(mesh, mirror="halve", closure=closure, quality="draft") as cloth:
                self.assertEqual(cloth.mirror().mode, "off")
                detail = next(d for d in cloth.details if d.outcome == Outcome.NOT_MIRRORED)
                self.assertEqual(detail.code, DetailCode.SIDES_DIFFER)
                self.assertGreater(detail.value, detail.limit)
                self.assertIn("edges would begin", detail.cause)
                cloth.step(STEP)
                self.assertLess(stretch(mesh, cloth.positions()), 1.1)


class CrossedTest(unittest.TestCase):
    def test_a_strip_through_a_sheet_comes_back(self):
        """Both are held by an edge; the contour runs across all of the strip."""
        side = 13
        across = np.linspace(-0.15, 0.15, side)
        x, y = (axis.ravel() for axis in np.meshgrid(across, across))
        sheet = np.column_stack([x, y, 0.02 * np.cos(20 * x)])
        strip = np.column_stack([0.3 * x, 0.01 + 0.1 * y, y + 0.08])
        grid = np.arange(side * side).reshape(side, side)
        quads = np.stack([grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]], -1)
        faces = quads.reshape(-1, 4)
        faces = np.concatenate([faces, faces + side * side])
        mesh = Mesh.from_faces(np.concatenate([sheet, strip]).astype(np.float32), faces)
        rim = (abs(x) > 0.149) | (abs(y) > 0.149)
        held = np.concatenate([np.flatnonzero(rim), side * side + np.flatnonzero(y > 0.149)])
        self.assertGreater(count_self(mesh.positions, faces.tolist()), 5)
        with Cloth(mesh, quality="draft") as cloth:
            cloth.set_self_contact(True)
            cloth.set_pins(held)
            for _ in settle(cloth):
                pass
            self.assertEqual(count_self(cloth.positions(), faces.tolist()), 0)


if __name__ == "__main__":
    unittest.main()

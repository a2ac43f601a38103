"""mirror="halve" of garments that are not symmetric to the eye: refused or warned of before anything is simulated.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import functools
import unittest

import numpy as np

import mirror_meshes as meshes
from detail_checks import DetailTest, refused, warned
from muslin import Cloth, DetailCode, Element, Mesh
from test_scenes import garments
from test_scenes.contact import mirrored

MEAN_REFUSED, MOST_REFUSED = 0.01, 0.06  # of the size
MEAN_DOUBTED, MOST_DOUBTED = 0.005, 0.03


def size_of(positions):
    return float(np.linalg.norm(np.ptp(np.float64(positions), axis=0)))


def strip(longer=0.0, step=0.02):
    """A flat sheet, 1 m wide and 0.2 m high, whose other side is longer, and in longer steps."""
    kept = np.arange(0, 0.5 + step / 2, step)
    other = np.linspace(0, 0.5 + longer, len(kept) - 3)[1:]
    x = np.concatenate([-other[::-1], kept])
    grid = np.stack(np.meshgrid(x, np.arange(0, 0.2 + step / 2, step)), axis=-1).reshape(-1, 2)
    positions = np.column_stack([grid, np.zeros(len(grid))])
    return Mesh.from_faces(positions, meshes.quads(len(x), len(grid) // len(x)).tolist())


@functools.cache
def shirt():
    """The garment of our own, on which things are then done to one side."""
    made = garments.tshirt(0.03)
    return np.asarray(made.positions, np.float64), np.asarray(made.faces)


def of(positions, faces):
    used, faces = np.unique(faces, return_inverse=True)
    return Mesh.from_faces(positions[used], faces.reshape(-1, 4).tolist())


def shifted(by):
    positions, faces = shirt()
    return of(positions + [by, 0, 0], faces)


def one_sleeved():
    positions, faces = shirt()
    return of(positions, faces[positions[faces, 0].max(1) < 0.2])


def caped(off):
    """A second layer above one shoulder and breast, which stands off by this much."""
    positions, faces = shirt()
    middle = positions.mean(0) * [0, 1, 1]
    above = middle + (positions - middle) * (1 + off / 0.15)
    cape = faces[(positions[faces, 0].min(1) > 0.02) & (positions[faces, 2].min(1) > 1.2)]
    return of(np.concatenate([positions, above]), np.concatenate([faces, len(positions) + cape]))


class LikenessTest(DetailTest):
    def differs(self, details, *words):
        """One detail that names a vertex, tells a distance above its limit, and what to do."""
        self.assertEqual([detail.code for detail in details], [DetailCode.SIDES_DIFFER])
        detail = details[0]
        self.assertEqual((detail.element, len(detail.elements)), (Element.VERTEX, 1))
        self.assertGreater(detail.value, detail.limit)
        self.assertTrue(detail.startswith(detail.cause + ": "))
        for word in words:
            self.assertIn(word, detail)
        return detail

    def test_sides_that_are_modelled_differently_are_alike(self):
        two = mirrored.two_triangulations(0.04).cloth
        two = Mesh.from_faces(two.positions, two.faces)
        for mesh in (meshes.roof(), meshes.uneven(), meshes.with_hole(), strip(), two):
            self.assertEqual(warned(mesh, mirror="halve"), [])

    def test_a_pocket_is_near_enough(self):
        made = mirrored.pocketed(0.03).cloth
        mesh = Mesh.from_faces(made.positions, made.faces)
        self.assertEqual(warned(mesh, mirror="halve"), [])

    def test_distances(self):
        """What one side is longer by is how far it is from the other's image."""
        for longer, limit, ask in (
            (0.05, MOST_DOUBTED, warned),
            (0.1, MOST_REFUSED, lambda *a, **k: refused(Cloth, *a, **k)),
        ):
            mesh = strip(longer)
            detail = self.differs(ask(mesh, mirror="halve"))
            self.assertAlmostEqual(detail.value, longer, 5)
            self.assertAlmostEqual(detail.limit, limit * size_of(mesh.positions), 5)
            self.assertAlmostEqual(mesh.positions[detail.elements[0], 0], -0.5 - longer, 5)
            self.assertIn(f"({longer:.3g} m) at vertex {detail.elements[0]} at (", detail)

    def test_any_size(self):
        for scale in (0.01, 100):
            mesh = strip(0.1)
            mesh.positions[:] *= np.float32(scale)
            detail = self.differs(refused(Cloth, mesh, mirror="halve"), "of its size")
            self.assertAlmostEqual(detail.value / scale, 0.1, 5)

    def test_garments_without_symmetry(self):
        whole = "simulate all of it"
        for mesh in (meshes.slanted(), one_sleeved(), caped(0.08)):
            self.differs(refused(Cloth, mesh, mirror="halve"), "are not alike", whole)
        self.differs(warned(caped(0.02), mirror="halve"), "are hardly alike", whole)

    def test_garments_beside_the_plane(self):
        """The mean tells them, and the plane that is named will do."""
        advice = "a plane through ({}, 0, 0) would do"
        detail = self.differs(refused(Cloth, shifted(0.03), mirror="halve"), advice.format("0.03"))
        self.assertAlmostEqual(detail.limit, MEAN_REFUSED * size_of(shirt()[0]), 4)
        detail = self.differs(warned(shifted(0.007), mirror="halve"), advice.format("0.007"))
        self.assertAlmostEqual(detail.limit, MEAN_DOUBTED * size_of(shirt()[0]), 4)
        plane = ((0.03, 0, 0), (1, 0, 0))
        self.assertEqual(warned(shifted(0.03), mirror="halve", mirror_plane=plane), [])
        self.assertEqual(warned(shifted(0.03), mirror="halve", mirror_plane="find"), [])

    def test_coarse_meshes_say_nothing_finer_than_their_edges(self):
        """The same outline: a corner cut off by less than an edge is how coarse meshes are."""
        self.assertEqual(warned(strip(0.035, step=0.1), mirror="halve"), [])
        self.differs(warned(strip(0.035, step=0.02), mirror="halve"))

    def test_doubt_does_not_hide_other_warnings(self):
        codes = [d.code for d in warned(strip(0.05), mirror="halve", closure="zip")]
        self.assertEqual(codes, [DetailCode.NO_FRONT, DetailCode.SIDES_DIFFER])

    def test_coarser_levels_are_not_judged_again(self):
        with Cloth(strip(0.05, step=0.005), mirror="halve", budget_ms=1e-3) as cloth:
            for _ in range(3):
                cloth.step(meshes.STEP)
            self.assertGreater(cloth.levels().level, 0)
            self.assertEqual([d.code for d in cloth.details], [DetailCode.SIDES_DIFFER])


if __name__ == "__main__":
    unittest.main()

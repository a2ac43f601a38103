# SPDX-License-Identifier: GPL-3.0-or-later
"""The map of friction on a slope of 27 degrees: a sheet slides with g (sin a - m f cos a), f being its mean factor (Coulomb)."""

import unittest

import numpy as np
from muslin import Cloth, Mesh
from mirror_meshes import triangles
from test_physics_slides import ANGLE, FRAME, SETTINGS, THICKNESS

FRICTION, COLUMNS, ROWS, SPACING = 0.4, 7, 9, 0.02
FREE_FALL = 9.81 * np.sin(ANGLE)
ACROSS = {"mirror": "exact", "mirror_plane": ((0, 0, 0), (0, 1, 0))}


def lattice(columns, rows, height):
    """A level sheet of triangles that is symmetric across the plane y = 0; rows are of one y."""
    along = (np.arange(columns) - columns // 2) * SPACING
    across = (np.arange(rows) - rows // 2) * SPACING
    x, y = np.meshgrid(along, across, indexing="ij")
    positions = np.column_stack([x.ravel(), y.ravel(), np.full(x.size, height)])
    return np.float32(positions), triangles(rows, columns)


def floor(cloth):
    corners = np.float32([[-3, -3, 0], [3, -3, 0], [3, 3, 0], [-3, 3, 0]])
    low = corners - np.float32([0, 0, 0.3])
    quads = [
        (0, 1, 2, 3),
        (7, 6, 5, 4),
        *((4 + k, 4 + (k + 1) % 4, (k + 1) % 4, k) for k in range(4)),
    ]
    faces = np.int32([part for a, b, c, d in quads for part in ((a, b, c), (a, c, d))])
    cloth.add_body((np.concatenate([corners, low]), faces), THICKNESS, FRICTION)


def friction_of(cloth, moving, frames=9, fitted=5):
    """The friction that a sheet seems to have, over FRICTION, from how it gains speed."""
    speeds = []
    for _ in range(frames):
        cloth.step(FRAME)
        speeds.append(cloth.state()[1].astype(float)[moving, 0].mean())
    gained = np.polyfit(FRAME * np.arange(fitted), speeds[-fitted:], 1)[0]
    return (FREE_FALL - gained) / (9.81 * np.cos(ANGLE)) / FRICTION


def on_a_body(factors, part_of=None, **settings):
    positions, faces = lattice(COLUMNS, ROWS, THICKNESS)
    mesh = Mesh.from_faces(positions, faces)
    with Cloth(mesh, **{**SETTINGS, "quality": "fit", **settings}) as cloth:
        floor(cloth)
        if factors is not None:
            cloth.set_map("friction", factors(positions))
        return friction_of(cloth, slice(None)), cloth.positions()


class BodyTest(unittest.TestCase):
    def test_even_factors(self):
        for factor in (0, 0.5, 1):
            with self.subTest(factor=factor):
                found, _ = on_a_body(lambda places: np.full(len(places), factor))
                self.assertAlmostEqual(found, factor, delta=0.03)

    def test_half_of_the_sheet_is_slippery(self):
        """The upper one is rough, so that the sheet stays taut."""
        found, _ = on_a_body(lambda places: 0.5 - 0.5 * np.sign(places[:, 0]))
        self.assertAlmostEqual(found, 0.5, delta=0.05)

    def test_solvers(self):
        for settings in ({"solver": "implicit", "iterations": 8}, {"quality": "draft"}):
            with self.subTest(**settings):
                found, _ = on_a_body(lambda places: np.full(len(places), 0.5), **settings)
                self.assertAlmostEqual(found, 0.5, delta=0.05)

    def test_mirrored(self):
        """A slippery strip along the plane: the half slides as the whole does."""

        def strip(places):
            return np.where(np.abs(places[:, 1]) < 1.5 * SPACING, 0.0, 1.0)

        whole, places = on_a_body(strip)
        half, mirrored = on_a_body(strip, **ACROSS)
        self.assertGreater(whole, 0.5)
        self.assertLess(whole, 0.8)
        self.assertAlmostEqual(half, whole, delta=0.02)
        np.testing.assert_allclose(mirrored, places, atol=1e-3)

    def test_ones_change_nothing(self):
        _, without = on_a_body(None)
        _, ones = on_a_body(lambda places: np.ones(len(places)))
        self.assertEqual(without.tobytes(), ones.tobytes())


class LayerTest(unittest.TestCase):
    def slide(self, below, above):
        """A sheet on a pinned one, parts of one cloth with fabrics of their own."""
        low, low_faces = lattice(COLUMNS + 30, ROWS + 2, 0)
        top, top_faces = lattice(COLUMNS, ROWS, THICKNESS)
        faces = [*low_faces, *((np.array(top_faces) + len(low)).tolist())]
        mesh = Mesh.from_faces(np.concatenate([low, top + np.float32([0.0037, 0.0023, 0])]), faces)
        parts = np.repeat([0, 1], [len(low), len(top)])
        materials = [{"density": density} for density in (0.3, 0.2)]
        settings = {key: value for key, value in SETTINGS.items() if key != "density"}
        with Cloth(mesh, quality="fit", parts=parts, materials=materials, **settings) as cloth:
            cloth.set_self_contact(True, THICKNESS, FRICTION)
            cloth.set_pins(np.arange(len(low)))
            cloth.set_map("friction", np.where(parts == 0, below, above))
            return friction_of(cloth, parts == 1)

    def test_two_layers_have_the_root_of_the_product(self):
        for below, above, wanted in ((0.25, 1, 0.5), (1, 0.25, 0.5), (0.5, 0.5, 0.5), (0, 1, 0)):
            with self.subTest(below=below, above=above):
                self.assertAlmostEqual(self.slide(below, above), wanted, delta=0.05)


if __name__ == "__main__":
    unittest.main()

"""Open fronts of whole garments: found where there are any, and closed by a seam.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from muslin import Cloth, Mesh
from muslin.sewing.plackets import front_stitches, open_fronts
from muslin.sewing.seams import border_edges
from test_scenes import garments, sheets

STEP = 1 / 24


def mesh_of(scene):
    return Mesh.from_faces(scene.positions, scene.faces)


def border_loops(mesh):
    """Borders that run around, as arrays of vertices in order; those that branch are left out."""
    beside = {}
    for first, second in border_edges(mesh).tolist():
        beside.setdefault(first, []).append(second)
        beside.setdefault(second, []).append(first)
    left = {vertex for vertex, others in beside.items() if len(others) == 2}
    loops = []
    while left:
        loop = [min(left)]
        while loop[-1] in left:
            left.discard(loop[-1])
            onward = [other for other in beside[loop[-1]] if other in left]
            if not onward:
                break
            loop.append(onward[0])
        if loop[0] in beside[loop[-1]] and len(loop) > 2:
            loops.append(np.array(loop))
    return loops


def bag(height=0.4, width=0.5, thickness=0.01):
    """Two sheets, one before the other, sewn along their upright sides: a garment that is laid flat."""
    scene = sheets.grid(11, 9, 1.0, "quads")
    flat = scene.positions[:, :2] - scene.positions[:, :2].min(axis=0)
    flat = flat / flat.max(axis=0) * (width, height)
    count = len(flat)
    places = np.concatenate(
        [np.column_stack([flat[:, 0], np.full(count, y), flat[:, 1]]) for y in (0.0, thickness)]
    )
    is_side = np.isin(flat[:, 0], (flat[:, 0].min(), flat[:, 0].max()))
    number = np.concatenate(
        [np.arange(count), np.where(is_side, np.arange(count), np.arange(count) + count)]
    )
    faces = [list(face) for face in scene.faces]
    faces += [[int(number[v + count]) for v in face[::-1]] for face in scene.faces]
    kept = np.unique(np.concatenate([np.ravel(face) for face in faces]))
    renumber = np.zeros(2 * count, int)
    renumber[kept] = np.arange(len(kept))
    return Mesh.from_faces(places[kept], [renumber[face].tolist() for face in faces])


class FindTest(unittest.TestCase):
    def test_a_jacket_has_the_front_that_its_half_has(self):
        for spacing in (0.05, 0.026):
            mesh = mesh_of(garments.jacket(spacing))
            ((first, second),) = open_fronts(mesh)
            with Cloth(mesh, mirror="exact", closure="zip") as cloth:
                self.assertEqual(len(first), cloth.mirror().front_count)
            images = mesh.positions[second] * (-1, 1, 1)
            np.testing.assert_allclose(mesh.positions[first], images, atol=1e-6)

    def test_without_a_plane(self):
        scene = garments.jacket(0.05)
        mesh = mesh_of(scene)
        before = [chain.tolist() for chain in open_fronts(mesh)[0]]
        bent = scene.positions + 0.02 * np.sin(7 * scene.positions[:, [1, 2, 0]])
        ((first, second),) = open_fronts(Mesh.from_faces(bent, scene.faces))
        self.assertEqual([first.tolist(), second.tolist()], before)

    def test_what_is_closed_has_none(self):
        for make in (garments.tshirt, garments.skirt, garments.trousers):
            mesh = mesh_of(make(0.04))
            self.assertGreater(len(border_loops(mesh)), 1)
            self.assertEqual(open_fronts(mesh), [])
            self.assertIsNone(front_stitches(mesh))

    def test_hems_of_what_is_laid_flat_are_none(self):
        mesh = bag()
        self.assertEqual(len(border_loops(mesh)), 2)
        self.assertEqual(open_fronts(mesh), [])

    def test_a_sheet_has_none(self):
        self.assertEqual(open_fronts(mesh_of(sheets.grid(15, 15, 1.0, "quads"))), [])


class CloseTest(unittest.TestCase):
    def test_a_seam_closes_it(self):
        mesh = mesh_of(garments.jacket(0.05))
        ((first, second),) = open_fronts(mesh)
        with Cloth(mesh) as cloth:
            cloth.set_pins(np.flatnonzero(mesh.positions[:, 2] > 1.35))
            cloth.sew(front_stitches(mesh))
            for _ in range(12):
                cloth.step(STEP)
            now = cloth.positions()
        below = mesh.positions[first, 2] < 1.3  # above it is pinned
        gaps = np.linalg.norm(now[first] - now[second], axis=1)
        self.assertLess(gaps[below].max(), 1e-3)

    def test_the_seam_of_a_half_is_its_zip(self):
        """It moves as the zip does, and stays closed when the garment has to be simulated whole."""
        mesh = mesh_of(garments.jacket(0.05))
        ((first, second),) = open_fronts(mesh)
        pins = np.flatnonzero(mesh.positions[:, 2] > 1.35)
        ends = []
        for stitches in (None, front_stitches(mesh)):
            with Cloth(mesh, mirror="auto", closure="zip") as cloth:
                cloth.set_pins(pins)
                if stitches is not None:
                    cloth.sew(stitches)
                    self.assertEqual(cloth.link_report().count, len(stitches))
                for _ in range(14):
                    cloth.step(STEP)
                ends.append(cloth.positions())
                self.assertFalse(cloth.mirror().solved_whole)
                cloth.set_pins(pins[mesh.positions[pins, 0] > -0.02])
                self.assertEqual("fronts open" in cloth.warnings[-1], stitches is None)
                for _ in range(6):
                    cloth.step(STEP)
                self.assertTrue(cloth.mirror().solved_whole)
                now = cloth.positions()
        np.testing.assert_array_equal(*ends)
        below = mesh.positions[first, 2] < 1.3
        gaps = np.linalg.norm(now[first] - now[second], axis=1)
        self.assertLess(gaps[below].max(), 1e-3)

    def test_the_seam_alone_makes_the_zip_of_a_half(self):
        """No closure is named. Let go, the garment is simulated whole; without the seam its half is open."""
        mesh = mesh_of(garments.jacket(0.05))
        ((first, second),) = open_fronts(mesh)
        pins = np.flatnonzero(mesh.positions[:, 2] > 1.35)
        ends = []
        for closure in ("zip", "free"):
            with Cloth(mesh, mirror="exact", closure=closure) as cloth:
                cloth.set_pins(pins)
                cloth.sew(front_stitches(mesh))
                self.assertEqual(cloth.mirror().front_count, len(first))
                for _ in range(14):
                    cloth.step(STEP)
                ends.append(cloth.positions())
                self.assertFalse(cloth.mirror().solved_whole)
                for change, whole in ((cloth.release, closure == "free"), (cloth.hold, False)):
                    change(0)
                    self.assertEqual(cloth.mirror().front_count, len(first))
                    cloth.step(STEP)
                    if whole or change == cloth.release:
                        self.assertEqual(cloth.mirror().solved_whole, whole)
                cloth.set_links([])
                cloth.step(STEP)
                self.assertEqual(cloth.mirror().front_count, len(first) if closure == "zip" else 0)
        np.testing.assert_array_equal(*ends)


if __name__ == "__main__":
    unittest.main()

"""Exactly flat and symmetric cloth buckles when it is pressed, and stays as it is when it is not.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from muslin import Cloth, Mesh, fabric
from test_scenes import sheets
from test_scenes.delaunay import delaunay

STEP = 1 / 24
KINDS = ("alternating", "one-way", "irregular")
DEPTHS = {"draft": 0.06, "fit": 0.09, "final": 0.09}  # m, of a curtain's folds


def flat_mesh(kind, columns, rows, size):
    """Positions (n, 2) about the origin and triangles; irregular: inner vertices moved by up to a quarter of a cell."""
    scene = sheets.grid(columns, rows, size)
    points = scene.positions[:, :2].astype(float)
    if kind == "irregular":
        cell = np.array(size) / (columns - 1, rows - 1)
        inner = (np.abs(points) < np.array(size) / 2 - 1e-6).all(1)
        points += (
            inner[:, None] * cell * np.random.default_rng(7).uniform(-0.25, 0.25, points.shape)
        )
        return points, delaunay(points)
    if kind == "one-way":
        a, b, c, d = sheets.grid_quads(columns, rows).T
        return points, np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    return points, np.array(scene.faces)


def upright(points, triangles):
    """In the plane y = 0 to the bit."""
    positions = np.column_stack([points[:, 0], np.zeros(len(points)), points[:, 1]])
    return Mesh.from_faces(positions.astype(np.float32), [list(map(int, t)) for t in triangles])


def pressed(mesh, pins, scale, frames, hold=0, **settings):
    """Positions after the pins were drawn together about the origin by `scale` (3), over so many frames."""
    with Cloth(mesh, **{"threads": 1, **fabric("cotton"), **settings}) as cloth:
        cloth.set_pins(pins)
        for frame in range(frames + hold):
            part = min(1, (frame + 1) / frames)
            cloth.move_pins(mesh.positions[pins] * (1 - part * (1 - np.float32(scale))))
            cloth.step(STEP)
        return cloth.positions().astype(float)


def curtain(kind, quality, count=40, **settings):
    """1 m wide and high; its top is drawn together to 40 % over a second."""
    points, triangles = flat_mesh(kind, count, count, (1.0, 1.0))
    mesh = upright(points, triangles)
    top = np.flatnonzero(points[:, 1] > 0.5 - 1e-6).astype(np.int32)
    return pressed(mesh, top, (0.4, 1, 1), 24, quality=quality, **settings)


class Buckling(unittest.TestCase):
    def test_a_flat_curtain_folds(self):
        for quality, depth in DEPTHS.items():
            for kind in KINDS:
                with self.subTest(quality=quality, kind=kind):
                    across = curtain(kind, quality)[:, 1]
                    self.assertGreater(np.ptp(across), depth)

    def test_the_conventional_solver_folds_it(self):
        across = curtain("alternating", "fit", count=20, solver="implicit")[:, 1]
        self.assertGreater(np.ptp(across), 0.09)

    def test_a_flat_strip_pressed_from_its_ends_bends_aside(self):
        """0.5 m, to 70 % of it: edges keep their length, instead of being squeezed."""
        for quality in DEPTHS:
            for kind in KINDS:
                points, triangles = flat_mesh(kind, 9, 41, (0.1, 0.5))
                mesh = upright(points, triangles)
                ends = np.flatnonzero(np.abs(points[:, 1]) > 0.25 - 1e-6).astype(np.int32)
                x = pressed(mesh, ends, (1, 1, 0.7), 24, 12, quality=quality)
                sides = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
                lengths = np.linalg.norm(x[sides[:, 0]] - x[sides[:, 1]], axis=1)
                rest = np.linalg.norm(points[sides[:, 0]] - points[sides[:, 1]], axis=1)
                self.assertGreater(np.ptp(x[:, 1]), 0.006, (quality, kind))
                self.assertGreater((lengths / rest).min(), 0.95, (quality, kind))

    def test_a_round_tube_pressed_along_its_axis_folds(self):
        around, rows, radius, height = 40, 25, 0.1, 0.4
        angle = 2 * np.pi * np.arange(around) / around
        ring = radius * np.column_stack([np.cos(angle), np.sin(angle)])
        levels = np.linspace(-height / 2, height / 2, rows)
        positions = np.array([(*place, level) for level in levels for place in ring], np.float32)
        faces = []
        for row in range(rows - 1):
            for k in range(around):
                a, b = row * around + k, row * around + (k + 1) % around
                faces += [(a, b, b + around), (a, b + around, a + around)]
        mesh = Mesh.from_faces(positions, faces)
        ends = np.flatnonzero(np.abs(positions[:, 2]) > height / 2 - 1e-6).astype(np.int32)
        for quality in DEPTHS:
            x = pressed(mesh, ends, (1, 1, 0.6), 24, quality=quality)
            self.assertGreater(np.ptp(np.hypot(x[:, 0], x[:, 1])), 0.02, quality)

    def test_the_same_bytes_on_any_number_of_threads(self):
        one, three = (curtain("irregular", "draft", count=20, threads=n) for n in (1, 3))
        np.testing.assert_array_equal(one, three)


class NotPressed(unittest.TestCase):
    def test_a_sheet_on_a_floor_stays_flat(self):
        points, triangles = flat_mesh("irregular", 15, 15, (0.5, 0.5))
        positions = np.column_stack([points, np.full(len(points), 0.006)]).astype(np.float32)
        mesh = Mesh.from_faces(positions, [list(map(int, t)) for t in triangles])
        floor = Mesh.from_faces([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], [(0, 1, 2, 3)])
        for quality in DEPTHS:
            with Cloth(mesh, threads=1, quality=quality, **fabric("cotton")) as cloth:
                cloth.add_body(floor)
                for _ in range(48):
                    cloth.step(STEP)
                self.assertLess(np.ptp(cloth.positions()[:, 2].astype(float)), 1e-5, quality)

    def test_a_hanging_sheet_stays_in_its_plane(self):
        """Held along its upper edge, nothing is pressed and nothing leaves the plane, to the bit."""
        for kind in KINDS:
            points, triangles = flat_mesh(kind, 15, 15, (0.5, 0.5))
            mesh = upright(points, triangles)
            top = np.flatnonzero(points[:, 1] > 0.25 - 1e-6).astype(np.int32)
            x = pressed(mesh, top, (1, 1, 1), 24, quality="fit")
            self.assertEqual(np.abs(x[:, 1]).max(), 0, kind)


if __name__ == "__main__":
    unittest.main()

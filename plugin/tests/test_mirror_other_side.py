"""mirror="halve" where the sides have different meshes: the other side follows the half in contact.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from mirror_meshes import STEP
from muslin import Cloth, Mesh
from muslin.inspection.intersections import count_between, count_self

RADIUS, LENGTH = 0.1, 0.3  # of a drum that lies along y, m
FRAMES = 16


def ring(angles, radius):
    return np.column_stack(
        [radius * np.sin(angles), np.zeros_like(angles), radius * np.cos(angles)]
    )


def drum(columns=96, rows=12):
    """A closed cylinder, its own image in x = 0."""
    angles = 2 * np.pi * np.arange(columns) / columns
    across = np.linspace(-LENGTH / 2, LENGTH / 2, rows + 1)
    points = [ring(angles, RADIUS) + [0, y, 0] for y in across]
    points.append(np.array([[0, across[0], 0], [0, across[-1], 0]]))
    faces = []
    for row in range(rows):
        for k in range(columns):
            a, b = row * columns + k, row * columns + (k + 1) % columns
            faces.append((a, b, b + columns, a + columns))
    first, last = (rows + 1) * columns, (rows + 1) * columns + 1
    for k in range(columns):
        k1 = (k + 1) % columns
        faces += [(k1, k, first), (rows * columns + k, rows * columns + k1, last)]
    return Mesh.from_faces(np.concatenate(points).astype(np.float32), faces)


def sleeve(kept=20, other=5, rows=10, radius=0.108, layers=1):
    """A tube around the drum with many columns on its kept side and few on the other; layers lie 9 mm apart."""
    angles = np.concatenate(
        [np.linspace(0, np.pi, kept + 1), np.linspace(np.pi, 2 * np.pi, other + 1)[1:-1]]
    )
    points, faces, count = [], [], len(angles)
    for layer in range(layers):
        first = sum(map(len, points))
        for y in np.linspace(-0.1, 0.1, rows + 1):
            points.append(ring(angles, radius + 0.009 * layer) + [0, y, 0])
        for row in range(rows):
            for k in range(count):
                a, b = first + row * count + k, first + row * count + (k + 1) % count
                faces.append((a, b, b + count, a + count))
    return Mesh.from_faces(np.concatenate(points).astype(np.float32), faces)


def faces_of(mesh):
    return np.split(mesh.face_vertices, np.cumsum(mesh.face_sizes)[:-1])


def worn(mesh, frames=FRAMES, step=STEP, **settings):
    """The tube where it hangs on the drum, and the cloth, closed."""
    with Cloth(mesh, mirror="halve", quality="draft", **settings) as cloth:
        cloth.add_body(drum())
        cloth.set_self_contact(True)
        for _ in range(frames):
            cloth.step(step)
        return cloth.positions()


class OtherSideTest(unittest.TestCase):
    def judged(self, mesh, positions):
        solid = drum()
        own = count_self(positions, faces_of(mesh))
        return own, count_between(positions, faces_of(mesh), solid.positions, faces_of(solid))

    def test_long_edges_stay_out_of_the_body(self):
        """Chords between places that ride on a fine half would dip into the drum by 1 mm."""
        mesh = sleeve()
        self.assertEqual(self.judged(mesh, worn(mesh)), (0, (0, 0)))

    def test_long_steps(self):
        """A tight tube and one that falls, in steps of an eighth of a second: three steps of the other side."""
        for radius in (0.103, 0.13):
            mesh = sleeve(radius=radius)
            for frames in (1, 3):
                positions = worn(mesh, frames=frames, step=0.125)
                self.assertEqual(self.judged(mesh, positions), (0, (0, 0)))

    def test_layers_stay_in_order(self):
        mesh = sleeve(layers=2)
        self.assertEqual(self.judged(mesh, worn(mesh)), (0, (0, 0)))

    def test_nothing_is_torn_at_the_plane(self):
        mesh = sleeve()
        positions = worn(mesh)
        edges = {
            tuple(sorted((int(f[k - 1]), int(f[k])))) for f in faces_of(mesh) for k in range(4)
        }
        first, second = np.array(sorted(edges)).T

        def lengths(points):
            return np.linalg.norm(points[first].astype(float) - points[second], axis=1)

        self.assertLess((lengths(positions) / lengths(mesh.positions)).max(), 1.15)

    def test_kept_side_is_that_of_the_half(self):
        """What the other side does has no part in where the kept side goes."""
        fine, coarse = sleeve(other=7), sleeve(other=5)
        kept = fine.positions[:, 0] > 1e-4, coarse.positions[:, 0] > 1e-4
        one, two = worn(fine, frames=4), worn(coarse, frames=4)
        np.testing.assert_allclose(one[kept[0]], two[kept[1]], atol=2e-4)

    def test_any_number_of_threads(self):
        mesh = sleeve()
        self.assertEqual(
            worn(mesh, frames=6, threads=1).tobytes(), worn(mesh, frames=6, threads=3).tobytes()
        )

    def test_snapshots(self):
        mesh = sleeve()
        with Cloth(mesh, mirror="halve", quality="draft") as cloth:
            cloth.add_body(drum())
            cloth.set_self_contact(True)
            for _ in range(5):
                cloth.step(STEP)
            snapshot, at = cloth.snapshot(), cloth.positions().tobytes()
            for _ in range(3):
                cloth.step(STEP)
            after = cloth.positions().tobytes()
            cloth.restore(snapshot)
            self.assertEqual(cloth.positions().tobytes(), at)
            for _ in range(3):
                cloth.step(STEP)
            self.assertEqual(cloth.positions().tobytes(), after)

    def test_state_is_taken(self):
        mesh = sleeve()
        with Cloth(mesh, mirror="halve", quality="draft") as cloth:
            cloth.add_body(drum())
            for _ in range(4):
                cloth.step(STEP)
            positions = cloth.positions()
            cloth.set_state(positions)
            np.testing.assert_allclose(cloth.positions(), positions, atol=2e-7)


if __name__ == "__main__":
    unittest.main()

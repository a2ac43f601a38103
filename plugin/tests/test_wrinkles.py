"""Wrinkles from compression: they hide the length that is missing, across it, and nothing else.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest
from functools import lru_cache

import numpy as np

from body_meshes import sheet
from muslin import Mesh, MuslinError
from muslin.upsampling import Wrinkles

SIDE, SIZE = 60, 0.3


@lru_cache(maxsize=1)
def flat():
    mesh = sheet(SIDE, size=SIZE, height=0.0)
    return mesh, Wrinkles(mesh)


def pressed(mesh, axis, part):
    positions = mesh.positions.copy()
    positions[:, axis] *= 1 - part
    return positions


def lengths(positions):
    """Mean length of the lines of vertices along x and along y, m."""
    order = np.lexsort([flat()[0].positions[:, 0], flat()[0].positions[:, 1]])
    rows = positions[order].reshape(SIDE, SIDE, 3).astype(float)
    return [
        float(np.linalg.norm(np.diff(rows, axis=along), axis=2).sum(axis=along).mean())
        for along in (1, 0)
    ]


class WrinklesTest(unittest.TestCase):
    def test_missing_length_comes_back(self):
        mesh, wrinkles = flat()
        for axis in (0, 1):
            for part in (0.01, 0.05, 0.1):
                found = lengths(wrinkles.apply(pressed(mesh, axis, part)))
                missing = [1 - length / SIZE for length in found]
                self.assertLess(missing[axis], 0.45 * part)
                self.assertGreater(missing[axis], -0.05 * part)
                self.assertLess(abs(missing[1 - axis]), 0.05 * part)  # waves stand across

    def test_nothing_at_rest_or_stretched(self):
        mesh, wrinkles = flat()
        for positions in (mesh.positions, 1.1 * mesh.positions):
            self.assertLess(np.abs(wrinkles.apply(positions) - positions).max(), 2e-5)

    def test_nothing_at_rest_on_uneven_meshes(self):
        """Also where a node has no triangle of its own."""
        for count in (8, 17, 34):
            mesh = sheet(count, size=SIZE)
            turned = Mesh(mesh.positions[:, [0, 2, 1]], mesh.face_sizes, mesh.face_vertices[::-1])
            for one in (mesh, turned):
                found = Wrinkles(one).apply(one.positions)
                self.assertLess(np.abs(found - one.positions).max(), 1e-4)

    def test_nothing_pops(self):
        """Heights follow compression evenly, and the crests stay on the same vertices."""
        mesh, wrinkles = flat()
        before = wrinkles.apply(pressed(mesh, 0, 0.03))[:, 2]
        for part in np.arange(0.031, 0.05, 0.001):
            now = wrinkles.apply(pressed(mesh, 0, part))[:, 2]
            self.assertLess(np.abs(now - before).max(), 0.05 * np.abs(before).max())
            self.assertGreater(np.corrcoef(now, before)[0, 1], 0.999)
            before = now

    def test_turns_and_shifts_with_the_cloth(self):
        mesh, wrinkles = flat()
        turn, _ = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))
        turn *= np.sign(np.linalg.det(turn))
        here, shift = pressed(mesh, 0, 0.05), np.array([1.0, 2.0, 3.0])
        expected = wrinkles.apply(here) @ turn.T + shift
        self.assertLess(np.abs(wrinkles.apply(here @ turn.T + shift) - expected).max(), 2e-5)

    def test_longer_waves_are_higher(self):
        mesh, wrinkles = flat()
        here = pressed(mesh, 0, 0.05)
        heights = [np.abs(wrinkles.apply(here, length)[:, 2]).max() for length in (0.03, 0.06)]
        self.assertAlmostEqual(heights[1] / heights[0], 2, delta=0.2)
        with self.assertRaisesRegex(MuslinError, "length"):
            wrinkles.apply(here, -1)


if __name__ == "__main__":
    unittest.main()

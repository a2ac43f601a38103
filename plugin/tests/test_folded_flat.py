"""Cloth that is folded flat upon itself at rest: it has no tangent across the fold, and bends by hinges there.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from muslin import Cloth, Mesh
from test_scenes import sheets

STEP = 1 / 24


def folded(degrees):
    """A sheet of a metre, its halves so far from each other around its middle column."""
    scene = sheets.grid(11, 11, 1.0)
    flat = np.array(scene.positions, dtype=float)
    along = flat[:, 0] - flat[:, 0].mean()
    half = np.radians(degrees) / 2
    places = flat.copy()
    places[:, 0] = np.abs(along) * np.cos(half)
    places[:, 2] = along * np.sin(half)
    return Mesh.from_faces(np.float32(places), [list(face) for face in scene.faces])


class FoldedTest(unittest.TestCase):
    def test_it_hangs_as_one_that_is_nearly_flat(self):
        ends = []
        for degrees in (0.0, 0.001, 0.05):
            with self.subTest(degrees), Cloth(folded(degrees), quality="fit") as cloth:
                cloth.set_pins([0, 10])
                for _ in range(12):
                    cloth.step(STEP)
                self.assertLess(cloth.inspect().stretch_p99, 1.05)
                ends.append(cloth.positions())
        self.assertLess(np.abs(ends[1] - ends[0]).mean(), 0.02)
        self.assertLess(np.abs(ends[2] - ends[0]).mean(), 0.02)


if __name__ == "__main__":
    unittest.main()

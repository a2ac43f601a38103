# SPDX-License-Identifier: GPL-3.0-or-later
"""The theory that tools/bench truth measures against, its meshes, and a small run of it.

The values are those of the literature (Peirce's cantilever, Greenhill's and Prandtl's buckling, zeros of J0) or were
found by others with other methods.
"""

import argparse
import contextlib
import io
import json
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from math import asinh, exp, pi
from pathlib import Path

import numpy as np
import truth
from common import charts
from common.bench import figures_of
from test_scenes.levels import long_test
from test_scenes.mesh import triangle_angles, unique_edges
from truth_cases import drape, meshes, theory


class Theory(unittest.TestCase):
    def test_cantilever(self):
        known = {1: 0.1246, 2: 0.2467, 5: 0.5857, 8: 0.8843, 10: 1.0668}
        known |= {20: 1.8639, 50: 3.7056, 100: 5.8881}
        for weight, ratio in known.items():
            drop, reach = theory.cantilever(float(weight))
            self.assertAlmostEqual(drop / reach, ratio, places=4)

    def test_a_stiff_cantilever_is_a_beam(self):
        drop, reach = theory.cantilever(0.01)
        self.assertAlmostEqual(drop / reach, 0.01 / 8, places=7)

    def test_the_weight_is_found_again(self):
        for weight in (0.5, 8.0, 60.0):
            drop, reach = theory.cantilever(weight)
            self.assertAlmostEqual(theory.apparent_weight(drop / reach) / weight, 1, places=6)

    def test_peirce(self):
        self.assertAlmostEqual(theory.peirce_degrees(), 41.5, delta=0.05)

    def test_buckling(self):
        self.assertAlmostEqual(theory.standing_weight(), 7.837, places=3)
        self.assertAlmostEqual(theory.lateral_weight(), 18.18, places=2)

    def test_stick_slip(self):
        known = {0.05: 0.1035, 0.1: 0.1528, 0.2: 0.2378, 0.3: 0.3265, 0.4: 0.4344, 0.5: 0.5845}
        for shortening, friction in known.items():
            self.assertAlmostEqual(theory.stick_slip(shortening), friction, places=4)

    def test_capstan(self):
        self.assertAlmostEqual(theory.capstan(0.2), 1.874, places=3)
        self.assertAlmostEqual(theory.capstan(0.3), 2.566, places=3)

    def test_swings(self):
        for found, known in zip(theory.swing_rates(), (1.2024, 2.7600, 4.3269)):
            self.assertAlmostEqual(found, known, places=4)

    def test_catenary(self):
        """A stiff band of length 2 a sinh(1) spans 2 a and sags by a (cosh(1) - 1)."""
        length = exp(1) - exp(-1)
        sag = theory.catenary_sag(2.0, length, 1.0, 1e9)
        self.assertAlmostEqual(sag, (exp(1) + exp(-1)) / 2 - 1, places=6)
        self.assertAlmostEqual(asinh(length / 2), 1, places=12)

    def test_sliding(self):
        self.assertEqual(theory.incline_acceleration(30.0, 0.6, 9.81), 0)
        self.assertAlmostEqual(theory.incline_acceleration(30.0, 0.0, 9.81), 9.81 / 2)
        self.assertAlmostEqual(theory.stopping_distance(2.0, 0.5, 10.0), 0.4)


def area(flat):
    corners = flat.points[flat.triangles]
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    return 0.5 * np.abs(first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0])


class Meshes(unittest.TestCase):
    def test_strips_are_whole_and_well_shaped(self):
        for kind in meshes.KINDS:
            for degrees in (0.0, 22.5, 45.0, 112.5):
                flat = meshes.strip(kind, 20, 0.3, 0.25, degrees)
                width, height = np.ptp(flat.points, axis=0)
                self.assertAlmostEqual(width, 0.3 + 0.3 / 20)
                self.assertAlmostEqual(area(flat).sum(), width * height, places=9)
                angles = triangle_angles(np.pad(flat.points, ((0, 0), (0, 1))), flat.triangles)
                self.assertGreater(angles.min(), 10, (kind, degrees))
                _, uses = unique_edges(flat.triangles)
                self.assertLessEqual(uses.max(), 2)

    def test_the_clamp_ends_at_zero(self):
        for kind in meshes.KINDS:
            flat = meshes.strip(kind, 20, 0.3)
            rows = np.unique(np.round(flat.points[flat.clamp, 0] / (0.3 / 20), 9))
            self.assertEqual(rows.tolist(), [-1, 0])

    def test_wings_are_mirror_images(self):
        for kind in meshes.KINDS:
            flat = meshes.wings(kind, 12, 0.3, 0.25, 22.5)
            self.assertAlmostEqual(area(flat).sum(), 0.6 * np.ptp(flat.points[:, 1]))
            self.assertEqual(np.abs(flat.points[flat.clamp, 0]).max(), 0)
            image = sorted(map(tuple, np.round(flat.points * (-1, 1), 9) + 0.0))
            self.assertEqual(image, sorted(map(tuple, np.round(flat.points, 9) + 0.0)))

    def test_diagonals(self):
        """One-way ones are all parallel; alternating ones are as many of either kind."""
        for kind, share in ((meshes.ONE_WAY, 0.0), (meshes.ALTERNATING, 0.5)):
            flat = meshes.sheet(kind, 0.8, 0.8, 0.1)
            edges, _ = unique_edges(flat.triangles)
            ways = flat.points[edges[:, 1]] - flat.points[edges[:, 0]]
            ways = ways[np.abs(ways).min(1) > 0.01]
            self.assertEqual(len(ways), 64)
            self.assertAlmostEqual(float((ways[:, 0] * ways[:, 1] < 0).mean()), share)

    def test_discs_are_round(self):
        for kind in meshes.KINDS:
            flat = meshes.disc(kind, 0.15, 0.01)
            self.assertAlmostEqual(area(flat).sum() / (pi * 0.15**2), 1, delta=2e-3)

    def test_masses(self):
        flat = meshes.sheet(meshes.IRREGULAR, 0.5, 0.3, 0.05)
        self.assertAlmostEqual(flat.masses().sum(), 0.15)


class Shadow(unittest.TestCase):
    def test_a_board_has_all_of_its_shadow(self):
        flat = meshes.disc(meshes.IRREGULAR, drape.RADIUS, 0.0075)
        board = np.pad(flat.points, ((0, 0), (0, 1)))
        self.assertAlmostEqual(drape.coefficient(board, flat.triangles), 100, delta=2)

    def test_folds_are_counted(self):
        turn = 2 * pi * np.arange(120) / 120
        self.assertEqual(drape._folds(np.cos(5 * turn) + 0.1 * np.cos(40 * turn)), 5)


class Run(unittest.TestCase):
    """A few cases as --quick --json --plots makes them."""

    @long_test
    def test_figures_and_plots(self):
        keys = ("similarity_error", "standing_error", "bending_spread")
        with tempfile.TemporaryDirectory() as folder:
            path, drawings = Path(folder) / "figures.json", Path(folder) / "plots"
            options = argparse.Namespace(json=str(path), quick=True, only=keys)
            options.plots = None if charts.missing() else str(drawings)
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(truth.BENCH.run(options), 0)
            numbers = json.loads(path.read_text("utf-8"))
            for key in keys:
                self.assertGreater(numbers[key], 0)
            self.assertLess(numbers["similarity_error"], 0.01)
            if charts.missing():
                self.skipTest(charts.MISSING)
            drawn = sorted(file.name for file in drawings.iterdir())
            self.assertEqual(drawn, ["truth_spread.svg", "truth_standing.svg"])
            for file in drawings.iterdir():
                ElementTree.parse(file)

    def test_every_figure_has_a_reach(self):
        self.assertEqual(set(figures_of(truth.FIGURES)), set(truth.PARTS))
        for key in truth.PARTS:
            judged = [truth.BENCH.reached(key, value) for value in (-1e9, 1e9)]
            self.assertIn("NO", judged, key)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""The elastica that measured strips are held against, and strips of made-up fabrics that hang as it says."""

import unittest
from math import degrees, atan2

import numpy as np
from fabric_cases import strips
from fabric_cases import theory as elastica
from truth_cases import theory

WEIGHT = 2.0  # N/m^2
# Warp, bias and weft; the moment of the second falls from 30 to 40 1/m.
FABRIC = {
    "density": WEIGHT / strips.GRAVITY,
    "bending": [
        [6e-5, 5e-5, 4e-5, 5e-5, 6e-5],
        [4e-5, 4e-5, 5e-5, 5e-5, 2e-5],
        [3e-5, 4e-5, 5e-5, 5e-5, 5e-5],
    ],
}


class Elastica(unittest.TestCase):
    def test_an_even_strip_is_peirces(self):
        stiffness = 5e-5
        length = elastica.peirce_length((stiffness,) * 5, WEIGHT)
        weight = WEIGHT * length**3 / stiffness
        drop, reach = theory.cantilever(weight)
        self.assertAlmostEqual(degrees(atan2(drop, reach)), elastica.PEIRCE, places=3)

    def test_samples_are_met(self):
        samples = (1e-5, 2e-5, 3e-5, 4e-5, 5e-5)
        strip = elastica.Strip(samples, WEIGHT)
        for curvature, stiffness in zip(elastica.CURVATURES[1:], samples[1:]):
            self.assertAlmostEqual(strip.bent(stiffness * curvature), curvature, delta=0.05)
        self.assertAlmostEqual(strip.bent(5e-5 * 90), 90, delta=0.05)

    def test_falling_moments_have_equal_areas(self):
        """Moments of 1 up to 30 1/m, then falling: one line cuts off as much as it fills up."""
        samples = np.array([4e-5, 4e-5, 4e-5, 4e-5, 1e-5])
        strip = elastica.Strip(samples, WEIGHT)
        self.assertTrue((np.diff(strip.moment) >= -1e-15).all())
        place = np.arange(0, 120, 0.01)
        own = np.interp(place, elastica.CURVATURES, samples) * place
        hull = np.interp(place, strip.curvature, strip.moment)
        self.assertAlmostEqual(float(own.sum() / hull.sum()), 1, places=3)
        self.assertGreater(np.abs(own - hull).max(), 0.3 * own.max())


class Strips(unittest.TestCase):
    def test_they_hang_as_measured(self):
        for along, row in strips.ROWS.items():
            length = elastica.peirce_length(tuple(FABRIC["bending"][row]), WEIGHT)
            angle = strips.hang(FABRIC, strips.ONE_WAY, length, 45 * row)
            self.assertLess(abs(angle - elastica.PEIRCE), 1.5, along)


if __name__ == "__main__":
    unittest.main()

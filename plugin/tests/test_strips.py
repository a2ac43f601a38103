"""Strips of a fabric: forces against energies, limits that are known, and what hangs over an edge.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import math
import unittest

import numpy as np
from muslin import fabric
from muslin.measured.strips import (
    ANGLES,
    GRAVITY,
    MeasuredStrip,
    Strip,
    bend_from_overhang,
    bend_stiffness,
    bending_length,
    strip_of,
)
from test_scenes import laboratory


def tip_angle(ratio, steps=400):
    """Degrees by which the end of a clamped strip lies below its clamp; ratio: weight length^3 / stiffness.

    The elastica theta'' = -ratio (1 - s) cos(theta), by shooting with the midpoint rule.
    """

    def shot(curvature):
        angle, x, z, step = 0.0, 0.0, 0.0, 1 / steps
        for k in range(steps):
            bend = -ratio * (1 - k * step) * math.cos(angle)
            middle = angle + step / 2 * curvature
            curvature_there = curvature + step / 2 * bend
            x, z = x + step * math.cos(middle), z + step * math.sin(middle)
            angle += step * curvature_there
            curvature -= step * ratio * (1 - (k + 0.5) * step) * math.cos(middle)
        return curvature, math.degrees(math.atan2(z, x))

    low, high = 0.0, ratio
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if shot(middle)[0] > 0 else (middle, high)
    return shot(low)[1]


class StretchTest(unittest.TestCase):
    def test_gradient_and_second_derivative(self):
        for direction in ANGLES:
            strip = Strip(fabric("jersey"), direction)

            def energy(state):
                lengths = np.linalg.norm(strip.maps @ state, axis=1)
                return 0.5 * strip.stiffness @ (lengths - 1) ** 2

            state = np.array([1.2, 0.1, 1.05])
            gradient, second = strip.derivatives(state)
            for k, move in enumerate(1e-5 * np.eye(3)):
                slope = (energy(state + move) - energy(state - move)) / 2e-5
                self.assertAlmostEqual(gradient[k], slope, delta=1e-6 * abs(gradient).max())
                ends = [strip.derivatives(state + side * move)[0] for side in (1, -1)]
                np.testing.assert_allclose(
                    second[k], (ends[0] - ends[1]) / 2e-5, atol=1e-5 * abs(second).max()
                )

    def test_small_strains(self):
        """Warp and weft have their stiffness; the bias 4 / (1/warp + 1/weft + 1/shear), but for what ties them."""
        cotton = fabric("cotton")
        self.assertAlmostEqual(Strip(cotton, "warp").pulled(1e-4) / 0.4, 1, 3)
        self.assertAlmostEqual(Strip(cotton, "weft").pulled(1e-4) / 0.3, 1, 3)
        bias = 4 / (1 / 4000 + 1 / 3000 + 1 / 30)
        self.assertAlmostEqual(Strip(cotton, "bias").pulled(1e-4) / (1e-4 * bias), 1, 2)

    def test_force_and_strain_belong_together_and_the_sides_are_free(self):
        for name in ("jersey", "rubber", "tulle", "leather"):
            for direction in ANGLES:
                strip = Strip(fabric(name), direction)
                for strain in (0.01, 0.1, 0.3):
                    force = strip.pulled(strain)
                    state = strip.stretched(force)
                    self.assertAlmostEqual(state[0], 1 + strain, 8)
                    sides = strip.derivatives(state)[0][1:]
                    self.assertLess(np.abs(sides).max(), 1e-8 * force)


class MeasuredTest(unittest.TestCase):
    # c11, c12, c22, c33 at rest; then at a stretch of 1/6 along five directions: stiffer, along the weft most.
    SAMPLES = [100, 20, 60, 80] + [
        130,
        20,
        70,
        90,
        130,
        20,
        80,
        80,
        120,
        20,
        100,
        70,
        130,
        20,
        120,
        80,
    ]
    SAMPLES += [130, 20, 160, 90]

    def test_what_is_not_measured_is_a_plain_strip(self):
        self.assertIsInstance(strip_of({**fabric("silk")}, "warp"), Strip)
        self.assertIsInstance(strip_of({"stretch_samples": self.SAMPLES}, "warp"), MeasuredStrip)

    def test_the_table_is_met_at_its_places(self):
        warp, weft = (MeasuredStrip(self.SAMPLES, direction) for direction in ("warp", "weft"))
        self.assertAlmostEqual(warp.pulled(1e-6) / 1e-6, 100 - 20**2 / 60, 3)
        stretch = 1 / 6
        strain = stretch + stretch**2 / 2
        self.assertAlmostEqual(warp.pulled(stretch), 7 / 6 * strain * (130 - 20**2 / 70))
        self.assertAlmostEqual(weft.pulled(stretch), 7 / 6 * strain * (160 - 20**2 / 130))

    def test_the_bias_needs_no_stress_at_its_sides(self):
        """A table that is the same everywhere: sum of the three compliances, by hand."""
        same = MeasuredStrip([100, 20, 60, 80] * 6, "bias")
        area = 100 * 60 - 20 * 20
        softness = 0.25 * (60 - 20 + 100 - 20) / area + 1 / 80
        self.assertAlmostEqual(same.pulled(0.01), 1.01 * 0.01005 / softness)

    def test_the_simulation_stretches_as_the_table_says(self):
        settings = {**fabric("jersey"), "model": "membrane", "stretch_samples": self.SAMPLES}
        for direction in ANGLES:
            force = MeasuredStrip(self.SAMPLES, direction).pulled(0.1)
            load = laboratory.WIDTH * force / GRAVITY
            apart = laboratory.MARKS[1] - laboratory.MARKS[0]
            own = settings["density"] * laboratory.WIDTH * apart / 2
            (length,) = laboratory.pulled(settings, direction, [load - own])
            self.assertAlmostEqual((length / apart - 1) / 0.1, 1, delta=0.02, msg=direction)


class BendTest(unittest.TestCase):
    def test_peirces_rule_is_the_elastica_at_41_5_degrees(self):
        """Stiffness = weight (overhang / 2)^3: a ratio of 8."""
        self.assertAlmostEqual(tip_angle(8.0), 41.5, 1)

    def test_overhang_gives_the_stiffness_back(self):
        poplin = fabric("poplin")
        for direction in ANGLES:
            overhang = 2 * bending_length(poplin, direction)
            found = bend_from_overhang(poplin["density"], overhang)
            self.assertAlmostEqual(found / bend_stiffness(poplin, direction), 1)

    def test_alike_in_all_directions(self):
        rubber = fabric("rubber")
        self.assertEqual(len({bend_stiffness(rubber, direction) for direction in ANGLES}), 1)


if __name__ == "__main__":
    unittest.main()

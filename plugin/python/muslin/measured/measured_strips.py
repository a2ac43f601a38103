# SPDX-License-Identifier: GPL-3.0-or-later
"""Strips of a fabric with measured stretch, pulled as its table says (measured_fabric.py).

The strain is Green's, e = stretch + stretch^2 / 2; the stresses are s_uu = c11 e_uu + c12 e_vv, s_vv = c22 e_vv + c12
e_uu and s_uv = c33 e_uv / 2; the table's numbers are those at the largest stretch and its angle to the warp.
"""

import math

from .strips import ANGLES, Strip

LARGEST = 1 / 6  # the stretch of the table's last rows
ANGLE_STEP = math.pi / 8  # between them
ROUNDS = 60  # until the strains on the bias stand


def strip_of(material, direction):
    """A strip that can be pulled, of a material that is measured or not."""
    if any(material.get("stretch_samples", ())):
        return MeasuredStrip(material["stretch_samples"], direction)
    return Strip(material, direction)


class MeasuredStrip:
    """A strip along warp, weft or bias, free to get narrower."""

    def __init__(self, samples, direction):
        self.rows = [samples[4 * row : 4 * row + 4] for row in range(6)]
        self.direction = direction

    def numbers(self, stretch, angle):
        """c11, c12, c22, c33 at a stretch and an angle in steps of the table, linear between."""
        part = min(max(stretch / LARGEST, 0.0), 1.0)
        step = min(int(angle), 3)
        low, high = self.rows[1 + step], self.rows[2 + step]
        at = [a + (angle - step) * (b - a) for a, b in zip(low, high)]
        return [slack + part * (far - slack) for slack, far in zip(self.rows[0], at)]

    def pulled(self, strain):
        """The force per width at rest, N/m, at a strain (a stretch) along the strip."""
        green = strain + strain**2 / 2
        stress = self.on_bias(green) if self.direction == "bias" else self.along(strain, green)
        return (1 + strain) * stress

    def along(self, strain, green):
        """Across it is free: that stress is zero."""
        c11, c12, c22, _ = self.numbers(strain, ANGLES[self.direction] / ANGLE_STEP)
        along, across = (c11, c22) if self.direction == "warp" else (c22, c11)
        return (along - c12 * c12 / across) * green if across > 0 else 0.0

    def on_bias(self, green):
        """s_uu, s_vv and s_uv are half of the stress along it; the strains show where in the table they are."""
        angle, stretch, stress = 2.0, green, 0.0
        for _ in range(ROUNDS):
            c11, c12, c22, c33 = self.numbers(stretch, angle)
            area = c11 * c22 - c12 * c12
            if not (area > 0 and c33 > 0):
                return 0.0
            uu, vv, uv = (c22 - c12) / area / 2, (c11 - c12) / area / 2, 1 / c33
            stress = green / ((uu + vv) / 2 + uv)
            mean, half, shear = stress * (uu + vv) / 2, stress * (uu - vv) / 2, stress * uv
            angle = (angle + math.atan2(shear, half) / 2 / ANGLE_STEP) / 2
            largest = math.sqrt(max(1 + 2 * (mean + math.hypot(half, shear)), 0.0)) - 1
            stretch = (stretch + largest) / 2
        return stress

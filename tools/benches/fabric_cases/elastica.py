# SPDX-License-Identifier: GPL-3.0-or-later
"""A strip whose stiffness changes with its curvature, clamped level and hanging by its weight.

Solved here and shared with no other code. The moment per width is M = B(k) k. Where B falls so fast that M does, the
strip of least energy is straight in parts and bent in others; its mean has the convex hull of the energy.
"""

from functools import lru_cache
from math import atan2, cos, degrees, pi, sin

import numpy as np

CURVATURES = np.array([0.0, 10.0, 20.0, 30.0, 40.0])  # 1/m, of the samples
FINE = 0.02  # 1/m
FARTHEST = 600.0  # 1/m
STEPS = 500  # in a bending length
PEIRCE = 41.5  # degrees, of the line from the clamp to the free end below the horizontal


class Strip:
    """samples: B at CURVATURES, N m. weight: N/m^2."""

    def __init__(self, samples, weight):
        self.weight, self.softest = weight, min(samples)
        self.curvature = np.arange(0.0, FARTHEST, FINE)
        stiffness = np.interp(self.curvature, CURVATURES, samples)
        energy = np.concatenate([[0.0], np.cumsum(self._means(stiffness * self.curvature) * FINE)])
        self.moment = self._slopes(energy)

    @staticmethod
    def _means(values):
        return (values[1:] + values[:-1]) / 2

    def _slopes(self, energy):
        """Of the convex hull, at all curvatures."""
        hull = []
        for i in range(len(energy)):
            while len(hull) > 1 and self._is_above(energy, hull[-2], hull[-1], i):
                hull.pop()
            hull.append(i)
        places = self.curvature[hull]
        slopes = np.diff(energy[hull]) / np.diff(places)
        middles = (places[1:] + places[:-1]) / 2
        flat = np.maximum.accumulate(slopes)
        return np.interp(self.curvature, np.concatenate([[0.0], middles]), np.append(0.0, flat))

    @staticmethod
    def _is_above(energy, a, b, c):
        return (energy[b] - energy[a]) * (c - b) >= (energy[c] - energy[b]) * (b - a)

    def bent(self, moment):
        """The curvature with this moment, 1/m."""
        return float(np.interp(moment, self.moment, self.curvature))

    def hanging(self, tip):
        """Length, drop and reach, m, of a strip whose end points `tip` below the horizontal.

        From the free end, where it is not bent, by midpoints until it is level: that is the clamp.
        """
        step = (self.softest / self.weight) ** (1 / 3) / STEPS
        length = moment = drop = reach = 0.0
        angle = tip
        while angle > 0:
            middle = angle - 0.5 * step * self.bent(moment)
            half = moment + 0.5 * step * self.weight * (length + 0.25 * step) * cos(middle)
            turn = min(step * self.bent(half), angle + 1e-12)
            part = turn / (step * self.bent(half)) * step if turn > 0 else step
            drop += part * sin(middle)
            reach += part * cos(middle)
            moment += part * self.weight * (length + 0.5 * part) * cos(middle)
            length += part
            angle -= turn
        return length, drop, reach

    def peirce_length(self):
        """m, of the strip whose end is seen PEIRCE degrees below its clamp."""
        low, high = 0.01, pi / 2 - 1e-6
        for _ in range(30):
            tip = (low + high) / 2
            length, drop, reach = self.hanging(tip)
            low, high = (tip, high) if degrees(atan2(drop, reach)) < PEIRCE else (low, tip)
        return length


@lru_cache(maxsize=None)
def peirce_length(samples, weight):
    return Strip(samples, weight).peirce_length()

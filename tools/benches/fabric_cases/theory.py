# SPDX-License-Identifier: GPL-3.0-or-later
"""Strips of a measured fabric by the file's own numbers, solved here and shared with no other code: hung, and pulled."""

from functools import lru_cache
from math import atan2, cos, degrees, pi, sin

import numpy as np
from truth_cases.theory import root, until

# --- a strip whose stiffness changes with its curvature, clamped level and hanging by its weight ---
#
# The moment per width is M = B(k) k. Where B falls so fast that M does, the strip of least energy is straight in parts and
# bent in others; its mean has the convex hull of the energy.

CURVATURES = np.array([0.0, 10.0, 20.0, 30.0, 40.0])  # 1/m, of the samples
FINE_CURVATURE = 0.02  # 1/m
FARTHEST = 600.0  # 1/m
LENGTH_STEPS = 250  # in a bending length
PEIRCE = 41.5  # degrees, of the line from the clamp to the free end below the horizontal


class Strip:
    """samples: B at CURVATURES, N m. weight: N/m^2."""

    def __init__(self, samples, weight):
        self.weight, self.softest = weight, min(samples)
        self.curvature = np.arange(0.0, FARTHEST, FINE_CURVATURE)
        stiffness = np.interp(self.curvature, CURVATURES, samples)
        moment = stiffness * self.curvature
        energy = np.concatenate([[0.0], np.cumsum((moment[1:] + moment[:-1]) / 2 * FINE_CURVATURE)])
        self.moment = self._slopes(energy)

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

        From the free end, where it is not bent, until it is level: that is the clamp.
        """

        def slope(state):
            length, angle, moment, _, _ = state
            turn = cos(angle)
            return 1.0, -self.bent(moment), self.weight * length * turn, sin(angle), turn

        step = (self.softest / self.weight) ** (1 / 3) / LENGTH_STEPS
        end = until(slope, (0.0, tip, 0.0, 0.0, 0.0), lambda state: state[1], step)
        return end[0], end[3], end[4]

    def peirce_length(self):
        """m, of the strip whose end is seen PEIRCE degrees below its clamp."""

        def below(tip):
            _, drop, reach = self.hanging(tip)
            return degrees(atan2(drop, reach)) - PEIRCE

        return self.hanging(root(below, 0.01, pi / 2 - 1e-6, 30))[0]


@lru_cache(maxsize=None)
def peirce_length(samples, weight):
    return Strip(samples, weight).peirce_length()


# --- a strip that is pulled ------------------------------------------------------------------------
#
# The file has the numbers of the stress s_uu = c11 G_uu + c12 G_vv, s_vv = c22 G_vv + c12 G_uu, s_uv = c33 G_uv / 2 of
# Green's strain G for slack cloth and at a stretch of 1/6 at five angles from the warp; linear between them, nothing below
# zero, and doubled by the program that shipped the files.

LARGEST = 1 / 6  # stretch of the file's last rows
ANGLE = np.pi / 8  # between them
FINE = 1e-7  # of strains, for differences
LONGEST = 0.02  # change of a strain in a step of Newton's method
STEPS = 80


class Table:
    def __init__(self, content):
        self.rows = 2 * np.maximum(np.array(content["stretching"]), 0)

    def stress(self, strain):
        """s_uu, s_vv, s_uv at G_uu, G_vv, G_uv, N/m."""
        uu, vv, uv = strain
        mean, half = (uu + vv) / 2, (uu - vv) / 2
        stretch = np.sqrt(max(1 + 2 * (mean + np.hypot(half, uv)), 0)) - 1
        place = min(0.5 * np.arctan2(abs(uv), half) / ANGLE, 4 - 1e-9)
        row = int(place)
        taut = self.rows[1 + row] + (place - row) * (self.rows[2 + row] - self.rows[1 + row])
        part = np.clip(stretch / LARGEST, 0, 1)
        c11, c12, c22, c33 = self.rows[0] + part * (taut - self.rows[0])
        return np.array([c11 * uu + c12 * vv, c22 * vv + c12 * uu, 0.5 * c33 * uv])

    def pulls(self, degrees, stretches):
        """Force per width at rest of a strip that is free at its sides, N/m, at ascending stretches."""
        turn = np.radians(degrees)

        def own(stress):
            return _turned(stress, -turn)

        found, free = [], np.zeros(2)
        for stretch in stretches:
            along = stretch + stretch**2 / 2

            def sides(free, along=along):
                return own(self.stress(_turned((along, *free), turn)))[1:]

            free = _root(sides, free)
            found.append(own(self.stress(_turned((along, *free), turn)))[0] * (1 + stretch))
        return np.array(found)


def _turned(tensor, angle):
    """Along, across and mixed, in axes that are turned by an angle."""
    along, across, mixed = tensor
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array(
        [
            along * cosine**2 + across * sine**2 - 2 * mixed * cosine * sine,
            along * sine**2 + across * cosine**2 + 2 * mixed * cosine * sine,
            (along - across) * cosine * sine + mixed * (cosine**2 - sine**2),
        ]
    )


def _root(function, at):
    """Where two numbers vanish, by Newton's method with differences, halved until it gets nearer."""
    for _ in range(STEPS):
        value = function(at)
        slopes = np.column_stack(
            [(function(at + d) - function(at - d)) / (2 * FINE) for d in FINE * np.eye(2)]
        )
        change = np.linalg.lstsq(slopes, -value, rcond=None)[0]
        change *= min(1, LONGEST / max(np.abs(change).max(), 1e-30))
        while np.abs(change).max() > 1e-12 and (
            np.linalg.norm(function(at + change)) > np.linalg.norm(value)
        ):
            change /= 2
        at = at + change
        if np.abs(change).max() < 1e-12:
            break
    return at

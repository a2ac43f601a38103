# SPDX-License-Identifier: GPL-3.0-or-later
"""Gusts that a wind carries along: what a turbulent wind blows besides its mean, at any place and time.

A sum of waves of chance, each at right angles to its own direction, so that no air comes from nowhere. The pattern is
frozen and moves with the wind [Taylor 1938]: gusts pass a cloth that stands still, and shake it.
"""

import numpy as np

WAVES = 32
SHORTEST, LONGEST = 0.4, 4.0  # m, of the waves: from a part of a garment to what turns all of it


class Turbulence:
    """Gusts of a wind (x, y, z), m/s. share: root mean square of each component over the wind's speed: 0.1 over open
    land, 0.3 in a street."""

    def __init__(self, wind, share, seed=0):
        self.wind = np.asarray(wind, float)
        random = np.random.default_rng(seed)
        lengths = np.exp(random.uniform(np.log(SHORTEST), np.log(LONGEST), WAVES))
        ways = _units(random.normal(size=(WAVES, 3)))
        sizes = lengths ** (1 / 3)  # Kolmogorov's: the speed of an eddy by its length
        sizes *= share * np.linalg.norm(self.wind) * np.sqrt(6 / np.sum(sizes**2))
        self._numbers = ways * (2 * np.pi / lengths)[:, None]
        self._blows = sizes[:, None] * _units(np.cross(ways, random.normal(size=(WAVES, 3))))
        self._phases = random.uniform(0, 2 * np.pi, WAVES)

    def at(self, positions, seconds):
        """Gusts at positions (n, 3), m/s: the `wind` of Cloth.set_fields()."""
        carried = np.asarray(positions, float) - seconds * self.wind
        return (np.cos(carried @ self._numbers.T + self._phases) @ self._blows).astype(np.float32)


def _units(vectors):
    return vectors / np.linalg.norm(vectors, axis=1)[:, None]

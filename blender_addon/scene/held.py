# SPDX-License-Identifier: GPL-3.0-or-later
"""All pins of a running cloth: those of the garment's vertex group, and what hands hold besides."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Pins:
    """As Cloth.set_pins() takes them: vertices, weights from 0 to 1, and where they shall be, n x 3, m."""

    vertices: np.ndarray
    weights: np.ndarray
    targets: np.ndarray

    def is_same_set(self, other):
        """Whether only targets differ: moving pins costs nothing, another set changes the factor."""
        return np.array_equal(self.vertices, other.vertices) and np.array_equal(
            self.weights, other.weights
        )


def nothing():
    return Pins(np.zeros(0, np.int32), np.zeros(0, np.float32), np.zeros((0, 3), np.float32))


def joined(several):
    """One set of several; a vertex that more than one has is held by the first of them."""
    vertices = np.concatenate([pins.vertices for pins in several])
    _, first = np.unique(vertices, return_index=True)
    first.sort()
    weights = np.concatenate([pins.weights for pins in several])
    targets = np.concatenate([pins.targets for pins in several])
    return Pins(vertices[first], weights[first], np.ascontiguousarray(targets[first]))

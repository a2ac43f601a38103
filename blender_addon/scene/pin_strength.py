# SPDX-License-Identifier: GPL-3.0-or-later
"""How strongly a garment's pin group holds in the present frame: by its animated factor, until it is released."""

import numpy as np


def of(obj, scene):
    """From 0 to 1."""
    garment = obj.muslin
    if garment.use_pin_release and scene.frame_current >= garment.pin_release:
        return 0.0
    return garment.pin_strength


def of_all(garments, counts, scene):
    """For each pin of several garments, which have so many."""
    return np.repeat([of(obj, scene) for obj in garments], counts).astype(np.float32)


def held(vertices, weights, targets, strength):
    """Pins that still hold: vertices, weights and targets."""
    weights = (weights * strength).astype(np.float32)
    holds = weights > 0
    return vertices[holds], weights[holds], np.ascontiguousarray(targets[holds])

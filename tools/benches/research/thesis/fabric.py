# SPDX-License-Identifier: GPL-3.0-or-later
"""The fabrics of the comparison, and how soft cloth must be for the thesis's eigenvalues."""

from test_scenes.fabric import REFERENCE

STEP_SECONDS = 1 / 48
STIFFNESSES = ("stretch_warp", "stretch_weft", "shear", "bend")
NO_AIR = {"air_drag": 0, "normal_drag": 0, "tangent_drag": 0}


def scaled_fabric(scale):
    """The reference fabric with all its stiffnesses multiplied."""
    return {name: scale * REFERENCE[name] for name in STIFFNESSES}


def largest_eigenvalue(cloth, scale):
    cloth.set_material(**scaled_fabric(scale))
    cloth.prepare(STEP_SECONDS)
    return cloth.eigenvalues()[1]


def matching_scale(cloth, wanted, rounds=4):
    """The scale at which the largest eigenvalue of a linear cloth is `wanted`.

    The eigenvalue less one is nearly proportional to the stiffness (drag adds a little).
    """
    scale = 1.0
    for _ in range(rounds):
        scale *= (wanted - 1) / (largest_eigenvalue(cloth, scale) - 1)
    return scale

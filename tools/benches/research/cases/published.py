# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers of the thesis [Choi 2013], by table (ms, on a 3.5 GHz Core i7-3770K), its meshes, and how soft cloth must be
for its eigenvalues."""

from functools import lru_cache

from test_scenes import patterns
from test_scenes.fabric import REFERENCE

STEP_SECONDS = 1 / 48
STIFFNESSES = ("stretch_warp", "stretch_weft", "shear", "bend")
# The irregular squares, each made once in a run: several tables use the same.
square = lru_cache(maxsize=None)(patterns.square)
swing_square = lru_cache(maxsize=None)(patterns.swing_square)


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


# Table 6.1: least and largest eigenvalue of the system matrix, 166 vertices.
EIGENVALUES = {"edge": (0.9817, 2.2693), "triangle": (1.0, 2.8761)}

# Tables 7.1 and 7.2, and the head of 7.3: entries of the system matrix, of L before reordering and
# after it. The reordering is Cuthill-McKee.
FILL = {
    166: (1872, 7352, 3952),
    1098: (13426, 223734, 68614),
    5498: (69406, 3738863, 749633),
    1780: (21412, 626214, 182132),
    918: (10816, 204179, 38722),
    3176: (39352, 1478721, 337654),
    1245: (15293, 286430, 84145),
    2485: (30969, 829610, 236537),
    4219: (53067, 2200249, 505102),
}

# Table 7.3, and the totals of 7.4 and 7.5 for 5472 vertices: ms per step of the conventional model,
# of linear IER or IAR, and of linear IVT.
STEP = {
    ("edge", 1245): (5.75, 2.17, 1.11),
    ("edge", 2485): (14.74, 4.97, 2.72),
    ("edge", 4219): (29.81, 9.08, 5.39),
    ("edge", 5472): (49.579, 12.586, 7.793),
    ("triangle", 1245): (7.18, 2.73, 1.4),
    ("triangle", 2485): (16.79, 6.25, 3.18),
    ("triangle", 4219): (33.68, 11.39, 6.26),
    ("triangle", 5472): (51.896, 15.098, 8.17),
}

# Tables 7.4 and 7.5, 5472 vertices: ms of calculating forces, building the matrix, solving,
# collisions; conventional, IER or IAR, IVT.
BLOCKS = {
    ("edge", "force"): (0.983, 5.722, 0.887),
    ("edge", "assemble"): (23.249, 0.0, 0.0),
    ("edge", "solve"): (25.346, 6.863, 6.905),
    ("edge", "contact"): (0.001, 0.001, 0.001),
    ("triangle", "force"): (1.71, 8.928, 1.944),
    ("triangle", "assemble"): (28.028, 0.0, 0.0),
    ("triangle", "solve"): (22.157, 6.169, 6.225),
    ("triangle", "contact"): (0.001, 0.001, 0.001),
}

# Tables 7.6 and 7.7: ms of one solve without and with reordering, and the speed-up.
REORDERING = {
    ("edge", 1245): (2.36, 0.92, 2.57),
    ("edge", 2485): (6.51, 2.21, 2.95),
    ("edge", 4219): (16.84, 4.65, 3.62),
    ("triangle", 1245): (2.85, 1.26, 2.26),
    ("triangle", 2485): (6.63, 2.25, 2.94),
    ("triangle", 4219): (16.83, 4.68, 3.6),
}

# SPDX-License-Identifier: GPL-3.0-or-later
"""Stretch curves of a fabric from strips under several weights: the table that the membrane model takes.

Each direction has two numbers, its stiffness when slack and at a strain of 1/6; what is between goes straight, as in
files of measured fabrics (measured_fabric.py). How much narrower a strip gets is not measured, so c12 is 0.
"""

import math

import numpy as np

from .measured_fabric import STRETCHING
from .measured_strips import ANGLE_STEP, MeasuredStrip
from .strips import ANGLES

LEAST_GROWTH, MOST_GROWTH = 0.5, 50.0  # of a stiffness from slack to 1/6: less and the force falls
HALVINGS = 50  # of the strain that is looked for
LONGEST = 4.0  # strain


def samples_of(logarithms):
    """stretch_samples from six numbers: logarithms of the slack stiffness of warp, weft and shear, then of their growth.

    Stretched at an angle a from the warp, warp and weft are stiffer by as much as they are longer: cos^2 a and sin^2 a.
    """
    slack = np.exp(logarithms[:3])
    growth = np.clip(LEAST_GROWTH + np.exp(logarithms[3:]), LEAST_GROWTH, MOST_GROWTH)
    c11, c22, c33 = slack
    rows = [(c11, 0.0, c22, c33)]
    for step in range(STRETCHING[0] - 1):
        along = math.cos(step * ANGLE_STEP) ** 2
        warp, weft = along * (growth[0] - 1), (1 - along) * (growth[1] - 1)
        rows.append((c11 * (1 + warp), 0.0, c22 * (1 + weft), c33 * growth[2]))
    return [float(number) for row in rows for number in row]


def first_guess(plain):
    """Logarithms for samples_of from the numbers of springs: without growth."""
    slack = plain["stretch_warp"], plain["stretch_weft"], 4 * plain["shear"]
    return np.concatenate([np.log(slack), np.full(3, math.log(1 - LEAST_GROWTH))])


def stretched(strip, force):
    """The strain of a measured strip under a force per width, N/m; its force grows with the strain."""
    low, high = 0.0, LONGEST
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if strip.pulled(middle) < force:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def strains_of(logarithms, directions, forces):
    """What strips along these directions are strained by under these forces."""
    samples = samples_of(logarithms)
    strips = {direction: MeasuredStrip(samples, direction) for direction in ANGLES}
    return [stretched(strips[direction], force) for direction, force in zip(directions, forces)]


def material_of(logarithms):
    """Settings of the material; the plain numbers are those of slack cloth, as in measured_fabric.py."""
    samples = samples_of(logarithms)
    return {
        "stretch_warp": samples[0],
        "stretch_weft": samples[2],
        "shear": samples[3] / 4,
        "stretch_samples": samples,
    }

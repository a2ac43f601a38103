"""A fabric from measurements of it: the numbers of a material with which strips stretch and hang as measured.

Stretch and shear: Levenberg and Marquardt's least squares over the strips, whose lengths under a weight are known
(strips.py). Bending along warp and weft: Peirce's rule. Twist: a strip on the bias also twists and curls across, so its
overhang is compared with one in the simulation.

SPDX-License-Identifier: GPL-3.0-or-later
"""

from collections import namedtuple

import numpy as np

from .hanging import hanging_angle
from .strips import ANGLES, GRAVITY, Strip, bend_from_overhang

ROUNDS = 60
STEP = 1e-6  # of the logarithm of a number, for slopes
CLOSE = 1e-10  # the last change of these logarithms
PEIRCE = 41.5  # degrees
SURE = 0.05  # degrees between the strip on the bias and the measured one
TWISTS = (0.0, 8.0)  # between these twist is looked for, in parts of the mean of warp and weft

# rows: (measurement, strain as measured, strain of the fitted fabric). misfit: their root mean square difference over the
# largest strain of each direction.
Fit = namedtuple("Fit", "material rows misfit")


def fit(measurements):
    """The Fit of Measurements."""
    density = float(np.mean([square.mass / square.area for square in measurements.squares]))
    pulls = measurements.pulls
    forces = [pull_force(pull, density) for pull in pulls]
    strains = np.array([pull.result / pull.length - 1 for pull in pulls])
    largest = {d: max(s for s, p in zip(strains, pulls) if p.direction == d) for d in ANGLES}
    scales = np.array([largest[pull.direction] for pull in pulls])

    def residuals(logarithms):
        material = stretch_of(logarithms)
        strips = {direction: Strip(material, direction) for direction in ANGLES}
        found = [strips[p.direction].stretched(f)[0] - 1 for p, f in zip(pulls, forces)]
        return (np.array(found) - strains) / scales

    best = least_squares(residuals, first_guess(pulls, forces, strains))
    left = residuals(best)
    material = {"density": density, **stretch_of(best)}
    material.update(bending(measurements.overhangs, material))
    rows = list(zip(pulls, strains.tolist(), (strains + left * scales).tolist()))
    return Fit(material, rows, float(np.sqrt(np.mean(left**2))))


def pull_force(pull, density):
    """Force per width, N/m, in the middle between the marks: half of the cloth between them pulls, too."""
    return GRAVITY * (pull.mass / pull.width + density * pull.length / 2)


def stretch_of(logarithms):
    names = ("stretch_warp", "stretch_weft", "shear")
    return dict(zip(names, np.exp(logarithms).tolist()))


def first_guess(pulls, forces, strains):
    """Logarithms of warp, weft and shear by the rules of small strains."""

    def stiffness(direction):
        chosen = [k for k, pull in enumerate(pulls) if pull.direction == direction]
        return sum(forces[k] for k in chosen) / sum(strains[k] for k in chosen)

    warp, weft, bias = map(stiffness, ANGLES)
    softness = max(4 / bias - 1 / warp - 1 / weft, 0.1 / bias)
    return np.log([warp, weft, 1 / softness])


def least_squares(residuals, start):
    """Where the sum of squares is least near `start`."""
    place, damping = np.asarray(start, float), 1e-3
    left = residuals(place)
    for _ in range(ROUNDS):
        moves = STEP * np.eye(len(place))
        slopes = np.stack([(residuals(place + move) - left) / STEP for move in moves], axis=1)
        square = slopes.T @ slopes
        step = np.linalg.solve(
            square + damping * np.diag(np.diag(square) + 1e-12), -slopes.T @ left
        )
        step = np.clip(step, -1, 1)
        tried = residuals(place + step)
        if tried @ tried <= left @ left:
            place, left, damping = place + step, tried, damping / 10
            if np.abs(step).max() < CLOSE:
                break
        elif damping > 1e8:
            break
        else:
            damping *= 10
    return place


def bending(overhangs, material):
    """bend, bend_weft and bend_twist."""
    means = {
        direction: np.mean([(o.result, o.width) for o in overhangs if o.direction == direction], 0)
        for direction in ANGLES
    }
    warp, weft = (
        float(bend_from_overhang(material["density"], means[direction][0]))
        for direction in ("warp", "weft")
    )
    plain = {**material, "bend": warp, "bend_weft": weft / warp}
    length, width = means["bias"]
    mean = (1 + weft / warp) / 2

    def too_soft(twist):
        settings = {**plain, "bend_twist": twist}
        return hanging_angle(settings, "bias", float(length), float(width)) - PEIRCE

    twist = find_zero(too_soft, TWISTS[0] * mean, TWISTS[1] * mean)
    return {"bend": warp, "bend_weft": weft / warp, "bend_twist": twist}


def twist_is_beyond(material):
    """Whether no twist hangs as was measured: then it is an end of its range."""
    share = 2 * material["bend_twist"] / (1 + material["bend_weft"])
    return not TWISTS[0] * (1 + 1e-6) < share < TWISTS[1] * (1 - 1e-6)


def find_zero(function, low, high):
    """Where a falling function is 0: the secant's place, kept between the ends (Illinois); an end if it is beyond."""
    at_low, at_high = function(low), function(high)
    if at_low <= 0:
        return low
    if at_high >= 0:
        return high
    for _ in range(ROUNDS):
        middle = (low * at_high - high * at_low) / (at_high - at_low)
        found = function(middle)
        if abs(found) < SURE:
            break
        if found > 0:
            low, at_low, at_high = middle, found, at_high / 2
        else:
            high, at_high, at_low = middle, found, at_low / 2
    return middle

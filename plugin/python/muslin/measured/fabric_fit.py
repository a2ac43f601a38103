# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers of a material with which strips stretch and hang as measured.

Stretch and shear: least squares over the strips by Levenberg and Marquardt. Bending along warp and weft: Peirce's
rule. Twist: a strip on the bias also twists and curls across, so its overhang is compared with one in the simulation.
"""

import math
from collections import Counter, namedtuple

import numpy as np

from ..errors import refuse
from .hanging import hanging_angle
from .measured_fabric import STRETCHING
from .strips import ANGLE_STEP, ANGLES, GRAVITY, MeasuredStrip, Strip, bend_from_overhang

ROUNDS = 60
STEP = 1e-6  # of the logarithm of a number, for slopes
CLOSE = 1e-10  # the last change of these logarithms
PEIRCE = 41.5  # degrees
SURE = 0.05  # degrees between the strip on the bias and the measured one
TWISTS = (0.0, 8.0)  # between these twist is looked for, in parts of the mean of warp and weft
TRIANGLE, MEMBRANE = "triangle", "membrane"
CURVE = 3  # weights of each direction that a curve takes
# misfit of straight responses above which a curve is tried, and taken if it halves that
BENT = 0.03

# model: triangle, or membrane where the material has stretch_samples. rows: (measurement, strain as measured, strain of
# the fitted fabric). misfit: their root mean square difference over the largest strain of each direction.
Fit = namedtuple("Fit", "material model rows misfit")
# model, material: of the stretch alone. left: misfits, each over the largest strain of its direction.
Stretch = namedtuple("Stretch", "model material left")


def fit(measurements, model=None):
    """The Fit of Measurements; model: triangle, membrane, or None for the one that suits them."""
    density = float(np.mean([square.mass / square.area for square in measurements.squares]))
    pulls = measurements.pulls
    # force per width, N/m, in the middle between the marks: half of the cloth between them pulls, too
    forces = [GRAVITY * (pull.mass / pull.width + density * pull.length / 2) for pull in pulls]
    strains = np.array([pull.result / pull.length - 1 for pull in pulls])
    largest = {d: max(s for s, p in zip(strains, pulls) if p.direction == d) for d in ANGLES}
    scales = np.array([largest[pull.direction] for pull in pulls])
    found = choose(model, pulls, forces, strains, scales)
    material = {"density": density, **found.material}
    material.update(bending(measurements.overhangs, {**material, "model": found.model}))
    rows = list(zip(pulls, strains.tolist(), (strains + found.left * scales).tolist()))
    return Fit(material, found.model, rows, misfit_of(found))


def choose(model, pulls, forces, strains, scales):
    """The Stretch of the model that is asked for, or else of the one that suits the strips."""
    # how many different forces pull in each direction
    weights = {(pull.direction, round(pull.mass / pull.width, 9)) for pull in pulls}
    weights = Counter(direction for direction, _ in weights)
    few = [direction for direction in ANGLES if weights[direction] < CURVE]
    if model == MEMBRANE and few:
        needed = f"a curve needs strips under at least {CURVE} weights in each direction"
        refuse(f"{needed}, and there are {weights[few[0]]} along the {few[0]}")
    plain = straight(pulls, forces, strains, scales)
    if model == TRIANGLE or few or (model is None and misfit_of(plain) <= BENT):
        return plain
    curved = along_curves(plain.material, pulls, forces, strains, scales)
    better = misfit_of(curved) < misfit_of(plain) / 2
    return curved if model == MEMBRANE or better else plain


def misfit_of(found):
    return float(np.sqrt(np.mean(found.left**2)))


def straight(pulls, forces, strains, scales):
    """The Stretch of the triangle model."""

    def residuals(logarithms):
        strips = {d: Strip(stretch_of(logarithms), d) for d in ANGLES}
        found = [strips[p.direction].stretched(f)[0] - 1 for p, f in zip(pulls, forces)]
        return (np.array(found) - strains) / scales

    best = least_squares(residuals, first_guess(pulls, forces, strains))
    return Stretch(TRIANGLE, stretch_of(best), residuals(best))


def along_curves(start, pulls, forces, strains, scales):
    """The Stretch of the membrane model, from the numbers of the triangle model."""

    def residuals(logarithms):
        samples = samples_of(logarithms)
        strips = {direction: MeasuredStrip(samples, direction) for direction in ANGLES}
        found = [stretched(strips[pull.direction], force) for pull, force in zip(pulls, forces)]
        return (np.array(found) - strains) / scales

    slack = start["stretch_warp"], start["stretch_weft"], 4 * start["shear"]
    guess = np.concatenate([np.log(slack), np.full(3, math.log(1 - LEAST_GROWTH))])
    best = least_squares(residuals, guess)
    samples = samples_of(best)
    # the plain numbers are those of slack cloth, as in measured_fabric.py
    plain = {"stretch_warp": samples[0], "stretch_weft": samples[2], "shear": samples[3] / 4}
    return Stretch(MEMBRANE, {**plain, "stretch_samples": samples}, residuals(best))


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
        damped = square + damping * np.diag(np.diag(square) + 1e-12)
        step = np.clip(np.linalg.solve(damped, -slopes.T @ left), -1, 1)
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
    means = {}  # of length and width
    for direction in ANGLES:
        own = [(one.result, one.width) for one in overhangs if one.direction == direction]
        means[direction] = np.mean(own, 0)
    lengths = means["warp"][0], means["weft"][0]
    warp, weft = (float(bend_from_overhang(material["density"], each)) for each in lengths)
    bend = {"bend": warp, "bend_weft": weft / warp}
    length, width = means["bias"].tolist()
    mean = (1 + weft / warp) / 2

    def too_soft(twist):
        settings = {**material, **bend, "bend_twist": twist}
        return hanging_angle(settings, "bias", length, width) - PEIRCE

    return {**bend, "bend_twist": find_zero(too_soft, TWISTS[0] * mean, TWISTS[1] * mean)}


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


LEAST_GROWTH, MOST_GROWTH = 0.5, 50.0  # of a stiffness from slack to 1/6: less and the force falls
HALVINGS = 50  # of the strain that is looked for
LONGEST = 4.0  # strain


def samples_of(logarithms):
    """stretch_samples from six numbers: logarithms of the slack stiffness of warp, weft and shear, then of their growth.

    What is between slack and a strain of 1/6 goes straight, as in files of measured fabrics (measured_fabric.py). How
    much narrower a strip gets is not measured, so c12 is 0. Stretched at an angle a from the warp, warp and weft are
    stiffer by as much as they are longer: cos^2 a and sin^2 a.
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

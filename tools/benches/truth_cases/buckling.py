# SPDX-License-Identifier: GPL-3.0-or-later
"""Strips that buckle by their own weight: upright, and level on edge.

Small deflections of a strongly damped strip grow or fade evenly; the weight at which they do neither is the critical
one. It is found by the secant method on the rate of growth, which needs no deflection to be of any size.
"""

from math import log, sqrt

import numpy as np
from common.report import heading, note
from truth_cases import theory
from truth_cases.meshes import strip
from truth_cases.rig import BARE, GRAVITY, cloth_of, every, kinds, qualities, sizes

LENGTH = 0.3  # m
START = 2e-3  # m, of the end's first deflection
CELLS = {"standing": (32, 48, 64), "lateral": (48, 64, 96)}
# Width over length. On edge the clamp hinders the warping of a strip by about its width: it has to be narrow.
SHARES = {"standing": 0.2, "lateral": 0.0625}
STEP, CALM, WATCHED = 1 / 96, 96, 48  # s; steps before, and between, the two looks
ROUNDS = 7
NEAR = 2e-3  # relative, between two guesses of the weight
LEAST = 0.1  # of theory's weight, where the search ends, and ten times it
UPRIGHT = ((0, 0, 1), (0, 1, 0)), 0  # the plane's axes in space, and the direction aside
ON_EDGE = ((1, 0, 0), (0, 0, 1)), 1


class Strip:
    """A strip that can be given any weight, and tells how quickly it buckles."""

    def __init__(self, kind, cells, quality, pose, share, slack):
        axes, self.aside = pose
        self.flat = strip(kind, cells, LENGTH, share)
        self.load = BARE["density"] * GRAVITY
        self.positions = self.flat.standing(axes)
        stretch = slack * self.load * LENGTH
        self.cloth = cloth_of(
            self.positions, self.flat.triangles, stretch, 1e-4, shear=stretch / 4, quality=quality
        )
        self.cloth.set_pins(self.flat.clamp)
        self.end = self.flat.points[:, 0] > LENGTH * (1 - 1e-6)

    def growth(self, weight):
        """Rate, 1/s, at which a deflection grows; negative: it fades. Of one to the left and one to the right,
        so that what the mesh itself prefers is no deflection.
        """
        self.cloth.set_material(
            bend=self.load * LENGTH**3 / weight, damping=3 * sqrt(GRAVITY / LENGTH)
        )
        left, right = self._looks(START), self._looks(-START)
        apart = [(a - b) / 2 for a, b in zip(left, right)]
        if min(apart) < 1e-3 * START:
            return -10.0  # it has faded altogether
        return log(apart[1] / apart[0]) / (WATCHED * STEP)

    def _looks(self, start):
        """The end's deflection at two times, m, of a strip that is bent a little at first."""
        place = np.maximum(self.flat.points[:, 0] / LENGTH, 0)
        bent = self.positions.astype(float)
        bent[:, self.aside] += start * place**2 * (3 - place) / 2
        bent[self.flat.clamp] = self.positions[self.flat.clamp]
        self.cloth.set_state(bent)
        found = []
        for steps in (CALM, WATCHED):
            for _ in range(steps):
                self.cloth.step(STEP)
            found.append(self._deflection())
        return found

    def _deflection(self):
        return float(self.cloth.positions()[self.end, self.aside].mean(dtype=float))


def critical(buckles, guess):
    """Weight at which nothing grows: first the two weights around it, then secants."""
    low, high = 0.9 * guess, 1.05 * guess
    slow, fast = buckles.growth(low), buckles.growth(high)
    while slow > 0 and low > LEAST * guess:
        high, fast = low, slow
        low *= 0.8
        slow = buckles.growth(low)
    while fast < 0 and high < guess / LEAST:
        low, slow = high, fast
        high *= 1.2
        fast = buckles.growth(high)
    for _ in range(ROUNDS):
        if high / low < 1 + NEAR:
            break
        share = min(0.9, max(0.1, slow / (slow - fast)))
        middle = low + share * (high - low)
        rate = buckles.growth(middle)
        if rate > 0:
            high, fast = middle, rate
        else:
            low, slow = middle, rate
    return low + slow / (slow - fast) * (high - low) if slow < 0 < fast else high


def standing(results, quick):
    """standing_error"""
    _measure(results, quick, "standing", "upright", UPRIGHT, theory.standing_weight(), 2000)


def lateral(results, quick):
    """lateral_error"""
    _measure(results, quick, "lateral", "level, on edge", ON_EDGE, theory.lateral_weight(), 40000)


def _measure(results, quick, key, pose_name, pose, right, slack):
    heading(f"The weight at which a strip buckles that is clamped {pose_name}")
    note(f"Theory: rho g L^3 / B = {right:.3f}.")

    def weigh(kind, cells, quality):
        buckles = Strip(kind, cells, quality, pose, SHARES[key], slack)
        with buckles.cloth:
            return critical(buckles, right)

    runs = every(weigh, kinds(quick), sizes(quick, CELLS[key]), qualities(quick))
    for (kind, cells, quality), found in runs:
        results.row(key, kind=kind, cells=cells, quality=quality, weight=found, theory=right)
    results.show(key, "kind cells quality weight theory")
    results.number(f"{key}_error", max(abs(found / right - 1) for _, found in runs))

# SPDX-License-Identifier: GPL-3.0-or-later
"""Clamped strips: Peirce's cantilever over all weights, sizes, triangulations and directions, and strips that buckle."""

from math import atan2, degrees, log, sqrt

import numpy as np
from common.bench import heading, note
from truth_cases import theory
from truth_cases.meshes import strip, wings
from truth_cases.rig import GRAVITY, LEVEL, LOAD, cloth_of, kinds, qualities, relative, run, settle
from truth_cases.rig import sizes, sweep, worst

WEIGHTS = (1, 2, 5, 8, 10, 20, 50, 100)  # G = rho g L^3 / B
PEIRCE = 8  # G of a strip of twice the bending length
LENGTH = 0.3  # m
SLACK = 1000  # stretch stiffness over the strip's weight: stiff, but no triangle locks
STEP = 1 / 24
ANGLES = tuple(22.5 * k for k in range(8))  # of the lattice to the strip
SPREAD_CELLS, SPREAD_SHARE = 32, 0.33


def hang(kind, cells, quality, weights, turn=0.0, share=0.2, length=LENGTH):
    """{G: positions at rest} of a strip, and its mesh; each starts where the one before rests."""
    flat = wings(kind, cells, length, share, turn)
    stretch, bend = SLACK * LOAD * length, LOAD * length**3
    settings = {"shear": stretch / 4, "quality": quality}
    places = flat.standing(LEVEL)
    with cloth_of(places, flat.triangles, stretch, bend / weights[0], **settings) as cloth:
        cloth.set_pins(flat.clamp)
        found = {}
        for weight in weights:
            # Nearly critical for the slowest swing: the quickest way to rest.
            rate = sqrt(GRAVITY / length * (1 + 12 / weight))
            cloth.set_material(bend=bend / weight, damping=2 * rate)
            found[weight] = settle(cloth, STEP * sqrt(length / LENGTH))
        return found, flat


def sag(positions, flat, length=LENGTH):
    """Drop over reach of the two free ends, in the mean."""
    ends = positions[np.abs(flat.points[:, 0]) > length * (1 - 1e-6)]
    return float(-ends[:, 2].mean() / np.abs(ends[:, 0]).mean())


def cantilever(results, quick):
    """cantilever_error and peirce_degrees, from the same strips."""
    heading("A clamped strip hangs: drop over reach against the elastica")

    def sags(kind, cells, quality):
        found, flat = hang(kind, cells, quality, WEIGHTS)
        return [
            relative(sag(places, flat), np.divide(*theory.cantilever(float(weight))), weight=weight)
            for weight, places in found.items()
        ]

    rows = sweep(sags, kind=kinds(quick), cells=sizes(quick), quality=qualities(quick))
    results.table("cantilever", rows)
    angles = [degrees(atan2(row["found"], 1.0)) for row in rows if row["weight"] == PEIRCE]
    right = theory.peirce_degrees()
    note(f"Theory of Peirce's angle: {right:.2f} degrees.")
    results.number("cantilever_error", worst(rows))
    results.number("peirce_degrees", max(angles, key=lambda angle: abs(angle - right)))


def spread(results, quick):
    """bending_spread: the stiffest over the softest of all directions and triangulations."""
    heading("How much bending depends on direction and triangulation: B over B asked")
    angles = ANGLES[::2] if quick else ANGLES

    def stiffness(kind, angle, quality):
        found, flat = hang(kind, SPREAD_CELLS, quality, (PEIRCE,), angle, SPREAD_SHARE)
        return {"stiffness": PEIRCE / theory.apparent_weight(sag(found[PEIRCE], flat))}

    rows = sweep(stiffness, kind=kinds(quick), degrees=angles, quality=qualities(quick))
    results.table("spread", rows)
    values = [row["stiffness"] for row in rows]
    results.number("bending_spread", max(values) / min(values))


def similarity(results, quick):
    """similarity_error: a strip of twice the size with eight times the stiffness has the same shape."""
    heading("Twice the size with eight times the bending stiffness")

    def apart(kind, quality):
        one, two = (
            hang(kind, SPREAD_CELLS, quality, (20,), length=length)[0][20] / length
            for length in (LENGTH, 2 * LENGTH)
        )
        return {"distance": float(np.linalg.norm(one - two, axis=1).max())}

    rows = sweep(apart, kind=kinds(quick), quality=qualities(quick))
    results.table("similarity", rows, similarity_error=worst(rows, "distance"))


# --- strips that buckle by their own weight: upright, and level on edge ---
#
# Small deflections of a strongly damped strip grow or fade evenly; the weight at which they do neither is the critical
# one. It is found by the secant method on the rate of growth, which needs no deflection to be of any size.

START = 2e-3  # m, of the end's first deflection
BUCKLE_STEP, CALM, WATCHED = 1 / 96, 96, 48  # s; steps before, and between, the two looks
ROUNDS = 7
NEAR = 2e-3  # relative, between two guesses of the weight
LEAST = 0.1  # of theory's weight, where the search ends, and ten times it


class Strip:
    """A strip that can be given any weight, and tells how quickly it buckles.

    axes   of the plane in space; aside: the direction of its deflection
    share  width over length
    slack  stretch stiffness over weight
    """

    def __init__(self, kind, cells, quality, axes, aside, share, slack):
        self.aside, self.flat = aside, strip(kind, cells, LENGTH, share)
        self.positions = self.flat.standing(axes)
        stretch = slack * LOAD * LENGTH
        settings = {"shear": stretch / 4, "quality": quality}
        self.cloth = cloth_of(self.positions, self.flat.triangles, stretch, 1e-4, **settings)
        self.cloth.set_pins(self.flat.clamp)
        self.end = self.flat.points[:, 0] > LENGTH * (1 - 1e-6)

    def growth(self, weight):
        """Rate, 1/s, at which a deflection grows; negative: it fades. Of one to the left and one to the right,
        so that what the mesh itself prefers is no deflection.
        """
        bend = LOAD * LENGTH**3 / weight
        self.cloth.set_material(bend=bend, damping=3 * sqrt(GRAVITY / LENGTH))
        first, second = ((a - b) / 2 for a, b in zip(self._looks(START), self._looks(-START)))
        if min(first, second) < 1e-3 * START:
            return -10.0  # it has faded altogether
        return log(second / first) / (WATCHED * BUCKLE_STEP)

    def _looks(self, start):
        """The end's deflection at two times, m, of a strip that is bent a little at first."""
        place = np.maximum(self.flat.points[:, 0] / LENGTH, 0)
        bent = self.positions.astype(float)
        bent[:, self.aside] += start * place**2 * (3 - place) / 2
        bent[self.flat.clamp] = self.positions[self.flat.clamp]
        self.cloth.set_state(bent)
        looks = [run(self.cloth, n * BUCKLE_STEP, BUCKLE_STEP) for n in (CALM, WATCHED)]
        return [float(here[self.end, self.aside].mean()) for here in looks]


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
    pose = ((0, 0, 1), (0, 1, 0)), 0, 0.2, 2000
    _buckling(results, quick, "standing", pose, theory.standing_weight(), (32, 48, 64))


def lateral(results, quick):
    """lateral_error. The clamp hinders the warping of a strip by about its width: it has to be narrow."""
    pose = ((1, 0, 0), (0, 0, 1)), 1, 0.0625, 40000
    _buckling(results, quick, "lateral", pose, theory.lateral_weight(), (48, 64, 96))


def _buckling(results, quick, key, pose, right, cells):
    heading(f"The weight at which a strip buckles: {key}")

    def weigh(kind, cells, quality):
        buckles = Strip(kind, cells, quality, *pose)
        with buckles.cloth:
            return relative(critical(buckles, right), right)

    cells = sizes(quick, cells)
    rows = sweep(weigh, kind=kinds(quick), cells=cells, quality=qualities(quick))
    results.table(key, rows)
    results.number(f"{key}_error", worst(rows))

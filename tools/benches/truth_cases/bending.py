# SPDX-License-Identifier: GPL-3.0-or-later
"""Clamped strips that hang: Peirce's cantilever over all weights, sizes, triangulations and directions."""

from math import atan2, degrees, sqrt

import numpy as np
from common.report import digits, heading, note, percent, table
from truth_cases import theory
from truth_cases.meshes import wings
from truth_cases.rig import BARE, GRAVITY, cloth_of, every, kinds, qualities, settle, sizes

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
    load = BARE["density"] * GRAVITY
    stretch = SLACK * load * length
    with cloth_of(
        flat.standing([(1, 0, 0), (0, 1, 0)]),
        flat.triangles,
        stretch,
        load * length**3 / weights[0],
        shear=stretch / 4,
        quality=quality,
    ) as cloth:
        cloth.set_pins(flat.clamp)
        found = {}
        for weight in weights:
            # Nearly critical for the slowest swing: the quickest way to rest.
            rate = sqrt(GRAVITY / length * (1 + 12 / weight))
            cloth.set_material(bend=load * length**3 / weight, damping=2 * rate)
            found[weight] = settle(cloth, STEP * sqrt(length / LENGTH))
        return found, flat


def sag(positions, flat, length=LENGTH):
    """Drop over reach of the two free ends, in the mean."""
    ends = positions[np.abs(flat.points[:, 0]) > length * (1 - 1e-6)]
    return float(-ends[:, 2].mean() / np.abs(ends[:, 0]).mean())


def sags(kind, cells, quality):
    found, flat = hang(kind, cells, quality, WEIGHTS)
    return {weight: sag(positions, flat) for weight, positions in found.items()}


def cantilever(results, quick):
    """cantilever_error and peirce_degrees, from the same strips."""
    heading("A clamped strip hangs: drop over reach against the elastica")
    expected = {}
    for weight in WEIGHTS:
        drop, reach = theory.cantilever(float(weight))
        expected[weight] = drop / reach
    runs = every(sags, kinds(quick), sizes(quick), qualities(quick))
    rows, worst, angles = [], 0.0, []
    for (kind, cells, quality), found in runs:
        errors = {weight: found[weight] / expected[weight] - 1 for weight in WEIGHTS}
        largest = max(errors.values(), key=abs)
        worst = max(worst, abs(largest))
        angle = degrees(atan2(found[PEIRCE], 1.0))
        angles.append(angle)
        stiffness = PEIRCE / theory.apparent_weight(found[PEIRCE])
        for weight in WEIGHTS:
            results.row(
                "cantilever",
                kind=kind,
                cells=cells,
                quality=quality,
                weight=weight,
                sag=found[weight],
                theory=expected[weight],
            )
        results.row("peirce", kind=kind, cells=cells, quality=quality, degrees=angle)
        rows.append((kind, cells, quality, percent(largest), digits(angle, 2), digits(stiffness)))
    table(
        ("triangulation", "cells", "quality", "largest|error", "Peirce's|angle", "B over|B asked"),
        rows,
    )
    right = theory.peirce_degrees()
    note(f"Theory: {right:.2f} degrees; drop over reach {_listed(expected)}.")
    results.number("cantilever_error", worst)
    results.number("peirce_degrees", max(angles, key=lambda angle: abs(angle - right)))


def _listed(expected):
    return ", ".join(f"{value:.4f}" for value in expected.values())


def spread(results, quick):
    """bending_spread: the stiffest over the softest of all directions and triangulations."""
    heading("How much bending depends on direction and triangulation")
    angles = ANGLES[::2] if quick else ANGLES

    def stiffness(kind, angle, quality):
        found, flat = hang(kind, SPREAD_CELLS, quality, (PEIRCE,), angle, SPREAD_SHARE)
        return PEIRCE / theory.apparent_weight(sag(found[PEIRCE], flat))

    runs = every(stiffness, kinds(quick), angles, qualities(quick))
    for (kind, angle, quality), value in runs:
        results.row("spread", kind=kind, degrees=angle, quality=quality, stiffness=value)
    rows = [
        (kind, *(digits(value) for (k, _, q), value in runs if k == kind and q == "fit"))
        for kind in kinds(quick)
    ]
    table(("B over B asked, at fit", *(f"{angle:g}" for angle in angles)), rows)
    values = [value for _, value in runs]
    results.number("bending_spread", max(values) / min(values))


def similarity(results, quick):
    """similarity_error: a strip of twice the size with eight times the stiffness has the same shape."""
    heading("Twice the size with eight times the bending stiffness")

    def apart(kind, quality):
        shapes = [
            hang(kind, SPREAD_CELLS, quality, (20,), length=length)[0][20] / length
            for length in (LENGTH, 2 * LENGTH)
        ]
        return float(np.linalg.norm(shapes[0] - shapes[1], axis=1).max())

    runs = every(apart, kinds(quick), qualities(quick))
    for (kind, quality), value in runs:
        results.row("similarity", kind=kind, quality=quality, distance=value)
    results.show("similarity", "kind quality distance")
    results.number("similarity_error", max(value for _, value in runs))

# SPDX-License-Identifier: GPL-3.0-or-later
"""What the cases of the folds bench share: meshes, qualities, the conventional solver, and rows of results.

A case is a function of a triangulation, a spacing and settings of the cloth, so that any of them can be tried alone:

    from folds_cases import disc_fall
    disc_fall.drop("irregular", 0.011, "silk", quality="fit")
"""

from functools import lru_cache

import numpy as np
from common.report import digits, table
from truth_cases.meshes import ALTERNATING, IRREGULAR, MARGIN, ONE_WAY, Flat, joined, lattice
from truth_cases.meshes import _ring as ring
from truth_cases.rig import cloth_of, every

FRAME, SUBSTEPS = 1 / 24, 2
KINDS = (IRREGULAR, ALTERNATING, ONE_WAY)
QUALITIES = ("draft", "fit", "final")
LEVEL = ((1, 0, 0), (0, 1, 0))
# The conventional solver until its substep is solved: Newton's method, far more iterations than anybody waits for.
CONVENTIONAL = {"solver": "implicit", "iterations": 40, "pcg_tolerance": 0.1, "pcg_limit": 500}
CHOSEN = list(QUALITIES)  # those that the command line leaves


def ways(conventional=True):
    """Settings of each way to step, by its name: the qualities asked for and the conventional solver."""
    found = {quality: {"quality": quality} for quality in CHOSEN}
    return {**found, "conventional": CONVENTIONAL} if conventional else found


def shapes(quick, spacings):
    """(triangulation, spacing) of the meshes: all, or the first of each."""
    if quick:
        return [(KINDS[0], spacings[0])]
    return [(kind, spacing) for kind in KINDS for spacing in spacings]


@lru_cache(maxsize=16)
def disc(kind, radius, spacing):
    """A whole disc around the origin."""
    border = ring(radius, spacing)
    points, place = lattice(kind, spacing, radius)
    kept = np.linalg.norm(points, axis=1) < radius - MARGIN * spacing
    every_point, triangles = joined(kind, border, points, place, kept)
    return Flat(every_point, triangles, np.zeros(0, np.int32))


def fabric_cloth(positions, triangles, fabric, **settings):
    """A cloth of a fabric's numbers without air or damping."""
    return cloth_of(positions, triangles, **{**fabric, "substeps": SUBSTEPS, **settings})


def run_all(function, *choices):
    """{choice: function(*choice)} for every combination."""
    return dict(every(function, *choices))


def show(results, name, rows):
    """Prints and records rows, which are dictionaries of the same columns, words first."""
    for row in rows:
        results.row(name, **row)
    print_rows(rows)


def print_rows(rows):
    words = sum(isinstance(value, str) for value in rows[0].values())
    table(list(rows[0]), [[_text(value) for value in row.values()] for row in rows], left=words)


def _text(value):
    if isinstance(value, float):
        return digits(value, 3) if abs(value) < 10 else digits(value, 1)
    return value


def record(results, key, rows, worst, column, conventional=False):
    """The figure of each quality: the worst of its rows; of the conventional solver, too, if asked for."""
    for way in [*CHOSEN, "conventional"] if conventional else CHOSEN:
        results.number(f"{key}_{way}", worst(row[column] for row in rows if row["quality"] == way))

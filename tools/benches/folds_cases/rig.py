# SPDX-License-Identifier: GPL-3.0-or-later
"""What the cases of the folds bench share: meshes, qualities, the conventional solver, and rows of results.

A case is a function of a triangulation, a spacing and settings of the cloth, so that any of them can be tried alone:

    from folds_cases import discs
    discs.drop("irregular", 0.011, "silk", quality="fit")
"""

from test_scenes import solids
from truth_cases.meshes import ALTERNATING, IRREGULAR, ONE_WAY
from truth_cases.rig import CONVENTIONAL, add_solid, cloth_of, sweep

FRAME, SUBSTEPS = 1 / 24, 2
KINDS = (IRREGULAR, ALTERNATING, ONE_WAY)
QUALITIES = ("draft", "fit", "final")


def ways(conventional=True):
    """Settings of each way to step, by its name: the qualities and the conventional solver."""
    found = {quality: {"quality": quality} for quality in QUALITIES}
    return {**found, "conventional": CONVENTIONAL} if conventional else found


def shapes(quick, spacings):
    """(triangulation, spacing) of the meshes: all, or the first of each."""
    if quick:
        return [(KINDS[0], spacings[0])]
    return [(kind, spacing) for kind in KINDS for spacing in spacings]


def fabric_cloth(positions, triangles, fabric, **settings):
    """A cloth of a fabric's numbers without air or damping."""
    return cloth_of(positions, triangles, **{**fabric, "substeps": SUBSTEPS, **settings})


def add_floor(cloth, thickness, friction, size=4.0, centre=(0, 0)):
    """A box whose upper side is at 0."""
    add_solid(cloth, solids.box((size, size, 0.2), (*centre, -0.1)), thickness, friction)


def rows_of(function, shapes, ways, **choices):
    """Rows of every combination of (triangulation, spacing), other choices and ways; function(shape, *choices, settings of
    the way) finds fields."""

    def found(shape, *rest):
        named = {"triangulation": shape[0], "mm": 1000 * shape[1]}
        return {**named, **function(shape, *rest[:-1], ways[rest[-1]])}

    rows = sweep(found, shape=shapes, **choices, quality=ways)
    return [{name: row[name] for name in row if name != "shape"} for row in rows]


def record(results, key, rows, worst, column, conventional=False):
    """The figure of each quality: the worst of its rows; of the conventional solver, too, if asked for."""
    for way in [*QUALITIES, "conventional"] if conventional else QUALITIES:
        results.number(f"{key}_{way}", worst(row[column] for row in rows if row["quality"] == way))

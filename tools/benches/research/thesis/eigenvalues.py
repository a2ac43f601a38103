# SPDX-License-Identifier: GPL-3.0-or-later
"""Table 6.1: extreme eigenvalues of the system matrix."""

from common.measure import cloth_of
from common.report import Rows, heading, note
from test_scenes.patterns import square
from research.thesis import published
from research.thesis.fabric import NO_AIR, STEP_SECONDS, matching_scale, scaled_fabric

VERTICES = 166
COLUMNS = "name stretch least thesis_least largest thesis_largest"


def measure(results):
    """Prints the table; returns for each model the stiffness scale that matches the thesis."""
    heading("Table 6.1: eigenvalues of the system matrix, 166 vertices")
    note(
        "Ours is M^-1/2 A M^-1/2, which has the eigenvalues of the thesis's M^-1 A. "
        f"h = 1/{round(1 / STEP_SECONDS)} s, no pins, no drag. First the reference fabric; then all "
        "stiffnesses scaled alike until the largest eigenvalue is the thesis's."
    )
    rows, scales = Rows(results, "6.1", COLUMNS), {}
    mesh = square(VERTICES)
    for model in ("edge", "triangle"):
        with cloth_of(mesh, [], model=model, **NO_AIR) as cloth:
            scales[model] = matching_scale(cloth, published.EIGENVALUES[model][1])
            _add(rows, cloth, model, 1.0, "")
            _add(rows, cloth, model, scales[model], "_matched")
    rows.show()
    return scales


def _add(rows, cloth, model, scale, suffix):
    fabric = scaled_fabric(scale)
    cloth.set_material(**fabric)
    cloth.prepare(STEP_SECONDS)
    least, largest = cloth.eigenvalues()
    theirs = published.EIGENVALUES[model]
    rows.results.number(f"eigen_min_{model}{suffix}", least)
    rows.results.number(f"eigen_max_{model}{suffix}", largest)
    rows.add(
        name=model + (" matched" if suffix else ""),
        model=model,
        vertices=VERTICES,
        stretch=fabric["stretch_warp"],
        step_seconds=STEP_SECONDS,
        least=least,
        largest=largest,
        thesis_least=theirs[0],
        thesis_largest=theirs[1],
    )

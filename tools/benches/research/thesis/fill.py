# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables 7.1 and 7.2: how much the factor fills in, by ordering."""

from common.measure import cloth_of
from common.report import Rows, heading, note
from test_scenes.patterns import (
    RESOLUTION_SQUARES,
    SWING_SQUARES,
    bodice_back,
    bodice_front,
    skirt_panel,
)
from research.thesis import published
from research.thesis.fabric import STEP_SECONDS
from research.thesis.meshes import square, swing_square

ORDERINGS = ("natural", "cuthill_mckee", "reverse_cuthill_mckee", "amd", "metis")
KEY_SIZE = 5498  # the largest square of table 7.1
COLUMNS = (
    "vertices matrix thesis_matrix natural thesis_natural cuthill_mckee thesis_reordered "
    "reverse_cuthill_mckee amd metis best_over_cm"
)


def measure(results):
    heading("Table 7.1: entries of the factor at different resolutions")
    note(
        "Triangle model; the edge model has the same pattern. L with its diagonal. The thesis "
        "reorders by Cuthill-McKee. The meshes are ours: see test_scenes/patterns.py."
    )
    _table(results, "7.1", [(count, square(count)) for count in RESOLUTION_SQUARES])
    heading("Table 7.2: entries of the factor of the dress pieces")
    pieces = [bodice_front(), bodice_back(), skirt_panel()]
    _table(results, "7.2", [(len(piece.positions), piece) for piece in pieces])
    heading("Head of table 7.3: entries of the factor of the swing squares")
    _table(results, "7.3 fill", [(count, swing_square(count)[0]) for count in SWING_SQUARES])


def _table(results, name, meshes):
    rows = Rows(results, name, COLUMNS)
    for vertices, mesh in meshes:
        entries, factors = factor_entries(mesh)
        theirs = published.FILL.get(vertices, (None, None, None))
        best = min(factors.values()) / factors["cuthill_mckee"]
        rows.add(
            vertices=vertices,
            matrix=entries,
            thesis_matrix=theirs[0],
            thesis_natural=theirs[1],
            thesis_reordered=theirs[2],
            best_over_cm=best,
            **factors,
        )
        if vertices == KEY_SIZE:
            results.number("fill_best_over_cm", best)
            results.number("fill_best", min(factors.values()))
    rows.show()


def factor_entries(mesh):
    """Entries of the matrix, and of L by ordering."""
    factors = {}
    for ordering in ORDERINGS:
        with cloth_of(mesh, [], ordering=ordering) as cloth:
            cloth.prepare(STEP_SECONDS)
            report = cloth.report()
            factors[ordering] = report.factor_nonzeros
    return report.matrix_nonzeros, factors

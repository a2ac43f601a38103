# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables 7.6 and 7.7: the solve with and without reordering."""

from common.measure import cloth_of, solve_seconds
from common.report import Rows, heading, note
from research.thesis import published
from research.thesis.fabric import STEP_SECONDS
from research.thesis.meshes import swing_square

ORDERINGS = ("natural", "cuthill_mckee", "amd", "metis")
KEY_SIZE = 4219
COLUMNS = (
    "vertices natural_seconds thesis_natural_ms cuthill_mckee_seconds amd_seconds metis_seconds "
    "thesis_reordered_ms speedup thesis_speedup"
)


def measure(results, repetitions):
    for number, model in (("7.6", "edge"), ("7.7", "triangle")):
        heading(f"Table {number}: forward and backward substitution, {model} model")
        note(f"Three right-hand sides; medians of {repetitions}, the orderings in turn.")
        rows = Rows(results, number, COLUMNS)
        for count in published.REORDERING[model]:
            _add(rows, model, count, repetitions)
        rows.show()


def _add(rows, model, count, repetitions):
    mesh, pins = swing_square(count)
    cloths = [cloth_of(mesh, pins, model=model, ordering=ordering) for ordering in ORDERINGS]
    for cloth in cloths:
        cloth.prepare(STEP_SECONDS)
    seconds = dict(zip(ORDERINGS, solve_seconds(cloths, repetitions)))
    for cloth in cloths:
        cloth.close()
    speedup = seconds["natural"] / min(seconds.values())
    before, after, their_speedup = published.REORDERING[model][count]
    rows.add(
        model=model,
        vertices=count,
        **{f"{ordering}_seconds": taken for ordering, taken in seconds.items()},
        speedup=speedup,
        thesis_natural_ms=before,
        thesis_reordered_ms=after,
        thesis_speedup=their_speedup,
    )
    if count == KEY_SIZE:
        rows.results.number("reorder_speedup" + ("" if model == "triangle" else "_edge"), speedup)

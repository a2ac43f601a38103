# SPDX-License-Identifier: GPL-3.0-or-later
"""From which size METIS beats AMD: sets METIS_FROM of native/linear/ordering.c."""

from common.measure import cloth_of, solve_seconds
from common.report import heading, note, whole
from test_scenes.sheets import grid
from research.thesis.fabric import STEP_SECONDS
from research.thesis.meshes import square

SIZES = (200, 500, 1000, 2000, 3000, 5000, 7000, 10_000, 20_000, 50_000)
QUICK_SIZES = (200, 1000, 3000, 5000)
BAKES = (500, 4000)  # solves: 250 frames of 2 substeps with 1 iteration, and with 8
COLUMNS = "mesh ordering vertices factor_entries order_seconds factor_seconds solve_seconds"


def measure(results, quick, repetitions):
    heading("Ordering: METIS against AMD")
    note("Triangle model, one thread. Order includes the symbolic analysis.")
    print(flush=True)
    ratios = {bake: [] for bake in BAKES}
    for size in QUICK_SIZES if quick else SIZES:
        side = round(size**0.5)
        meshes = (("irregular", square(size)), ("grid", grid(side, side, 1.0)))
        for kind, mesh in meshes:
            _record(results, kind, mesh, repetitions, ratios)
    results.show("ordering", COLUMNS)
    for bake in BAKES:
        first = crossover(ratios[bake])
        results.number(f"metis_from_{bake}_solves", first)
        last = max(size for size, _ in ratios[bake])
        if first > last:
            note(f"Set-up + {bake} solves: METIS wins at no size up to {whole(last)} vertices.")
        else:
            note(f"Set-up + {bake} solves: METIS wins from about {whole(first)} vertices on.")
    print(flush=True)


def crossover(ratios):
    """The size from which METIS / AMD, the mean of neighbouring measurements, stays below 1.

    Larger than every size if it never does.
    """
    pairs = [((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) for a, b in zip(ratios[0::2], ratios[1::2])]
    first = 2 * pairs[-1][0]
    for size, ratio in reversed(pairs):
        if ratio >= 1:
            break
        first = size
    below = [pair for pair in pairs if pair[0] < first]
    if not below or first > pairs[-1][0]:
        return round(first)
    (small, above), (large, under) = below[-1], pairs[len(below)]
    return round(small + (large - small) * (above - 1) / (above - under))


def _record(results, kind, mesh, repetitions, ratios):
    orderings = ("amd", "metis")
    cloths = [cloth_of(mesh, [0], ordering=ordering) for ordering in orderings]
    for cloth in cloths:
        cloth.prepare(STEP_SECONDS)
    reports = [cloth.report() for cloth in cloths]
    solves = solve_seconds(cloths, repetitions)
    for cloth in cloths:
        cloth.close()
    vertices = len(mesh.positions)
    order = [report.ordering_seconds + report.analysis_seconds for report in reports]
    for bake in BAKES:
        amd, metis = (
            first + report.factor_seconds + bake * solve
            for first, report, solve in zip(order, reports, solves)
        )
        ratios[bake].append((vertices, metis / amd))
    for ordering, report, taken, solve in zip(orderings, reports, order, solves):
        results.row(
            "ordering",
            mesh=kind,
            vertices=vertices,
            ordering=ordering,
            factor_entries=report.factor_nonzeros,
            order_seconds=taken,
            factor_seconds=report.factor_seconds,
            solve_seconds=solve,
        )

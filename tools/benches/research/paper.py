# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of the 2013 thesis, measured again and printed beside the published numbers."""

import numpy as np
from common.bench import Bench, heading, note
from common.measure import NEWTON, STAGES, Run, close, cloth_of, mean_drop, program, program_rows
from common.measure import run_interleaved, solve_seconds
from research.cases import published
from research.cases.published import STEP_SECONDS, largest_eigenvalue, matching_scale, scaled_fabric
from research.cases.published import square, swing_square
from test_scenes.patterns import RESOLUTION_SQUARES, SWING_SQUARES, bodice_back, bodice_front
from test_scenes.patterns import skirt_panel
from test_scenes.sheets import RESPONSE_VERTICES, grid

QUICK_HELP = "fewer steps, a 25 x 25 sheet for the response, small meshes only for the crossovers"
FIGURES = """
{triangle,edge}_ivt_speedup | >= x15 | linear IVT step, 5472 vertices, reference fabric (x6.35, x6.36)
{triangle,edge}_ivt_speedup_soft | - | the same, as soft as table 6.1
fill_best_over_cm | <= 0.45 | factor, best ordering over Cuthill-McKee, 5498 vertices (1)
reorder_speedup{,_edge} | >= x10 | solve with reordering, 4219 vertices, triangle, edge (x3.6)
step_bytes | 0 | bytes taken from the heap during steps
response_1x2 | - | response of linear IVT, 1 iteration x 2 substeps
"""
MODELS = ("edge", "triangle")
NO_AIR = {"air_drag": 0, "normal_drag": 0, "tangent_drag": 0}

# --- tables 6.1 and 7.3 to 7.5 ---------------------------------------------------------------------

KEY_SIZE = 5472
# The thesis's own law; with that of curvature conventional steps are three times as slow.
BENDING = "hinge"
# Beside 1e-3: what the speed-up would be against an opponent that solves less well.
TOLERANCES = (1e-2, 1e-1)
ESTIMATES = ("rotation", "translation")  # linear IER or IAR, and IVT


def swings(results, quick):
    """The reference fabric at all sizes, soft ones to compare; then the tables by block."""
    matched = eigenvalues(results)
    heading("Tables 7.3 to 7.5: time per step of the swing test, conventional against linear")
    note(
        "A square of 1 m held by two corners swings down; one thread, one substep of 1/48 s, one iteration. Conventional: one "
        "Newton step by conjugate gradients to 1e-3. Matched: as soft as table 6.1 at each size; kept: as soft as it "
        "at 166 vertices, at all sizes. Blocks in the order of the thesis; linear models build no matrix."
    )
    rows = []
    for fabric, suffix, scale_of in (
        ("reference", "", lambda model, count: 1.0),
        ("matched", "_soft", soft_scale),
        ("kept", "_soft166", lambda model, count: matched[model]),
    ):
        for count in (KEY_SIZE,) if quick and suffix else SWING_SQUARES:
            for model in MODELS:
                found = _swing(model, count, scale_of(model, count), quick)
                rows += [{"fabric": fabric, **row} for row in found]
                if count == KEY_SIZE:
                    results.number(f"{model}_ivt_speedup{suffix}", found[-1]["speedup"])
    columns = "fabric method vertices seconds thesis_ms speedup thesis_speedup drop_over"
    columns += " force_seconds assemble_seconds solve_seconds contact_seconds thesis_blocks"
    results.table("7.3", rows, f"{columns} pcg_iterations largest_strain")
    _tolerances(results, quick)


def eigenvalues(results):
    """The stiffness of each model that has the thesis's largest eigenvalue."""
    heading("Table 6.1: eigenvalues of the system matrix, 166 vertices, no pins, no drag")
    scales, rows = {}, []
    for model in MODELS:
        least, most = published.EIGENVALUES[model]
        with cloth_of(square(166), [], model=model, **NO_AIR) as cloth:
            scales[model] = matching_scale(cloth, most)
            for fabric, scale in (("reference", 1.0), ("matched", scales[model])):
                largest_eigenvalue(cloth, scale)
                ours = cloth.eigenvalues()
                row = {"model": model, "fabric": fabric, "least": ours[0], "thesis_least": least}
                rows.append({**row, "largest": ours[1], "thesis_largest": most})
    results.table("6.1", rows)
    return scales


def soft_scale(model, count):
    with cloth_of(*swing_square(count), model=model) as cloth:
        return matching_scale(cloth, published.EIGENVALUES[model][1])


def _start(model, count, scale, estimate=None, tolerance=1e-3):
    settings = {"solver": "implicit", "iterations": 1, "pcg_tolerance": tolerance}
    if estimate:
        settings = {"solver": "linear", "iterations": 1, "estimate": estimate}
    settings |= {**scaled_fabric(scale), "bending": BENDING, "model": model}
    return Run(estimate or "conventional", cloth_of(*swing_square(count), **settings))


def _steps(quick):
    """Skipped, timed, and after how many the drop is read: frame 10 at 24 frames a second."""
    return (4, 6, 10) if quick else (10, 30, 20)


def _swing(model, count, scale, quick):
    """Rows of the three methods, stepped in turn; at the key size twice, with the times of both."""
    turns = []
    for _ in range(2 if count == KEY_SIZE and not quick else 1):
        turns.append([_start(model, count, scale, estimate) for estimate in (None, *ESTIMATES)])
        run_interleaved(turns[-1], STEP_SECONDS, *_steps(quick))
        close(turns[-1])
    rows = []
    for k, (run, *again) in enumerate(zip(*turns)):
        for other in again:
            run.history += other.history
        row = {"method": f"{model} {run.name}", "vertices": count, "seconds": run.middle}
        thesis = published.STEP[model, count]
        row |= {"thesis_ms": thesis[k], "thesis_speedup": thesis[0] / thesis[k]}
        row |= run.stage_seconds(*STAGES)
        row |= {"speedup": turns[0][0].middle / run.middle, **run.quality()}
        row["drop_over"] = run.drop / turns[0][0].drop
        blocks = " ".join(str(published.BLOCKS[model, stage][k]) for stage in STAGES)
        row["thesis_blocks"] = blocks if count == KEY_SIZE else None
        rows.append({**row, "pcg_iterations": run.iterations})
    return rows


def _tolerances(results, quick):
    heading(f"Speed-up against looser conjugate gradients, {KEY_SIZE} vertices, reference fabric")
    rows, (skipped, timed, drop_at) = [], _steps(quick)
    for model in MODELS:
        runs = [_start(model, KEY_SIZE, 1.0, tolerance=tolerance) for tolerance in TOLERANCES]
        runs.append(_start(model, KEY_SIZE, 1.0, "translation"))
        run_interleaved(runs, STEP_SECONDS, skipped, timed // 2, drop_at)
        for tolerance, run in zip(TOLERANCES, runs):
            row = {"model": model, "pcg_tolerance": tolerance, "seconds": run.middle}
            row |= {"speedup": run.middle / runs[-1].middle, "pcg_iterations": run.iterations}
            rows.append({**row, **run.quality()})
        close(runs)
    results.table("tolerance", rows)


# --- tables 7.1, 7.2, 7.6 and 7.7: orderings -------------------------------------------------------

ORDERINGS = ("natural", "cuthill_mckee", "reverse_cuthill_mckee", "amd", "metis")


def fill(results, quick):
    heading("Tables 7.1 and 7.2, and the head of 7.3: entries of the factor, by ordering")
    note("L with its diagonal. The thesis reorders by Cuthill-McKee. The meshes are ours.")
    meshes = [square(count) for count in RESOLUTION_SQUARES]
    meshes += [bodice_front(), bodice_back(), skirt_panel()]
    meshes += [swing_square(count)[0] for count in SWING_SQUARES]
    rows = [_fill(mesh) for mesh in meshes]
    results.table("fill", rows)
    best = next(row["best_over_cm"] for row in rows if row["vertices"] == 5498)
    results.number("fill_best_over_cm", best)


def _fill(mesh):
    entries = {}
    for ordering in ORDERINGS:
        with cloth_of(mesh, [], ordering=ordering) as cloth:
            cloth.prepare(STEP_SECONDS)
            report = cloth.report()
            entries[ordering] = report.factor_nonzeros
    count = len(mesh.positions)
    matrix, natural, reordered = published.FILL.get(count, (None, None, None))
    row = {"vertices": count, "matrix": report.matrix_nonzeros, "thesis_matrix": matrix, **entries}
    row |= {"thesis_natural": natural, "thesis_reordered": reordered}
    return {**row, "best_over_cm": min(entries.values()) / entries["cuthill_mckee"]}


def reordering(results, quick):
    heading("Tables 7.6 and 7.7: forward and backward substitution, three right-hand sides")
    orderings, rows = ("natural", "cuthill_mckee", "amd", "metis"), []
    for (model, count), (before, after, their_speedup) in published.REORDERING.items():
        mesh, pins = swing_square(count)
        cloths = [cloth_of(mesh, pins, model=model, ordering=name) for name in orderings]
        for cloth in cloths:
            cloth.prepare(STEP_SECONDS)
        seconds = solve_seconds(cloths, 3 if quick else 9)
        for cloth in cloths:
            cloth.close()
        row = {"model": model, "vertices": count}
        row |= {f"{name}_seconds": taken for name, taken in zip(orderings, seconds)}
        row |= {"thesis_natural_ms": before, "thesis_reordered_ms": after}
        row |= {"speedup": seconds[0] / min(seconds), "thesis_speedup": their_speedup}
        rows.append(row)
        if count == 4219:
            suffix = "" if model == "triangle" else "_edge"
            results.number(f"reorder_speedup{suffix}", row["speedup"])
    results.table("reordering", rows)


# --- response: how far cloth falls in ten frames, against the converged step of backward Euler -----
#
# A constant matrix resists rotation, so stiff cloth with few iterations falls as if in honey. A speed without this figure
# says little.

FALL = {"density": 0.3, "stretch_warp": 11_500, "stretch_weft": 11_500, "shear": 1_500}
FALL |= {"bend": 1e-4, "substeps": 2, **NO_AIR}
METHODS = {
    "response_1x2": {"iterations": 1},
    "response_4x2": {"iterations": 4},
    "response_8x2": {"iterations": 8},
    "response_1x2_rotation": {"estimate": "rotation", "iterations": 1},
    "response_1x2_previous": {"estimate": "previous", "iterations": 1},
    "response_conventional": {"solver": "implicit", "iterations": 1, "pcg_tolerance": 1e-3},
}


def response(results, quick):
    side = 25 if quick else RESPONSE_VERTICES
    heading(f"Response: mean drop at frame 10 over that of the converged step, {side} x {side}")
    mesh, pins = grid(side, side, 1.0), [side * (side - 1), side * side - 1]
    rows = []
    for model, suffix in (("triangle", ""), ("edge", "_edge")):
        converged = None
        for name, settings in {"converged": NEWTON, **METHODS}.items():
            with cloth_of(mesh, pins, **FALL, **settings, model=model) as cloth:
                for _ in range(10):
                    cloth.step(1 / 24)
                drop, stats = mean_drop(cloth), cloth.stats()
            converged = converged or drop
            row = {"model": model, "method": name, "drop": drop, "response": drop / converged}
            more = ("mean_strain", "largest_strain", "residual")
            rows.append({**row, **{key: getattr(stats, key) for key in more}})
            if name in METHODS:
                results.number(name + suffix, row["response"])
    results.table("response", rows)


# --- where row updates of the factor stop paying: sets UPDATE_SHARE of native/linear/factor.c --------

MOST_SHARE = 1 / 8  # of the vertices: beyond every crossover seen
UPDATE = ("vertices", "changed", "entries", "entries_after")
UPDATE += ("hold_seconds", "release_seconds", "factor_seconds", "error")


def pin_update(results, quick):
    heading("Pin update: row updates of the factor against a new numeric factorisation, one thread")
    note("Neighbouring pins in a row, then spread. Error: of a solve from that with a new factor.")
    shares, rows = [], []
    for side in (35, 74) if quick else (35, 74, 141):
        most = 64
        while 2 * most <= side * side * MOST_SHARE:
            most *= 2
        for placing in ("row", "spread"):
            turns = 3 if quick or side > 100 else 9
            lines = program_rows("pin_update", side, turns, most, placing)
            mine = [{"placing": placing, **dict(zip(UPDATE, map(float, line)))} for line in lines]
            rows += mine
            shares.append(_update_crossover(mine) / (side * side))
    results.table("pin update", rows, update_crossover_share=min(shares))


def _update_crossover(rows):
    """Changed pins at which the update takes as long as a factorisation; the last number if it always wins."""
    over = [max(r["hold_seconds"], r["release_seconds"]) - r["factor_seconds"] for r in rows]
    over = np.maximum.accumulate([-rows[0]["factor_seconds"], *over])
    return float(np.interp(0, over, [0, *(row["changed"] for row in rows)]))


# --- from which size METIS beats AMD: sets METIS_FROM of native/linear/ordering.c --------------------

SIZES = (200, 500, 1000, 2000, 3000, 5000, 7000, 10_000, 20_000, 50_000)
QUICK_SIZES = (200, 1000, 3000, 5000)
BAKES = (500, 4000)  # solves: 250 frames of 2 substeps with 1 iteration, and with 8


def ordering(results, quick):
    heading("Ordering: METIS against AMD, triangle model, one thread; order has the analysis")
    ratios, rows = {bake: [] for bake in BAKES}, []
    for size in QUICK_SIZES if quick else SIZES:
        side = round(size**0.5)
        for kind, mesh in (("irregular", square(size)), ("grid", grid(side, side, 1.0))):
            both = _orderings(kind, mesh, 3 if quick else 5)
            rows += both
            for bake, found in ratios.items():
                amd, metis = (
                    row["order_seconds"] + row["factor_seconds"] + bake * row["solve_seconds"]
                    for row in both
                )
                found.append((both[0]["vertices"], metis / amd))
    results.table("ordering", rows)
    for bake, found in ratios.items():
        first = crossover(found)
        results.number(f"metis_from_{bake}_solves", first)
        note(f"Set-up + {bake} solves: METIS wins from about {first:,} vertices on.")


def _orderings(kind, mesh, repetitions):
    names = ("amd", "metis")
    cloths = [cloth_of(mesh, [0], ordering=name) for name in names]
    for cloth in cloths:
        cloth.prepare(STEP_SECONDS)
    reports, solves = [cloth.report() for cloth in cloths], solve_seconds(cloths, repetitions)
    for cloth in cloths:
        cloth.close()
    return [
        {
            "mesh": kind,
            "ordering": name,
            "vertices": len(mesh.positions),
            "factor_entries": report.factor_nonzeros,
            "order_seconds": report.ordering_seconds + report.analysis_seconds,
            "factor_seconds": report.factor_seconds,
            "solve_seconds": solve,
        }
        for name, report, solve in zip(names, reports, solves)
    ]


def crossover(ratios):
    """The size from which METIS / AMD, the mean of neighbouring measurements, stays below 1.

    Larger than every size if it never does.
    """
    sizes, ratio = np.reshape(ratios, (-1, 2, 2)).mean(1).T
    lost = np.flatnonzero(ratio >= 1)
    if not len(lost):
        return round(sizes[0])
    last = lost[-1]
    if last + 1 == len(sizes):
        return round(2 * sizes[-1])
    return round(np.interp(-1, -ratio[last : last + 2], sizes[last : last + 2]))


def step_bytes(results, _quick):
    results.number("step_bytes", int(program("step_bytes")))


ALL = (fill, reordering, response, pin_update, ordering, step_bytes)
PARTS = {"swing": swings, **{part.__name__: part for part in ALL}}
BENCH = Bench("paper", __doc__, QUICK_HELP, PARTS, FIGURES)

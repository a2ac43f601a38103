# SPDX-License-Identifier: GPL-3.0-or-later
"""What the order of a mesh's vertices costs: as it comes, as the factor eliminates them, at random."""

import numpy as np
from common.measure import Run, cloth_of, run_interleaved
from common.report import heading, note, whole
from speed_cases.sheets import DRAFT, FRAME_SECONDS, quality, sheet
from test_scenes.mesh import Mesh

PARTS = ("force", "assemble", "solve")
LEAF = 12  # vertices that need no further cut


def dissected(positions, spacing):
    """The vertices of a sheet by halves: one side of a line, the other, the two rows along it last."""

    def cut(chosen):
        places = positions[chosen, :2]
        axis = int(np.argmax(np.ptp(places, 0)))
        beside = places[:, axis] - np.median(places[:, axis])
        line = np.abs(beside) < 1.01 * spacing
        below, above = chosen[(beside < 0) & ~line], chosen[(beside > 0) & ~line]
        if len(chosen) <= LEAF or not len(below) or not len(above):
            return [chosen]
        return [*cut(below), *cut(above), chosen[line]]

    return np.concatenate(cut(np.arange(len(positions))))


def numbered(side, order):
    """The sheet and its pins, vertex order[k] of the old as number k."""
    mesh, pins = sheet(side)
    number = np.empty(len(order), np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return Mesh(mesh.positions[order], number[np.asarray(mesh.faces)]), number[pins]


def measure(results, effort):
    side = effort.sides["100k"]
    heading("The order of the vertices: a step at draft, one thread")
    note(
        f"{whole(side * side)} vertices. By elimination: those that the factor takes first come first, so that the "
        "solve reads and writes its vectors nearly from end to end. At random: the worst that a mesh may come with."
    )
    positions = sheet(side)[0].positions
    orders = {
        "rows": np.arange(side * side),
        "elimination": dissected(positions, 1 / (side - 1)),
        "random": np.random.default_rng(1).permutation(side * side),
    }
    runs = [Run(name, cloth_of(*numbered(side, order), **DRAFT)) for name, order in orders.items()]
    run_interleaved(
        runs, FRAME_SECONDS, effort.skipped, effort.timed, effort.skipped + effort.timed
    )
    first = runs[0].middle
    for run in runs:
        ratio = run.middle / first
        if run is not runs[0]:
            results.number(f"numbering_{run.name}", ratio)
        stages = {f"{part}_seconds": run.stage(part) for part in PARTS}
        stages["step_seconds"] = run.middle
        results.row("numbering", order=run.name, ratio=ratio, **stages, **quality(run))
        run.cloth.close()
    results.show(
        "numbering", "order step_seconds force_seconds assemble_seconds solve_seconds ratio solves"
    )

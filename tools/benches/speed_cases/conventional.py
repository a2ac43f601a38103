# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole step against our own conventional one, Newton by preconditioned conjugate gradients."""

from common.measure import Run, cloth_of, run_interleaved
from common.report import heading, note, whole
from speed_cases.sheets import DRAFT, PLAIN, sheet
from research.thesis.fabric import STEP_SECONDS
from research.thesis.meshes import swing_square

PCG_TOLERANCE = 1e-3  # as in tools/bench paper
RESPONSE_STEP = 20
THREADS = (1, 2)  # at every size
METHODS = {
    "conventional": (
        "conventional PCG",
        {"solver": "implicit", "iterations": 1, "pcg_tolerance": PCG_TOLERANCE},
    ),
    "plain": ("plain, one iteration", PLAIN),
    "draft": ("draft", DRAFT),
}

COLUMNS = "method seconds faster response mean_strain largest_strain"


def measure(results, effort):
    heading("The whole step against our conventional one, no contact, one thread")
    note(
        f"An irregular square of {whole(effort.pcg_vertices)} vertices, held at two corners, steps of "
        f"{1e3 * STEP_SECONDS:.1f} ms in one substep; conjugate gradients to {PCG_TOLERANCE:g}. Medians of "
        "steps taken in turn. Response: mean drop over that of the conventional run."
    )
    drop_at = min(RESPONSE_STEP, effort.skipped + effort.pcg_timed)
    steps = (effort.skipped, effort.pcg_timed, drop_at)
    for row in _race(results, "conventional", swing_square(effort.pcg_vertices), 1, steps):
        theirs = row["method"] == "conventional"
        if not theirs:
            ending = "" if row["method"] == "plain" else f"_{row['method']}"
            results.number(f"step_speedup_pcg{ending}", row["faster"])
            results.number(f"step_response_pcg{ending}", row["response"])
            results.number(f"step_largest_strain{ending}", row["largest_strain"])
    results.show("conventional", f"{COLUMNS} pcg_iterations")
    _measure_sizes(results, effort)


def _measure_sizes(results, effort):
    skipped, timed = effort.pcg_steps
    last = skipped + timed
    heading("The same at every size")
    note(
        f"Square sheets held at two corners, steps {skipped + 1} to {last} alone, since conjugate gradients take "
        "seconds a step on the large ones; all three on as many threads."
    )
    for label, side in effort.sides.items():
        for threads in THREADS:
            steps = (skipped, timed, last)
            for row in _race(results, "conventional_size", sheet(side), threads, steps):
                if row["method"] == "plain":
                    results.number(f"step_speedup_pcg_{threads}t_{label}", row["faster"])
    results.show("conventional_size", f"vertices threads {COLUMNS}")


def _race(results, name, square, threads, steps):
    """All methods in turn. steps: skipped, timed, and after how many the drop is read.

    Returns the rows of the record.
    """
    runs = [
        Run(method, cloth_of(*square, threads=threads, **more))
        for method, (_, more) in METHODS.items()
    ]
    run_interleaved(runs, STEP_SECONDS, *steps)
    found, theirs = [], runs[0]
    for run in runs:
        row = {
            "vertices": run.cloth.vertex_count,
            "threads": threads,
            "method": run.name,
            "seconds": run.middle,
            "faster": theirs.middle / run.middle,
            "response": run.drop / theirs.drop,
            "mean_strain": run.stats.mean_strain,
            "largest_strain": run.stats.largest_strain,
            "pcg_iterations": run.iterations,
        }
        results.row(name, **row)
        found.append(row)
    for run in runs:
        run.cloth.close()
    return found

# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole step against our own conventional one, Newton by preconditioned conjugate gradients."""

from common.measure import Run, cloth_of, run_interleaved
from common.report import digits, heading, milliseconds, note, percent, table, times, whole
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


def measure(results, effort):
    heading("The whole step against our conventional one, no contact, one thread")
    note(
        f"An irregular square of {whole(effort.pcg_vertices)} vertices, held at two corners, steps of "
        f"{1e3 * STEP_SECONDS:.1f} ms in one substep; conjugate gradients to {PCG_TOLERANCE:g}. Medians of "
        "steps taken in turn. Response: mean drop over that of the conventional run."
    )
    drop_at = min(RESPONSE_STEP, effort.skipped + effort.pcg_timed)
    rows = []
    steps = (effort.skipped, effort.pcg_timed, drop_at)
    for row, shown in _race(results, "conventional", swing_square(effort.pcg_vertices), 1, steps):
        theirs = row["method"] == "conventional"
        rows.append((*shown, digits(row["pcg_iterations"], 0) if theirs else None))
        if not theirs:
            ending = "" if row["method"] == "plain" else f"_{row['method']}"
            results.number(f"step_speedup_pcg{ending}", row["faster"])
            results.number(f"step_response_pcg{ending}", row["response"])
            results.number(f"step_largest_strain{ending}", row["largest_strain"])
    table((*_header(drop_at), "PCG it.|per step"), rows)
    _measure_sizes(results, effort)


def _measure_sizes(results, effort):
    skipped, timed = effort.pcg_steps
    last = skipped + timed
    heading("The same at every size")
    note(
        f"Square sheets held at two corners, steps {skipped + 1} to {last} alone, since conjugate gradients take "
        "seconds a step on the large ones; all three on as many threads."
    )
    rows = []
    for label, side in effort.sides.items():
        for threads in THREADS:
            steps = (skipped, timed, last)
            for row, shown in _race(results, "conventional_size", sheet(side), threads, steps):
                rows.append((whole(row["vertices"]), threads, *shown))
                if row["method"] == "plain":
                    results.number(f"step_speedup_pcg_{threads}t_{label}", row["faster"])
    table(("vertices", "threads", *_header(last)), rows, left=0)


def _header(drop_at):
    return (
        "method",
        "step|ms",
        "faster",
        f"response|step {drop_at}",
        "strain|mean",
        "strain|largest",
    )


def _race(results, name, square, threads, steps):
    """All methods in turn. steps: skipped, timed, and after how many the drop is read.

    Returns of each its row in the record and what a table shows of it.
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
        shown = (METHODS[run.name][0], milliseconds(run.middle), times(row["faster"]))
        shown += (digits(row["response"]), percent(row["mean_strain"], 2))
        found.append((row, (*shown, percent(row["largest_strain"]))))
    for run in runs:
        run.cloth.close()
    return found

# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole step against our own conventional one, Newton by preconditioned conjugate gradients."""

from common.measure import Run, cloth_of, run_interleaved
from common.report import digits, heading, milliseconds, note, percent, table, times, whole
from speed_cases.sheets import DRAFT, PLAIN, sheet
from thesis.fabric import STEP_SECONDS
from thesis.meshes import swing_square

PCG_TOLERANCE = 1e-3  # as in tools/bench paper
RESPONSE_STEP = 20
THREADS = (1, 2)  # at every size
METHODS = {
    "conventional": ("conventional PCG", {"solver": "implicit", "pcg_tolerance": PCG_TOLERANCE}),
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
    square = swing_square(effort.pcg_vertices)
    runs = [Run(name, cloth_of(*square, **more)) for name, (_, more) in METHODS.items()]
    last = effort.skipped + effort.pcg_timed
    drop_at = min(RESPONSE_STEP, last)
    run_interleaved(runs, STEP_SECONDS, effort.skipped, effort.pcg_timed, drop_at)
    rows, theirs = [], runs[0]
    for run in runs:
        ratio, response = theirs.middle / run.middle, run.drop / theirs.drop
        results.row(
            "conventional",
            vertices=run.cloth.vertex_count,
            method=run.name,
            seconds=run.middle,
            faster=ratio,
            response=response,
            mean_strain=run.stats.mean_strain,
            largest_strain=run.stats.largest_strain,
            pcg_iterations=run.iterations,
        )
        rows.append(
            (
                METHODS[run.name][0],
                milliseconds(run.middle),
                times(ratio),
                digits(response),
                percent(run.stats.mean_strain, 2),
                percent(run.stats.largest_strain),
                digits(run.iterations, 0) if run is theirs else None,
            )
        )
        if run is not theirs:
            ending = "" if run.name == "plain" else f"_{run.name}"
            results.number(f"step_speedup_pcg{ending}", ratio)
            results.number(f"step_response_pcg{ending}", response)
            results.number(f"step_largest_strain{ending}", run.stats.largest_strain)
    for run in runs:
        run.cloth.close()
    header = ("method", "step|ms", "faster", f"response|step {drop_at}", "strain|mean")
    table((*header, "strain|largest", "PCG it.|per step"), rows)
    _measure_sizes(results, effort)


def _measure_sizes(results, effort):
    skipped, timed = effort.pcg_steps
    heading("The same at every size")
    note(
        f"Square sheets as above, steps {skipped + 1} to {skipped + timed} alone, since conjugate gradients take "
        "seconds a step on the large ones; all three on as many threads."
    )
    rows = []
    for label, side in effort.sides.items():
        for threads in THREADS:
            runs = [
                Run(name, cloth_of(*sheet(side), threads=threads, **more))
                for name, (_, more) in METHODS.items()
            ]
            run_interleaved(runs, STEP_SECONDS, skipped, timed, skipped + timed)
            rows += [_size_row(results, label, threads, run, runs[0]) for run in runs]
            for run in runs:
                run.cloth.close()
    header = ("vertices", "threads", "method", "step|ms", "faster")
    header += (f"response|step {skipped + timed}", "strain|mean", "strain|largest")
    table(header, rows, left=0)


def _size_row(results, label, threads, run, theirs):
    ratio, response = theirs.middle / run.middle, run.drop / theirs.drop
    results.row(
        "conventional_size",
        vertices=run.cloth.vertex_count,
        threads=threads,
        method=run.name,
        seconds=run.middle,
        faster=ratio,
        response=response,
        mean_strain=run.stats.mean_strain,
        largest_strain=run.stats.largest_strain,
        pcg_iterations=run.iterations,
    )
    if run.name == "plain":
        results.number(f"step_speedup_pcg_{threads}t_{label}", ratio)
    return (
        whole(run.cloth.vertex_count),
        threads,
        METHODS[run.name][0],
        milliseconds(run.middle),
        times(ratio),
        digits(response),
        percent(run.stats.mean_strain, 2),
        percent(run.stats.largest_strain),
    )

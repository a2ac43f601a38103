# SPDX-License-Identifier: GPL-3.0-or-later
"""One local and global iteration against CHOLMOD's solve alone."""

from statistics import median

from common.measure import run_interleaved
from common.report import Rows, heading, note, whole
from speed_cases import rivals
from speed_cases.sheets import FRAME_SECONDS, quality, start

PARTS = ("force", "assemble", "solve")
THREADS = (1, 2)
COLUMNS = (
    "threads force_seconds assemble_seconds solve_seconds cholmod_seconds ratio mean_strain "
    "largest_strain"
)


def measure(results, effort):
    side = effort.sides["20k"]
    heading("One iteration, local and global step, against cholmod_solve2 alone")
    note(
        f"{whole(side * side)} vertices, a plain step of one substep and one iteration; medians of "
        "forces, assembly and solve, and their sum. CHOLMOD: the faster of its two solves of the same pattern, on "
        "one thread. Steps and solves take turns."
    )
    runs = [start("plain", side, threads=threads) for threads in THREADS]
    cholmod = []
    for repeat in range(effort.repeats):
        last = effort.skipped + effort.timed
        drop_at = last if repeat + 1 == effort.repeats else 0
        run_interleaved(runs, FRAME_SECONDS, effort.skipped, effort.timed, drop_at)
        cholmod.append(rivals.best_cholmod(rivals.run(effort.solve_turns["20k"], side)).ms / 1e3)
    theirs = median(cholmod)
    rows = Rows(results, "iteration", COLUMNS)
    for run, threads in zip(runs, THREADS):
        seconds = [run.stage(part) for part in PARTS]
        ratio = sum(seconds) / theirs
        ending = "" if threads == max(THREADS) else f"_{threads}t"
        results.number(f"iteration_over_cholmod_solve{ending}", ratio)
        rows.add(
            vertices=side * side,
            threads=threads,
            cholmod_seconds=theirs,
            **{f"{part}_seconds": value for part, value in zip(PARTS, seconds)},
            ratio=ratio,
            **quality(run),
        )
        run.cloth.close()
    rows.show()

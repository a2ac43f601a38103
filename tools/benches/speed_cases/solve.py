# SPDX-License-Identifier: GPL-3.0-or-later
"""The solve alone, three right-hand sides: against CHOLMOD's and Eigen's, and the time of reading the factor."""

from common.report import heading, note
from speed_cases import rivals

KEY_SIZES = ("20k", "100k")
COLUMNS = "vertices name threads ms least_ms error faster faster_eigen over_floor"


def measure(results, effort):
    heading("The solve alone, three right-hand sides")
    note(
        "Square sheets, held at two corners, the same matrix in the same order for all; they take turns, "
        "medians. CHOLMOD: cholmod_solve2 in double precision, simplicial and, with this machine's BLAS, "
        "supernodal; Eigen: SimplicialLLT. Both work on one thread. Reading: going through as many bytes as "
        "the packed factor has, forward and backward; a solve reads the blocks on the diagonal "
        "backward alone. Ratios are of "
        "medians; where other work interrupts long runs more often than short ones, those of the least "
        "times (keys ending in _least) are nearer to the truth. Error: relative to "
        "the refined answer, the worst right-hand side."
    )
    missing = set()
    for label, side in effort.sides.items():
        lines = rivals.run(effort.solve_turns[label], side)
        missing |= {name for name in rivals.OTHERS if (name, 1) not in lines}
        _record(results, label, lines)
        if label in KEY_SIZES:
            _figures(results, label, lines)
    results.show("solve", COLUMNS)
    for name in sorted(missing):
        note(rivals.WHY[name])
    if "supernodal" not in missing:
        note(f"The supernodal solve's BLAS: {rivals.blas()}")


def _figures(results, label, lines):
    best, eigen = rivals.best_cholmod(lines), lines.get(("eigen", 1))
    for threads in (1, 2):
        ours, floor = lines["ours", threads], lines["reading", threads]
        results.number(f"solve_speedup_{threads}t_{label}", best.ms / ours.ms)
        least = min(line.least_ms for line in rivals.cholmods(lines)) / ours.least_ms
        results.number(f"solve_speedup_{threads}t_{label}_least", least)
        results.number(f"solve_error_{threads}t_{label}", ours.error)
        ending = "" if threads == 2 else "_1t"
        results.number(f"solve_over_floor{ending}_{label}", ours.ms / floor.ms)
        against_eigen = None if eigen is None else eigen.ms / ours.ms
        results.number(f"solve_speedup_eigen_{threads}t_{label}", against_eigen)


def _record(results, label, lines):
    best, eigen = rivals.best_cholmod(lines), lines.get(("eigen", 1))
    for line in lines.values():
        floor = lines["reading", line.threads]
        solves = line.name != "reading"
        faster = best.ms / line.ms if solves else None
        faster_eigen = eigen.ms / line.ms if solves and eigen else None
        over = line.ms / floor.ms if solves else None
        ratios = {"faster": faster, "faster_eigen": faster_eigen, "over_floor": over}
        results.row("solve", label=label, **vars(line), **ratios)

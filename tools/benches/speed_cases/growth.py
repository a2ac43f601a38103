# SPDX-License-Identifier: GPL-3.0-or-later
"""How the whole step and its memory grow with the cloth, and what more threads make of it."""

import os

import numpy as np
from common.measure import run_interleaved
from common.report import Rows, heading, note, whole
from speed_cases.sheets import FRAME_SECONDS, METHODS, TITLES, quality, start

GROWTH_COLUMNS = (
    "title vertices seconds microseconds solves bytes_per_vertex drop mean_strain " "largest_strain"
)
SCALING_COLUMNS = "title threads seconds scaling same largest_strain"


def measure(results, effort):
    _growth(results, effort)
    _scaling(results, effort)


def exponent(sizes, seconds):
    """The slope of a straight line through the logarithms: 1 for a time in proportion."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def _growth(results, effort):
    sides = effort.grown()
    heading("How a step grows with the sheet, no contact, one thread")
    note(
        "Whole steps of a frame in one substep, medians; all sizes take turns. Solves: of the last step. "
        "The exponent is the slope of a line through the logarithms."
    )
    last = effort.skipped + effort.timed
    found = {}
    for label, side in sides.items():
        for method in METHODS:
            found[method, label] = start(method, side)
    run_interleaved(found.values(), FRAME_SECONDS, effort.skipped, effort.timed, last, block=3)
    rows = Rows(results, "growth", GROWTH_COLUMNS)
    for (method, label), run in sorted(found.items(), key=_by_method):
        count = run.cloth.vertex_count
        memory = run.cloth.report().memory_bytes / count
        rows.add(
            title=TITLES[method],
            microseconds=1e6 * run.middle / count,
            label=label,
            method=method,
            vertices=count,
            seconds=run.middle,
            bytes_per_vertex=memory,
            **quality(run),
        )
        results.number(f"{method}_bytes_per_vertex_{label}", memory)
        results.number(f"{method}_step_ms_{label}", 1e3 * run.middle)
        run.cloth.close()
    rows.show()
    for method, ending in (("plain", ""), ("draft", "_draft")):
        runs = [run for (name, _), run in found.items() if name == method]
        slope = exponent([run.cloth.vertex_count for run in runs], [run.middle for run in runs])
        results.number(f"growth_exponent{ending}", slope)


def _by_method(item):
    return list(TITLES).index(item[0][0])


def thread_counts(cores):
    """1, 2, 4 and so on, and as many as there are."""
    counts = [1]
    while 2 * counts[-1] <= cores:
        counts.append(2 * counts[-1])
    return counts if counts[-1] == cores else [*counts, cores]


def _scaling(results, effort):
    side, counts = effort.sides["100k"], thread_counts(os.cpu_count())
    heading("More threads, no contact")
    note(
        f"{whole(side * side)} vertices, whole steps as above, medians; all take turns. Same: whether the "
        "positions at the end have the same bytes as with one thread."
    )
    rows, same_everywhere = Rows(results, "scaling", SCALING_COLUMNS), True
    for method in METHODS:
        runs = [start(method, side, threads=threads) for threads in counts]
        last = effort.skipped + effort.timed
        run_interleaved(runs, FRAME_SECONDS, effort.skipped, effort.timed, last, block=3)
        alone = runs[0].cloth.positions().tobytes()
        for run, threads in zip(runs, counts):
            same = run.cloth.positions().tobytes() == alone
            same_everywhere &= same
            ratio = runs[0].middle / run.middle
            rows.add(
                title=TITLES[method],
                method=method,
                vertices=side * side,
                threads=threads,
                seconds=run.middle,
                scaling=ratio,
                same=same,
                **quality(run),
            )
            if threads > 1:
                ending = "" if method == "plain" else f"_{method}"
                results.number(f"scaling_{threads}{ending}", ratio)
            run.cloth.close()
    rows.show()
    results.number("scaling_same_bytes", int(same_everywhere))

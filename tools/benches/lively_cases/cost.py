# SPDX-License-Identifier: GPL-3.0-or-later
"""What a coarse correction costs beside a solve, and how many Anderson rounds two-level ones replace."""

from statistics import median

from common.measure import run_interleaved
from common.report import Rows, heading, note, times, whole
from lively_cases.scenes import FRAME_SECONDS, TWO_ROUNDS, closeness, response, sheet

FRAME = 10
ANDERSON_ROUNDS = (4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64, 96, 128)


PART_COLUMNS = (
    "vertices coarse_unknowns coarse_seconds solve_seconds force_seconds rest_seconds "
    "over_solve over_rest"
)
RIVAL_COLUMNS = "method response_10 rms_10 frame_seconds"


def measure(results, sizes, converged):
    _parts(results, sizes)
    _against_anderson(results, sizes, converged)


def _parts(results, sizes):
    heading("Cost of a coarse correction C over that of a solve P, one thread")
    rows = Rows(results, "parts", PART_COLUMNS)
    for side in (sizes.small, sizes.middle, sizes.large):
        run = sheet(side, "two pins").play("parts", scheme="two_level", iterations=2)
        run_interleaved([run], FRAME_SECONDS, 2, FRAME, 0)
        stats = run.history[2:]
        coarse = median(s.coarse_seconds / s.corrections for s in stats)
        solve = median((s.solve_seconds - s.coarse_seconds) / s.solves for s in stats)
        force = median(s.force_seconds / s.solves for s in stats)
        rest = median((s.total_seconds - s.coarse_seconds) / s.solves for s in stats)
        rows.add(
            vertices=side * side,
            coarse_unknowns=run.cloth.report().coarse_unknowns,
            coarse_seconds=coarse,
            solve_seconds=solve,
            force_seconds=force,
            rest_seconds=rest,
            over_solve=coarse / solve,
            over_rest=coarse / rest,
        )
        run.cloth.close()
    results.number("coarse_over_solve", coarse / solve)
    results.number("coarse_over_rest", coarse / rest)
    rows.show()


def _against_anderson(results, sizes, converged):
    heading("Anderson acceleration that reaches the response of two two-level rounds")
    scene = sheet(sizes.middle, "two pins")
    ours = scene.follow(TWO_ROUNDS, FRAME, {"scheme": "two_level", "iterations": 2})
    wanted = closeness(response(ours, converged, FRAME))
    rows, found = Rows(results, "anderson", RIVAL_COLUMNS), None
    for rounds in ANDERSON_ROUNDS:
        name = f"Anderson, {rounds} rounds"
        settings = {"scheme": "anderson", "iterations": rounds}
        found = scene.follow(name, FRAME, settings)
        reached = response(found, converged, FRAME)
        found.cloth.close()
        _add(rows, found, reached, found.distance(converged, FRAME))
        if closeness(reached) >= wanted:
            break
    else:
        note(
            "Anderson does not get there; its last row stands for it: the speed-up is a lower bound."
        )
    rival = scene.play(found.name, **settings)
    again = scene.play(TWO_ROUNDS, scheme="two_level", iterations=2)
    run_interleaved([again, rival], FRAME_SECONDS, 0, FRAME, 0)
    _add(rows, ours, response(ours, converged, FRAME), ours.distance(converged, 10))
    note(
        f"Two pins, k = 10,000 N/m, soft bending, {whole(sizes.middle**2)} vertices, frame {FRAME}"
    )
    rows.show()
    speedup = rival.middle / again.middle
    note(
        f"Timed again in turn: {1000 * rival.middle:.2f} ms a frame against "
        f"{1000 * again.middle:.2f} ms, {times(speedup)}."
    )
    results.number("anderson_rounds_needed", settings["iterations"])
    results.number("two_level_speedup", speedup)
    for run in (ours, rival, again):
        run.cloth.close()


def _add(rows, run, reached, apart):
    rows.add(method=run.name, response_10=reached, rms_10=apart, frame_seconds=run.middle)

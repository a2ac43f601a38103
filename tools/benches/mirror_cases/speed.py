# SPDX-License-Identifier: GPL-3.0-or-later
"""How much faster one half is than the whole: the solver alone, the whole step, the factor."""

from statistics import mean

from common.report import Rows, heading, note
from mirror_cases.pairs import (
    DRAFT,
    FIT,
    IMPLICIT,
    PLAIN,
    Pair,
    frame_seconds,
    solver_seconds,
    step_seconds,
)
from test_scenes.contact import mirrored
from test_scenes.contact.play import FRAME_SECONDS, Play

COARSE = {"spacing": 0.03, "body_spacing": 0.02}
# Key, scene, frames with the linear rounds, with the conventional solver: while the arms rise. When they come down,
# they catch coarse cloth, and the two runs are no longer of the same motion.
GARMENTS = (
    ("329", lambda quick: mirrored.tshirt(0.065), 24, 20),
    ("1934", lambda quick: mirrored.jacket(**(COARSE if quick else {})), 24, 10),
    ("20k", lambda quick: fine(quick), 22, 6),
)
QUICK_FRAMES = (8, 5)
STEP_FRAMES = 10
PREPARES = 8
COLUMNS = (
    "garment method vertices half_vertices whole_seconds half_seconds speedup distance "
    "whole_strain half_strain iterations"
)
FACTOR_COLUMNS = "mirror factor_seconds ordering_seconds factor_nonzeros factor_bytes memory_bytes"


def fine(quick):
    """The t-shirt of 20,000 vertices, or a coarse one."""
    return mirrored.tshirt(**(COARSE if quick else {"spacing": 0.0069}))


def measure(results, quick):
    _solver(results, quick)
    _step(results, quick)
    _factor(results, quick)


def _solver(results, quick):
    heading("The solver alone, one thread")
    note(
        "Time of a step less that of finding contacts and answering them (total_seconds - "
        "detection_seconds - response_seconds), medians of frames taken in turn, whole and half, on a "
        "body that raises both arms. Linear: two substeps of four plain rounds. Implicit: the conventional "
        "solver, a Newton step a substep by conjugate gradients to 1e-2. Distance: the largest of a "
        "vertex between both runs, over the size."
    )
    rows = Rows(results, "solver", COLUMNS)
    for key, make, linear_frames, implicit_frames in GARMENTS:
        scene = make(quick)
        for method, frames in ((PLAIN, linear_frames), (IMPLICIT, implicit_frames)):
            frames = QUICK_FRAMES[method is IMPLICIT] if quick else frames
            with Pair(scene, method[1]).run(frames) as pair:
                _add(rows, key, method[0], pair, solver_seconds)
                results.number(f"solver_speedup_{key}{method[2]}", results.rows[-1]["speedup"])
    rows.show()


def _add(rows, key, method, pair, seconds):
    """One comparison."""
    both = pair.middle(seconds)
    strains, mirror = pair.strain(), pair.half.cloth.mirror()
    iterations = mean(s.pcg_iterations + s.solves for s in pair.half.history)
    rows.add(
        garment=pair.scene.name,
        key=key,
        method=method,
        vertices=len(pair.partner),
        half_vertices=mirror.half_vertex_count,
        whole_seconds=both[0],
        half_seconds=both[1],
        speedup=both[0] / both[1],
        distance=pair.distances[-1],
        uneven=pair.uneven[-1],
        asymmetry=pair.asymmetry,
        whole_strain=strains[0],
        half_strain=strains[1],
        iterations=iterations,
        whole_iterations=mean(s.pcg_iterations + s.solves for s in pair.whole.history),
        pcg_stopped=sum(s.pcg_stopped for s in pair.whole.history),
        frames=pair.half.frame,
        body_asymmetry=mirror.body_asymmetry,
    )


def _step(results, quick):
    scene = fine(quick)
    heading("The whole step with body contact, one thread")
    note(
        "total_seconds, medians of frames taken in turn; the last row counts handing the body over and "
        "reading the whole garment's positions, too."
    )
    rows, frames = (Rows(results, name, COLUMNS) for name in ("step", "frame"))
    for method in (PLAIN, DRAFT, FIT):
        with Pair(scene, method[1]).run(QUICK_FRAMES[0] if quick else STEP_FRAMES) as pair:
            _add(rows, "20k", method[0], pair, step_seconds)
            results.number(f"step_speedup_20k{method[2]}", results.rows[-1]["speedup"])
            if method is PLAIN:
                _add(frames, "20k", "linear, frame", pair, frame_seconds)
                results.number("frame_speedup_20k", results.rows[-1]["speedup"])
    rows.printed += frames.printed
    rows.show()


def _factor(results, quick):
    """Another step length every time makes a new factor; the order and the analysis are kept."""
    heading("The factor, one thread")
    scene, prepares = fine(quick), 3 if quick else PREPARES
    plays = [Play(scene, meets=False, mirror=mirror, **PLAIN[1]) for mirror in ("off", "exact")]
    before = [play.cloth.report().memory_bytes for play in plays]
    for play in plays:
        play.cloth.prepare(FRAME_SECONDS)
    taken = [play.cloth.report().memory_bytes - start for play, start in zip(plays, before)]
    seconds = [[], []]
    for count in range(prepares):
        for spent, play in zip(seconds, plays):
            play.cloth.prepare(FRAME_SECONDS * (1 + 0.01 * (count % 2 + 1)))
            spent.append(play.cloth.report().factor_seconds)
    reports = [play.cloth.report() for play in plays]
    assert all(report.factor_count == prepares + 1 for report in reports)
    rows = Rows(results, "factor", FACTOR_COLUMNS)
    for play, report, spent, bytes_taken in zip(plays, reports, seconds, taken):
        rows.add(
            mirror=play.cloth.mirror().mode,
            factor_seconds=mean(spent),
            ordering_seconds=report.ordering_seconds,
            factor_nonzeros=report.factor_nonzeros,
            factor_bytes=bytes_taken,
            memory_bytes=report.memory_bytes,
        )
        play.cloth.close()
    rows.show()
    results.number("factor_speedup_20k", mean(seconds[0]) / mean(seconds[1]))
    results.number("factor_memory_ratio_20k", taken[0] / taken[1])
    nonzeros, memory = (
        [getattr(r, name) for r in reports] for name in ("factor_nonzeros", "memory_bytes")
    )
    results.number("factor_nonzeros_ratio_20k", nonzeros[0] / nonzeros[1])
    results.number("memory_ratio_20k", memory[0] / memory[1])
    note(
        f"Mean of {prepares} factorisations each, in turn. Taken for it: memory of the cloth after the "
        "first less that before."
    )

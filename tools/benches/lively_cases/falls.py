# SPDX-License-Identifier: GPL-3.0-or-later
"""Response of sheets: how far they fall, against the converged step, for every way to step."""

from common.measure import run_interleaved
from common.report import Rows, digits, heading, note, short, table, whole
from lively_cases.scenes import (
    FRAME_SECONDS,
    FRAMES,
    HOLDS,
    LOOKED_AT,
    MANY_ROUNDS,
    METHODS,
    NEWTON,
    SOFT,
    STIFF,
    STIFF_FROM,
    STRICT,
    TWO_ROUNDS,
    follow_all,
    response,
    sheet,
    closeness,
)

COLUMNS = (
    "method response_5 response_10 response_20 rms_5 rms_10 rms_20 frame_seconds solves rounds "
    "rejected"
)
UNSURE = 0.01  # residual from which on a reference counts as not quite converged
STIFFNESSES = (1e3, 1e4, 1e5)
QUICK_EXTRA = ("two pins", 1e5)  # what the quick run adds to the soft sheets of k = 10,000 N/m


def cases(sizes, quick):
    """(side, hold, stiffness, bending), the smallest sheets first."""
    small = [
        (sizes.small, hold, stiffness, bend)
        for hold in HOLDS
        for stiffness in STIFFNESSES
        for bend in (SOFT, STIFF)
        if not quick or (bend == SOFT and stiffness == 1e4) or (hold, stiffness) == QUICK_EXTRA
    ]
    middle = [(sizes.middle, "two pins", 1e4, SOFT)]
    if not quick:
        middle += [(sizes.middle, "two pins", stiffness, SOFT) for stiffness in (1e3, 1e5)]
        middle.append((sizes.middle, "two pins", 1e4, STIFF))
    return small + middle + [(sizes.large, "two pins", 1e4, SOFT)]


def measure(results, sizes, quick):
    """Prints and records all cases; returns the converged run of two pins on the middle sheet."""
    heading("Response: mean drop over that of the converged step, and RMS distance to it")
    note(
        "Sheets of 1 m, 0.3 kg/m2, stretch 1.15 k, shear modulus 0.15 k, no drag, no damping, starting horizontal; 24 frames a "
        "second, 2 substeps, backward Euler, one thread. Shaken pins move by 15 cm twice a second, "
        "closing pins come nearer by 60 cm within a second. Converged: 20 Newton steps a substep, 60 for k = 100,000 N/m; "
        f"at {whole(sizes.large**2)} vertices 24 two-level rounds. Milliseconds are medians over the "
        "frames."
    )
    listed = cases(sizes, quick)
    scenes = [sheet(*case) for case in listed]
    references = follow_all(
        (scene, "converged", FRAMES, _reference_of(case, sizes))
        for case, scene in zip(listed, scenes)
    )
    found = {}
    for case, scene, converged in zip(listed, scenes, references):
        found[case] = _case(results, case, scene, converged)
    _check_rounds(results, sizes, listed, scenes, references)
    four = (sizes.middle, "two pins", 1e4, SOFT)
    results.number("response_4_solves", found[four][TWO_ROUNDS])
    results.number("response_4_solves_20k", found[(sizes.large, *four[1:])][TWO_ROUNDS])
    _worst(results, found)
    _unsure(results, listed, references)
    return references[listed.index(four)]


def _reference_of(case, sizes):
    if case[0] >= sizes.large:
        return MANY_ROUNDS
    return STRICT if case[2] >= STIFF_FROM else NEWTON


def _case(results, case, scene, converged):
    side, hold, stiffness, bend = case
    runs = [scene.play(name, **settings) for name, settings in METHODS.items()]
    run_interleaved(runs, FRAME_SECONDS, 0, FRAMES, 0)
    print()
    note(
        f"{hold}, k = {stiffness:,.0f} N/m, bending {bend:g} N m, {whole(side * side)} vertices; "
        f"converged drop {', '.join(digits(-converged.height_at(f)) for f in LOOKED_AT)} m, largest "
        f"residual {short(converged.largest_residual)}, {1000 * converged.middle:.0f} ms per frame"
    )
    rows = Rows(results, "falls", COLUMNS)
    for run in runs:
        ratios = [response(run, converged, frame) for frame in LOOKED_AT]
        apart = [run.distance(converged, frame) for frame in LOOKED_AT]
        rows.add(
            hold=hold,
            stiffness=stiffness,
            bend=bend,
            vertices=side * side,
            method=run.name,
            **{f"response_{f}": ratio for f, ratio in zip(LOOKED_AT, ratios)},
            **{f"rms_{f}": rms for f, rms in zip(LOOKED_AT, apart)},
            frame_seconds=run.middle,
            solves=run.per_frame("solves"),
            rounds=run.rounds,
            rejected=sum(stats.rejected for stats in run.history),
            residual=run.stats.residual,
            reference_residual=converged.largest_residual,
        )
    rows.show()
    for run in [*runs, converged]:
        run.cloth.close()
    return {run.name: response(run, converged, 10) for run in runs}


def _check_rounds(results, sizes, listed, scenes, references):
    """How near 24 two-level rounds are to Newton where both can be had."""
    place = listed.index((sizes.middle, "two pins", 1e4, SOFT))
    rounds = scenes[place].follow("24 rounds", FRAMES, MANY_ROUNDS)
    newton = references[place]
    ratios = [response(rounds, newton, frame) for frame in LOOKED_AT]
    apart = max(rounds.distance(newton, frame) for frame in range(1, FRAMES + 1))
    results.number("many_rounds_response", ratios[1])
    results.number("many_rounds_rms", apart)
    note(
        f"The reference of the largest sheet, checked at {whole(sizes.middle**2)} vertices against "
        f"Newton: response {', '.join(digits(ratio, 4) for ratio in ratios)}, largest RMS distance "
        f"{1000 * apart:.2f} mm, residual {rounds.stats.residual:.3g} (Newton "
        f"{newton.stats.residual:.3g}; the largest sheet's own {references[-1].stats.residual:.3g})."
    )
    rounds.cloth.close()


def _worst(results, found):
    """The lowest response at frame 10 of each quality, too much motion counted like too little."""
    rows = []
    for quality, wanted in (("draft", 0.8), ("fit", 0.95), ("final", 0.99)):
        worst = min(found, key=lambda case: closeness(found[case][quality]))
        reached = closeness(found[worst][quality])
        missed = [c for c in found if closeness(found[c][quality]) < wanted]
        results.number(f"response_{quality}_worst", reached)
        results.number(f"response_{quality}_missed", len(missed))
        side, hold, stiffness, bend = worst
        where = f"{hold}, k = {stiffness:g}, bending {bend:g}, {whole(side * side)} vertices"
        rows.append((quality, where, digits(reached), digits(wanted, 2), len(missed), len(found)))
    print()
    note("Each quality's worst case at frame 10")
    table(("quality", "worst case", "response", "promised", "missed", "of"), rows, left=2)


def _unsure(results, listed, references):
    """Names the cases whose reference did not converge: a response there says less than it seems."""
    unsure = [
        f"{hold}, k = {stiffness:g}, bending {bend:g}, {whole(side * side)} vertices "
        f"({short(run.largest_residual)})"
        for (side, hold, stiffness, bend), run in zip(listed, references)
        if run.largest_residual > UNSURE
    ]
    results.number("references_unsure", len(unsure))
    if unsure:
        note(
            f"{len(unsure)} of {len(listed)} references ended a frame with a residual above "
            f"{UNSURE:g}, so that they are themselves uncertain: {'; '.join(unsure)}."
        )

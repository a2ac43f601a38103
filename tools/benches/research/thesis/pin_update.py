# SPDX-License-Identifier: GPL-3.0-or-later
"""Where row updates of the factor stop paying: sets UPDATE_SHARE of native/linear/factor.c."""

from common.measure import program
from common.report import Rows, heading, note, percent

SIDES = (35, 74, 141)  # grids of about 1245, 5472 and 20,000 vertices
QUICK_SIDES = (35, 74)
MOST_SHARE = 1 / 8  # of the vertices: beyond every crossover seen
COLUMNS = "vertices changed share hold_seconds release_seconds factor_seconds gain growth error"


def measure(results, quick):
    heading("Pin update: row updates of the factor against a new numeric factorisation")
    note(
        "Triangle model on a grid, one thread; medians. Neighbouring pins in a row, then pins "
        "spread over the sheet. Error: largest difference of a solve from that with a new factor, "
        "relative."
    )
    print(flush=True)
    shares = []
    for side in QUICK_SIDES if quick else SIDES:
        for placing in ("row", "spread"):
            share = _size(results, side, placing, 3 if quick or side > 100 else 9)
            shares.append(share)
            results.number(f"update_crossover_share_{side * side}_{placing}", share)
    results.number("update_crossover_share", min(shares))
    note(f"Row updates win below {percent(min(shares), 2)} of the vertices at every size measured.")
    print(flush=True)


def _size(results, side, placing, rounds):
    most = 64
    while 2 * most <= side * side * MOST_SHARE:
        most *= 2
    lines = [
        line.split() for line in program("pin_update", side, rounds, most, placing).splitlines()
    ]
    measured = [(int(a), int(b), int(c), int(d), *map(float, rest)) for a, b, c, d, *rest in lines]
    rows = Rows(results, "pin update", COLUMNS)
    for size, changed, entries, later, hold, release, anew, error in measured:
        rows.add(
            placing=placing,
            vertices=size,
            changed=changed,
            factor_entries=entries,
            factor_entries_after=later,
            hold_seconds=hold,
            release_seconds=release,
            factor_seconds=anew,
            error=error,
            share=changed / size,
            gain=anew / max(hold, release),
            growth=later / entries,
        )
    crossover = _crossover([(line[1], max(line[4], line[5]), line[6]) for line in measured])
    note(f"{side} x {side} vertices, {placing}: equal at about {crossover:.0f} changed pins")
    rows.show()
    return crossover / (side * side)


def _crossover(measured):
    """Changed pins at which the update takes as long as a factorisation; between two measurements
    the update's time is taken as a straight line. The last number if it always wins."""
    before = (0, 0.0)
    for changed, update, anew in measured:
        if update >= anew:
            rise = (update - before[1]) / (changed - before[0])
            return before[0] + max(0.0, (anew - before[1]) / rise)
        before = (changed, update)
    return before[0]

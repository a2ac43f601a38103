# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures 2, 3 and 4 of the paper on a scalable semi-implicit method [Kim 2006], with its constants.

`build/bench/sweeps` runs each method beside the converged implicit step. The paper's times are those of a Pentium 4 at
2.4 GHz.
"""

import os
from dataclasses import dataclass
from math import isfinite
from statistics import median

from common.measure import program
from common.report import Rows, heading, note
from common.charts import Line, write

SIDE, QUICK_SIDE = 80, 30
LONG = 1000  # steps over which a method must be stable
COMPARED = 100  # steps after which drops and distances are compared
QUICK_LONG = 150
SOFT, STIFF = 50, 1000  # stiffness of the strong springs, figures 4 and 3
STIFF_STEPS, QUICK_STIFF_STEPS = 60, 20
SKIPPED = 5  # steps that are not timed
# Name, method, sweeps, what the paper says of it.
METHODS = (
    ("Kim, 1 sweep", "kim", 1, "stable"),
    ("Kim, 2 sweeps", "kim", 2, "stable"),
    ("Kim, 4 sweeps", "kim", 4, "stable, near the implicit step"),
    ("Choi and Ko, implicit", "choi-ko", 1, "stable"),
    ("Kang 2, 1 sweep", "kang2", 1, "poor"),
    ("Kang 2, 2 sweeps", "kang2", 2, "breaks at the held corners (figure 2)"),
    ("Kang 2, 3 sweeps", "kang2", 3, "poor"),
    ("Kang 2, 4 sweeps", "kang2", 4, "a little behind Kim"),
    ("Kang 1", "kang1", 1, "severely damped"),
    ("Desbrun", "desbrun", 1, "damped across"),
    ("symplectic Euler", "symplectic", 1, "unstable"),
)
COLUMNS = "name step_ms diverged drop of_implicit distance paper"


@dataclass
class Fall:
    """One run, a number for each step: of the method, and of the implicit step beside it."""

    seconds: list
    implicit_seconds: list
    drop: list
    implicit_drop: list
    distance: list
    energy: list
    implicit_energy: list
    diverged: int  # in this step, or 0

    @property
    def milliseconds(self):
        return 1000 * median(self.seconds[SKIPPED:] or self.seconds)


def fall(method, sweeps, side, steps, stiffness):
    lines = program("sweeps", method, sweeps, side, steps, stiffness).splitlines()
    numbers = [[float(word) for word in line.split()] for line in lines]
    finite = [row for row in numbers if all(map(isfinite, row))]
    return Fall(*map(list, zip(*finite)), diverged=0 if len(finite) == steps else len(finite) + 1)


def measure(results, quick):
    side, steps = (QUICK_SIDE, QUICK_LONG) if quick else (SIDE, LONG)
    heading("Figure 4 of the scalable method: every method on the same sheet")
    note(
        f"{side} x {side} unit masses held by two corners, strong springs {SOFT}, weak ones 0.1, steps of 0.25, {steps} of "
        f"them, one thread. Drop and root mean square distance to the implicit step: after {COMPARED} steps, in edges. "
        "Conjugate gradients to 1e-6."
    )
    rows = Rows(results, "semi_implicit", COLUMNS)
    for name, method, sweeps, paper in METHODS:
        run = fall(method, sweeps, side, steps, SOFT)
        _add(rows, name, method, sweeps, paper, run)
    rows.show()
    _stiff(results, quick)


def _add(rows, name, method, sweeps, paper, run):
    lasts = len(run.drop) >= COMPARED
    drop, implicit = (one[COMPARED - 1] if lasts else None for one in (run.drop, run.implicit_drop))
    distance = run.distance[COMPARED - 1] if lasts else None
    rows.add(
        name=name,
        method=method,
        sweeps=sweeps,
        step_ms=run.milliseconds,
        diverged=run.diverged,
        drop=drop,
        implicit_drop=implicit,
        of_implicit=drop / implicit if lasts else None,
        paper=paper,
        distance=distance,
        energy=run.energy,
        implicit_energy=run.implicit_energy,
    )


def _stiff(results, quick):
    """Figure 3: 200 ms a step by the implicit method, 45 by six sweeps."""
    heading("Figure 3: stiff springs, six sweeps against the implicit step")
    side, steps = (QUICK_SIDE, QUICK_STIFF_STEPS) if quick else (SIDE, STIFF_STEPS)
    run = fall("kim", 6, side, steps, STIFF)
    both = [median(one[SKIPPED:]) for one in (run.implicit_seconds, run.seconds)]
    results.number("kim6_speedup", both[0] / both[1])
    note(
        f"Strong springs {STIFF}: {1000 * both[0]:.2f} and {1000 * both[1]:.2f} ms a step, x{both[0] / both[1]:.1f}; the "
        f"paper's 200 and 45, x4.4. Drop after {steps} steps {run.drop[-1]:.3f} against {run.implicit_drop[-1]:.3f}."
    )


def draw(results, folder):
    """The energy of every method over time, those that diverge as far as they get."""
    rows = [row for row in results.rows if row["table"] == "semi_implicit"]
    lines = [
        Line(row["name"], tuple(enumerate(row["energy"], 1)))
        for row in rows
        if max(map(abs, row["energy"])) < 1e5
    ]
    title = "Energy of the falling sheet, Kim 2006, figure 4"
    path = os.path.join(folder, "semi_implicit_energy.svg")
    write(path, title, "step", "energy", lines, ("linear", "linear"))

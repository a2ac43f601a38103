# SPDX-License-Identifier: GPL-3.0-or-later
"""The curves of a run of the truth bench as SVG files: theory dashed, the worst or every triangulation beside it."""

import os

from common import charts
from common.report import note
from truth_cases.meshes import KINDS

THEORY = "theory"


def write_all(rows, folder):
    """Writes the plots that the rows have points for; returns their paths."""
    os.makedirs(folder, exist_ok=True)
    paths = []
    for name, (title, x_name, y_name, scales, lines) in PLOTS.items():
        drawn = [line for line in lines(rows) if line.points]
        if drawn:
            paths.append(os.path.join(folder, f"truth_{name}.svg"))
            charts.write(paths[-1], title, x_name, y_name, drawn, scales)
    note(f"Plots: {', '.join(paths)}")
    return paths


def _of(rows, table, **wanted):
    return [
        row
        for row in rows
        if row["table"] == table and all(row[key] == value for key, value in wanted.items())
    ]


def _line(name, rows, x, y, dashed=False):
    """Points (x, mean of y) of all rows with the same x."""
    at = {}
    for row in rows:
        at.setdefault(row[x], []).append(row[y])
    points = tuple((place, sum(values) / len(values)) for place, values in sorted(at.items()))
    return charts.Line(name, points, dashed)


def _by_kind(table, x, y, theory="theory", **wanted):
    """A line of each triangulation at fit on its finest mesh, and one of theory."""

    def lines(rows):
        every = _of(rows, table, quality="fit", **wanted)
        finest = max((row.get("cells", 0) for row in every), default=0)
        every = [row for row in every if row.get("cells", 0) == finest]
        found = [_line(kind, [r for r in every if r["kind"] == kind], x, y) for kind in KINDS]
        return ([_line(THEORY, every, x, theory, True)] if theory else []) + found

    return lines


def _by_cells(table, y):
    """Over the number of cells."""

    def lines(rows):
        every = _of(rows, table, quality="fit")
        found = [_line(k, [r for r in every if r["kind"] == k], "cells", y) for k in KINDS]
        return [_line(THEORY, every, "cells", "theory", True), *found]

    return lines


def _drapes(rows):
    every = _of(rows, "drape_curve")
    return [
        charts.Line(f"start {start + 1}", _points(every, "length", "drape", start), False)
        for start in sorted({row["start"] for row in every})
    ]


def _points(rows, x, y, start):
    return tuple((1000 * row[x], row[y]) for row in rows if row["start"] == start)


def _losses(rows):
    worst = {}
    for row in _of(rows, "momentum"):
        key = row["quality"], 1 / row["step"]
        worst[key] = max(worst.get(key, 1e-9), row["loss"])
    return [
        charts.Line(name, tuple((rate, loss) for (q, rate), loss in worst.items() if q == name))
        for name in ("draft", "fit", "final")
    ]


def _creeps(rows):
    cases = sorted({row["case"] for row in _of(rows, "creep")})
    order = {kind: index + 1 for index, kind in enumerate(KINDS)}
    return [
        charts.Line(
            case,
            tuple(
                (order[row["kind"]], max(row["mm_s"], 1e-6))
                for row in _of(rows, "creep", case=case, quality="fit")
            ),
        )
        for case in cases
    ]


LOG, EVEN = "log", "linear"
# Name: title, axes, their scales, the lines.
PLOTS = {
    "cantilever": (
        "A clamped strip hangs: drop over reach",
        "weight over stiffness",
        "drop over reach",
        (LOG, LOG),
        _by_kind("cantilever", "weight", "sag"),
    ),
    "spread": (
        "Bending stiffness over what was asked, by direction",
        "angle of the lattice, degrees",
        "B over B asked",
        (EVEN, EVEN),
        _by_kind("spread", "degrees", "stiffness", None),
    ),
    "standing": (
        "Weight at which an upright strip bends over",
        "cells along the strip",
        "weight over stiffness",
        (EVEN, EVEN),
        _by_cells("standing", "weight"),
    ),
    "lateral": (
        "Weight at which a strip on edge turns aside",
        "cells along the strip",
        "weight over stiffness",
        (EVEN, EVEN),
        _by_cells("lateral", "weight"),
    ),
    "stick_slip": (
        "Friction that holds the foot of a pressed strip",
        "shortening",
        "friction",
        (EVEN, EVEN),
        _by_kind("stick_slip", "shortening", "friction"),
    ),
    "capstan": (
        "A band around a cylinder: tension over tension",
        "friction",
        "ratio",
        (EVEN, EVEN),
        _by_kind("capstan", "friction", "ratio"),
    ),
    "swing": (
        "Small swings of a hanging sheet",
        "mode",
        "rate over the root of g / L",
        (EVEN, EVEN),
        _by_kind("swing", "mode", "rate"),
    ),
    "incline": (
        "Acceleration on a slope of 25 degrees",
        "friction in tenths",
        "acceleration over g",
        (EVEN, EVEN),
        _by_kind("incline", "index", "found"),
    ),
    "cusick": (
        "Cusick's drape meter, cotton's weight",
        "bending length, mm",
        "drape coefficient, %",
        (EVEN, EVEN),
        _drapes,
    ),
    "momentum": (
        "Share of momentum lost when free sheets meet",
        "substeps a second",
        "share lost, worst",
        (LOG, LOG),
        _losses,
    ),
    "creep": (
        "Creep of cloth that friction should hold",
        "1 alternating, 2 one-way, 3 irregular, 4 equilateral",
        "mm/s",
        (EVEN, LOG),
        _creeps,
    ),
    "stopping": (
        "How far a sheet slides on a table",
        "substeps a frame",
        "way, mm",
        (EVEN, EVEN),
        _by_kind("stopping", "substeps", "way_mm", "theory_mm"),
    ),
}

# SPDX-License-Identifier: GPL-3.0-or-later
"""The curves of a speed run as SVG files."""

import os

from common import charts
from common.report import note
from speed_cases.sheets import TITLES

SOLVES = {
    ("ours", 1): "Muslin, one thread",
    ("ours", 2): "Muslin, two threads",
    ("simplicial", 1): "CHOLMOD, simplicial",
    ("supernodal", 1): "CHOLMOD, supernodal",
    ("eigen", 1): "Eigen SimplicialLLT",
    ("reading", 1): "reading the factor",
    ("reading", 2): "reading, two threads",
}
FRAMES = {
    ("free", "Blender's own"): "Blender, free",
    ("free", "Muslin, fixed rounds"): "Muslin, free",
    ("sphere", "Blender's own"): "Blender, on a sphere",
    ("sphere", "Muslin, fixed rounds"): "Muslin, on a sphere",
}


def write_all(rows, folder):
    """Writes the plots that the rows have points for; returns their paths."""
    os.makedirs(folder, exist_ok=True)
    paths = []
    for name, title, x_name, y_name, lines in _plots(rows):
        if any(line.points for line in lines):
            paths.append(os.path.join(folder, f"speed_{name}.svg"))
            charts.write(paths[-1], title, x_name, y_name, lines)
    note(f"Plots: {', '.join(paths)}")
    return paths


def _plots(rows):
    solves = [
        charts.Line(
            name,
            _points(rows, "solve", "vertices", "ms", name=who[0], threads=who[1]),
            who[0] == "reading",
        )
        for who, name in SOLVES.items()
    ]
    steps, memory, scaling = (
        [charts.Line(TITLES[method], _points(rows, *what, method=method)) for method in TITLES]
        for what in (
            ("growth", "vertices", "ms"),
            ("growth", "vertices", "bytes_per_vertex"),
            ("scaling", "threads", "scaling"),
        )
    )
    counts = {x for line in scaling for x, _ in line.points}
    if counts:
        scaling.append(charts.Line("in proportion", tuple((x, x) for x in sorted(counts)), True))
    return (
        ("solve", "A solve of three right-hand sides", "vertices", "ms", solves),
        ("step", "A whole step, one thread, no contact", "vertices", "ms", steps),
        ("frame", "A frame of a bake, two threads", "vertices", "ms", frames(rows)),
        ("memory", "Memory of a cloth", "vertices", "bytes per vertex", memory),
        ("scaling", "A whole step with more threads", "threads", "times faster than one", scaling),
    )


def frames(rows):
    """Of the newest Blender."""
    versions = {row["version"] for row in rows if "version" in row}
    wanted = {"version": max(versions, key=_numbers, default=None), "threads": 2}
    return [
        charts.Line(
            name,
            _points(rows, f"{scene}_size", "vertices", "ms_per_frame", method=method, **wanted),
        )
        for (scene, method), name in FRAMES.items()
    ]


def _numbers(version):
    return [int(part) for part in version.split(".")]


def _points(rows, table, x, y, **wanted):
    """(x, y) of the rows of a table whose fields are as wanted."""
    found = [
        row
        for row in rows
        if row["table"] == table and all(row.get(name) == value for name, value in wanted.items())
    ]
    return tuple(
        (row[x], row["seconds"] * 1e3 if y == "ms" and y not in row else row[y]) for row in found
    )

# SPDX-License-Identifier: GPL-3.0-or-later
"""The chart of a scene: four measures of quality over milliseconds, a column for each size."""

import os

from common.charts import Line, Row, write_panels
from research.method_cases.chart.ways import CONVERGED_POINT, FAMILIES, WAYS

TITLES = {
    "plain": "plain, 1 to 8 rounds",
    "two-level": "two levels, 1 to 8 rounds",
    "quality": "draft, fit, final",
    "edges": "the same with edges",
    "mirrored": "the same mirrored",
    "sweeps": "2, 8, 32 sweeps",
    "threads": "along threads",
    "conventional": "conventional",
    "modifier": "Blender's Cloth modifier",
    "nodes": "Blender's Cloth Dynamics",
}
RIVALS = {way.family for way in WAYS if way.rival}
# What is drawn upward; all of them are better further down.
MEASURES = (
    (Row("distance, %"), lambda row: _times(row["distance"], 100)),
    (Row("most stretch, %"), lambda row: _times(row["stretch_max"], 100, 1)),
    (Row("piercings", 0.5), lambda row: through(row)),
    (Row("trembling, mm/s"), lambda row: row["trembling"]),
)
NO_CONTACT = "piercings"


def _times(value, factor, less=0):
    return None if value is None else factor * (value - less)


def through(row):
    """Edges through faces and vertices inside, all together."""
    if row["inside"] is None:
        return None
    return row["inside"] + row["body_piercings"] + (row["self_piercings"] or 0)


def write(rows, kind, folder):
    """Writes which_SCENE.svg; its path, or None where nothing of this scene was measured."""
    rows = [row for row in rows if row["scene"] == kind.name and row["ms"] is not None]
    sizes = list(dict.fromkeys(row["size"] for row in rows))
    if not sizes:
        return None
    # Of a swing that meets nothing, nothing is pierced.
    measures = [m for m in MEASURES if kind.rests or m[0].name != NO_CONTACT]
    counts = [next(row["vertices"] for row in rows if row["size"] == size) for size in sizes]
    lines = {
        (column, index): _lines([row for row in rows if row["size"] == size], number)
        for column, size in enumerate(sizes)
        for index, (_, number) in enumerate(measures)
    }
    path = os.path.join(folder, f"which_{kind.name}.svg")
    names = [f"{count:,} vertices" for count in counts]
    title = f"{kind.title}: quality against milliseconds a frame"
    heads = [row for row, _ in measures]
    order = tuple(TITLES.values())
    write_panels(path, title, "milliseconds a frame", names, heads, lines, order)
    return path


def _lines(rows, number):
    found = []
    for family in FAMILIES:
        points = [
            (row["ms"], number(row))
            for row in rows
            if row["family"] == family and number(row) is not None and _is_drawn(row)
        ]
        found.append(Line(TITLES[family], tuple(points), family in RIVALS))
    return [line for line in found if line.points]


def _is_drawn(row):
    """The converged run is the measure itself."""
    return not row["point"].startswith(CONVERGED_POINT)

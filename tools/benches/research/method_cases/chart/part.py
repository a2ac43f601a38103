# SPDX-License-Identifier: GPL-3.0-or-later
"""A part of `tools/bench methods` for each of the four scenes."""

import time
from dataclasses import replace

from blender_cases.own import OwnSolvers
from common.report import digits, heading, note, short, table, whole
from research.method_cases.chart import plots
from research.method_cases.chart.runs import beside, judged, measure, play
from research.method_cases.chart.stages import KINDS, SMALL, stages
from research.method_cases.chart.ways import AGAIN, WAYS, references

TABLE = "chart"
HEADER = (
    "way",
    "ms a|frame",
    "least",
    "distance",
    "stretch|p99",
    "|max",
    "inside",
    "through|body",
    "through|itself",
    "trembles|mm/s",
    "fastest|mm/s",
)


class Part:
    """measure and draw, as every part has them."""

    def __init__(self, name):
        self.kind = KINDS[name]

    def measure(self, results, quick):
        begin = time.monotonic()
        heading(f"Quality against milliseconds: {self.kind.title[0].lower()}{self.kind.title[1:]}")
        solvers = OwnSolvers(f"chart_{self.kind.name}")
        for stage in stages(self.kind, quick):
            if stage is None:
                note(
                    f"Skipped: {self.kind.name}. Its garment, body.obj or body_arms.pc2 is not in shared/data "
                    "beside the checkout."
                )
                return
            for row in rows_of(stage, solvers):
                results.row(TABLE, **row)
            show([row for row in results.rows if _is_of(row, stage)])
        results.number(f"chart_{self.kind.name}_seconds", round(time.monotonic() - begin, 1))

    def draw(self, results, folder):
        rows = [row for row in results.rows if row["table"] == TABLE]
        path = plots.write(rows, self.kind, folder)
        if path:
            note(f"Plot: {path}")


def rows_of(stage, solvers):
    """The converged runs first: all others are compared with them."""
    wanted = references(stage)
    for reference in wanted:
        way = reference.way
        track, seconds, why = play(stage, way.settings, reference.frames)
        stage.references[way.model] = track
        note(
            f"{whole(stage.vertices)} vertices, {way.model}: {way.family}, {way.point}, as the converged run, "
            f"{sum(seconds):.1f} s for {reference.frames} frames."
        )
        if way.model == "triangle":
            yield judged(stage, way, track, _ms(seconds), why) | {"distance": None}
    if stage.size == SMALL:
        way = replace(wanted[0].way, point=AGAIN)
        track, seconds, why = play(beside(stage), way.settings, wanted[0].frames)
        yield judged(stage, way, track, _ms(seconds), why)
    done = {(reference.way.family, reference.way.point) for reference in wanted}
    for way in WAYS:
        if (way.family, way.point) not in done:
            yield measure(stage, way, solvers)


def _ms(seconds):
    return [1e3 * second for second in seconds]


def _is_of(row, stage):
    return row["table"] == TABLE and (row["scene"], row["size"]) == (stage.kind.name, stage.size)


def show(rows):
    table(HEADER, [_cells(row) for row in rows if row["ms"] is not None])
    for why in dict.fromkeys(row["why"] for row in rows if row["why"]):
        points = {}
        for row in rows:
            if row["why"] == why:
                points.setdefault(row["family"], []).append(row["point"])
        named = "; ".join(f"{family} {', '.join(which)}" for family, which in points.items())
        note(f"Not there: {named}: {why}.")


def _name(row):
    return f"{row['family']}, {row['point']}"


def _cells(row):
    return (
        _name(row),
        digits(row["ms"], 1),
        digits(row["ms_least"], 1),
        digits(row["distance"], 4),
        digits(row["stretch_p99"]),
        digits(row["stretch_max"]),
        *(whole(row[column]) for column in ("inside", "body_piercings", "self_piercings")),
        short(row["trembling"]),
        short(row["fastest_at_rest"]),
    )


PARTS = {f"chart_{name}": Part(name) for name in KINDS}

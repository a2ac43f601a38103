# SPDX-License-Identifier: GPL-3.0-or-later
"""The file of --fit-report: where the garments are tight, as JSON or as a table for people."""

import os

import numpy as np

from ..files import to_json, write_atomic
from ..inspection.fit_report import make_report

HELP = """also write where the cloth is tight at the end: strain along warp and weft, shear, pressure on
the body and the gap to it, by region and at the worst places. FILE.json is for machines and has the
values of every vertex, any other name is a table; regions are the groups, objects or materials of
the garment's file where it has several, else bands of height"""

HEADER = (
    *("region", "cm2", "warp %|mean", "|most", "weft %|mean", "|most", "shear deg|mean", "|most"),
    *("Pa|mean", "|most", "touching|%", "gap mm|least", "|mean"),
)

AT_REST = 1e-3  # m/s


def add_option(group):
    group.add_argument("--fit-report", metavar="FILE", help=HELP)


def write_fit_report(path, garments, cloth):
    """Write how the cloth sits now. garments: a Garments whose vertices the cloth has."""
    report = make_report(garments.meshes, garments.paths, cloth)
    as_json = os.path.splitext(path)[1].lower() == ".json"
    write_atomic(path, (to_json(report) if as_json else to_text(report)).encode("utf-8"))


def to_text(report):
    """Tables: every region, then the worst places of each kind."""
    several = len(report["garments"]) > 1
    rows = []
    for garment in report["garments"]:
        own = [row for row in report["regions"] if row["garment"] == garment["garment"]]
        named = [(f"{row['garment']}: " if several else "") + row["region"] for row in own]
        rows += [region_cells(name, row) for name, row in zip(named, own)]
        rows.append(region_cells(f"all of {garment['garment']}", garment))
    # a "|" in a head begins its second line
    heads = [head.partition("|") if "|" in head else ("", "", head) for head in HEADER]
    heads = [[head[0] for head in heads], [head[2] for head in heads]]
    lines = ["Where it is tight, by region", *aligned(heads + rows), ""]
    for kind, title, unit in WORST_TABLES:
        places = [row for row in report["worst"][kind] if kind != "gap" or row["gap"] < 0]
        if places:
            rows = [PLACE_HEADS, *(place_cells(place, several) for place in places)]
            lines += [f"{title} ({unit})", *aligned(rows), ""]
    still = "" if report["speed"] <= AT_REST else ": not at rest, so pressures also stop it"
    lines.append(f"The fastest vertex moves by {1000 * report['speed']:.2g} mm/s{still}.")
    return "\n".join(lines) + "\n"


WORST_TABLES = (
    ("pressure", "Presses most", "Pa"),
    ("warp", "Warp stretched most", "%"),
    ("weft", "Weft stretched most", "%"),
    ("shear", "Sheared most", "degrees"),
    ("gap", "Deepest in the body", "mm"),
)
PLACE_HEADS = ("region", "vertex", *"xyz", "warp %", "weft %", "shear deg", "Pa", "gap mm")


def digits(value, places=0):
    """Rounded; never a minus before zeros."""
    return f"{round(value, places) + 0.0:.{places}f}"


def region_cells(name, row):
    """One line of the table; what ropes do not have, and a gap without a body, is a dash."""

    def part(kind, end, places, factor=1.0):
        return "-" if row[kind] is None else digits(factor * row[kind][end], places)

    cells = [name, digits(1e4 * row["area"])]
    cells += [part(kind, end, 1, 100) for kind in ("warp", "weft") for end in ("mean", "most")]
    cells += [part("shear", end, 0, np.degrees(1)) for end in ("mean", "most")]
    cells += [part("pressure", end, 0) for end in ("mean", "most")]
    cells.append("-" if row["pressure"] is None else digits(100 * row["touching"]))
    return cells + [part("gap", end, 1, 1000) for end in ("least", "mean")]


def place_cells(place, several):
    name = (f"{place['garment']}: " if several else "") + place["region"]
    cells = [name, str(place["vertex"]), *(digits(part, 3) for part in place["position"])]
    cells += [digits(100 * place[kind], 1) for kind in ("warp", "weft")]
    cells += [digits(np.degrees(place["shear"])), digits(place["pressure"])]
    return [*cells, digits(1000 * place["gap"], 1) if np.isfinite(place["gap"]) else "-"]


def aligned(rows, left=(0,)):
    """Lines of a table: the columns `left` begin at the left, as names do, others end at the right, as numbers do."""
    rows = [list(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        cells = [
            cell.ljust(width) if k in left else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths))
        ]
        yield "  ".join(cells).rstrip()

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
    lines = ["Where it is tight, by region", *aligned(HEADER, rows), ""]
    for kind, title, unit in WORST_TABLES:
        places = [row for row in report["worst"][kind] if kind != "gap" or row["gap"] < 0]
        if places:
            rows = [place_cells(place, several) for place in places]
            header = ("region", "vertex", "x", "y", "z", *PLACE_HEADS)
            lines += [f"{title} ({unit})", *aligned(header, rows), ""]
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
PLACE_HEADS = ("warp %", "weft %", "shear deg", "Pa", "gap mm")


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
    gap = place["gap"]
    return [
        name,
        str(place["vertex"]),
        *(digits(part, 3) for part in place["position"]),
        *(digits(100 * place[kind], 1) for kind in ("warp", "weft")),
        digits(np.degrees(place["shear"])),
        digits(place["pressure"]),
        digits(1000 * gap, 1) if np.isfinite(gap) else "-",
    ]


def aligned(header, rows):
    """Lines of a table: names to the left, numbers to the right; a "|" in a head begins its second line."""
    heads = [(head.split("|") + [""])[:2] if "|" in head else ["", head] for head in header]
    table = [[head[0] for head in heads], [head[1] for head in heads], *rows]
    widths = [max(len(row[k]) for row in table) for k in range(len(header))]
    return [
        "  ".join(
            cell.rjust(width) if k else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(row, widths))
        ).rstrip()
        for row in table
        if any(row)
    ]

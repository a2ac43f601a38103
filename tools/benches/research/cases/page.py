# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of docs/how_it_works/which_solver.md and the sentence after it, from files of the bench.

`tools/bench methods --only chart_… --json FILE` writes them.

    python3 tools/benches/research/cases/page.py FILE...
"""

import json
import sys

SCENES = {"swing": "swing", "sphere": "sphere", "tshirt": "t-shirt", "jacket": "jacket"}
SIZE = "middle"
# Family and point, and what the page calls it.
WAYS = {
    ("plain", "1"): "plain, 1 round",
    ("plain", "4"): "plain, 4",
    ("plain", "8"): "plain, 8",
    ("two-level", "1"): "two levels, 1 round",
    ("two-level", "2"): "two levels, 2",
    ("two-level", "4"): "two levels, 4",
    ("two-level", "8"): "two levels, 8",
    ("quality", "draft"): "**draft**",
    ("quality", "fit"): "**fit**",
    ("quality", "final"): "**final**",
    ("mirrored", "draft"): "draft, mirrored",
    ("mirrored", "fit"): "fit, mirrored",
    ("mirrored", "final"): "final, mirrored",
    ("edges", "draft"): "draft, edges",
    ("edges", "fit"): "fit, edges",
    ("sweeps", "2"): "2 sweeps",
    ("sweeps", "8"): "8 sweeps",
    ("sweeps", "32"): "32 sweeps",
    ("threads", "1"): "threads",
    ("conventional", "1"): "conventional",
    ("conventional", "converged"): "conventional, until converged",
    ("modifier", "5"): "Blender's *Cloth* modifier",
    ("nodes", "5"): "Blender's *Cloth Dynamics*",
}
WORN = ("tshirt", "jacket")
RESTING = ("sphere", *WORN)
NONE = "–"
SHORT = 12  # frames of what takes seconds a frame: too few to tell the most stretch, and what goes through
AGAIN = "converged, started a micrometre beside"


def table(rows):
    """Lines of Markdown: of each scene milliseconds and distance, then the worst of what is worn, and of what rests."""
    found = {
        (row["scene"], row["family"], row["point"]): row
        for row in rows
        if row["table"] == "chart" and row["size"] == SIZE and row["ms"] is not None
    }
    counts = {row["scene"]: row["vertices"] for row in found.values()}
    heads = [f"{name}, {counts.get(scene, 0):,}" for scene, name in SCENES.items()]
    lines = [f"| way | {' | '.join(heads)} | most stretch | through | trembling, mm/s |"]
    lines.append("|---" * (4 + len(heads)) + "|")
    for way, title in WAYS.items():
        mine = {scene: found.get((scene, *way)) for scene in SCENES}
        if any(mine.values()):
            lines.append(f"| {title} | {' | '.join(_cells(mine))} |")
    return lines


def _cells(mine):
    cells = [_pair(row) for row in mine.values()]
    worn, resting = ([mine[s] for s in scenes if mine[s]] for scenes in (WORN, RESTING))
    worn = [row for row in worn if row["frames"] > SHORT]
    stretch = _worst(worn, lambda row: row["stretch_max"])
    cells.append(NONE if stretch is None else f"{100 * (stretch - 1):.0f} %")
    through = _worst(worn, _through)
    cells.append(NONE if through is None else f"{through:,}")
    shaken = _worst(resting, lambda row: row["trembling"])
    cells.append(NONE if shaken is None else f"{shaken:.2g}" if shaken < 10 else f"{shaken:,.0f}")
    return cells


def _pair(row):
    if row is None:
        return NONE
    off = "" if row["distance"] is None else f", {100 * row['distance']:.1f} %"
    return f"{row['ms']:.1f} ms{off}" if row["ms"] < 10 else f"{row['ms']:,.0f} ms{off}"


def _through(row):
    if row["inside"] is None:
        return None
    return row["inside"] + row["body_piercings"] + (row["self_piercings"] or 0)


def _worst(rows, number):
    return max((number(row) for row in rows if number(row) is not None), default=None)


def apart(rows):
    """How far two converged runs are apart: smaller differences mean nothing. None where they were not measured."""
    found = {
        row["scene"]: f"{100 * row['distance']:.1f} % ({SCENES[row['scene']]})"
        for row in rows
        if row["table"] == "chart" and row["point"] == AGAIN and row["distance"] is not None
    }
    if not found:
        return None
    return (
        "Two converged runs that start a micrometre beside each other are "
        f"{', '.join(found.values())} apart at the small size: smaller differences mean nothing."
    )


def main(paths):
    if not paths:
        print(__doc__, file=sys.stderr)
        return 2
    rows = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            rows += json.load(file)["rows"]
    print("\n".join(table(rows)))
    print("", apart(rows) or "", sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

# SPDX-License-Identifier: GPL-3.0-or-later
"""A frame by stage as bars, an SVG file."""

import os

from common import charts
from common.report import note

STAGES = ("force", "assemble", "solve", "coarse", "contact", "rest")


def write_all(rows, folder):
    """Writes the plot if there is a row of ours; returns its path."""
    bars = [bar(row) for row in rows if row["table"] == "worn"]
    if not bars:
        return []
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "worn_stages.svg")
    charts.write_bars(path, "A frame of a worn garment", "ms", STAGES, bars)
    note(f"Plots: {path}")
    return [path]


def bar(row):
    """(name, length of each stage); a run without stages is all rest. Coarse is a part of solve."""
    layers = ", self" if row["self_contact"] else ""
    name = f"{row['garment']} {row['vertices']:,}, {row['motion']}{layers}, {row['method']}"
    if row["force"] is None:
        return name, (0, 0, 0, 0, 0, row["ms"])
    parts = {**row, "solve": row["solve"] - row["coarse"]}
    return name, tuple(max(0.0, parts[stage]) for stage in STAGES)

# SPDX-License-Identifier: GPL-3.0-or-later
"""What a row of a worn garment has, whoever simulated it, and how it is printed."""

from common.report import note

SKIPPED = 2  # frames before the clock starts: the first ones factor and warm up
STAGES = ("force", "assemble", "solve", "contact")
COLUMNS = (
    "garment",
    "vertices",
    "motion",
    "self_contact",
    "method",
    "mirror",
    "blender",
    "threads",
    "frames",
    "ms",
    *STAGES,
    "coarse",
    "rest",
    "solves",
    "stretch_p99",
    "stretch_max",
    "inside",
    "body_piercings",
    "self_piercings",
    "distance",
    "fastest_at_rest",
)
LINE = "  {:<20}{:>8} {:<5}{:<5}{:<9}" + "{:>9}" * 7 + "{:>7}{:>7}{:>7}{:>6}{:>8}{:>6}{:>8}{:>7}"
HEAD = ("garment", "vertices", "move", "self", "method", "ms", "force", "assem.", "solve", "coarse")
HEAD += ("contact", "rest", "solves", "p99", "max", "in", "through", "self", "apart", "mm/s")


def record_of(**fields):
    """A row with all columns, in order; what is not given is empty."""
    unknown = fields.keys() - set(COLUMNS)
    if unknown:
        raise ValueError(f"a row of a worn garment has no {', '.join(sorted(unknown))}")
    return {column: fields.get(column) for column in COLUMNS}


def cells(record):
    """As they are printed."""

    def shown(column, places=0):
        value = record[column]
        return "-" if value is None else f"{value:,.{places}f}"

    name = record["garment"] + (" half" if record["mirror"] not in (None, "off") else "")
    return (
        name,
        shown("vertices"),
        record["motion"],
        "yes" if record["self_contact"] else "no",
        record["method"],
        *(shown(c, 1) for c in ("ms", "force", "assemble", "solve", "coarse", "contact", "rest")),
        shown("solves"),
        *(shown(c, 3) for c in ("stretch_p99", "stretch_max")),
        *(shown(c) for c in ("inside", "body_piercings", "self_piercings")),
        shown("distance", 4),
        shown("fastest_at_rest", 2),
    )


def explain():
    note(
        "ms: a frame with handing the body and the positions over, median from the third on; then its "
        "stages, coarse a part of solve; solves a frame. p99, max: edge length over rest length; in: "
        "vertices inside the body; through: edges through faces, cloth and body; self: cloth through "
        "itself; all the worst from frame 8 on. apart: from the converged run, RMS over the size; mm/s: "
        "the fastest vertex after the body has stood still."
    )

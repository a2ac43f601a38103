# SPDX-License-Identifier: GPL-3.0-or-later
"""What the add-on and Blender add to a frame of a bake, by stage."""

from statistics import mean, median

from common.report import digits, heading, note, table, whole

STAGES = (
    ("evaluate", "evaluate"),
    ("colliders", "feed|colliders"),
    ("pins", "feed|pins"),
    ("forces", "feed|forces"),
    ("fetch", "fetch"),
    ("local", "to local"),
    ("write", "write"),
    ("snapshot", "snapshot"),
    ("statistics", "statistics"),
)
HEADER = ("Blender", "garment", *(title for _, title in STAGES), "rest", "overhead", "step|alone")
HEADER += ("overhead|as baked",)
RARE = ("snapshot", "statistics")
SIDE = 141
NAMED = "armature collider"  # whose overhead is the figure
JUDGED = ("4.3", "5.2")


def overhead_of(frames):
    """ms outside the native step. Medians, since noise only ever adds; what comes once a second, as the
    statistics do, counts with its share of the frames."""
    always = median(row["wall"] - row["step"] - _rare(row) for row in frames)
    return always + sum(stage_of(frames, stage) for stage in RARE)


def _rare(row):
    return sum(row.get(stage, 0.0) for stage in RARE)


def stage_of(frames, stage):
    taken = [row[stage] for row in frames if stage in row]
    return median(taken) * len(taken) / len(frames) if taken else 0.0


def measure(results, sessions, quick):
    heading("Overhead: a frame's time outside the native step, ms")
    note(
        f"A sheet of {whole(SIDE * SIDE)} vertices, baked to PC2 by the operator, without a window. "
        "Colliders: a tube of 20,000 triangles below it, bent by an armature or by a shape key. "
        "Armature pins: all vertices follow two bones, and one edge is pinned. 'again': over an "
        "older bake that is still shown. Here everything is done in turn; a real bake evaluates and "
        "writes while the step runs, and the last column is what is not hidden by it then. 'evaluate' is "
        "Blender's frame_set; 'fetch' copies the positions out of the library; 'snapshot' happens "
        "where steps are so long that ESC must interrupt them."
    )
    rows, worst = [], {}
    for session in sessions:
        found = session.run("overhead", side=SIDE, frames=10 if quick else 34)
        for name, ways in found.items():
            rows += _rows(results, session.version, name, ways)
        worst[session.version] = overhead_of(found[NAMED]["in turn"])
        results.number(f"overhead_ms_{session.version}", worst[session.version])
    table(HEADER, rows, left=2)
    judged = [ms for version, ms in worst.items() if version in JUDGED]
    results.number("overhead_ms", max(judged) if judged else None)


def _rows(results, version, name, ways):
    baked = median(row["wall"] - row["step"] for row in ways["as baked"])
    rows = []
    for way, title in (("in turn", name), ("again", f"{name}, again")):
        frames = ways[way]
        stages = {stage: stage_of(frames, stage) for stage, _ in STAGES}
        overhead = overhead_of(frames)
        rest = overhead - sum(stages.values())
        last = baked if way == "again" else None  # the third bake is also over an older one
        shown = [*stages.values(), rest, overhead, median(row["step"] for row in frames), last]
        rows.append((version, title, *(digits(value, 2) for value in shown)))
        results.row(
            "overhead",
            version=version,
            garment=title,
            overhead=overhead,
            overhead_mean=mean(row["wall"] - row["step"] for row in frames),
            rest=rest,
            step=median(row["step"] for row in frames),
            overhead_as_baked=last,
            **stages,
        )
    return rows

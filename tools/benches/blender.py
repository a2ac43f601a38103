# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on in the real Blenders: overhead, speed against Blender's own cloth, exactness, start."""

import sys
from functools import lru_cache
from statistics import median

from blender_cases import race
from blender_cases.session import open_sessions
from common.bench import Bench, heading, note

QUICK_HELP = "a coarse sheet and fewer frames; the same figures of other sizes"
FIGURES = """
overhead_ms | <= 3 | overhead a frame at 19,881 vertices, worst of 4.3 and 5.2, ms
vs_builtin_free_20k | >= x30 | Blender's own time over ours, free sheet, two rounds, worst
free_response | >= 0.8 | its lowest response, frames 5, 10, 20
free_largest_stretch | <= 1.10 | its largest edge stretch
vs_builtin_free_20k_draft | - | the same ratio at quality draft
free_{response,largest_stretch}_draft | - | its lowest response, its largest stretch
free_reference_response | - | the converged run's own, against Newton
readback_mismatch | 0 | numbers with other bits, PC2 and relative keys
enable_s | <= 0.1 | enabling, s, worst
enable_first_s | - | the same without bytecode
enable_loads | 0 | NumPy or the library loaded by enabling
"""


@lru_cache(maxsize=None)
def sessions():
    return open_sessions() or sys.exit("bench: there is no Blender here; see tools/blenders")


def enabling(results, quick):
    heading("Enabling the add-on in a fresh process, s")
    note("Once without bytecode, as right after the installation, then the median of several.")
    rows = []
    for session in sessions():
        session.forget_bytecode()
        first, *later = (session.run("enabling", factory=True) for _ in range(3 if quick else 6))
        loaded = sum(run["library_loaded"] + run["numpy_loaded"] for run in (first, *later))
        row = {"version": session.version, "first": first["enable"], "loaded": loaded}
        row |= {key: median(run[key] for run in later) for key in ("enable", "first_use")}
        rows.append(row)
    results.table("enabling", rows, enable_s=max(row["enable"] for row in rows))
    results.number("enable_first_s", max(row["first"] for row in rows))
    results.number("enable_loads", sum(row["loaded"] for row in rows))


def readback(results, quick):
    """A finished bake as Blender shows it; what is promised to the bit are PC2 and relative keys."""
    heading("Reading back: evaluated vertices at every frame against the library's float32")
    side, frames = (41, 8) if quick else (141, 24)
    rows = [
        {"version": session.version, "kind": kind, **found}
        for session in sessions()
        for kind, found in session.run("readback", side=side, frames=frames).items()
    ]
    results.table("readback", rows)
    exact = [row["mismatch"] for row in rows if row["kind"] in ("pc2", "relative")]
    results.number("readback_mismatch", sum(exact))


# --- overhead --------------------------------------------------------------------------------------

STAGES = ("evaluate", "colliders", "pins", "forces", "fetch", "local", "write")
RARE = ("snapshot", "statistics")  # what does not come in every frame
SIDE = 141
NAMED = "armature collider"  # whose overhead is the figure
JUDGED = ("4.3", "5.2")


def overhead(results, quick):
    heading("Overhead: a frame's time outside the native step, ms")
    side, frames = (61, 10) if quick else (SIDE, 34)
    note(
        f"A sheet of {side * side:,} vertices, baked to PC2 by the operator, without a window; 'again': over an older bake that "
        "is still shown. Here everything is done in turn; 'as baked' is what is not hidden by the step in a real bake."
    )
    rows, worst = [], {}
    for session in sessions():
        found = session.run("overhead", side=side, frames=frames)
        for name, ways in found.items():
            rows += [_stages(session.version, name, ways, way) for way in ("in turn", "again")]
        worst[session.version] = overhead_of(found[NAMED]["in turn"])
    results.table("overhead", rows)
    judged = [ms for version, ms in worst.items() if version in JUDGED]
    results.number("overhead_ms", max(judged) if judged else None)


def _stages(version, name, ways, way):
    frames = ways[way]
    row = {"version": version, "garment": name, "way": way}
    row |= {stage: stage_of(frames, stage) for stage in (*STAGES, *RARE)}
    row["overhead"] = overhead_of(frames)
    row["step"] = median(frame["step"] for frame in frames)
    # the third bake is also over an older one
    row["as_baked"] = outside_of(ways["as baked"]) if way == "again" else None
    return row


def overhead_of(frames):
    """ms outside the native step. Medians, since noise only ever adds; what comes once a second, as the
    statistics do, counts with its share of the frames."""
    rest = [r["wall"] - r["step"] - sum(r.get(stage, 0.0) for stage in RARE) for r in frames]
    return median(rest) + sum(stage_of(frames, stage) for stage in RARE)


def outside_of(frames):
    """ms outside the native step, the median."""
    return median(row["wall"] - row["step"] for row in frames)


def stage_of(frames, stage):
    taken = [row[stage] for row in frames if stage in row]
    return median(taken) * len(taken) / len(frames) if taken else 0.0


PARTS = {
    "enabling": enabling,
    "readback": readback,
    "overhead": overhead,
    "free": lambda results, quick: race.free(results, sessions(), quick),
}
BENCH = Bench("blender", __doc__, QUICK_HELP, PARTS, FIGURES)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Preview on Play: frames a second of a dressed body whose arms rise, with a budget for each step."""

from statistics import mean, median

from artist_cases.blender import files, session
from common.report import digits, heading, note, table, whole

BUDGET = 41.0  # ms: 24 frames a second
FRAMES, QUICK_FRAMES = 61, 16


def measure(results, quick):
    heading("Preview on Play: frames a second in the add-on")
    note(
        f"The coverall on a body whose arms rise, budget {BUDGET:g} ms, without a window; frames a second are those of "
        "all frames but the first two, with everything that Blender and the add-on do."
    )
    given = files("coverall_8k.obj", "body.obj", "body_arms.pc2")
    if given is None:
        return
    garment, body, motion = given
    answer = session().run(
        "playing",
        garment=garment,
        body=body,
        motion=motion,
        frames=QUICK_FRAMES if quick else FRAMES,
        budget=BUDGET,
    )
    speed = 1e3 / mean(answer["frames"])
    results.row("playing", **answer)
    results.number("live_fps_8k", speed)
    counts = answer["simulated"]
    table(
        ("frames a second", "median ms", "slowest ms", "vertices simulated"),
        [
            (
                digits(speed, 1),
                digits(median(answer["frames"]), 1),
                digits(max(answer["frames"]), 1),
                f"{whole(min(counts))} to {whole(max(counts))}",
            )
        ],
    )

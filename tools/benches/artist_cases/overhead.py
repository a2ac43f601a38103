# SPDX-License-Identifier: GPL-3.0-or-later
"""What the add-on and Blender add to a frame of two garments that are simulated together."""

from statistics import median

from artist_cases.blender import files, session
from blender_cases.overhead import overhead_of
from common.report import digits, heading, note, table

FRAMES, QUICK_FRAMES = 34, 8


def measure(results, quick):
    heading("Overhead: a frame's time outside the native step, two garments together, ms")
    note(
        "T-shirt and open jacket on a body whose arms rise, dressed together and baked to PC2, without a window. In "
        "turn: one thing after the other. As baked: Blender evaluates and writes while the step runs; what is not hidden "
        "by it."
    )
    given = files("tshirt.obj", "jacket_open.obj", "body.obj", "body_arms.pc2")
    if given is None:
        return
    answer = session().run(
        "together",
        garments=given[:2],
        body=given[2],
        motion=given[3],
        frames=QUICK_FRAMES if quick else FRAMES,
    )
    in_turn = overhead_of(answer["in turn"])
    baked = median(row["wall"] - row["step"] for row in answer["as baked"])
    step = median(row["step"] for row in answer["in turn"])
    results.row("overhead", in_turn=in_turn, as_baked=baked, step=step)
    results.number("overhead_ms", in_turn)
    results.number("overhead_as_baked_ms", baked)
    table(
        ("in turn", "as baked", "step alone"),
        [(digits(in_turn, 2), digits(baked, 2), digits(step, 1))],
    )

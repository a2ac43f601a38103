# SPDX-License-Identifier: GPL-3.0-or-later
"""A garment too fine for a live frame: what a frame takes within a budget, and where it ends once it is left alone."""

import time
from statistics import median

from common.report import digits, heading, note, short, table, whole
from muslin import Cloth
from test_scenes.contact.catalogue import make
from test_scenes.contact.play import FRAME_SECONDS, Play, rms, size_of
from worn_cases.garments import standing
from worn_cases.rows import SKIPPED

GARMENT, QUICK_GARMENT = {"spacing": 0.00303}, {"spacing": 0.02, "body_spacing": 0.02}
BUDGET, QUICK_BUDGET = 41.0, 10.0  # ms
MOVING, STILL = 24, 36  # frames: of the motion, and of the fine run until it rests
MOST_SECONDS = 240.0  # for refining; what has not settled by then is compared as it is
THREADS = 2
SETTINGS = {"quality": "draft", "threads": THREADS, "self_contact": False, "kept": False}


def measure(results, quick):
    heading("A t-shirt too fine to be live: within a budget, then left alone")
    if not hasattr(Cloth, "refine"):
        note("Skipped: this library knows no budget.")
        return
    budget = QUICK_BUDGET if quick else BUDGET
    scene = standing(make("tshirt", **(QUICK_GARMENT if quick else GARMENT)), MOVING)
    with Play(scene, budget_ms=budget, **SETTINGS) as live:
        live.run(MOVING)
        simulated = live.cloth.levels().simulated_count
        taken, settled = _refine(live.cloth)
        refined = live.cloth.positions()
    with Play(scene, **SETTINGS) as fine:
        fine.run(MOVING + STILL)
        wanted = fine.positions()
    frame, whole_frame = (1e3 * median(p.frame_seconds[SKIPPED:MOVING]) for p in (live, fine))
    worst = 1e3 * max(live.frame_seconds[SKIPPED:MOVING])
    distance = rms(refined, wanted) / size_of(scene)
    vertices = len(scene.cloth.positions)
    results.number("live_ms_100k", frame)
    results.number("live_distance", distance)
    found = {"simulated": simulated, "ms": frame, "worst_ms": worst, "fine_ms": whole_frame}
    found |= {"refine_seconds": taken, "settled": settled, "distance": distance}
    results.row("live", vertices=vertices, budget=budget, **found)
    note(
        f"{whole(vertices)} vertices, draft, contact with the body, two threads, {budget:g} ms. The fine "
        f"run rests for {STILL} frames; refined: until the library says settled."
    )
    row = (whole(simulated), *(digits(found[k], 1) for k in ("ms", "worst_ms", "fine_ms")))
    row += (digits(taken, 1), "yes" if settled else "no", short(distance))
    header = ("simulated", "ms a|frame", "worst", "fine|run", "refined|s", "settled", "distance")
    table(header, [row], left=0)


def _refine(cloth):
    """(seconds, whether it has settled)"""
    begin = time.monotonic()
    settled = False
    while not settled and time.monotonic() - begin < MOST_SECONDS:
        settled = bool(cloth.refine(FRAME_SECONDS).settled)
    return time.monotonic() - begin, settled

# SPDX-License-Identifier: GPL-3.0-or-later
"""Garments that settle on a body in the pose they were made for: how long it takes, and how far that is from where a
long run comes to rest."""

import time
from dataclasses import dataclass

import numpy as np

from common.report import heading, note
from fitting_cases import worn
from muslin.poses import settle
from test_scenes.contact.play import FRAME_SECONDS, rms

LONG = 96  # frames of a run at rest
AFTER = 8  # frames after it is let go
COLUMNS = "name mirror vertices seconds steps fastest distance let_go"


@dataclass(frozen=True)
class Case:
    name: str
    count: int = None
    mirror: str = "off"
    key: str = None  # what follows settle_ in the figures
    quick: bool = False


CASES = (
    Case("coverall_8k", key="s_8k"),
    Case("bodysuit_sym", 10000, "auto", key="s_mirror"),
    Case("bodysuit_sym", 10000),
    Case("tshirt", quick=True),
    Case("longsleeve"),
    Case("jacket_open"),
    Case("jacket_open", 6500),
    Case("trousers"),
    Case("skirt_sym"),
    Case("overalls"),
    Case("own_tshirt", quick=True),
)


def measure(results, quick):
    heading("Settling")
    note(
        "s: from creating the cloth until it is settled. distance: to where a run of "
        f"{LONG} frames ends, root mean square over the size. let go: how far the cloth moves in the next {AFTER} "
        "frames, root mean square."
    )
    for case in CASES:
        scene = worn.made_for(case.name, case.count) if not quick or case.quick else None
        if scene is None:
            continue
        found = settled(scene, case)
        results.row("settle", name=case.name, mirror=case.mirror, **found)
        if case.key is not None:
            results.number(f"settle_{case.key}", found["seconds"])
        if case.key == "s_8k":
            results.number("settle_distance", found["distance"])
            results.number("settle_speed", 1000 * found["fastest"])
    results.show("settle", COLUMNS)


def settled(scene, case):
    """Numbers of one garment; s, m and m/s."""
    begin = time.perf_counter()
    cloth, _ = worn.cloth_of(scene, mirror=case.mirror)
    with cloth:
        for report in settle(cloth):
            pass
        seconds = time.perf_counter() - begin
        rest = cloth.positions()
        for _ in range(AFTER):
            cloth.step(FRAME_SECONDS)
        let_go = rms(cloth.positions(), rest)
    cloth, _ = worn.cloth_of(scene, mirror=case.mirror)
    with cloth:
        for _ in range(LONG):
            cloth.step(FRAME_SECONDS)
        size = np.ptp(scene.mesh.positions, axis=0).max()
        distance = rms(cloth.positions(), rest) / size
    return {
        "vertices": scene.mesh.vertex_count,
        "seconds": seconds,
        "steps": report.steps,
        "came_to_rest": bool(report.came_to_rest),
        "fastest": report.fastest,
        "distance": distance,
        "let_go": let_go,
    }

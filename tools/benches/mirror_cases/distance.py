# SPDX-License-Identifier: GPL-3.0-or-later
"""How far the garment solved by half is from the one solved whole."""

from common.report import heading, note, short, table, whole
from mirror_cases.pairs import FIT, PLAIN, Pair
from mirror_cases.speed import COARSE, fine
from test_scenes.contact import mirrored

HANGING_FRAMES, QUICK_HANGING_FRAMES = 100, 20
EARLY = 10  # frames on the moving body, before folds decide for themselves
WORN_FRAMES, QUICK_WORN_FRAMES = 100, 16
IMPLICIT = ("implicit", {"solver": "implicit"}, "_implicit")
HEADER = (
    "scene",
    "method",
    "vertices",
    "distance|frame 10",
    "|last",
    "whole's own|frame 10",
    "asymmetry|last",
    "frames",
)


def measure(results, quick):
    heading("Distance to the whole run")
    note(
        "The largest distance of a vertex between the run by half, exact, and the whole run, over the size "
        "of the garment; beside it how far the whole run is from its own mirror image."
    )
    frames = QUICK_HANGING_FRAMES if quick else HANGING_FRAMES
    hanging = mirrored.hanging(25 if quick else 51)
    rows = []
    for method in (PLAIN, IMPLICIT, FIT):
        with Pair(hanging, method[1]).run(frames) as pair:
            rows.append(_row(results, method, pair))
            results.number(f"hanging_distance{method[2]}", pair.distances[-1])
    frames = QUICK_WORN_FRAMES if quick else WORN_FRAMES
    scenes = (fine(quick), ""), (mirrored.jacket(**(COARSE if quick else {})), "_jacket")
    for scene, suffix in scenes:
        with Pair(scene, PLAIN[1]).run(frames) as pair:
            rows.append(_row(results, PLAIN, pair))
            for key, values in (("distance", pair.distances), ("uneven", pair.uneven)):
                results.number(f"worn_{key}{suffix}", values[EARLY - 1])
                results.number(f"worn_{key}_100{suffix}", values[-1])
    table(HEADER, rows, left=2)


def _row(results, method, pair):
    early, last = ([values[k] for values in (pair.distances, pair.uneven)] for k in (EARLY - 1, -1))
    results.row(
        "distance",
        scene=pair.scene.name,
        method=method[0],
        vertices=len(pair.partner),
        frames=pair.half.frame,
        early_distance=early[0],
        last_distance=last[0],
        early_uneven=early[1],
        last_uneven=last[1],
        asymmetry=pair.asymmetry,
    )
    return (
        pair.scene.name,
        method[0],
        whole(len(pair.partner)),
        short(early[0]),
        short(last[0]),
        short(early[1]),
        short(last[1]),
        pair.half.frame,
    )

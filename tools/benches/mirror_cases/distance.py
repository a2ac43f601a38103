# SPDX-License-Identifier: GPL-3.0-or-later
"""How far the garment solved by half is from the one solved whole, and what else moves it as far."""

import numpy as np
from common.report import Rows, heading, note, percent
from mirror_cases.pairs import FIT, PLAIN, Pair, largest
from mirror_cases.speed import COARSE, fine
from test_scenes.contact import mirrored
from test_scenes.contact.play import Play

HANGING_FRAMES, QUICK_HANGING_FRAMES = 100, 20
EARLY = 10  # frames on the moving body, before folds decide for themselves
WORN_FRAMES, QUICK_WORN_FRAMES = 100, 12
IMPLICIT = ("implicit", {"solver": "implicit", "iterations": 1}, "_implicit")
APART = 1e-6  # m: how far the other whole run starts from the first
COLUMNS = (
    "scene method vertices moved early_distance last_distance early_uneven last_uneven "
    "early_uncertainty last_uncertainty frames"
)


def measure(results, quick):
    heading("Distance to the whole run")
    note(
        "The largest distance of a vertex between the run by half, exact, and the whole run, over the size "
        "of the garment; beside it how far the whole run is from its own mirror image, and how far two whole "
        "runs are from each other that start a micrometre apart. Moved: the largest way from the start."
    )
    rows = Rows(results, "distance", COLUMNS)
    _hanging(rows, quick)
    _worn(rows, quick)
    rows.show()
    to_implicit = [
        results.numbers[f"hanging_fit_{which}_to_implicit"] for which in ("whole", "half")
    ]
    note(
        "The hanging sheet at fit ends {} of its size from the conventional run when solved whole, {} by half.".format(
            *(percent(value, 2) for value in to_implicit)
        )
    )


def _hanging(rows, quick):
    frames = QUICK_HANGING_FRAMES if quick else HANGING_FRAMES
    scene = mirrored.hanging(25 if quick else 51)
    ends, results = {}, rows.results
    for method in (PLAIN, IMPLICIT, FIT):
        with Pair(scene, method[1]).run(frames) as pair:
            _add(rows, method, pair)
            results.number(f"hanging_distance{method[2]}", pair.distances[-1])
            ends[method[0]] = pair.whole.positions(), pair.half.positions()
    for which, end in zip(("whole", "half"), ends["fit"]):
        apart = largest(end, ends["implicit"][0]) / pair.size
        results.number(f"hanging_fit_{which}_to_implicit", apart)


def _worn(rows, quick):
    frames = QUICK_WORN_FRAMES if quick else WORN_FRAMES
    jacket = mirrored.jacket(**(COARSE if quick else {}))
    results = rows.results
    for scene, suffix in ((fine(quick), ""), (jacket, "_jacket")):
        with Pair(scene, PLAIN[1]) as pair, _started_apart(scene) as other:
            apart = []
            for _ in range(frames):
                pair.run(1)
                apart.append(largest(other.step(), pair.whole.positions()) / pair.size)
        _add(rows, PLAIN, pair, apart)
        for key, values in (
            ("distance", pair.distances),
            ("uneven", pair.uneven),
            ("uncertainty", apart),
        ):
            results.number(f"worn_{key}{suffix}", values[EARLY - 1])
            results.number(f"worn_{key}_100{suffix}", values[-1])
    with Pair(jacket, IMPLICIT[1]).run(EARLY) as pair:
        _add(rows, IMPLICIT, pair)
        results.number("worn_distance_jacket_implicit", pair.distances[-1])


def _started_apart(scene):
    """A whole run whose vertices start a micrometre from where they are."""
    play = Play(scene, "apart", quads=True, kept=False, **PLAIN[1])
    away = np.random.default_rng(1).normal(size=scene.cloth.positions.shape)
    away *= APART / np.linalg.norm(away, axis=1)[:, None]
    play.cloth.set_state(scene.cloth.positions + away.astype(np.float32))
    return play


def _add(rows, method, pair, apart=None):
    series = (pair.distances, pair.uneven, apart)
    early, last = ([None if v is None else v[k] for v in series] for k in (EARLY - 1, -1))
    rows.add(
        scene=pair.scene.name,
        method=method[0],
        vertices=len(pair.partner),
        frames=pair.half.frame,
        moved=pair.moved,
        early_distance=early[0],
        last_distance=last[0],
        early_uneven=early[1],
        last_uneven=last[1],
        early_uncertainty=early[2],
        last_uncertainty=last[2],
        asymmetry=pair.asymmetry,
    )

# SPDX-License-Identifier: GPL-3.0-or-later
"""The first frame after an edit: from a new mesh to its first positions, by sweeps and with the constant matrix.

Sweeps need no ordering, no factor and no coarse level, so they should be there first. What both have reached by then
stands in the same row.
"""

import os
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from common.report import Rows, heading, note, whole
from common.charts import write_bars
from test_scenes.contact.play import FRAME_SECONDS, Play, rms
from test_scenes.mesh import boundary_loops, evened
from worn_cases import garments
from worn_cases.distance import QUICK_CONVERGED
from test_scenes.contact.quality import stretches

GARMENT, OWN = "longsleeve", "own_tshirt"  # the second where the first is absent
SIZES, QUICK_SIZES = (("2k", 2000), ("20k", 20_000), ("80k", 80_000)), (("2k", 2000),)
KEY_SITUATION = "body"
THREADS = 2
TURNS = 3
# Name, key, settings: sweeps as the library has them by itself; of the others, fit is its default.
METHODS = (
    ("32 sweeps", "sweep", {"solver": "sweep"}),
    ("matrix, draft", "draft", {"quality": "draft"}),
    ("matrix, fit", "fit", {"quality": "fit"}),
)
# What the smallest size is compared with; Newton steps take minutes for the others.
CONVERGED = {**QUICK_CONVERGED, "iterations": 40}
CONVERGED_SIZE = "2k"
# Key, what it is, arguments of a Play.
SITUATIONS = (
    ("hung", "hung", {"meets": False, "self_contact": False}),
    ("body", "worn", {"self_contact": False}),
    ("self", "worn, self-contact", {"self_contact": True}),
)
COLUMNS = (
    "vertices situation method seconds create_seconds prepare_seconds step_seconds "
    "sweeps_over_it way distance stretch_p99 stretch_max"
)
PHASES = ("create", "prepare", "step")
UNKNOWN = (*(f"{phase}_seconds" for phase in PHASES), "sweeps_over_it", "distance")


@dataclass
class First:
    """Seconds of each phase, the least of all turns, and the positions at the end."""

    seconds: np.ndarray
    positions: np.ndarray

    @property
    def total(self):
        return float(self.seconds.sum())


def measure(results, quick):
    heading("The first frame after an edit")
    note(
        "A garment of which one face was deleted: from its arrays to the positions of the first frame, cloth, body and "
        f"contacts created anew. Hung by its upper border, or worn by a body that moves; {THREADS} threads, library defaults, each phase the least of {TURNS} turns. Prepare: "
        "ordering, factor, coarse level. Way, and distance to the converged first frame: root mean squares."
    )
    rows = Rows(results, "first_frame", COLUMNS)
    for size, count in QUICK_SIZES if quick else SIZES:
        scene = edited(_scene(count))
        for situation in SITUATIONS:
            _add(rows, size, dressed(scene, situation[0]), situation, quick)
    rows.show()


def key_size(quick):
    return "2k" if quick else "20k"


def draw(results, folder):
    """The phases of each method at the key size."""
    size = key_size(results.numbers.get("quick"))
    rows = [row for row in results.rows if row["table"] == "first_frame" and row["size"] == size]
    rows = [row for row in rows if row["seconds"] is not None]
    bars = [
        (
            f"{row['situation']}: {row['method']}",
            [1e3 * row[f"{phase}_seconds"] for phase in PHASES],
        )
        for row in rows
    ]
    path = os.path.join(folder, "first_frame.svg")
    title = f"The first frame after an edit, {whole(rows[0]['vertices'])} vertices"
    write_bars(path, title, "ms", PHASES, bars)


def _scene(count):
    found = garments.scene(GARMENT, "arms", count)
    if found is None:
        note(f"Skipped, since shared/data beside the checkout does not have it: {GARMENT}.obj.")
        found = garments.scene(OWN, garments.OWN_MOTION, count)
    return found


def edited(scene):
    """The same without one face; it tells warp and weft by its mesh."""
    faces = list(scene.cloth.faces)
    del faces[len(faces) // 2]
    cloth = replace(scene.cloth, faces=evened(faces), uvs=None, face_uvs=None)
    return replace(scene, cloth=cloth)


def dressed(scene, situation):
    """Held by its highest border where there is no body that carries it."""
    if situation != "hung":
        return scene
    loops, points = boundary_loops(scene.cloth.faces), scene.cloth.positions
    upper = max(loops, key=lambda loop: points[loop, 2].mean())
    return replace(scene, pins=np.array(upper, np.int32), place_pins=None)


def first_frame(scene, settings):
    """The seconds of each phase, and where the cloth is."""
    clock = [perf_counter()]
    with Play(scene, quads=True, fabric={}, **{"threads": THREADS, **settings}) as play:
        clock.append(perf_counter())
        play.cloth.prepare(FRAME_SECONDS)
        clock.append(perf_counter())
        positions = play.step()
        clock.append(perf_counter())
    return First(np.diff(clock), positions)


def _add(rows, size, scene, situation, quick):
    key, text, plays = situation
    turns = [
        [first_frame(scene, {**plays, **settings}) for _, _, settings in METHODS]
        for _ in range(1 if quick else TURNS)
    ]
    best = [
        First(np.min([run.seconds for run in runs], axis=0), runs[0].positions)
        for runs in zip(*turns)
    ]
    converged = None
    if size == CONVERGED_SIZE:
        converged = first_frame(scene, {**plays, **CONVERGED}).positions
        _add_run(rows, scene, size, text, "converged", converged)
    for (name, method, _), run in zip(METHODS, best):
        ratio = best[0].total / run.total
        if method != "sweep":
            rows.results.number(_key(size, key, method, quick), ratio)
        taken = {f"{phase}_seconds": float(s) for phase, s in zip(PHASES, run.seconds)}
        distance = None if converged is None else rms(run.positions, converged)
        more = {"seconds": run.total, "sweeps_over_it": ratio, "distance": distance}
        _add_run(rows, scene, size, text, name, run.positions, **taken, **more)


def _add_run(rows, scene, size, situation, method, positions, **more):
    p99, largest = stretches(scene, [positions])
    start = scene.cloth.positions
    rows.add(
        size=size,
        vertices=len(start),
        situation=situation,
        method=method,
        way=rms(positions, start),
        stretch_p99=p99,
        stretch_max=largest,
        **{**dict.fromkeys(("seconds", *UNKNOWN)), **more},
    )


def _key(size, situation, method, quick):
    """`first_frame_ratio` is that of the key size on the body against draft; others say where they differ."""
    parts = ["first_frame_ratio"]
    parts += [] if size == key_size(quick) else [size]
    parts += [] if situation == KEY_SITUATION else [situation]
    parts += [] if method == "draft" else [method]
    return "_".join(parts)

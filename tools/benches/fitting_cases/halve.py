# SPDX-License-Identifier: GPL-3.0-or-later
"""Suits that are symmetric to the eye but not to the mesh, by half: what the other side pierces, how far edges are
stretched, and what is gained over simulating all of the garment."""

import os
import time
from statistics import median

from common.report import heading, note
from fitting_cases import worn
from muslin import Cloth, MuslinError
from test_scenes.contact.play import FRAME_SECONDS
from worn_cases import garments
from test_scenes.contact.quality import quality_of

FRAMES = 20
WARM_UP = 2  # frames before any that is timed
GARMENTS = ("coverall_8k", "jacket_open")
CLOSURES = ("free", "button")
COLUMNS = (
    "name closure vertices half_vertices whole_ms half_ms speedup body_piercings self_piercings "
    "stretch_p99 stretch_max"
)


def measure(results, quick):
    heading("Uneven suits by half")
    note(
        f"{FRAMES} frames of the motion `arms`, quality draft, with self-contact, on all threads; medians of frames in "
        "turn, whole and by half. Fronts that are too thick for a button are refused before anything is simulated."
    )
    garments.report_skipped()
    found = []
    for name in GARMENTS[1:] if quick else GARMENTS:
        scene = worn.made_for(name)
        for closure in CLOSURES if scene is not None else ():
            numbers = _case(scene, closure)
            results.row("halve", name=name, closure=closure, **numbers)
            if "refused" in numbers:
                note(f"{name}, {closure}: refused, since {numbers['refused']}.")
                continue
            found.append(numbers)
    if found:
        results.show("halve", COLUMNS)
        results.number(
            "halve_piercings", max(n["body_piercings"] + n["self_piercings"] for n in found)
        )
        results.number("halve_stretch_p99", max(n["stretch_p99"] for n in found))
        results.number("halve_speedup", min(n["speedup"] for n in found))


def _case(scene, closure):
    settings = {"mirror": "halve", "closure": closure}
    try:
        cloths = [_dressed(scene), _dressed(scene, **settings)]
    except MuslinError as error:
        return {"refused": str(error)}
    tracks, seconds = _run(scene, cloths)
    report = cloths[1][0].mirror()
    for cloth, _ in cloths:
        cloth.close()
    whole, half = (1e3 * median(times[WARM_UP:]) for times in seconds)
    numbers = {"whole_ms": whole, "half_ms": half, "speedup": whole / half}
    numbers |= {"vertices": len(scene.mesh.positions), "half_vertices": report.half_vertex_count}
    return numbers | quality_of(scene.scene, tracks[1], self_contact=True)


def _dressed(scene, **settings):
    cloth = Cloth(scene.mesh, quality="draft", threads=os.cpu_count(), **settings)
    moving = scene.scene.bodies[0]
    body = cloth.add_body(scene.body, friction=scene.scene.settings.get("friction"))
    body.place(moving.positions(0))
    cloth.set_self_contact(True)
    cloth.prepare(FRAME_SECONDS)
    return cloth, body


def _run(scene, cloths):
    """Positions in all frames, and seconds of each; a frame of one, then of the other. What the garment looks like is a part
    of the frame: it is where a half becomes a whole."""
    moving = scene.scene.bodies[0]
    tracks, seconds = [[cloth.positions()] for cloth, _ in cloths], [[] for _ in cloths]
    for frame in range(1, FRAMES + 1):
        for (cloth, body), track, times in zip(cloths, tracks, seconds):
            body.move(moving.positions(frame))
            begin = time.perf_counter()
            cloth.step(FRAME_SECONDS)
            track.append(cloth.positions())
            times.append(time.perf_counter() - begin)
    return tracks, seconds

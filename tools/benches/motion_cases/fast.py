# SPDX-License-Identifier: GPL-3.0-or-later
"""Garments on a body that walks at double speed, raises its arms at triple speed and spins; and what slow motions cost."""

import os
from dataclasses import replace
from statistics import median

import numpy as np
from common import garments
from common.bench import heading, note
from muslin.inspection.surface import surface_of_faces
from test_scenes.contact.cache_judge import CacheJudge, judged, lengths_of, worst_of
from test_scenes.contact.play import Play
from test_scenes.contact.rig import turning
from test_scenes.contact.scene import FRAMES_PER_SECOND
from test_scenes.mesh import unique_edges

QUALITIES = ("draft", "fit")
WORN = ("tshirt_sym", "longsleeve", "jacket_open", "trousers", "skirt_sym", "coverall_8k")
QUICK_WORN = ("tshirt_sym", "trousers")
STILL = 8  # frames before the motion, not judged: garments start a little inside the body
FRAMES, QUICK_FRAMES = 30, 10  # of the motion
TURNS, RAMP = 2.0, 12  # turns a second, reached after so many frames
THREADS = os.cpu_count()
# With the library's default fabric, the UV map and the body's own quads, as an artist has them.
AS_WORN = {"quads": True, "uvs": True, "fabric": {}, "threads": THREADS}
COLUMNS = "garment motion quality body_edges body_frames inside self_edges stretch_p99 stretch_max"
FIGURES = """
fast_body_edges_draft | <= 2 | edges through the body, both ways, worst frame of six garments in three fast motions
fast_body_edges_fit | 0 | edges through the body, both ways, worst frame of six garments in three fast motions
fast_inside_{draft,fit} | 0 | vertices inside the body in these runs
fast_self_edges_{draft,fit} | - | edges through the garment itself beyond those before the motion
fast_stretch_p99_{draft,fit} | - | length of edges over that as modelled, 99th percentile
fast_stretch_max_{draft,fit} | - | the longest of these runs
slow_cost_{draft,fit} | <= 1.05 | frame of the coverall on slow arms, default substeps over two
"""


# --- three fast motions ----------------------------------------------------------------------------


def sped_up(scene, speed):
    """The scene whose body waits, then moves so many times as fast."""
    return timed(scene, lambda frame: speed * max(0.0, frame - STILL))


def timed(scene, when):
    """The same scene with bodies and pins where they are at the frame when(frame)."""

    def moved(place):
        return lambda frame: place(when(frame))

    bodies = [replace(body, place=moved(body.place)) for body in scene.bodies]
    pins = None if scene.place_pins is None else moved(scene.place_pins)
    return replace(scene, bodies=bodies, place_pins=pins)


def spinning(scene):
    """The same scene whose body keeps its first pose and turns about the vertical, faster and faster until RAMP."""

    def turned(place):
        start = np.array(place(0.0), float)
        return lambda frame: start @ turning("z", degrees(frame)).T

    bodies = [replace(body, place=turned(body.place)) for body in scene.bodies]
    pins = None if scene.place_pins is None else turned(scene.place_pins)
    return replace(scene, bodies=bodies, place_pins=pins)


def degrees(frame):
    """Turned until a frame."""
    since = max(0.0, frame - STILL)
    ramped = min(since, RAMP)
    return 360 * TURNS / FRAMES_PER_SECOND * (ramped * ramped / (2 * RAMP) + since - ramped)


# By name: the stored motion, and what is made of it.
MOTIONS = {
    "walk x2": ("walk", lambda scene: sped_up(scene, 2)),
    "arms x3": ("arms", lambda scene: sped_up(scene, 3)),
    "spin": ("arms", spinning),
}


def fast(results, quick):
    heading("Six garments in three fast motions, 24 frames a second, self-contact")
    note(
        "Every frame of the motion is judged. The spin: two turns a second, reached after 12 frames."
    )
    garments.data_files(*(f"{name}.obj" for name in (*WORN, garments.BODY)))
    qualities = QUALITIES[:1] if quick else QUALITIES
    rows = [
        {"garment": name, "motion": motion, "quality": quality, **found}
        for name in (QUICK_WORN if quick else WORN)
        for motion in MOTIONS
        for quality in qualities
        for found in worn_fast(name, motion, quality, QUICK_FRAMES if quick else FRAMES)
    ]
    results.table("fast", rows, COLUMNS)
    for quality in qualities if rows else ():
        mine = results.of("fast", quality=quality)
        for key in ("body_edges", "inside", "self_edges", "stretch_p99", "stretch_max"):
            results.number(f"fast_{key}_{quality}", max(row[key] for row in mine))


def worn_fast(name, motion, quality, frames):
    """The worst of all frames of a run, in a list; an empty one where a file is absent."""
    stored, made = MOTIONS[motion]
    scene = garments.scene(name, stored)
    if scene is None:
        return []
    scene = made(scene)
    with Play(scene, self_contact=True, quality=quality, **AS_WORN) as play:
        track = np.array(play.run(STILL + frames).track)
    body = scene.bodies[0]
    poses = np.array([body.positions(frame) for frame in range(len(track))])
    return [worst_of(judged(judge_of(scene), track, poses, range(STILL, len(track))))]


def judge_of(scene):
    """Cloth and body are cut into triangles as they are when the garment starts."""
    cloth, body = scene.cloth, scene.bodies[0]
    cuts = [
        surface_of_faces(start, faces).triangles
        for start, faces in ((cloth.positions, cloth.faces), (body.positions(0), body.faces))
    ]
    sides = unique_edges(cloth.faces)[0]
    stitches = np.zeros((0, 2), int)
    return CacheJudge(*cuts, sides, lengths_of(cloth.positions, sides), stitches)


# --- what slow motions cost ------------------------------------------------------------------------

SLOW, QUICK_SLOW = "coverall_8k", "jacket_open"
SLOW_FRAMES, SKIPPED = 24, 2  # the first are not timed: they factor and warm up


def slow(results, quick):
    """The default number of substeps and two, frame by frame in turn."""
    heading("A slow motion: the default number of substeps beside two")
    name, rows = QUICK_SLOW if quick else SLOW, []
    scene = garments.scene(name, "arms")
    if scene is None:
        garments.data_files(f"{name}.obj", "body.obj", "body_arms.pc2")
        return
    for quality in QUALITIES[:1] if quick else QUALITIES:
        ways = ({}, {"substeps": 2})
        plays = [
            Play(scene, self_contact=True, kept=False, quality=quality, **AS_WORN, **way)
            for way in ways
        ]
        for _ in range(SLOW_FRAMES):
            for play in plays:
                play.step()
        default, two = (1e3 * median(play.frame_seconds[SKIPPED:]) for play in plays)
        taken = max(stats.substeps for stats in plays[0].history)
        for play in plays:
            play.cloth.close()
        row = {"garment": name, "quality": quality, "default_ms": default, "two_ms": two}
        rows.append({**row, "most_substeps": taken, "cost": default / two})
        results.number(f"slow_cost_{quality}", default / two)
    results.table("slow", rows)


PARTS = {"fast": fast, "slow": slow}

# SPDX-License-Identifier: GPL-3.0-or-later
"""Garments on a body that walks at double speed, raises its arms at triple speed and spins; and what slow motions cost."""

import os
from dataclasses import replace
from statistics import median

import muslin
import numpy as np
from common import garments
from common.bench import heading, note
from muslin.inspection.surface import surface_of_faces
from test_scenes.contact import real
from test_scenes.contact.cache_judge import CacheJudge, judged, lengths_of, worst_of
from test_scenes.contact.play import Play
from test_scenes.contact.rig import turning
from test_scenes.contact.scene import FRAMES_PER_SECOND
from test_scenes.mesh import unique_edges

QUALITIES = ("draft", "fit")
WORN = ("tshirt_sym", "longsleeve", "jacket_open", "trousers", "skirt_sym", "coverall_8k")
QUICK_WORN = ("tshirt_sym", "trousers")
# Frames until the body is in its first pose, and until it moves, which are not judged: garments start inside it in places.
RUN_UP, READY = 16, 20
FRAMES, QUICK_FRAMES = 30, 10  # of the motion
RAMP = 12  # frames until a spin has its speed
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

# By name: the stored motion, how many times as fast it is played, and turns a second about the vertical.
MOTIONS = {"walk x2": ("walk", 2, 0), "arms x3": ("arms", 3, 0), "spin": ("arms", 0, 2)}


def moved_fast(name, motion):
    """The garment on a body that goes from its modelled pose to the first of the motion, waits, and then moves; None where
    a file is absent."""
    stored, speed, turns = MOTIONS[motion]
    scene = garments.scene(name, stored)
    if scene is None:
        return None
    (body,), skin = scene.bodies, muslin.read_obj(real.FOLDER / "body.obj").positions.astype(float)
    held = scene.cloth.positions[scene.pins].astype(float)
    near = [np.linalg.norm(skin - place, axis=1).argsort()[: real.CARRIERS] for place in held]

    def pose(frame):
        share = min(1.0, frame / RUN_UP)
        return skin + share * (body.place(speed * max(0.0, frame - READY)) - skin)

    def turned(points, frame):
        return points @ turning("z", degrees(turns, frame)).T

    def pins(frame):
        ways = pose(frame) - skin
        return turned(held + np.reshape([ways[k].mean(0) for k in near], held.shape), frame)

    fast = replace(body, place=lambda frame: turned(pose(frame), frame))
    return replace(scene, bodies=[fast], place_pins=pins)


def degrees(turns, frame):
    """Turned until a frame; the speed grows over RAMP frames."""
    since = max(0.0, frame - READY)
    ramped = min(since, RAMP)
    return 360 * turns / FRAMES_PER_SECOND * (ramped * ramped / (2 * RAMP) + since - ramped)


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
    scene = moved_fast(name, motion)
    if scene is None:
        return []
    with Play(scene, self_contact=True, quality=quality, **AS_WORN) as play:
        track = np.array(play.run(READY + frames).track)
    body = scene.bodies[0]
    poses = np.array([body.positions(frame) for frame in range(len(track))])
    return [worst_of(judged(judge_of(scene), track, poses, range(READY, len(track))))]


def judge_of(scene):
    """Cloth and body are cut into triangles as they are when the garment starts."""
    cloth, body = scene.cloth, scene.bodies[0]
    cuts = [
        surface_of_faces(start, faces).triangles
        for start, faces in ((cloth.positions, cloth.faces), (body.positions(0), body.faces))
    ]
    sides = unique_edges(cloth.faces)[0]
    lengths = lengths_of(cloth.positions, sides)
    return CacheJudge(*cuts, sides, lengths, np.zeros((0, 2), int), scene.pins)


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

# SPDX-License-Identifier: GPL-3.0-or-later
"""A pleated dress on a dancer: a published garment and its motion, where they lie beside the checkout."""

import time
from statistics import median

import muslin
import numpy as np
from common import garments
from common.bench import heading, note
from muslin.sewing.seams import split_loose_edges
from test_scenes.contact.cache_judge import judge_of, judged, worst_of

FRAMES_PER_SECOND = 25
FRAMES, QUICK_FRAMES = 121, 24  # the first is the start
SKIPPED = 2  # frames that are not timed: the first factors, and the caches are cold
THICKNESS = 0.002  # m
QUALITIES = ("draft", "fit")
FILES = ("cipc/dress_16k.obj", "cipc/body.obj", "cipc/body_rumba.pc2")
# What to reach at draft and at fit.
REACH = {
    "body_edges": ("<= 10", "0", "edges through the body, both ways, worst frame"),
    "body_frames": ("-", "-", "frames with edges through the body"),
    "inside": ("0", "0", "vertices inside the body, worst frame"),
    "self_edges": (
        "<= 40",
        "<= 5",
        "edges through the dress itself beyond the start's, worst frame",
    ),
    "stretch_p99": ("<= 1.10", "<= 1.06", "length of edges over the pattern's, 99th percentile"),
    "stretch_max": ("<= 1.6", "<= 1.4", "the longest, worst frame"),
    "ms": ("<= 450", "<= 900", "frame, median"),
}
FIGURES = "".join(
    f"dance_{key}_{quality} | {reach} | dress of 15,656 vertices, {what}\n"
    for key, (*reaches, what) in REACH.items()
    for quality, reach in zip(QUALITIES, reaches)
)


def dance(results, quick):
    """Every frame is judged, by judges that share nothing with the solver but the meshes; the clock stands meanwhile."""
    heading("A pleated, sewn dress on a dancer, 25 frames a second, 2 mm, self-contact")
    paths = garments.data_files(*FILES)
    if paths is None:
        return
    dress, body = map(muslin.read_obj, paths[:2])
    poses = np.array(muslin.read_pc2(paths[2]).positions)
    poses = poses[: QUICK_FRAMES if quick else FRAMES]
    judge, rows = judge_of(dress, body, "uv"), []
    for quality in QUALITIES[:1] if quick else QUALITIES:
        track, seconds, history = simulated(dress, body, poses, quality=quality)
        frames = judged(judge, track, poses, range(len(track)))
        for counts in frames:
            results.row("dance", quality=quality, **vars(counts))
        found = {**worst_of(frames), "ms": 1e3 * median(seconds[SKIPPED:])}
        substeps = sorted({stats.substeps for stats in history})
        rows.append({"quality": quality, **found, "fewest": substeps[0], "most": substeps[-1]})
        worst = max(frames, key=lambda counts: counts.through_body)
        note(f"{quality}: most edges pass through the body in frame {worst.frame}.")
        results.figures(**{f"dance_{key}_{quality}": value for key, value in found.items()})
    results.table("dances", rows)


def simulated(dress, body, poses, **settings):
    """(positions of all frames, seconds of each with handing body and positions over, its Stats)"""
    mesh, stitches = split_loose_edges(dress)
    track, seconds, history = [mesh.positions.copy()], [], []
    with muslin.Cloth(mesh, pattern="uv", **settings) as cloth:
        moved = cloth.add_body(body.replaced(positions=poses[0]), thickness=THICKNESS)
        cloth.set_self_contact(True, thickness=THICKNESS)
        cloth.sew(stitches)
        cloth.prepare(1 / FRAMES_PER_SECOND)
        for pose in poses[1:]:
            before = time.perf_counter()
            moved.move(pose)
            cloth.step(1 / FRAMES_PER_SECOND)
            track.append(cloth.positions())
            seconds.append(time.perf_counter() - before)
            history.append(cloth.stats())
    return np.array(track), seconds, history


PARTS = {"dance": dance}

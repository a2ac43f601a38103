# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables 5.1 to 5.3 of the thesis on mirroring [Jang 2019], and its graphs of every frame, ours beside its own.

It solves by conjugate gradients, so the conventional solver stands beside the constant matrix. Its meshes are not
public: ours have about as many vertices.
"""

import os
from statistics import median

from common.report import heading, note
from common.charts import Line, write
from mirror_cases.pairs import IMPLICIT, PLAIN, SKIPPED, Pair
from test_scenes.contact import mirrored

STAGES = ("solver", "detection", "response", "total")
# Seconds of a frame, whole and by half, by stage. Tables 5.1 and 5.2 are printed with the same numbers; the text beside
# 5.1 says x2.42 (solver), x1.16 (collision) and x1.49 (total). Table 5.3 has detection and response in one.
PUBLISHED = {
    "5.1": ((0.055149, 0.750213, 0.309153, 1.674535), (0.01452, 0.710525, 0.14459, 1.1455)),
    "5.2": ((0.055149, 0.750213, 0.309153, 1.674535), (0.01452, 0.710525, 0.14459, 1.1455)),
    "5.3 coarse": ((0.0008, 0.0498, None, 0.2575), (0.0004, 0.0586, None, 0.2133)),
    "5.3 dense": ((0.0625, 0.3880, None, 2.8104), (0.0282, 0.2250, None, 1.9570)),
}
# Table, vertices of its mesh, scene of ours, frames.
EXPERIMENTS = (
    ("5.1", 329, lambda: mirrored.tshirt(0.065), 24),
    ("5.2", 1934, mirrored.jacket, 24),
    ("5.3 coarse", 69, mirrored.coarse_jacket, 24),
    ("5.3 dense", 1934, mirrored.jacket, 24),
)
QUICK_FRAMES = 6
COLUMNS = "thesis_table vertices method stage whole_seconds half_seconds speedup thesis_speedup"


def seconds_of(stats):
    """A frame's seconds by stage; the solver's are what contacts do not take."""
    contact = stats.detection_seconds + stats.response_seconds
    return dict(
        solver=stats.total_seconds - contact,
        detection=stats.detection_seconds,
        response=stats.response_seconds,
        total=stats.total_seconds,
    )


def measure(results, quick):
    heading("Tables 5.1 to 5.3 of the thesis on mirroring: a garment by half")
    note(
        "Medians of frames taken in turn, whole and half, one thread, a mannequin that raises both arms. Faster: whole "
        "over half. The thesis measured a frame of 0.26 to 2.8 s; its tables 5.1 and 5.2 are printed with the same numbers."
    )
    for name, _, make, frames in EXPERIMENTS:
        for method in (IMPLICIT, PLAIN):
            scene, count = make(), QUICK_FRAMES if quick else frames
            with Pair(scene, method[1]).run(count) as pair:
                _record(results, name, method, pair)
    results.show("mirroring", COLUMNS)


def _record(results, name, method, pair):
    for k, stage in enumerate(STAGES):
        both = [_middle(play, stage) for play in (pair.whole, pair.half)]
        said = [published[k] for published in PUBLISHED[name]]
        ratio = said[0] / said[1] if said[0] else None
        results.row(
            "mirroring",
            thesis_table=name,
            method=method[0],
            stage=stage,
            vertices=len(pair.partner),
            whole_seconds=both[0],
            half_seconds=both[1],
            speedup=both[0] / both[1],
            thesis_speedup=ratio,
            whole_frames=[seconds_of(s)[stage] for s in pair.whole.history],
            half_frames=[seconds_of(s)[stage] for s in pair.half.history],
        )


def _middle(play, stage):
    return median(seconds_of(stats)[stage] for stats in play.history[SKIPPED:])


def draw(results, folder):
    """Figures 5.2 and 5.4: solver, response and total of every frame, whole and by half."""
    for row in results.rows:
        if row.get("thesis_table") not in ("5.1", "5.2") or row["stage"] == "detection":
            continue
        lines = [
            Line(side, tuple((k + 1, 1000 * s) for k, s in enumerate(row[f"{side}_frames"])))
            for side in ("whole", "half")
        ]
        name = f"mirroring_{row['thesis_table']}_{row['method']}_{row['stage']}.svg"
        title = f"Table {row['thesis_table']}, {row['method']}: {row['stage']}"
        write(os.path.join(folder, name), title, "frame", "ms", lines, ("linear", "linear"))

# SPDX-License-Identifier: GPL-3.0-or-later
"""Sheets that Muslin bakes and Blender's own cloth simulates: how long each takes, and how well each falls."""

import os
from statistics import mean

import numpy as np
from common.bench import heading, note
from common.measure import MANY_ROUNDS, NEWTON, closeness, cloth_of
from test_scenes.sheets import grid

LOOKED_AT = (5, 10, 20)
METHODS = {"draft": "Muslin, draft", "fixed": "Muslin, fixed rounds", "builtin": "Blender's own"}
FRAME_SECONDS = 1 / 24
SIDE, FRAMES, QUICK_FRAMES = 141, 30, 22
CHECK_SIDE = 61  # at which the reference is checked against Newton
RADIUS, BELOW = 0.25, 0.05  # m: of the sphere, and of its top under the sheet
# Few, since a frame of the largest sheet takes Blender's own cloth 5 to 14 seconds. Those of the free sheet take all
# the same time, those on the sphere more and more while the sheet sinks.
SIZE_FRAMES = {"free": 7, "sphere": 12}
THREADS = (1, 2)
COLUMNS = "version method vertices threads ms_per_frame faster whole_ms response_5 response_10"
COLUMNS += " response_20 largest_stretch last_largest_stretch mean_stretch deepest_mm"


class Free:
    """A sheet of 1 m, held at two corners. rounds: of the method "fixed"; two keep the response above 0.9."""

    name, rounds, quick_side, options = "free", 2, 61, {}

    def pins(self, side):
        return np.array([side * (side - 1), side * side - 1], np.int32)

    def meet(self, cloth, answer):
        """What the cloth falls on."""

    def more(self, track):
        return {}


class Sphere(Free):
    """A sheet above a sphere. Five rounds come as near to the converged fall as draft does."""

    name, rounds, quick_side, options = "sphere", 5, 41, {"radius": RADIUS, "below": BELOW}

    def pins(self, side):
        return np.zeros(0, np.int32)

    def meet(self, cloth, answer):
        ball = np.load(answer["ball"])
        surface = answer["runs"]["draft"][0]["surface"]
        cloth.add_body((ball["positions"], ball["triangles"]), **surface)

    def more(self, track):
        """The largest depth of a vertex within the sphere that lies inside the faces."""
        inside = RADIUS * np.cos(np.pi / 64) * np.cos(np.pi / 64)
        away = np.linalg.norm(track.astype(float) - [0, 0, -BELOW - RADIUS], axis=2)
        return {"deepest_mm": 1e3 * max(0.0, float(inside - away.min()))}


SCENES = (Free(), Sphere())


def play(scene, side, frames, answer, settings=MANY_ROUNDS):
    """Every frame of the same cloth at the same step, solved until it hardly changes, without Blender."""
    reported = answer["runs"]["draft"][0]["settings"]
    wanted = {**reported, **settings, "quality": "custom", "threads": os.cpu_count()}
    with cloth_of(grid(side, side, 1.0, "quads"), scene.pins(side), **wanted) as cloth:
        scene.meet(cloth, answer)
        track = [cloth.positions()]
        for _ in range(frames - 1):
            cloth.step(FRAME_SECONDS)
            track.append(cloth.positions())
        return np.array(track)


def race(scene, sessions, side, frames, threads=(0,)):
    """Rows of all methods in all Blenders, the older ones on the last number of threads alone; 0: as many as each wants."""
    reference, found = None, []
    for session in sessions:
        for count in threads if session is sessions[-1] else threads[-1:]:
            asked = {"side": side, "frames": frames, "rounds": scene.rounds, **scene.options}
            answer = session.run(scene.name, threads=count, **asked)
            if reference is None:
                reference = play(scene, side, frames, answer)
            for key in METHODS:
                row = {"version": session.version, "threads": count, "key": key}
                found.append({**row, **_record(scene, answer, key, side, reference)})
    return found, answer


def _record(scene, answer, key, side, reference):
    """Time and quality of a method. A ratio is of Blender's own time over ours."""
    runs, track = answer["runs"], np.load(answer["tracks"][key])
    ours, theirs = (mean(sum((r["frames"] for r in runs[k]), [])) for k in (key, "builtin"))
    return {
        "method": METHODS[key],
        "vertices": side * side,
        "ms_per_frame": ours,
        "faster": None if key == "builtin" else theirs / ours,
        "whole_ms": mean(run["whole"] for run in runs[key]),
        **responses(track, reference),
        **stretches(track, side),
        **scene.more(track),
    }


def responses(track, reference):
    """Mean drop over that of the reference, by frame, where the tracks are as long."""
    drops = [each[:, :, 2].mean(1, dtype=np.float64) for each in (track, reference)]
    frames = [frame for frame in LOOKED_AT if frame < len(reference)]
    return {f"response_{frame}": float(drops[0][frame] / drops[1][frame]) for frame in frames}


def lowest(row):
    """The worst response of a row: too much motion counts like too little."""
    return min(closeness(value) for key, value in row.items() if key.startswith("response_"))


def stretches(track, side):
    """Length of edges over rest: largest of all frames, largest and mean at the end."""
    numbers = np.arange(side * side).reshape(side, side)
    along = np.column_stack([numbers[:, :-1].ravel(), numbers[:, 1:].ravel()])
    across = np.column_stack([numbers[:-1].ravel(), numbers[1:].ravel()])
    first, second = np.concatenate([along, across]).T
    lengths = [np.linalg.norm(x[first] - x[second], axis=1) for x in track.astype(np.float64)]
    ratios = [length / lengths[0] for length in lengths]
    return {
        "largest_stretch": max(float(ratio.max()) for ratio in ratios),
        "last_largest_stretch": float(ratios[-1].max()),
        "mean_stretch": float(ratios[-1].mean()),
    }


def one_size(results, scene, sessions, quick):
    """The figures: the worst of all Blenders, of fixed rounds that keep the quality asked for; draft beside it."""
    side, frames = (scene.quick_side, QUICK_FRAMES) if quick else (SIDE, FRAMES)
    heading(f"A {scene.name} sheet: Muslin's bake against Blender's own cloth")
    note(
        f"1 m, {side * side:,} vertices, {frames} frames at 24 a second, no self-collision, the add-on's default fabric and "
        f"air; Muslin: one step a frame, at draft or of {scene.rounds} fixed rounds. Response: mean drop over that of "
        "Muslin's converged run at the same step. Stretch: length of edges over rest."
    )
    rows, answer = race(scene, sessions, side, frames)
    results.table(scene.name, rows, COLUMNS)
    for key, ending in (("fixed", ""), ("draft", "_draft")):
        mine = [row for row in rows if row["key"] == key]
        ratio = min(row["faster"] for row in mine)
        results.number(f"vs_builtin_{scene.name}_20k{ending}", ratio)
        results.number(f"{scene.name}_response{ending}", min(map(lowest, mine)))
        stretched = max(row["largest_stretch"] for row in mine)
        results.number(f"{scene.name}_largest_stretch{ending}", stretched)
        if scene.name == "sphere":
            deepest = max(row["deepest_mm"] for row in mine)
            results.number(f"sphere_deepest_mm{ending}", deepest)
    for row in rows:
        if row["key"] == "fixed":
            results.number(f"vs_builtin_{scene.name}_20k_{row['version']}", row["faster"])
    return answer, frames


def free(results, sessions, quick):
    """With a check of the reference, where that does not take minutes."""
    scene = SCENES[0]
    answer, frames = one_size(results, scene, sessions, quick)
    rounds, newton = (play(scene, CHECK_SIDE, frames, answer, s) for s in (MANY_ROUNDS, NEWTON))
    results.number("free_reference_response", lowest(responses(rounds, newton)))


def every_size(results, sessions, sides):
    """sides: vertices along the edge, by label."""
    for scene in SCENES:
        heading(f"A {scene.name} sheet at every size: Muslin's bake against Blender's own cloth")
        rows = []
        for label, side in sides.items():
            found, _ = race(scene, sessions, side, SIZE_FRAMES[scene.name], THREADS)
            rows += found
            for row in found:
                if row["version"] == sessions[-1].version and row["faster"]:
                    ending = "_draft" if row["key"] == "draft" else ""
                    key = size_key(scene, row["threads"], label)
                    results.number(f"{key}{ending}", row["faster"])
        results.table(f"{scene.name}_size", rows, COLUMNS)


def keys(labels):
    """Those of the figures at every size."""
    for scene in SCENES:
        for threads in THREADS:
            for label in labels:
                key = size_key(scene, threads, label)
                yield from (key, f"{key}_draft")


def size_key(scene, threads, label):
    return f"vs_builtin_{scene.name}_{threads}t_{label}"

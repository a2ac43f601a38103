# SPDX-License-Identifier: GPL-3.0-or-later
"""Both scenes at every size against Blender's own cloth, speed beside quality."""

from blender_cases import free, sphere
from blender_cases.race import header, shown
from common.report import digits, heading, note, table, whole

# Few, since a frame of the largest sheet takes Blender's own cloth 5 to 14 seconds. Those of the free sheet take all
# the same time, those on the sphere more and more while the sheet sinks.
FRAMES = {"free": 7, "sphere": 12}
THREADS = (1, 2)


def measure(results, sessions, sides):
    """sides: vertices along the edge, by label."""
    for scene, title in ((free.SCENE, "free sheet"), (sphere.SCENE, "sheet on a sphere")):
        frames = FRAMES[scene.name]
        heading(f"The {title} at every size: Muslin's bake against Blender's own cloth")
        note(
            f"As above, {frames} frames, {scene.rounds} fixed rounds; Muslin and Blender on as many "
            "threads, the older Blenders on two."
        )
        rows = []
        for label, side in sides.items():
            for record in _race(results, scene, sessions, label, side, frames):
                results.row(f"{scene.name}_size", **record)
                depth = [digits(1e3 * record["deepest"])] if "deepest" in record else []
                who = (whole(record["vertices"]), record["version"], record["threads"])
                rows.append((*who, *shown(record), *depth))
        more = ["deepest|mm"] if scene is sphere.SCENE else []
        table(("vertices", "Blender", "threads", *header(frames), *more), rows, left=0)


def keys(labels):
    """Those of the figures."""
    for scene in (free.SCENE, sphere.SCENE):
        for threads in THREADS:
            for label in labels:
                yield from (_key(scene, threads, label), f"{_key(scene, threads, label)}_draft")


def _key(scene, threads, label):
    return f"vs_builtin_{scene.name}_{threads}t_{label}"


def _race(results, scene, sessions, label, side, frames):
    """The records of one size."""
    reference, newest, found = None, sessions[-1], []
    for session in sessions:
        for threads in THREADS if session is newest else THREADS[-1:]:
            answer = scene.ask(session, side, frames, threads)
            if reference is None:
                reference = scene.follow(answer, side, frames)
            records = scene.records(answer, side, reference)
            found += [
                {"version": session.version, "threads": threads, **each}
                for each in records.values()
            ]
            if session is newest:
                key = _key(scene, threads, label)
                results.number(key, records["fixed"]["faster"])
                results.number(f"{key}_draft", records["draft"]["faster"])
    return found

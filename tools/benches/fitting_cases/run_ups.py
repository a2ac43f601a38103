# SPDX-License-Identifier: GPL-3.0-or-later
"""Every garment of the folder on both motions, with a run-up: what is inside of the body in the first frame and after,
and how far edges are stretched. Judged by what shares no code with the simulation."""

from common.report import heading, note
from fitting_cases import worn
from muslin.poses import pose_between
from muslin.poses import run_up
from test_scenes.contact.play import FRAME_SECONDS
from worn_cases import garments
from test_scenes.contact.quality import Judge, stretches

RUN_UP = 24  # frames
FRAMES = 20  # of the animation
EVERY = 4  # frames from one that is judged to the next
QUICK = (("tshirt_sym", "arms"), ("trousers", "walk"))
COLUMNS = "name motion start_inside first_inside first_through inside through self_through stretch_p99 stretch_max"


def measure(results, quick):
    heading("Run-ups")
    note(
        f"The body comes from the pose in its file to its first frame within {RUN_UP} frames; {FRAMES} frames of the "
        f"motion follow, of which every {EVERY}th is judged. Quality fit, with self-contact."
    )
    garments.report_skipped()
    found = []
    for name in garments.REAL:
        for motion in garments.MOTIONS:
            wanted = not quick or (name, motion) in QUICK
            scene = worn.made_for(name, motion=motion) if wanted else None
            if scene is not None:
                numbers = judged(scene)
                found.append(numbers)
                results.row("run_up", name=name, motion=motion, **numbers)
    results.show("run_up", COLUMNS)
    if found:
        results.number("start_inside", max(max(n["first_inside"], n["inside"]) for n in found))
        results.number("start_piercings", max(max(n["first_through"], n["through"]) for n in found))
        results.number("start_stretch_p99", max(n["stretch_p99"] for n in found))


def judged(scene):
    """Numbers of one garment on one motion."""
    track = wear(scene)
    judge = Judge(scene.scene)
    counts = [judge.counts(track[f], f) for f in range(0, len(track), EVERY)]
    after = [max(values) for values in zip(*counts[1:])]
    p99, largest = (
        max(pair) for pair in zip(*(stretches(scene.scene, [points]) for points in track))
    )
    return {
        "start_inside": judge.counts(scene.mesh.positions, 0)[0],
        "first_inside": counts[0][0],
        "first_through": counts[0][1],
        "inside": after[0],
        "through": after[1],
        "self_through": max(count[2] for count in counts),
        "stretch_p99": p99,
        "stretch_max": largest,
    }


def wear(scene):
    """Positions of the garment in all frames, the first one after the run-up."""
    moving = scene.scene.bodies[0]
    cloth, body = worn.cloth_of(scene)
    with cloth:
        pose = pose_between(scene.body, scene.body.positions, moving.positions(0))
        for _ in run_up(cloth, RUN_UP, FRAME_SECONDS, lambda part: body.move(pose(part))):
            pass
        track = [cloth.positions()]
        for frame in range(1, FRAMES + 1):
            body.move(moving.positions(frame))
            cloth.step(FRAME_SECONDS)
            track.append(cloth.positions())
    return track

# SPDX-License-Identifier: GPL-3.0-or-later
"""All scenes to their ends: no vertex behind a body, no cloth through itself or a body."""

from statistics import mean

from common.report import Rows, heading, note
from muslin.inspection.intersections import count_between, count_self
from test_scenes.contact.catalogue import SCENES, make
from test_scenes.contact.judge import TOLERANCE, deep_frames
from test_scenes.contact.play import Play

# Coarser meshes for a quick run; the other scenes are small enough.
QUICK = {
    "sphere": {"count": 25},
    "sphere_centred": {"count": 25},
    "table": {"count": 25},
    "table_sheet": {"count": 25},
    "sleeve": {"spacing": 0.025},
    "plate": {"count": 25},
    "blade": {"count": 25},
    "skirt": {"spacing": 0.04, "body_spacing": 0.02},
    "tshirt": {"spacing": 0.04, "body_spacing": 0.02},
    "stack": {"count": 13},
    "folded": {"spacing": 0.025},
}
QUICK_FRAMES = 16
LOOK = 4  # frames between two counts of piercings
COLUMNS = (
    "scene vertices deep_frames largest_depth self_piercings cloth_through_body "
    "body_through_cloth piercings_on_the_way stuck tangled largest_strain end_speed "
    "frame_seconds"
)


def measure(results, quick):
    heading("Every scene of contact to its end, quality fit, self-contact on")
    note(
        "Deep frames: frames with a vertex more than a micrometre behind the true surface of a body, "
        f"judged by rays and passages in NumPy (tolerance {1e6 * TOLERANCE:g} um). Piercings: at the "
        f"last frame; on the way: the most with bodies in any {LOOK}th frame. Stuck, tangled, strain: the "
        "largest of any frame. "
        "Speed: mean over the vertices at the end; some scenes are still moving then."
    )
    rows = Rows(results, "scenes", COLUMNS)
    sums = [_scene(rows, name, quick) for name in SCENES]
    rows.show()
    keys = ("deep_frames", "self_piercings", "body_piercings", "body_piercings_on_the_way")
    for key, counts in zip(keys, zip(*sums)):
        results.number(key, sum(counts))


def _through(scene, positions, frame):
    """(cloth edges through bodies, bodies' edges through cloth)."""
    pairs = [
        count_between(positions, scene.cloth.faces, body.positions(frame), body.triangles())
        for body in scene.bodies
    ]
    return tuple(sum(pair[k] for pair in pairs) for k in range(2))


def _scene(rows, name, quick):
    """(deep frames, piercings of itself, with bodies at the end, on the way)."""
    scene = make(name, **(QUICK.get(name, {}) if quick else {}))
    with Play(scene, name, self_contact=True) as play:
        play.run(min(scene.frames, QUICK_FRAMES) if quick else scene.frames)
        deep, depth = deep_frames(scene, play.track)
        here = play.positions()
        own = count_self(here, scene.cloth.faces)
        into, through = _through(scene, here, play.frame)
        looked = range(LOOK, play.frame, LOOK)
        on_way = max(sum(_through(scene, play.track[frame], frame)) for frame in looked)
        stuck, tangled = (
            max(getattr(s, what) for s in play.history) for what in ("stuck", "tangled")
        )
        strain = max(stats.largest_strain for stats in play.history)
        speed, seconds = play.mean_speed(), mean(play.seconds)
    rows.add(
        scene=name,
        vertices=len(here),
        frames=play.frame,
        deep_frames=int(deep),
        largest_depth=depth,
        self_piercings=own,
        cloth_through_body=into,
        body_through_cloth=through,
        piercings_on_the_way=on_way,
        stuck=stuck,
        tangled=tangled,
        largest_strain=strain,
        end_speed=speed,
        frame_seconds=seconds,
    )
    return int(deep), own, into + through, on_way

# SPDX-License-Identifier: GPL-3.0-or-later
"""All scenes to their ends: no vertex behind a body, no cloth through itself or a body."""

from statistics import mean

from common.report import digits, heading, note, percent, table, whole
from muslin.intersections import count_between, count_self
from test_scenes.contact.catalogue import SCENES, make
from test_scenes.contact.judge import TOLERANCE, deep_frames
from test_scenes.contact.play import Play

# Coarser meshes for a quick run; the other scenes are small enough.
QUICK = {
    "sphere": {"count": 25},
    "sphere_centred": {"count": 25},
    "table": {"count": 25},
    "table_sheet": {"count": 25},
    "sleeve": {"spacing": 0.02},
    "skirt": {"spacing": 0.04, "body_spacing": 0.02},
    "tshirt": {"spacing": 0.04, "body_spacing": 0.02},
    "stack": {"count": 13},
    "folded": {"spacing": 0.025},
}
HEADER = (
    "scene",
    "vertices",
    "deep|frames",
    "largest|depth, um",
    "self-|piercings",
    "cloth through|body",
    "body through|cloth",
    "stuck",
    "tangled",
    "strain|largest",
    "speed|mm/s",
    "ms per|frame",
)


def measure(results, quick):
    heading("Every scene of contact to its end, quality fit, self-contact on")
    note(
        "Deep frames: frames with a vertex more than a micrometre behind the true surface of a body, "
        f"judged by rays and passages in NumPy (tolerance {1e6 * TOLERANCE:g} um). Piercings: at the "
        "last frame. Stuck and tangled: the largest of any frame. Strain: the largest of any frame. "
        "Speed: mean over the vertices at the end; some scenes are still moving then."
    )
    rows = [_scene(results, name, QUICK.get(name, {}) if quick else {}) for name in SCENES]
    table(HEADER, [row[0] for row in rows])
    for key, place in (("deep_frames", 1), ("self_piercings", 2), ("body_piercings", 3)):
        results.number(key, sum(row[place] for row in rows))


def _scene(results, name, options):
    """(printed row, deep frames, piercings of itself, with bodies)."""
    scene = make(name, **options)
    with Play(scene, name, self_contact=True) as play:
        play.run()
        deep, depth = deep_frames(scene, play.track)
        faces, here = scene.cloth.faces, play.positions()
        own = count_self(here, faces)
        pairs = [
            count_between(here, faces, body.positions(play.frame), body.triangles())
            for body in scene.bodies
        ]
        into, through = (sum(pair[k] for pair in pairs) for k in range(2))
        stuck, tangled = (
            max(getattr(s, what) for s in play.history) for what in ("stuck", "tangled")
        )
        strain = max(stats.largest_strain for stats in play.history)
        speed, seconds = play.mean_speed(), mean(play.seconds)
    results.row(
        "scenes",
        scene=name,
        vertices=len(here),
        frames=scene.frames,
        deep_frames=int(deep),
        largest_depth=depth,
        self_piercings=own,
        cloth_through_body=into,
        body_through_cloth=through,
        stuck=stuck,
        tangled=tangled,
        largest_strain=strain,
        end_speed=speed,
        frame_seconds=seconds,
    )
    row = (
        name,
        whole(len(here)),
        deep,
        digits(1e6 * depth, 1),
        own,
        into,
        through,
        stuck,
        tangled,
        percent(strain),
        digits(1000 * speed, 1),
        digits(1000 * seconds, 1),
    )
    return row, int(deep), own, into + through

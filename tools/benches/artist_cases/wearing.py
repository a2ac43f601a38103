# SPDX-License-Identifier: GPL-3.0-or-later
"""Every garment dressed and baked with nothing changed: what is inside the body in any frame that is shown."""

import numpy as np
from artist_cases.blender import files, session
from common.report import digits, heading, note, table
from muslin.inspection.intersections import count_between
from test_scenes.contact import real
from worn_cases.garments import MOTIONS, REAL
from muslin.inspection.surface import surface_of_faces
from test_scenes.contact.quality import inside, stretches

FRAMES, QUICK_FRAMES = 61, 6
QUICK = ("tshirt",)
EVERY = 4  # frames between two in which piercings are counted


def measure(results, quick):
    heading("Worn with the default settings: what is inside the body, at frame 1 and after")
    note(
        "Dress This Body and Bake; nothing is pinned, so that trousers and skirts may slide down. Every frame as Blender "
        "shows it; rays that the library knows nothing of count who is inside. Stretch from frame 8 on."
    )
    rows, found = [], []
    for name in QUICK if quick else REAL:
        for motion in MOTIONS:
            row = _row(results, name, motion, QUICK_FRAMES if quick else FRAMES)
            if row is not None:
                rows.append(row[0])
                found.append(row[1])
    table(
        (
            "garment",
            "motion",
            "inside|frame 1",
            "inside|most",
            "in frame",
            "edges|through, most",
            "stretch p99",
            "s",
        ),
        rows,
        left=2,
    )
    results.number("inside_any_frame", max(found) if found else None)


def _row(results, name, motion, frames):
    """(what the table shows, most vertices inside); None where a file is absent."""
    given = files(f"{name}.obj", "body.obj", f"body_{motion}.pc2")
    if given is None:
        return None
    answer = session().run(
        "wearing", garment=given[0], body=given[1], motion=given[2], frames=frames
    )
    scene = real.real_scene(name, f"body_{motion}")
    track, (body,) = np.load(answer["track"]), scene.bodies
    skin = surface_of_faces(body.positions(0), body.faces).triangles
    cloth = surface_of_faces(scene.cloth.positions, scene.cloth.faces).triangles
    within = [inside(points, body.positions(frame), skin) for frame, points in enumerate(track)]
    pierced = max(
        sum(count_between(track[frame], cloth, body.positions(frame), skin))
        for frame in range(0, len(track), EVERY)
    )
    p99, _ = stretches(scene, track)
    most = int(np.argmax(within))
    results.row(
        "wearing",
        garment=name,
        motion=motion,
        inside=within,
        pierced=pierced,
        stretch_p99=p99,
        seconds=answer["seconds"],
    )
    shown = within[0], within[most], most + 1 if within[most] else "-", pierced
    return (name, motion, *shown, digits(p99, 3), digits(answer["seconds"], 1)), within[most]

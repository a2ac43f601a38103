# SPDX-License-Identifier: GPL-3.0-or-later
"""A sheet that falls on a sphere: Muslin's bake against Blender's own cloth, speed beside quality."""

import numpy as np
from blender_cases.race import Scene, figures, header, play, shown
from common.report import digits, heading, note, table, whole
from lively_cases.scenes import MANY_ROUNDS

SIDE, FRAMES = 141, 30
QUICK_SIDE, QUICK_FRAMES = 41, 22
RADIUS, BELOW = 0.25, 0.05  # m: of the sphere, and of its top under the sheet


def _follow(answer, side, frames):
    """Every frame of the same cloth on the same sphere, solved until it hardly changes."""
    ours, ball = answer["runs"]["draft"][0], np.load(answer["ball"])

    def meet(cloth):
        cloth.add_body((ball["positions"], ball["triangles"]), **ours["surface"])

    return play(side, frames, np.zeros(0, np.int32), {**ours["settings"], **MANY_ROUNDS}, meet)


def deepest(track):
    """The largest depth of a vertex within the sphere that lies inside the faces, m."""
    inside = RADIUS * np.cos(np.pi / 64) * np.cos(np.pi / 64)
    away = np.linalg.norm(track.astype(float) - [0, 0, -BELOW - RADIUS], axis=2)
    return max(0.0, float(inside - away.min()))


SCENE = Scene(
    "sphere",
    rounds=5,  # come as near to the converged fall as draft does
    follow=_follow,
    options={"radius": RADIUS, "below": BELOW},
    more=lambda track: {"deepest": deepest(track)},
)


def measure(results, sessions, quick):
    side, frames = (QUICK_SIDE, QUICK_FRAMES) if quick else (SIDE, FRAMES)
    heading("A sheet that falls on a sphere: Muslin's bake against Blender's own cloth")
    note(
        f"As above, {whole(side * side)} vertices without pins, {1e3 * BELOW:g} mm above a sphere of "
        f"{RADIUS:g} m, collisions with it on, self-collision off. The reference of the response has the "
        f"same sphere and 24 two-level rounds. With contact {SCENE.rounds} fixed rounds come as near to "
        "it as draft does. Deepest: of any vertex within the sphere in any frame."
    )
    rows, found, reference = [], {}, None
    for session in sessions:
        answer = SCENE.ask(session, side, frames)
        if reference is None:
            reference = SCENE.follow(answer, side, frames)
        found[session.version] = SCENE.records(answer, side, reference)
        for record in found[session.version].values():
            results.row("sphere", version=session.version, **record)
            rows.append((session.version, *shown(record), digits(1e3 * record["deepest"])))
    table(("Blender", *header(frames), "deepest|mm"), rows, left=2)
    figures(results, "sphere", found)
    for key, ending in (("fixed", ""), ("draft", "_draft")):
        depths = [each[key]["deepest"] for each in found.values()]
        results.number(f"sphere_deepest_mm{ending}", 1e3 * max(depths))

# SPDX-License-Identifier: GPL-3.0-or-later
"""A sheet that falls on a sphere: Muslin's bake against Blender's own cloth, speed beside quality."""

import numpy as np
from blender_cases.free import compare, figures
from common.measure import cloth_of
from common.report import digits, heading, note, table, whole
from lively_cases.scenes import FRAME_SECONDS, MANY_ROUNDS
from test_scenes.sheets import grid

SIDE, FRAMES = 141, 30
ROUNDS = 5  # come as near to the converged fall as draft does
QUICK_SIDE, QUICK_FRAMES = 41, 22
RADIUS, BELOW = 0.25, 0.05  # m: of the sphere, and of its top under the sheet
HEADER = ("Blender", "method", "ms per|frame", "faster", "whole|s")
HEADER += ("response|frame 5", "|10", "|20", "largest|stretch", "|at the end", "deepest|mm")


def measure(results, sessions, quick):
    side, frames = (QUICK_SIDE, QUICK_FRAMES) if quick else (SIDE, FRAMES)
    heading("A sheet that falls on a sphere: Muslin's bake against Blender's own cloth")
    note(
        f"As above, {whole(side * side)} vertices without pins, {1e3 * BELOW:g} mm above a sphere of "
        f"{RADIUS:g} m, collisions with it on, self-collision off. The reference of the response has the "
        f"same sphere and 24 two-level rounds. With contact {ROUNDS} fixed rounds come as near to it as "
        "draft does. Deepest: of any vertex within the sphere in any frame."
    )
    rows, reached, reference = [], {}, None
    for session in sessions:
        answer = session.run(
            "sphere", side=side, frames=frames, rounds=ROUNDS, radius=RADIUS, below=BELOW
        )
        if reference is None:
            reference = converged(side, answer, frames)
        reached[session.version] = compare(
            results, rows, "sphere", session.version, answer, side, reference, _depth
        )
    table(HEADER, rows, left=2)
    _figures(results, reached)


def converged(side, answer, frames):
    """Every frame of the same cloth on the same sphere, solved until it hardly changes."""
    ours, ball = answer["runs"]["draft"][0], np.load(answer["ball"])
    wanted = {**ours["settings"], **MANY_ROUNDS, "quality": "custom"}
    with cloth_of(grid(side, side, 1.0, "quads"), np.zeros(0, np.int32), **wanted) as cloth:
        cloth.add_body((ball["positions"], ball["triangles"]), **ours["surface"])
        track = [cloth.positions()]
        for _ in range(frames - 1):
            cloth.step(FRAME_SECONDS)
            track.append(cloth.positions())
        return np.array(track)


def deepest(track):
    """The largest depth of a vertex within the sphere that lies inside the faces, m."""
    inside = RADIUS * np.cos(np.pi / 64) * np.cos(np.pi / 64)
    away = np.linalg.norm(track.astype(float) - [0, 0, -BELOW - RADIUS], axis=2)
    return max(0.0, float(inside - away.min()))


def _depth(track, _):
    depth = deepest(track)
    return digits(1e3 * depth), {"deepest": depth}


def _figures(results, reached):
    figures(results, "sphere", reached)
    for key, ending in (("fixed", ""), ("draft", "_draft")):
        depths = [each[key][-1]["deepest"] for each in reached.values()]
        results.number(f"sphere_deepest_mm{ending}", 1e3 * max(depths))

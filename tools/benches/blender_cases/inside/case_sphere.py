# SPDX-License-Identifier: GPL-3.0-or-later
"""A sheet that falls on a sphere: Muslin's bake, and Blender's own cloth at its default quality."""

from pathlib import Path

import bpy
import contest
import numpy as np
import scenes

BALL = "Ball"


def _meet(obj, builtin):
    ball = bpy.data.objects[BALL]
    if builtin:
        ball.modifiers.new("Collision", "COLLISION")
    else:
        obj.muslin.colliders.add().object = ball


def _save(ball, path):
    """What the sheet falls on, for a run outside."""
    ball.data.calc_loop_triangles()
    triangles = np.empty(3 * len(ball.data.loop_triangles), np.int32)
    ball.data.loop_triangles.foreach_get("vertices", triangles)
    np.savez(path, positions=scenes.positions_of(ball.data), triangles=triangles.reshape(-1, 3))


def measure(folder, side, frames, rounds, radius, below):
    """below: the top of the sphere under the sheet, m."""
    path = Path(folder) / "ball.npz"

    def build():
        _save(scenes.ball(BALL, radius, -below - radius), path)
        return scenes.sheet(side, pinned=None)

    return {**contest.run(folder, frames, rounds, build, _meet, "sphere_"), "ball": str(path)}

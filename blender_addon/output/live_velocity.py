# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast what is previewed moves, from one shape that is shown to the next: the same that a bake's cache tells."""

import bpy
import numpy as np

_shown = {}  # uid -> (the shape that is shown, its velocity or None where nobody has asked)


def follow(uid, positions, is_wanted):
    """Another shape is shown, n x 3 in the object's own space: its velocity there, units a second; None: not wanted.

    A step is a frame of the scene, also where it drapes on a fixed one. A shape that is shown again keeps its velocity.
    """
    before, velocity = _shown.get(uid, (None, None))
    if is_wanted and (velocity is None or positions is not before):
        render = bpy.context.scene.render
        is_first = before is None or positions is before or len(before) != len(positions)
        way = np.zeros_like(positions) if is_first else positions - before
        velocity = np.float32(render.fps / render.fps_base) * way
    _shown[uid] = positions, velocity if is_wanted else None
    return _shown[uid][1]


def forget(uid=None):
    """Nothing is shown of a garment; None: of any."""
    if uid is None:
        _shown.clear()
    else:
        _shown.pop(uid, None)

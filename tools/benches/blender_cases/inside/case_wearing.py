# SPDX-License-Identifier: GPL-3.0-or-later
"""A garment dressed and baked with nothing changed: what the view shows in every frame."""

from pathlib import Path
from time import perf_counter

import bpy
import numpy as np
import scenes
import wardrobe


def measure(folder, garment, body, motion, frames):
    """Where the track is, in metres, the first row is frame 1; and what the bake says of itself."""
    (obj,), _, hands = wardrobe.lay_out([garment], body, motion, frames)
    hands.press(bpy.ops.muslin.dress)
    wardrobe.discard()
    scenes.select(obj)
    obj.muslin.cache_folder = folder
    begin = perf_counter()
    bpy.ops.muslin.bake(scope="ACTIVE")
    seconds = perf_counter() - begin
    track = np.empty((frames, len(obj.data.vertices), 3), np.float32)
    for index in range(frames):
        bpy.context.scene.frame_set(index + 1)
        track[index] = scenes.seen(obj)
    path = Path(folder) / "worn.npy"
    np.save(path, track)
    return {"track": str(path), "seconds": seconds}

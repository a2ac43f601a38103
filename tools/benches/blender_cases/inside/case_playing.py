# SPDX-License-Identifier: GPL-3.0-or-later
"""A dressed body that moves: Preview on Play, frame by frame, as fast as it goes."""

from time import perf_counter

import bpy
import wardrobe

WARM = 2  # frames that are not counted: the first builds, the second factors


def measure(folder, garment, body, motion, frames, budget):
    """budget: ms for a step. Milliseconds of every frame, and how many vertices were simulated."""
    (obj,), _, hands = wardrobe.lay_out([garment], body, motion, frames)
    hands.press(bpy.ops.muslin.dress)
    wardrobe.discard()
    obj.muslin.budget_ms = budget
    bpy.context.view_layer.objects.active = obj
    scene = bpy.context.scene
    bpy.ops.muslin.preview()
    preview, taken, counts = wardrobe.preview_of(obj), [], []
    for frame in range(1, frames + 1):
        begin = perf_counter()
        scene.frame_set(frame)
        taken.append(1e3 * (perf_counter() - begin))
        counts.append(preview._simulation.levels.simulated_count)
    return {"frames": taken[WARM:], "simulated": counts[WARM:], "text": preview.text}

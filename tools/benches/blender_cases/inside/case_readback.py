# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender shows at every frame of a finished bake, against what the library computed."""

import addon
import numpy as np
import scenes


def _computed(baking):
    """What the library gave, frame by frame, while a function bakes."""
    cloth = addon.module("muslin").Cloth
    function, kept = cloth.positions, []

    def keeping(self):
        found = function(self)
        kept.append(found.copy())
        return found

    cloth.positions = keeping
    try:
        baking()
    finally:
        cloth.positions = function
    return np.array(kept)


def _compare(kind, folder, side, frames):
    scene = scenes.empty(frames)
    obj = scenes.sheet(side)
    scenes.make_garment(obj, folder, kind)
    computed = _computed(scenes.bake)
    if obj.muslin.baked.kind != kind or len(computed) != frames:
        raise RuntimeError(f"baked {obj.muslin.baked.kind} of {len(computed)} frames, not {kind}")
    shown = []
    for frame in range(1, frames + 1):
        scene.frame_set(frame)
        shown.append(scenes.seen(obj))
    shown = np.array(shown)
    other_bits = shown.view(np.uint32) != computed.view(np.uint32)
    zeros = (shown == 0) & (computed == 0)  # a key is a sum, and sums lose the sign of a zero
    return {
        "numbers": int(shown.size),
        "mismatch": int((other_bits & ~zeros).sum()),
        "zero_signs": int((other_bits & zeros).sum()),
        "largest": float(np.abs(shown.astype(float) - computed).max()),
        "moved": float(np.ptp(computed[:, :, 2])),
    }


def measure(folder, side, frames):
    return {
        kind: _compare(kind, folder, side, frames) for kind in ("pc2", "relative", "keys", "mdd")
    }

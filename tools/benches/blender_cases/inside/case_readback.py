# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender shows at every frame of a finished bake, against what the library computed."""

import addon
import bpy
import numpy as np
import scenes


def _computed(baking):
    """The positions that the cloth had, frame by frame, while a function bakes."""
    simulation = addon.module("run.simulation").Simulation
    function, kept = simulation.positions_world, []

    def keeping(self):
        found = function(self)
        kept.append(found.copy())
        return found

    simulation.positions_world = keeping
    try:
        baking()
    finally:
        simulation.positions_world = function
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
    differ = shown.view(np.uint32) != computed.view(np.uint32)
    return {
        "numbers": int(differ.size),
        "mismatch": int(differ.sum()),
        "largest": float(np.abs(shown.astype(float) - computed).max()),
        "moved": float(np.ptp(computed[:, :, 2])),
    }


def measure(folder, side, frames):
    return {kind: _compare(kind, folder, side, frames) for kind in ("pc2", "relative", "keys", "mdd")}

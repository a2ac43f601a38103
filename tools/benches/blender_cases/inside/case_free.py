# SPDX-License-Identifier: GPL-3.0-or-later
"""A free sheet held at two corners: Muslin's bake, and Blender's own cloth at its default quality."""

from pathlib import Path
from time import perf_counter

import addon
import bpy
import clock
import numpy as np
import scenes

ROUNDS = {"draft": None, "two_rounds": 2}  # None: the quality decides


def _baked(obj):
    cache = addon.module("output.cache")
    return np.array(cache.read(cache.locate(obj)).positions)


def _ours(folder, side, frames, store, rounds=None):
    """Milliseconds of every frame after the first two, and what was before and after them."""
    scenes.empty(frames)
    obj = scenes.sheet(side)
    scenes.make_garment(obj, folder, rounds=rounds)
    begin = perf_counter()
    with clock.watching(False, stages=False) as watched:
        scenes.bake()
    whole = perf_counter() - begin
    np.save(store, _baked(obj))
    Simulation = addon.module("run.simulation").Simulation
    depsgraph = bpy.context.evaluated_depsgraph_get()
    simulation = Simulation(obj, bpy.context.scene, depsgraph)
    settings = simulation.feeder.garment.settings
    simulation.close()
    rows = clock.milliseconds(watched.frames)
    return {"frames": [row["wall"] for row in rows], "whole": 1e3 * whole, "settings": settings}


def _builtin(side, frames, store):
    scene = scenes.empty(frames)
    obj = scenes.sheet(side)
    modifier = obj.modifiers.new("Cloth", "CLOTH")
    modifier.settings.vertex_group_mass = "Pins"
    modifier.collision_settings.use_collision = False  # nothing is there to be met
    modifier.point_cache.frame_start, modifier.point_cache.frame_end = 1, frames
    milliseconds, track = [], []
    begin = perf_counter()
    for frame in range(1, frames + 1):
        before = perf_counter()
        scene.frame_set(frame)
        milliseconds.append(1e3 * (perf_counter() - before))
        track.append(scenes.seen(obj))
    whole = perf_counter() - begin
    np.save(store, np.array(track))
    settings = {"quality": modifier.settings.quality, "mass": modifier.settings.mass}
    return {"frames": milliseconds[2:], "whole": 1e3 * whole, "settings": settings}


def measure(folder, side, frames):
    """Muslin before and after Blender's own, so that both see the same machine."""
    places = {name: str(Path(folder) / f"{name}.npy") for name in (*ROUNDS, "builtin")}
    found = {name: [] for name in places}
    for name, rounds in ROUNDS.items():
        found[name].append(_ours(folder, side, frames, places[name], rounds))
    found["builtin"].append(_builtin(side, frames, places["builtin"]))
    for name, rounds in ROUNDS.items():
        found[name].append(_ours(folder, side, frames, places[name], rounds))
    return {"runs": found, "tracks": places}

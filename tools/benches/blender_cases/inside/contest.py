# SPDX-License-Identifier: GPL-3.0-or-later
"""The same cloth baked by Muslin and simulated by Blender's own cloth, every frame timed.

A scene is two functions: build() makes the objects and returns the cloth; meet(cloth, builtin) tells one or the
other solver what the cloth meets.
"""

from pathlib import Path
from time import perf_counter

import addon
import bpy
import clock
import numpy as np
import scenes


def meets_nothing(obj, builtin):
    pass


def _baked(obj):
    cache = addon.module("output.cache")
    return np.array(cache.read(cache.locate(obj)).positions)


def _settings(obj):
    """Those of the cloth that the add-on makes of the object."""
    Simulation = addon.module("simulation.simulation").Simulation
    simulation = Simulation(obj, bpy.context.scene, bpy.context.evaluated_depsgraph_get())
    settings = simulation.feeder.garment.settings
    simulation.close()
    return settings


def _ours(folder, frames, store, build, meet, rounds):
    """Milliseconds of every frame after the first two, and what was before and after them."""
    scenes.empty(frames)
    obj = build()
    scenes.make_garment(obj, folder, rounds=rounds)
    meet(obj, False)
    bpy.context.view_layer.update()
    begin = perf_counter()
    with clock.watching(False, stages=False) as watched:
        scenes.bake()
    whole = perf_counter() - begin
    np.save(store, _baked(obj))
    rows = clock.milliseconds(watched.frames)
    surface = {"thickness": obj.muslin.thickness, "friction": obj.muslin.friction}
    return {
        "frames": [row["wall"] for row in rows],
        "whole": 1e3 * whole,
        "settings": _settings(obj),
        "surface": surface,
    }


def _builtin(frames, store, build, meet):
    scene = scenes.empty(frames)
    obj = build()
    modifier = obj.modifiers.new("Cloth", "CLOTH")
    modifier.settings.vertex_group_mass = scenes.pin_group(obj)
    modifier.collision_settings.use_collision = meet is not meets_nothing
    modifier.point_cache.frame_start, modifier.point_cache.frame_end = 1, frames
    meet(obj, True)
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


def run(folder, frames, rounds, build, meet=meets_nothing, name=""):
    """Muslin before and after Blender's own, so that both see the same machine.

    rounds  a step, where the quality does not decide
    name    of the files
    """
    methods = {"draft": None, "fixed": rounds}
    places = {key: str(Path(folder) / f"{name}{key}.npy") for key in (*methods, "builtin")}
    found = {key: [] for key in places}
    for key, count in methods.items():
        found[key].append(_ours(folder, frames, places[key], build, meet, count))
    found["builtin"].append(_builtin(frames, places["builtin"], build, meet))
    for key, count in methods.items():
        found[key].append(_ours(folder, frames, places[key], build, meet, count))
    return {"runs": found, "tracks": places}

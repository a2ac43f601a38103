# SPDX-License-Identifier: GPL-3.0-or-later
"""The fit maps of a baked garment in its mesh: those of a frame, or the worst of the animation."""

import os

import bpy
import numpy as np

from ..muslin import FileError
from ..output import find_cache
from ..output.cache import read
from ..scene.problems import Problem
from . import fit_attributes, fit_colours, fit_file
from .fit_quantities import BY_NAME

SAMPLES = 16  # frames that the colours of an animation are made for

_summaries = {}  # path -> (when it was written, (worst, spans))


def path_of(obj):
    """The file with the maps of its bake, or None."""
    cache = find_cache.locate(obj) if obj.muslin.baked.kind else None
    path = fit_file.beside(cache) if cache is not None else None
    return path if path is not None and os.path.isfile(path) else None


def follow(obj, scene=None):
    """The mesh gets the maps of the scene's frame, or the worst ones, and its speed. Whether there are any.

    What is previewed has its own.
    """
    is_wanted = obj.type == "MESH" and obj.muslin.fit.enabled and bool(obj.muslin.baked.kind)
    if not is_wanted or fit_attributes.is_live(obj):
        return False
    scene = bpy.context.scene if scene is None else scene
    cache = find_cache.locate(obj)
    moving = velocities(cache, scene) if cache is not None else None
    if moving is None:
        return False
    if obj.muslin.fit.when == "worst":
        maps = worst(obj)
    else:
        found = fit_file.read(fit_file.beside(cache))
        maps = found.maps(scene.frame_current - found.start) if found is not None else {}
    return fit_attributes.write(obj, {**maps, "velocity": moving})


def velocities(path, scene):
    """Of each vertex in the object's own space, units per second, as the cache plays: n x 3; None without a cache.

    From the frame before to the frame after, which is what motion blur sees of it.
    """
    try:
        cache = read(path)
        last = len(cache.positions) - 1
        index = min(max(scene.frame_current - int(cache.start), 0), last)
        before, after = max(index - 1, 0), min(index + 1, last)
        way = np.subtract(cache.positions[after], cache.positions[before], dtype=np.float64)
    except (Problem, FileError):
        return None
    each = max(after - before, 1) * scene.render.fps_base / scene.render.fps  # s
    return (way / each).astype(np.float32)


def worst(obj):
    """The tightest value of each vertex over all baked frames, quantity -> n numbers; {} without any."""
    return _summary(obj)[0]


def spans(obj):
    """Where the colours of each quantity end, such that they suit all frames: quantity -> (least, most)."""
    return _summary(obj)[1]


def _summary(obj):
    """Computed once for a file."""
    path = path_of(obj)
    if path is None:
        return {}, {}
    stamp = os.stat(path).st_mtime_ns
    if _summaries.get(path, (None,))[0] != stamp:
        found = fit_file.read(path)
        _summaries.clear()  # one garment is looked at
        _summaries[path] = stamp, ({}, {}) if found is None else (found.worst(), _spans(found))
    return _summaries[path][1]


def _spans(found):
    """From some of the frames: all would be many numbers to put in order."""
    frames = [found.maps(index) for index in range(0, len(found), -(-len(found) // SAMPLES))]
    reported = {name: [maps[name] for maps in frames if name in maps] for name in BY_NAME}
    return {
        name: fit_colours.span(BY_NAME[name], np.concatenate(of))
        for name, of in reported.items()
        if of
    }

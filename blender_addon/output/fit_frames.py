# SPDX-License-Identifier: GPL-3.0-or-later
"""The fit maps of a baked garment in its mesh: those of a frame, or the worst of the animation."""

import os

import bpy
import numpy as np

from ..fit_properties import BY_NAME
from . import find_cache, fit_colours, fit_file, fit_map

SAMPLES = 16  # frames that the colours of an animation are made for

_summaries = {}  # path -> (when it was written, (worst, spans))


def has_frames(obj):
    """Whether its map follows a bake; cheap, and says nothing about the files."""
    return obj.type == "MESH" and obj.muslin.fit.enabled and bool(obj.muslin.baked.kind)


def path_of(obj):
    """The file with the maps of its bake, or None."""
    cache = find_cache.locate(obj) if obj.muslin.baked.kind else None
    path = fit_file.beside(cache) if cache is not None else None
    return path if path is not None and os.path.isfile(path) else None


def follow(obj, frame=None):
    """The mesh gets the maps of a frame, by default the scene's, or the worst ones. Whether there are any.

    What is previewed has its own.
    """
    if not has_frames(obj) or fit_map.is_live(obj):
        return False
    path = path_of(obj)
    if path is None:
        return False
    if obj.muslin.fit.when == "worst":
        fit_map.write(obj, worst(obj))
        return True
    found = fit_file.read(path)
    if found is None or found.vertex_count != len(obj.data.vertices):
        return False
    frame = bpy.context.scene.frame_current if frame is None else frame
    fit_map.write(obj, found.maps(frame - found.start))
    return True


def worst(obj):
    """Of each vertex the tightest of all baked frames, quantity -> n numbers; {} without any."""
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
    told = {name: [maps[name] for maps in frames if name in maps] for name in BY_NAME}
    return {
        name: fit_colours.span(BY_NAME[name], np.concatenate(of)) for name, of in told.items() if of
    }

# SPDX-License-Identifier: GPL-3.0-or-later
"""The fit maps of a baked garment in its mesh, those of a frame or the worst of the animation; and how a map looks: where its colours
end, and the same as vertex colours."""

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
    """Give the mesh the maps of the scene's frame, or the worst ones, and its velocity. Whether there are any; a preview has its own."""
    is_wanted = obj.type == "MESH" and obj.muslin.fit.enabled and bool(obj.muslin.baked.kind)
    if not is_wanted or fit_attributes.is_live(obj):
        return False
    scene = bpy.context.scene if scene is None else scene
    cache = find_cache.locate(obj)
    moving = velocities(cache, scene) if cache is not None else None
    if moving is None:
        return False
    if obj.muslin.fit.when == "worst":
        maps, _ = _summary(obj)
    else:
        found = fit_file.read(fit_file.beside(cache))
        maps = found.maps(scene.frame_current - found.start) if found is not None else {}
    return fit_attributes.write(obj, {**maps, "velocity": moving})


def velocities(path, scene):
    """Of each vertex in the object's own space, units per second, n x 3; None without a cache. From the frame before to the frame
    after, as motion blur sees it."""
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


def _summary(obj):
    """The tightest value of each vertex over all baked frames, quantity -> n numbers; and where the colours of each quantity
    end, such that they suit all frames, quantity -> (least, most). Computed once for a file."""
    path = path_of(obj)
    if path is None:
        return {}, {}
    stamp = os.stat(path).st_mtime_ns
    if _summaries.get(path, (None,))[0] != stamp:
        found, spans = fit_file.read(path), {}
        _summaries.clear()  # of the garment before
        # from some of the frames: sorting all would take long
        samples = range(0, len(found), -(-len(found) // SAMPLES)) if found is not None else ()
        frames = [found.maps(index) for index in samples]
        for name, quantity in BY_NAME.items():
            values = [maps[name] for maps in frames if name in maps]
            if values:
                spans[name] = fit_colours.span(quantity, np.concatenate(values))
        _summaries[path] = stamp, ({} if found is None else found.worst(), spans)
    return _summaries[path][1]


def limits(obj):
    """(least, most) of the colours of the shown quantity. Of a bake, those of the whole animation: a colour means the same in
    every frame."""
    fit = obj.muslin.fit
    quantity = BY_NAME[fit.quantity]
    if not fit.is_automatic:
        return fit_colours.span(quantity, (), (fit.least, fit.most))
    if fit.when == "frame" and not fit_attributes.is_live(obj):
        known = _summary(obj)[1].get(quantity.name)
        if known is not None:
            return known
    found = fit_attributes.values(obj.data, quantity)
    return fit_colours.span(quantity, () if found is None else found)


def to_colours(obj):
    """The quantity that is shown as a colour attribute; its name."""
    quantity, mesh = BY_NAME[obj.muslin.fit.quantity], obj.data
    if mesh.is_editmode:
        raise Problem(f"{obj.name}: leave Edit Mode first")
    if mesh.library is not None:
        raise Problem(f"The mesh of {obj.name} is linked from another file")
    found = fit_attributes.values(mesh, quantity)
    if found is None:
        raise Problem(f"{obj.name} has no map of {quantity.label.lower()} yet: drape it or bake it")
    colours = fit_colours.colours(quantity, found, limits(obj))
    name = f"Fit {quantity.label}"
    layer = fit_attributes.attribute(mesh.color_attributes, name, "BYTE_COLOR")
    numbers = "color_srgb"
    if numbers not in layer.data[0].bl_rna.properties:  # an older Blender, which wants linear ones
        rgb, numbers = colours[:, :3], "color"
        colours[:, :3] = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    layer.data.foreach_set(numbers, colours.ravel())
    mesh.color_attributes.active_color_index = mesh.color_attributes.find(name)
    mesh.update()
    return name

# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the fit map of a garment over it into the 3D view, and its legend into the corner.

The numbers are those of the evaluated mesh, where modifiers after the cloth have carried them along. Batches are made
again when what they show has changed, which costs less to find out than to be told of.
"""

from collections import namedtuple

import blf
import bpy
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader
from mathutils import Matrix

from ..scene import arrays
from . import fit_attributes, fit_colours, fit_frames
from .fit_quantities import BY_NAME

NEARER = 1e-3  # of the view's distance, by which colours are before the cloth they cover
BAR = 18, 200  # pixels at a scale of 1: width and height of the legend's colours
MARGIN = 24  # from the corner
STEPS = 64  # of its colours
LIGHT, DARKEST = (0.3, -0.6, 0.74), 0.75  # folds are seen by their shade; the legend has none
TEXT = 12
INK, SHADE = (1.0, 1.0, 1.0, 1.0), (0.08, 0.08, 0.08, 0.75)

# The evaluated mesh as it is shown, and (quantity, limits) of its colours.
Surface = namedtuple("Surface", "places values corners look")

_drawn = None, None, None  # the Surface that was drawn last, its triangles and its batch


def draw(context, obj):
    batch = batch_of(obj, context.evaluated_depsgraph_get())
    if batch is None:
        return

    was = gpu.state.depth_test_get()
    gpu.state.depth_test_set("LESS_EQUAL")
    gpu.state.depth_mask_set(True)
    try:
        with gpu.matrix.push_pop():
            nearer = Matrix.Translation((0.0, 0.0, NEARER * context.region_data.view_distance))
            gpu.matrix.load_matrix(nearer @ gpu.matrix.get_model_view_matrix() @ obj.matrix_world)
            batch.draw(smooth_shader())
    finally:
        gpu.state.depth_mask_set(False)
        gpu.state.depth_test_set(was)


def smooth_shader():
    return gpu.shader.from_builtin("SMOOTH_COLOR")


def batch_of(obj, depsgraph):
    """The coloured surface as it is now; None without a map."""
    global _drawn

    with arrays.evaluated_mesh(obj.evaluated_get(depsgraph)) as mesh:
        seen = surface(mesh, obj) if mesh is not None else None
        if seen is None:
            return None
        before, triangles, batch = _drawn
        is_cut = before is not None and np.array_equal(before.corners, seen.corners)
        if is_cut and before.look == seen.look and np.array_equal(before.places, seen.places):
            if np.array_equal(before.values, seen.values):
                return batch
        if not is_cut:
            triangles = arrays.triangles(mesh)
        batch = make_batch(seen.places, triangles, colours_of(mesh, seen))
    _drawn = seen, triangles, batch
    return batch


def surface(mesh, obj):
    """All that the picture depends on; None without a map. Quick: it is asked at every redraw."""
    quantity = BY_NAME[obj.muslin.fit.quantity]
    values = fit_attributes.values(mesh, quantity)
    if values is None:
        return None
    look = quantity, fit_frames.limits(obj)
    return Surface(arrays.positions(mesh), values, arrays.corners(mesh), look)


def colours_of(mesh, seen):
    """Of each vertex, shaded by a light from either side."""
    quantity, limits = seen.look
    colours = fit_colours.colours(quantity, seen.values, limits)
    normals = np.empty((len(mesh.vertices), 3), dtype=np.float32)
    mesh.vertex_normals.foreach_get("vector", normals.ravel())
    brightness = DARKEST + (1.0 - DARKEST) * np.abs(normals @ np.float32(LIGHT))
    colours[:, :3] *= brightness[:, None]
    return colours


def make_batch(places, triangles, colours):
    what = {"pos": places, "color": colours}
    return batch_for_shader(smooth_shader(), "TRIS", what, indices=triangles)


# The legend


def draw_legend(context, obj):
    quantity = BY_NAME[obj.muslin.fit.quantity]
    values = fit_attributes.values(obj.data, quantity)
    if values is None or not len(values):
        return
    scale = context.preferences.system.ui_scale or 1.0
    tools = [region for region in context.area.regions if region.type == "TOOLS"]
    # whether the toolbar lies over the view
    is_over = bool(tools) and tools[0].x + tools[0].width > context.region.x
    left, low = (tools[0].width if is_over else 0) + MARGIN * scale, MARGIN * scale
    gpu.state.blend_set("ALPHA")
    try:
        about = f"{obj.name}, {moment(context.scene, obj)}", reach(quantity, values)
        draw_bar(quantity, fit_frames.limits(obj), about, (left, low), scale)
    finally:
        gpu.state.blend_set("NONE")


def moment(scene, obj):
    """Which frames the map is of."""
    baked = obj.muslin.baked
    if fit_attributes.is_live(obj) or fit_frames.path_of(obj) is None:
        return "current state"
    if obj.muslin.fit.when == "worst":
        return f"worst of frames {baked.frame_start} to {baked.frame_end}"
    return f"frame {scene.frame_current}"


def reach(quantity, values):
    """How far the garment's numbers go, and which colours are the tight ones."""
    ends = f"{values.min():,.3g} to {values.max():,.3g} {quantity.unit}"
    if quantity.is_signed:
        return f"{ends}; orange is stretched"
    return f"{ends}; lighter is {'sheared more' if quantity.name == 'shear' else 'tighter'}"


def draw_bar(quantity, limits, about, corner, scale):
    """The scale of colours with round numbers beside it, the title above and two lines about the garment below."""
    (left, low), width, height = corner, BAR[0] * scale, BAR[1] * scale
    line = 1.5 * TEXT * scale
    bottom = low + 2.5 * line
    title = f"{quantity.label}, {quantity.unit}"
    set_size(scale)
    widest = max(blf.dimensions(0, text)[0] for text in (title, *about))
    back = widest + 16 * scale, bottom + height + 1.8 * line - low
    rectangle(left - 8 * scale, low - 6 * scale, *back, SHADE)
    draw_colours(quantity, limits, (left, bottom, width, height))
    write(title, left, bottom + height + 0.7 * line)
    for number, text in fit_colours.ticks(limits):
        place = bottom + height * (number - limits[0]) / (limits[1] - limits[0])
        rectangle(left + width, place - 0.5 * scale, 5 * scale, scale, INK)
        write(text, left + width + 9 * scale, place - 0.35 * TEXT * scale)
    write(about[0], left, low + line)
    write(about[1], left, low)


def draw_colours(quantity, limits, place):
    """A rectangle (left, bottom, width, height) from the first colour to the last."""
    left, bottom, width, height = place
    share = np.repeat(np.linspace(0.0, 1.0, STEPS + 1), 2)
    corners = np.zeros((len(share), 3), dtype=np.float32)
    corners[:, 0] = left + width * (np.arange(len(share)) % 2)
    corners[:, 1] = bottom + height * share
    numbers = limits[0] + share * (limits[1] - limits[0])
    first = 2 * np.arange(STEPS)[:, None]
    triangles = np.concatenate((first + (0, 1, 3), first + (0, 3, 2))).astype(np.int32)
    colours = fit_colours.colours(quantity, numbers, limits)
    make_batch(corners, triangles, colours).draw(smooth_shader())


def rectangle(x, y, width, height, colour):
    right, top = x + width, y + height
    corners = [(x, y, 0.0), (right, y, 0.0), (right, top, 0.0), (x, top, 0.0)]
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    batch = batch_for_shader(shader, "TRIS", {"pos": corners}, indices=[(0, 1, 2), (0, 2, 3)])
    shader.bind()
    shader.uniform_float("color", colour)
    batch.draw(shader)


def write(text, x, y):
    blf.color(0, *INK)
    blf.position(0, x, y, 0)
    blf.draw(0, text)


def set_size(scale):
    """Before 4.0 the size was given in points, with the dots of an inch."""
    blf.size(0, TEXT * scale, *(() if bpy.app.version >= (4, 0) else (72,)))


def forget():
    global _drawn
    _drawn = None, None, None

# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the mirror plane of the active garment, and its vertices without a partner, into the 3D view."""

import bpy

from ..drawing import ViewDrawing, shader_for
from . import mirror_ui

PLANE = (0.25, 0.55, 1.0, 0.16)
LINES = (0.35, 0.65, 1.0, 0.9)
POINTS = (1.0, 0.25, 0.1, 1.0)
POINT_SIZE = 8.0  # pixels at a scale of 1

_drawn = None, None  # the report that was drawn last, and its batches


def draw():
    """Called by Blender for every 3D view that it draws."""
    context = bpy.context
    obj = context.object
    report = shown(context, obj)
    if report is None:
        return
    import gpu

    was = gpu.state.depth_test_get()
    gpu.state.blend_set("ALPHA")
    try:
        with gpu.matrix.push_pop():
            gpu.matrix.multiply_matrix(obj.matrix_world)
            draw_batches(gpu, batches(report), context.preferences.system.ui_scale or 1.0)
    finally:
        gpu.state.blend_set("NONE")
        gpu.state.depth_test_set(was)
        gpu.state.point_size_set(1.0)
        gpu.state.line_width_set(1.0)


def shown(context, obj):
    """The report that is to be drawn, or None."""
    if obj is None or obj.type != "MESH" or not obj.muslin.enabled:
        return None
    if not obj.muslin.mirror.enabled or not obj.muslin.mirror.show:
        return None
    space = context.space_data
    if space is not None and not space.overlay.show_overlays:
        return None
    return mirror_ui.report_of(obj) if obj.visible_get() else None


def batches(report):
    """Plane, its rim with the arrow, and the points: each with its shader and colour."""
    global _drawn
    if _drawn[0] is report:
        return _drawn[1]
    from gpu_extras.batch import batch_for_shader

    a, b, c, d = report.corners
    rim = [a, b, b, c, c, d, d, a, *report.arrow]
    made = []
    for kind, places, colour in (
        ("TRIS", [a, b, c, a, c, d], PLANE),
        ("LINES", rim, LINES),
        ("POINTS", report.points, POINTS),
    ):
        if places:
            shader = shader_for(kind)
            made.append((kind, shader, batch_for_shader(shader, kind, {"pos": places}), colour))
    _drawn = report, made
    return made


def draw_batches(gpu, made, scale):
    gpu.state.line_width_set(2.0 * scale)
    gpu.state.point_size_set(POINT_SIZE * scale)
    for kind, shader, batch, colour in made:
        gpu.state.depth_test_set("LESS_EQUAL" if kind == "TRIS" else "NONE")  # lines shine through
        shader.bind()
        shader.uniform_float("color", colour)
        batch.draw(shader)


_drawing = ViewDrawing(POST_VIEW=draw)
register = _drawing.register


def unregister():
    global _drawn
    _drawn = None, None
    _drawing.unregister()

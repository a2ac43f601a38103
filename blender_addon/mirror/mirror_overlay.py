# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the mirror plane of the active garment, and its vertices without a partner, into the 3D view."""

import bpy

from ..buttons import is_garment
from ..drawing import ViewDrawing, in_space_of, shader_for
from . import mirror_ui

PLANE = (0.25, 0.55, 1.0, 0.16)
LINES = (0.35, 0.65, 1.0, 0.9)
POINTS = (1.0, 0.25, 0.1, 1.0)
POINT_SIZE = 8.0  # pixels at a scale of 1

_drawn = None, None  # the report that was drawn last, and its batches


def draw():
    context = bpy.context
    obj = context.object
    report = shown(context, obj)
    if report is None:
        return
    scale = context.preferences.system.ui_scale or 1.0
    with in_space_of(obj) as state:
        state.line_width_set(2.0 * scale)
        state.point_size_set(POINT_SIZE * scale)
        for kind, shader, batch, colour in batches(report):
            state.depth_test_set("LESS_EQUAL" if kind == "TRIS" else "NONE")  # lines shine through
            shader.bind()
            shader.uniform_float("color", colour)
            batch.draw(shader)


def shown(context, obj):
    """The report that is to be drawn, or None."""
    space = context.space_data
    if not is_garment(obj) or (space is not None and not space.overlay.show_overlays):
        return None
    is_wanted = obj.muslin.mirror.enabled and obj.muslin.mirror.show and obj.visible_get()
    return mirror_ui.report_of(obj) if is_wanted else None


def batches(report):
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


_drawing = ViewDrawing(POST_VIEW=draw)
register = _drawing.register


def unregister():
    global _drawn
    _drawn = None, None
    _drawing.unregister()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Grab in the panel, and the marks of what is pinned and pulled in the 3D view."""

import bpy

from ..operators.grab import pins_of
from ..run import running
from ..scene import lookup
from .overlay import shader_for
from . import words

PINS = (1.0, 0.75, 0.1, 1.0)
PULL = (1.0, 1.0, 1.0, 1.0)
POINT_SIZE = 9.0  # pixels at a scale of 1
MOST = 6  # pins that have a line of their own

_handler = None


def draw(layout, context, obj):
    """While it drapes: the switch, and what is pinned."""
    layout.operator("muslin.grab", icon="VIEW_PAN", depress=running.grab)
    pins = pins_of(obj)
    if not pins:
        return
    column = layout.column(align=True)
    for index in range(min(len(pins), MOST)):
        row = column.row()
        row.label(text=f"Pin {index + 1}", icon="PINNED")
        row.operator("muslin.let_go", text="", icon="X").index = index
    if len(pins) > MOST:
        words.paragraph(column, context, f"and {len(pins) - MOST} more")
    row = column.row(align=True)
    row.operator("muslin.let_go", text="Let All Go").index = -1
    row.operator("muslin.keep_pins")


def draw_marks():
    """Called by Blender for every 3D view that it draws."""
    context = bpy.context
    if context.space_data is not None and not context.space_data.overlay.show_overlays:
        return
    scale = context.preferences.system.ui_scale or 1.0
    for uid, preview in running.previews.items():
        obj, shape = lookup.find(uid), preview.shapes.get(uid)
        if obj is None or shape is None or not obj.visible_get():
            continue
        pins = [place(shape, hold.vertex) for hold in pins_of(obj)]
        pull = preview.hands_of(uid).pull
        taken = [] if pull is None else [place(shape, pull.vertex)]
        if any(mark is not None for mark in (*pins, *taken)):
            draw_points(obj, ((pins, PINS), (taken, PULL)), POINT_SIZE * scale)


def place(shape, vertex):
    """In the garment's own space; None while an edited mesh is not shown yet."""
    return tuple(shape[vertex]) if vertex < len(shape) else None


def draw_points(obj, groups, size):
    import gpu
    from gpu_extras.batch import batch_for_shader

    shader = shader_for("POINTS")
    was = gpu.state.depth_test_get()
    gpu.state.depth_test_set("NONE")  # a pin behind a fold is seen, too
    gpu.state.point_size_set(size)
    try:
        with gpu.matrix.push_pop():
            gpu.matrix.multiply_matrix(obj.matrix_world)
            for marks, colour in groups:
                places = [mark for mark in marks if mark is not None]
                if places:
                    shader.bind()
                    shader.uniform_float("color", colour)
                    batch_for_shader(shader, "POINTS", {"pos": places}).draw(shader)
    finally:
        gpu.state.depth_test_set(was)
        gpu.state.point_size_set(1.0)


def register():
    """Nothing is drawn where there is no window."""
    global _handler
    if not bpy.app.background and _handler is None:
        _handler = bpy.types.SpaceView3D.draw_handler_add(draw_marks, (), "WINDOW", "POST_VIEW")


def unregister():
    global _handler
    handler, _handler = _handler, None
    if handler is not None:
        bpy.types.SpaceView3D.draw_handler_remove(handler, "WINDOW")

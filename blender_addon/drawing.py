# SPDX-License-Identifier: GPL-3.0-or-later
"""What panels and views draw with: paragraphs that fit, columns, choices by name, shaders."""

import re
import textwrap
from contextlib import contextmanager

import bpy

# Pixels at a scale of 1: of an average letter, and of what a panel needs beside its text.
LETTER = 6.0
BORDERS = 36
TABS = 20  # of the sidebar
ICON = 22
NARROWEST = 18  # letters; below that a panel is not readable anyway


def letters_across(context, icon=False):
    """How many letters fit into a line of the region that is being drawn."""
    scale = context.preferences.system.ui_scale or 1.0
    width = context.region.width / scale - BORDERS - (ICON if icon else 0)
    if context.region.type == "UI":
        width -= TABS
    return max(NARROWEST, int(width / LETTER))


def paragraph(layout, context, text, icon="NONE"):
    """A text of any length, as labels that fit the panel's width; the icon is before the first."""
    column = layout.column(align=True)
    column.scale_y = 0.8
    lines = wrapped(str(text), letters_across(context, icon != "NONE"))
    for line in lines or [""]:
        column.label(text=line, icon=icon)
        icon = icon if icon == "NONE" else "BLANK1"


class Wrapper(textwrap.TextWrapper):
    """Breaks paths between their folders; names that are longer than a line anywhere, rather than cut them off."""

    wordsep_re = re.compile(r"([ \n\t]+)|(?<=[/\\])(?=\S{4})")  # but not in N/m


def wrapped(text, letters):
    """The lines of a text; a number stays with its %."""
    lines = Wrapper(letters).wrap(text.replace(" %", "\u00a0%"))
    return [line.replace("\u00a0", " ") for line in lines]


def split(layout):
    """A column of labels at the left and values at the right, as everywhere in Blender."""
    layout.use_property_split = True
    layout.use_property_decorate = False
    return layout.column()


def draw_choice(column, garment, name, owner, collection, **extra):
    """A choice by name from a collection; red when the name is there no longer."""
    row = column.row()
    chosen = getattr(garment, name)
    row.alert = bool(chosen) and chosen not in getattr(owner, collection)
    row.prop_search(garment, name, owner, collection, **extra)


BIG = 1.5  # times the height of an ordinary button: what to press next


class ViewDrawing:
    """Functions that Blender calls for every 3D view that it draws, by the moment of drawing; none without a window."""

    def __init__(self, **functions):
        self._functions, self._handlers = functions, []

    def register(self):
        if not bpy.app.background and not self._handlers:
            add = bpy.types.SpaceView3D.draw_handler_add
            for moment, draw in self._functions.items():
                self._handlers.append(add(draw, (), "WINDOW", moment))

    def unregister(self):
        while self._handlers:
            bpy.types.SpaceView3D.draw_handler_remove(self._handlers.pop(), "WINDOW")


@contextmanager
def in_space_of(obj):
    """Drawing in the object's own coordinates; what is set of gpu.state within it is put back."""
    import gpu

    was = gpu.state.depth_test_get()
    gpu.state.blend_set("ALPHA")
    try:
        with gpu.matrix.push_pop():
            gpu.matrix.multiply_matrix(obj.matrix_world)
            yield gpu.state
    finally:
        gpu.state.blend_set("NONE")
        gpu.state.depth_test_set(was)
        gpu.state.point_size_set(1.0)
        gpu.state.line_width_set(1.0)


def shader_for(kind):
    """A shader of one colour; newer Blenders have one of their own for points."""
    import gpu

    if kind == "POINTS":
        try:
            return gpu.shader.from_builtin("POINT_UNIFORM_COLOR")
        except ValueError:
            pass
    return gpu.shader.from_builtin("UNIFORM_COLOR")

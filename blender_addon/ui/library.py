# SPDX-License-Identifier: GPL-3.0-or-later
"""How the native library fares, as the panels and the preferences show it."""

from ..run import library
from . import words


def draw(layout, context):
    """The library's version and place, or why it does not load."""
    status = library.status()
    if not status.tried:
        row = layout.row()
        row.label(text=f"Library: loaded when it is first needed ({status.machine})")
        row.operator("muslin.try_library", text="Look Now", icon="FILE_REFRESH")
        return
    if status.ready:
        layout.label(text=f"Library {status.version} for {status.machine}", icon="CHECKMARK")
        words.paragraph(layout, context, status.path)
        return
    draw_trouble(layout, context, status)


def draw_trouble(layout, context, status):
    box = layout.box()
    words.paragraph(box, context, status.message, icon="ERROR")
    box.operator("muslin.try_library", icon="FILE_REFRESH")

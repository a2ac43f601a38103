# SPDX-License-Identifier: GPL-3.0-or-later
"""The switch that records a bug, and what becomes of it, as the preferences show them."""

import os

from ..run import record
from ..scene import amounts
from . import words

ADVICE = (
    "Do what goes wrong, switch this off, and send the file. In it are the meshes and the motion of your "
    "garments and colliders, and the numbers of the fabric; nothing else."
)


def draw(layout, context, preferences):
    """Switch and folder; while it is on, also the file."""
    column = layout.column()
    column.prop(preferences, "record")
    column.prop(preferences, "record_folder")
    if not preferences.record:
        return
    words.paragraph(layout, context, ADVICE)
    if record.problem:
        words.paragraph(layout, context, record.problem, icon="ERROR")
        return
    path = record.path()
    if path is None:
        layout.label(text="The file begins when a garment is first simulated")
    else:
        words.paragraph(layout, context, f"{path}, {_size(path)}", icon="REC")


def _size(path):
    try:
        return amounts.size(os.path.getsize(path))
    except OSError:  # somebody has taken the file away
        return "gone"

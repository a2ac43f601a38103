# SPDX-License-Identifier: GPL-3.0-or-later
"""The air in a closed garment: cushions, balloons, puffed sleeves that are sewn shut."""

from . import words

ONLY_CLOSED = "For closed meshes: every edge between two faces, all faces pointing outward."
ONLY_LINEAR = "Volumes are kept by the linear solver alone."
NOT_BY_THREADS = "Threads have no air inside."


def draw(layout, context, obj):
    garment = obj.muslin
    layout.use_property_split = True
    layout.use_property_decorate = False
    column = layout.column()
    column.active = garment.solver != "threads"
    column.prop(garment, "pressure")
    kept = column.row()
    kept.active = garment.solver == "linear"
    kept.prop(garment, "volume_stiffness")
    words.paragraph(layout, context, ONLY_CLOSED)
    if garment.solver == "threads":
        words.paragraph(layout, context, NOT_BY_THREADS, icon="INFO")
    elif garment.solver != "linear" and garment.volume_stiffness > 0:
        words.paragraph(layout, context, ONLY_LINEAR, icon="INFO")

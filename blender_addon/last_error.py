# SPDX-License-Identifier: GPL-3.0-or-later
"""The error that ended a garment's last dress, preview or bake: it stays in the panel until it is dismissed or a new run begins."""

import bpy

from . import drawing, running
from .buttons import Button, active_garment, select
from .scene.problems import Problem, refuse_linked_mesh


def of(obj):
    return running.errors.get(obj.muslin.uid) if obj.muslin.uid else None


class MUSLIN_OT_show_error(Button, bpy.types.Operator):
    """Select what the error names in Edit Mode"""

    bl_idname = "muslin.show_error"
    bl_label = "Show"
    bl_options = {"REGISTER", "UNDO"}

    asks = (lambda context: running.bake is None and running.job is None,)

    def work(self, context):
        finding = of(active_garment(context))
        meant = bpy.data.objects.get(finding.object_name) if finding is not None else None
        if meant is None or not finding.selectable:
            raise Problem("There is nothing to select")
        refuse_linked_mesh(meant)
        select(context, meant, finding.element, finding.indices)


class MUSLIN_OT_dismiss_error(Button, bpy.types.Operator):
    """Remove this error from the panel"""

    bl_idname = "muslin.dismiss_error"
    bl_label = "Dismiss"

    def work(self, context):
        running.errors.pop(active_garment(context).muslin.uid, None)
        running.redraw()


def draw(layout, context, obj):
    finding = of(obj)
    if finding is None:
        return
    box = layout.box()
    row = box.row()
    row.alert = True
    drawing.paragraph(row, context, finding.text, icon="ERROR")
    row = box.row(align=True)
    if finding.selectable:
        row.operator("muslin.show_error", text="Show", icon="RESTRICT_SELECT_OFF")
    row.operator("muslin.dismiss_error", text="Dismiss", icon="X")

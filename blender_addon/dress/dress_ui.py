# SPDX-License-Identifier: GPL-3.0-or-later
"""Dress This Body and Fit a Suit: from selected meshes to cloth that has settled on its body, with one button."""

import bpy

from .. import running
from ..buttons import Button, ask_library
from ..scene.lookup import ensure_uid
from ..scene.problems import refuse_linked
from ..words import listed


class _Button(Button):
    bl_options = {"UNDO"}
    is_suit, is_run = False, True
    asks = (lambda context: len(selected(context)) >= 2, lambda _context: not running.is_busy())

    def work(self, context):
        from . import dressing

        ask_library()
        garments, bodies = dressing.sort_out(selected(context), context.scene)
        active, left = context.view_layer.objects.active, []
        if self.is_suit:  # one at a time
            fitted = active if active in garments else garments[0]
            left = [obj.name for obj in garments if obj != fitted]
            garments = [fitted]
        for obj in garments:
            refuse_linked(obj)
        for obj in garments:
            set_up(obj, bodies)
        if context.view_layer.objects.active not in garments:
            context.view_layer.objects.active = garments[0]  # which the panel shows then
        stopping = next(filter(None, (what_stops(context, obj) for obj in garments)), "")
        what = stopping or "settling"
        if not stopping:
            scene, depsgraph = context.scene, context.evaluated_depsgraph_get()
            dressing.order(garments, scene, depsgraph)
            garments.sort(key=lambda obj: obj.muslin.layer)
            if self.is_suit:
                what += f"; {dressing.choose_mirroring(garments[0], scene, depsgraph)}"
        kind = "WARNING" if stopping else "INFO"
        worn, under = ([obj.name for obj in objects] for objects in (garments, bodies))
        alone = f"; {listed(left)} left out: one garment is fitted at a time" if left else ""
        self.report({kind}, f"{listed(worn)} on {listed(under)}: {what}{alone}")
        if not stopping:
            try:
                bpy.ops.muslin.drape_now("INVOKE_DEFAULT", settle=True, fit=self.is_suit)
            except RuntimeError as error:
                self.report({"WARNING"}, str(error).strip().removeprefix("Error: "))


class MUSLIN_OT_dress(_Button, bpy.types.Operator):
    """Put the selected garments on the selected body, in any order: colliders and self-contact are set, and the cloth settles"""

    bl_idname = "muslin.dress"
    bl_label = "Dress This Body"


class MUSLIN_OT_fit_suit(_Button, bpy.types.Operator):
    """Dress the selected body: simulate one half if the garment is symmetric, close its front, and show the fit map"""

    bl_idname = "muslin.fit_suit"
    bl_label = "Fit a Suit"
    is_suit = True


def selected(context):
    """Meshes; the active object only if it is selected."""
    return [obj for obj in context.selected_objects if obj.type == "MESH"]


def set_up(obj, bodies):
    settings = obj.muslin
    settings.enabled = True
    ensure_uid(obj)
    settings.self_contact = True
    known = [item.object for item in settings.colliders]
    for body in bodies:
        if body not in known:
            settings.colliders.add().object = body


def what_stops(context, obj):
    """Why it cannot be simulated like this, in a sentence; empty: it can be. How it begins is reported once it has settled:
    an artist would rather see it move."""
    from ..check import check_ui

    context.view_layer.update()
    found = [each for each in check_ui.look(obj, context, start=False) if each.stops]
    if found:
        running.errors[obj.muslin.uid] = found[0]
    return f"{found[0].text}. See Check" if found else ""


def draw_dress(layout, context):
    if len(selected(context)) > 1:
        # side by side their names would be cut off in a narrow sidebar
        column = layout.column(align=True)
        row = column.row()
        row.scale_y = 1.8
        row.operator("muslin.dress", icon="MOD_CLOTH")
        column.operator("muslin.fit_suit")

# SPDX-License-Identifier: GPL-3.0-or-later
"""Check: what is wrong with a garment, shown in the mesh, and mended where that is sure to help. The buttons, and the Check
section of the panel."""

import bpy

from .. import drawing
from ..buttons import Button, has_mesh, leave_edit_mode, not_baking, select
from ..scene.lookup import ensure_uid
from ..scene.problems import Problem, refuse_linked_mesh
from . import mend

_found = {}  # uid -> (counts of the mesh that was looked at, findings); plain data, never saved


def last_findings(obj):
    """What the last check of a garment found; None before the first one."""
    looked_at = _found.get(obj.muslin.uid) if obj.muslin.uid else None
    return None if looked_at is None else looked_at[1]


def _counts(obj):
    mesh = obj.data
    return len(mesh.vertices), len(mesh.edges), len(mesh.polygons)


def look(obj, context, start=True):
    from . import check_garment

    found = check_garment.check(obj, context.scene, context.evaluated_depsgraph_get(), start)
    found.extend(check_garment.bake_findings(obj))
    shown = [each for each in _valid(obj) if each.frame is not None and obj.muslin.baked.kind]
    remember(obj, [*found, *shown])  # with what the last bake showed, as long as it is there
    return found


def remember(obj, found):
    _found[ensure_uid(obj)] = (_counts(obj), found)


def remember_bake(obj, found):
    """In place of what an earlier bake showed."""
    remember(obj, [*(each for each in _valid(obj) if each.frame is None), *found])


def _valid(obj):
    """What was found in the mesh as it is now: indices mean nothing in another one."""
    counts, found = _found.get(obj.muslin.uid, (None, ()))
    return found if counts == _counts(obj) else ()


def summary(name, found):
    """The kind of report and one sentence for the status bar. Never an error: that would raise an exception in a script,
    but the check itself has worked."""
    if not found:
        return "INFO", f"{name}: no problems found"
    if len(found) == 1:
        only = found[0]
        return "WARNING", only.text if only.text.startswith(name) else f"{name}: {only.text}"
    stopping = sum(finding.stops for finding in found)
    tail = f"{stopping} of them must be fixed first" if stopping else "none prevents simulation"
    return "WARNING", f"{name}: {len(found)} problems, {tail}"


class MUSLIN_OT_check(Button, bpy.types.Operator):
    """Check for anything that prevents simulation or makes the garment drape badly"""

    bl_idname = "muslin.check"
    bl_label = "Check Garment"

    asks = (has_mesh,)

    def work(self, context):
        obj = context.active_object
        kind, text = summary(obj.name, look(obj, context))
        self.report({kind}, text)


class _FindingButton(Button):
    """For one of the findings: use(context, obj, finding) does what the button says."""

    asks = (has_mesh,)

    index: bpy.props.IntProperty(name="Problem", description="Its number, from 0", min=0)

    def work(self, context):
        obj = context.active_object
        counts, found = _found.get(obj.muslin.uid, (None, ()))
        if not 0 <= self.index < len(found):
            raise Problem(f"{obj.name} has no such problem; check it again")
        if obj.mode == "EDIT":
            obj.update_from_editmode()
        if counts != _counts(obj):
            raise Problem(f"{obj.name} has changed since it was checked; check it again")
        self.use(context, obj, found[self.index])


class MUSLIN_OT_select_problem(_FindingButton, bpy.types.Operator):
    """Select the affected vertices, edges or faces in Edit Mode"""

    bl_idname = "muslin.select_problem"
    bl_label = "Select Affected"
    bl_options = {"REGISTER", "UNDO"}

    def use(self, context, obj, finding):
        meant = bpy.data.objects.get(finding.object_name)
        if not finding.selectable or meant is None:
            raise Problem(f"There is nothing to select: {finding.text}")
        refuse_linked_mesh(meant)
        select(context, meant, finding.element, finding.indices)


class MUSLIN_OT_go_to_problem(_FindingButton, bpy.types.Operator):
    """Go to the first frame with this problem"""

    bl_idname = "muslin.go_to_problem"
    bl_label = "Go to Frame"

    def use(self, context, obj, finding):
        if finding.frame is None:
            raise Problem(f"This does not come from a bake: {finding.text}")
        context.scene.frame_set(finding.frame)


class MUSLIN_OT_fix_problem(_FindingButton, bpy.types.Operator):
    """Fix this, and check the garment again"""

    bl_idname = "muslin.fix_problem"
    bl_label = "Fix"
    bl_options = {"REGISTER", "UNDO"}

    asks = (has_mesh, not_baking)

    def use(self, context, obj, finding):
        if finding.kind in mend.CHANGES_MESH:
            refuse_linked_mesh(obj)
            leave_edit_mode(context)
        if not mend.mend(obj, finding):
            raise Problem(f"This cannot be fixed automatically: {finding.text}")
        context.view_layer.update()
        kind, text = summary(obj.name, look(obj, context))
        self.report({kind}, f"{finding.fix}: done. {text}")


def unregister():
    _found.clear()


def draw_check(layout, context, obj):
    layout.operator("muslin.check", text="Check This Garment", icon="VIEWZOOM")
    findings = last_findings(obj)
    if findings is None:
        return
    if all(finding.frame is not None for finding in findings):
        drawing.paragraph(layout, context, "No problems found.", icon="CHECKMARK")
    for index, finding in enumerate(findings):
        if finding.frame is None:
            draw_finding(layout.box(), context, index, finding)


def draw_finding(box, context, index, finding):
    drawing.paragraph(box, context, finding.text, icon=finding.icon)
    row = box.row(align=True)
    if finding.selectable:
        row.operator("muslin.select_problem", text="Select").index = index
    if finding.frame is not None:
        row.operator("muslin.go_to_problem", text=f"Frame {finding.frame}").index = index
    if finding.fix:
        row.operator("muslin.fix_problem", text=finding.fix).index = index

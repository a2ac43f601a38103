# SPDX-License-Identifier: GPL-3.0-or-later
"""Mirroring, `object.muslin.mirror`: how a garment that is its own mirror image is simulated by one half. The settings, the
buttons Find Symmetry, Select Unpaired and Measure, and the Mirror section of the panel."""

import bpy

from .. import drawing, running
from ..buttons import GarmentButton, active_garment, ask_library, select
from ..drawing import split
from ..jobs import JobButton
from ..scene import lookup
from ..scene.problems import Problem, refuse_linked_mesh
from ..table_properties import BoolProperty, EnumProperty, choice, number

PLANES = (
    ("x", "X", "Across the object's local X axis, as clothes are usually modelled"),
    ("y", "Y", "Across the object's local Y axis"),
    ("z", "Z", "Across the object's local Z axis"),
    ("found", "Automatic", "Find the plane that fits the mesh best"),
)


class MuslinMirror(bpy.types.PropertyGroup):
    enabled: BoolProperty(
        "Mirror", "Simulate one half of a symmetric garment, and show its mirror image as the other"
    )
    method: choice("mirror", without=("off",))
    plane: EnumProperty("Plane", items=PLANES)
    tolerance: number("mirror_tolerance")
    closure: choice("closure")
    overlap: number("overlap")
    over: choice("over")
    # The cloth must collide with what is shown: the mean of a walking body and its image is not.
    asymmetric_body: choice("asymmetric_body", default="whole")
    show: BoolProperty(
        "Show in View",
        "Draw the plane and the vertices without a mirror partner in the 3D view",
        default=True,
    )


class MUSLIN_OT_find_symmetry(GarmentButton, bpy.types.Operator):
    """Check whether this garment is symmetric, and where it is not"""

    bl_idname = "muslin.find_symmetry"
    bl_label = "Find Symmetry"

    def work(self, context):
        from . import symmetry

        ask_library()
        obj = active_garment(context)
        report = symmetry.look(obj, context.scene, context.evaluated_depsgraph_get())
        running.symmetries[lookup.ensure_uid(obj)] = report
        kind = "INFO" if report.is_symmetric else "WARNING"
        self.report({kind}, f"{obj.name}: {symmetry.summary(report)}")
        running.redraw()


class MUSLIN_OT_select_unpaired(GarmentButton, bpy.types.Operator):
    """Select the vertices without a mirror partner in Edit Mode; if all have one, the faces without a mirror image"""

    bl_idname = "muslin.select_unpaired"
    bl_label = "Select Unpaired"
    bl_options = {"REGISTER", "UNDO"}

    def work(self, context):
        obj = active_garment(context)
        if obj.mode == "EDIT":
            obj.update_from_editmode()
        report = report_of(obj)
        if report is None:
            raise Problem(f"{obj.name} has changed: press Find Symmetry again")
        refuse_linked_mesh(obj)
        if not report.unpaired and not report.faces:
            self.report({"INFO"}, f"{obj.name}: every vertex and every face has its mirror image")
            return {"CANCELLED"}
        element = "VERT" if report.unpaired else "FACE"
        select(context, obj, element, report.unpaired or report.faces)


class MUSLIN_OT_measure_mirror(JobButton, GarmentButton, bpy.types.Operator):
    """Time a few frames with and without mirroring, on a hidden copy; ESC stops"""

    bl_idname = "muslin.measure_mirror"
    bl_label = "Measure"

    def start(self, context):
        from .measure import Measure

        obj = active_garment(context)
        if not obj.muslin.mirror.enabled:
            raise Problem(f"{obj.name}: enable Mirror first")
        return Measure(obj, context.scene)


def report_of(obj):
    """The symmetry.Report on this garment as it is now, or None."""
    report = running.symmetries.get(obj.muslin.uid)
    if report is None:
        return None
    from .symmetry import key  # is loaded by now: it made the report

    return report if report.asked == key(obj) else None


def draw_header(layout, obj):
    layout.prop(obj.muslin.mirror, "enabled", text="")


def draw(layout, context, obj):
    mirror = obj.muslin.mirror
    draw_solved(layout, context, obj)
    column = split(layout)
    column.active = mirror.enabled
    column.prop(mirror, "method")
    column.prop(mirror, "plane")
    automatic = "" if mirror.tolerance else " (automatic)"
    column.prop(mirror, "tolerance", text=f"Tolerance{automatic}")
    draw_symmetry(layout, context, obj)
    column = split(layout)
    column.prop(mirror, "closure")  # also of a garment that is not mirrored
    if mirror.closure == "button":
        column.prop(mirror, "overlap")
        column.prop(mirror, "over")
    row = split(layout).row()
    # a front is closed in the plane, so the whole cannot be simulated
    row.active = mirror.enabled and mirror.closure == "free"
    row.prop(mirror, "asymmetric_body")
    row = layout.row()
    row.enabled = mirror.enabled
    row.operator("muslin.measure_mirror", text="Measure the Speed-Up", icon="TIME")
    measured = running.speeds.get(obj.muslin.uid)
    if measured is not None:
        from .mirror_plane import choice  # is loaded by now: it was measured

        if measured[0] == choice(obj):
            drawing.paragraph(layout, context, measured[1], icon="CHECKMARK")


def draw_solved(layout, context, obj):
    """How the last simulation solved it; a warning where that is not as wanted."""
    solved = running.solved.get(obj.muslin.uid) if obj.muslin.mirror.enabled else None
    if solved is not None:
        is_well, text = solved
        icon = "CHECKMARK" if is_well else "ERROR"
        drawing.paragraph(layout, context, text[:1].upper() + text[1:], icon=icon)


def draw_symmetry(layout, context, obj):
    layout.operator("muslin.find_symmetry", icon="MOD_MIRROR")
    report = report_of(obj)
    if report is None:
        if obj.muslin.uid in running.symmetries:
            drawing.paragraph(layout, context, "The mesh or the plane has changed: check again.")
        return
    from . import symmetry  # is loaded by now: it made the report

    box = layout.box()
    icon = "CHECKMARK" if report.is_symmetric and not report.doubt else "ERROR"
    title = symmetry.summary(report) if report.is_symmetric else "One half cannot represent both:"
    drawing.paragraph(box, context, title, icon=icon)
    for is_well, text in symmetry.lines(report):
        drawing.paragraph(box, context, text, icon="DOT" if is_well else "ERROR")
    if report.refusal and (report.cut or not report.unpaired and not report.faces):
        drawing.paragraph(box, context, report.refusal)
    box.prop(obj.muslin.mirror, "show")
    row = box.row()
    row.enabled = bool(report.unpaired or report.faces)
    row.operator("muslin.select_unpaired", icon="RESTRICT_SELECT_OFF")

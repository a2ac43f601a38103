# SPDX-License-Identifier: GPL-3.0-or-later
"""The Mirror section: one half for both, in which plane, and whether that can be."""

from . import state, words
from .setup import split


def draw_header(layout, obj):
    mirror = obj.muslin.mirror
    layout.prop(mirror, "enabled", text="")


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
    draw_closure(layout, mirror)
    draw_speed(layout, context, obj)


def draw_solved(layout, context, obj):
    """How the last simulation solved it; warns where that is not as wanted."""
    solved = state.solved(obj)
    if solved is not None:
        is_well, text = solved
        icon = "CHECKMARK" if is_well else "ERROR"
        words.paragraph(layout, context, text[:1].upper() + text[1:], icon=icon)


def draw_symmetry(layout, context, obj):
    layout.operator("muslin.find_symmetry", icon="MOD_MIRROR")
    report = state.symmetry(obj)
    if report is None:
        if state.was_looked_at(obj):
            words.paragraph(layout, context, "The mesh or the plane has changed: look again.")
        return
    box = layout.box()
    draw_report(box, context, report)
    mirror = obj.muslin.mirror
    box.prop(mirror, "show")
    row = box.row()
    row.enabled = bool(report.unpaired or report.faces)
    row.operator("muslin.select_unpaired", icon="RESTRICT_SELECT_OFF")


def draw_report(box, context, report):
    from ..scene import symmetry  # is loaded by now: it made the report

    icon = "CHECKMARK" if report.is_symmetric and not report.doubt else "ERROR"
    title = symmetry.summary(report) if report.is_symmetric else "One half cannot stand for both:"
    words.paragraph(box, context, title, icon=icon)
    for is_well, text in symmetry.lines(report):
        words.paragraph(box, context, text, icon="DOT" if is_well else "ERROR")
    if report.refusal and (report.cut or not report.unpaired and not report.faces):
        words.paragraph(box, context, report.refusal)


def draw_closure(layout, mirror):
    """Each choice is grey where another one makes it idle."""
    column = split(layout)
    column.prop(mirror, "closure")  # of a whole garment, too
    if mirror.closure == "button":
        column.prop(mirror, "overlap")
        column.prop(mirror, "over")
    row = split(layout).row()
    row.active = (
        mirror.enabled and mirror.closure == "free"
    )  # what is closed in the plane has no whole
    row.prop(mirror, "asymmetric_body")


def draw_speed(layout, context, obj):
    row = layout.row()
    row.enabled = obj.muslin.mirror.enabled
    row.operator("muslin.measure_mirror", text="Measure the Speed-Up", icon="TIME")
    speed = state.speed(obj)
    if speed:
        words.paragraph(layout, context, speed, icon="CHECKMARK")

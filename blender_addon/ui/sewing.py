# SPDX-License-Identifier: GPL-3.0-or-later
"""The Sewing section: seams from loose edges, elastics and tacks."""

from .setup import named, split


def draw(layout, _context, obj):
    sewing = obj.muslin.sewing
    column = split(layout)
    column.prop(sewing, "enabled")
    seams = column.column()
    seams.active = sewing.enabled
    seams.prop(sewing, "is_even")
    seams.prop(sewing, "speed")
    seams.prop(sewing, "release")
    layout.operator("muslin.cut_pattern", icon="MOD_UVPROJECT")
    draw_elastics(layout, sewing, obj)
    draw_tacks(layout, sewing, obj)


def draw_elastics(layout, sewing, obj):
    for number, elastic in enumerate(sewing.elastics):
        box = layout.box()
        column = split(box)
        named(column, elastic, "group", obj, "vertex_groups")
        column.prop(elastic, "share")
        column.prop(elastic, "release")
        box.operator("muslin.remove_elastic", icon="X").number = number
    layout.operator("muslin.add_elastic", icon="ADD")


def draw_tacks(layout, sewing, obj):
    for number, tack in enumerate(sewing.tacks):
        box = layout.box()
        column = split(box)
        named(column, tack, "group", obj, "vertex_groups")
        column.prop(tack, "target")
        if tack.target is not None and tack.target.type == "MESH" and tack.target.muslin.enabled:
            named(column, tack, "target_group", tack.target, "vertex_groups")
        column.prop(tack, "release")
        box.operator("muslin.remove_tack", icon="X").number = number
    layout.operator("muslin.add_tack", icon="ADD")

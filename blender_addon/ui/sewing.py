# SPDX-License-Identifier: GPL-3.0-or-later
"""The Sewing section: seams from loose edges, and an elastic."""

from .setup import named, split


def draw(layout, _context, obj):
    sewing = obj.muslin.sewing
    column = split(layout)
    column.prop(sewing, "enabled")
    seams = column.column()
    seams.active = sewing.enabled
    seams.prop(sewing, "is_even")
    seams.prop(sewing, "speed")
    layout.operator("muslin.cut_pattern", icon="MOD_UVPROJECT")
    column = split(layout)
    named(column, sewing, "elastic_group", obj, "vertex_groups")
    share = column.column()
    share.active = bool(sewing.elastic_group)
    share.prop(sewing, "elastic_share")

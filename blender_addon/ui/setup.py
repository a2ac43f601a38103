# SPDX-License-Identifier: GPL-3.0-or-later
"""What the artist sets before anything runs: fabric, colliders, pins and shape, wind, advanced.

Every function here is called as draw(layout, context, obj) with a garment; all must be quick.
"""

import bpy

from .. import fabric_list
from ..muslin.fabrics import has_warp
from ..muslin.table import SETTINGS
from ..table_properties import MATERIAL
from . import words


# Numbers of the material that have their place below; any other comes after them.
PLACED = (
    *("density", "stretch_warp", "stretch_weft", "shear", "bend", "bend_weft", "bend_twist"),
    *("area_stiffness", "rope_bend"),
    *("poisson", "strain_limit", "fold_memory"),
    *("damping", "stiffness_damping"),
    *("air_drag", "rope_density", "rope_stretch", "pin_stiffness"),
    *("pressure", "volume_stiffness"),
)
NO_UV_MAP = "No UV map: the warp runs upright where the cloth stands, and along Y where it lies."
MEASURED = (
    "Measured: stretch, shear or bending follow the fabric's file, and not the numbers above."
)
# Names that a narrow sidebar would cut off.
SHORT = {"bending": {"text": "Bending"}, "sweep_method": {"text": "Sweep By"}}
ONLY_GRIDS = "Only for ropes and for sheets of quads in rows and columns."
MOST_BROKEN = 3  # of the user's files that are no fabrics, shown with their reasons


def split(layout):
    """A column of labels at the left and values at the right, as everywhere in Blender."""
    layout.use_property_split = True
    layout.use_property_decorate = False
    return layout.column()


def quality_acts(garment):
    """The quality steers the two-level scheme, unless its rounds are fixed; the others do as told."""
    return has_two_levels(garment) and not garment.fixed_rounds


def has_two_levels(garment):
    return garment.solver == "linear" and garment.scheme == "two_level"


def is_woven(garment):
    """Threads have a model of their own."""
    return garment.solver == "threads"


def draw_first(layout, context, obj):
    """Quality, then fabric: the two choices that everybody makes."""
    garment = obj.muslin
    column = layout.column()
    row = column.row(align=True)
    row.active = quality_acts(garment)
    row.prop(garment, "quality", expand=True)
    if not quality_acts(garment):
        words.paragraph(column, context, "Set under Advanced instead", icon="INFO")
    row = column.row(align=True)
    row.prop(garment, "fabric", text="")
    if fabric_list.is_changed(garment):
        row.operator("muslin.reset_fabric", text="Reset", icon="LOOP_BACK")


def draw_fabric(layout, context, obj):
    garment = obj.muslin
    layout.template_icon_view(garment, "fabric", show_labels=True, scale=4, scale_popup=4)
    draw_fabric_source(layout, context, obj)
    row = layout.row(align=True)
    row.operator("muslin.save_fabric", text="Save…", icon="ADD")
    row.operator("muslin.remove_fabric", text="", icon="REMOVE")
    row.operator("muslin.import_fabric", text="", icon="IMPORT")
    row.operator("muslin.export_fabric", text="", icon="EXPORT")
    layout.operator("muslin.compare_fabrics", text="Compare Fabrics…", icon="ALIGN_JUSTIFY")
    words.paragraph(
        layout,
        context,
        "Weight in kg/m²; warp, weft and shear in N/m; bending in N m, its weft and twist in parts of it.",
    )
    column = split(layout)
    column.prop(garment, "density")
    column.separator()
    stretch = column.column(align=True)
    stretch.prop(garment, "stretch_warp", text="Warp")
    stretch.prop(garment, "stretch_weft", text="Weft")
    column.prop(garment, "shear")
    area = column.row()
    area.active = is_woven(garment)
    area.prop(garment, "area_stiffness")
    membrane = column.column(align=True)
    membrane.active = garment.model == fabric_list.MEMBRANE and not is_woven(garment)
    membrane.prop(garment, "poisson")
    membrane.prop(garment, "strain_limit")
    bending = column.column(align=True)
    bending.prop(garment, "bend")
    bending.prop(garment, "bend_weft", text="Weft")
    bending.prop(garment, "bend_twist", text="Twist")
    column.prop(garment, "fold_memory")
    column.separator()
    column.prop(garment, "damping")
    column.prop(garment, "stiffness_damping", text="In Creases")
    column.prop(garment, "air_drag")
    column.separator()
    ropes = column.column(align=True)
    ropes.prop(garment, "rope_density")
    ropes.prop(garment, "rope_stretch", text="Stretch")
    rope_bend = ropes.row()
    rope_bend.active = is_woven(garment)
    rope_bend.prop(garment, "rope_bend", text="Bending")
    for name in MATERIAL:
        if name not in PLACED and SETTINGS[name].length == 1:  # measured ones come from files
            column.prop(garment, name)
    if any(garment.stretch_samples) or any(garment.bend_samples):
        words.paragraph(layout, context, MEASURED)
    for broken in fabric_list.broken()[:MOST_BROKEN]:
        words.paragraph(layout, context, broken.reason, icon="ERROR")


def draw_fabric_source(layout, context, obj):
    """Where the numbers come from, and what is taken for the warp; the menu shows only the name."""
    fabric = fabric_list.chosen(obj.muslin)
    if fabric is None:
        words.paragraph(layout, context, "The file of this fabric is not there; its numbers are.")
        return
    words.paragraph(layout, context, f"{fabric.help}. Numbers: {fabric.source}.")
    if has_warp(fabric) and not obj.data.uv_layers:
        words.paragraph(layout, context, NO_UV_MAP, icon="INFO")


class MUSLIN_UL_colliders(bpy.types.UIList):
    """Objects that the cloth meets: whether, which, and whether with a surface of its own."""

    def draw_item(
        self, _context, layout, _data, item, _icon, _active, _property, _index=0, _flag=0
    ):
        row = layout.row(align=True)
        row.prop(item, "enabled", text="")
        target = row.row(align=True)
        target.active = item.enabled
        target.prop(item, "object", text="", emboss=item.object is None, icon="OBJECT_DATA")
        if item.object is None:
            target.label(text="", icon="ERROR")
        elif item.own_surface:
            target.label(text="", icon="MOD_THICKNESS")


def draw_colliders(layout, context, obj):
    garment = obj.muslin
    if not garment.colliders and garment.collider_collection is None:
        words.paragraph(
            layout, context, "Nothing is met yet. Add the body, or what else it falls on."
        )
    row = layout.row()
    row.template_list(
        "MUSLIN_UL_colliders", "", garment, "colliders", garment, "active_collider", rows=2
    )
    buttons = row.column(align=True)
    buttons.operator("muslin.collider_add", text="", icon="ADD")
    buttons.operator("muslin.collider_remove", text="", icon="REMOVE")
    draw_active_collider(layout, garment)
    column = split(layout)
    column.prop(garment, "collider_collection")
    column.separator()
    column.prop(garment, "thickness")
    column.prop(garment, "friction")
    column.separator()
    column.prop(garment, "self_contact")


def draw_active_collider(layout, garment):
    if not 0 <= garment.active_collider < len(garment.colliders):
        return
    item = garment.colliders[garment.active_collider]
    if item.object is None:
        return
    layout.prop(item, "own_surface", text=f"{item.object.name} Has Its Own Surface")
    if item.own_surface:
        own = split(layout.box())
        own.active = item.enabled
        own.prop(item, "thickness")
        own.prop(item, "friction")


def draw_pins(layout, context, obj):
    garment = obj.muslin
    column = split(layout)
    named(column, garment, "pin_group", obj, "vertex_groups")
    if garment.pin_group:
        column.prop(garment, "pin_stiffness", text="Stiffness")
        column.prop(garment, "pin_strength")
        release = column.row(align=True, heading="Release")
        release.prop(garment, "use_pin_release", text="")
        frame = release.row(align=True)
        frame.active = garment.use_pin_release
        frame.prop(garment, "pin_release", text="Frame")
    else:
        words.paragraph(layout, context, "Without pins the cloth is free and falls.")
        column = split(layout)
    column.separator()
    column.prop(garment, "rest")
    if garment.rest == "key":
        draw_rest_key(column, obj)
    elif garment.rest == "uv":
        named(column, garment, "rest_uv", obj.data, "uv_layers")
        column.prop(garment, "uv_scale", text="Scale")
    if garment.rest != "uv":  # a sewing pattern is flat already
        column.prop(garment, "flat")


def draw_rest_key(column, obj):
    if obj.data.shape_keys is None:
        column.label(text="This mesh has no shape keys", icon="ERROR")
    else:
        named(column, obj.muslin, "rest_key", obj.data.shape_keys, "key_blocks")


def named(column, garment, name, owner, collection, **extra):
    """A choice by name from a collection; red when the name is there no longer."""
    row = column.row()
    chosen = getattr(garment, name)
    row.alert = bool(chosen) and chosen not in getattr(owner, collection)
    row.prop_search(garment, name, owner, collection, **extra)


def draw_maps(layout, _context, obj):
    """Vertex groups that vary the fabric over the garment."""
    garment = obj.muslin
    labels = (("mass", "Weight"), ("stretch", "Stretch"), ("bend", "Bending"), ("size", "Shrink"))
    for kind, label in labels:
        column = split(layout)
        named(column, garment, f"{kind}_group", obj, "vertex_groups", text=label)
        if getattr(garment, f"{kind}_group"):
            column.prop(garment, f"{kind}_factor", text="At Weight 1")


def draw_forces(layout, context, obj):
    garment = obj.muslin
    column = split(layout)
    column.prop(garment, "gravity")
    if not context.scene.use_gravity:
        column.label(text="The scene's gravity is off", icon="INFO")
    column.separator()
    column.prop(garment, "wind")
    column.prop(garment, "use_force_fields", text="Force Fields")
    drag = column.column(align=True)
    drag.prop(garment, "normal_drag", text="Drag Across")
    drag.prop(garment, "tangent_drag", text="Along")
    drag.prop(garment, "drag_law", text="Grows")


def draw_advanced(layout, context, obj):
    """Each choice is grey where another one makes it idle."""
    garment = obj.muslin
    linear = garment.solver == "linear"
    plain = linear and garment.scheme == "plain"
    sweeping = garment.solver == "sweep"
    column = split(layout)
    column.prop(garment, "time_scale")
    column.prop(garment, "subframes")
    column.prop(garment, "substeps")
    column.prop(garment, "integrator")
    column.prop(garment, "solver")
    if is_woven(garment):
        words.paragraph(column, context, ONLY_GRIDS, icon="INFO")
    for name, acts in (
        ("bending", not is_woven(garment)),
        ("model", not is_woven(garment)),
        ("scheme", linear),
        ("estimate", plain),
        ("fixed_rounds", has_two_levels(garment)),
        ("iterations", not quality_acts(garment) and not sweeping),
        ("sweep_method", sweeping),
        ("sweeps", sweeping and garment.sweep_method in ("kim", "kang2")),
    ):
        row = column.row()
        row.active = acts
        row.prop(garment, name, **SHORT.get(name, {}))

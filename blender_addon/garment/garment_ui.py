# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes garments of objects and back; and what everyone chooses first, pins and shape, what varies over the garment, and how
it is solved.

Every draw function is called as draw(layout, context, obj) with a garment; all must be quick.
"""

import bpy

from .. import drawing
from ..buttons import Button, is_garment, not_baking, selected_meshes
from ..drawing import draw_choice, split
from ..fabric import fabric_list
from ..muslin.table import MAPS, takes
from ..scene.lookup import ensure_uid
from ..scene.problems import refuse_linked
from ..table_properties import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    MapFactors,
    StringProperty,
    choice,
    number,
)
from .garment_settings import has_two_levels, is_steered, is_woven


RESTS = (
    ("mesh", "Mesh", "The mesh as it is modelled, without modifiers"),
    ("key", "Shape Key", "A shape key is the rest shape, the mesh is the starting pose"),
    ("uv", "UV Map", "The UV map is the sewing pattern"),
)


class ShapeSettings(MapFactors):
    """The cloth as it was cut, what is pinned, and what varies over the garment."""

    rest: EnumProperty("Rest Shape", items=RESTS, default="mesh")
    rest_key: StringProperty("Shape Key", "Rest shape of the cloth")
    rest_uv: StringProperty("UV Map", "The sewing pattern")
    uv_scale: number("uv_scale")
    flat: BoolProperty("Cut from Flat Cloth", "The rest shape is flat, whatever the mesh")
    pin_group: StringProperty(
        "Pin Group", "Vertex group of the pins: weight 1 pins exactly, below softly"
    )
    pin_strength: FloatProperty(
        "Strength",
        "Factor on the weights of the pin group. Animate it to release or to catch the cloth",
        default=1.0,
        min=0.0,
        max=1.0,
    )
    use_pin_release: BoolProperty("Release", "Release the pin group at a frame")
    pin_release: IntProperty("Release at Frame", "From this frame on nothing is pinned", default=25)


class SolverSettings:
    quality: choice("quality", without=("custom",))
    budget_ms: number(
        "budget_ms",
        default=40.0,
        description="Time budget per step of Drape Now and Preview on Play, ms: a garment too fine for it follows "
        "a coarser mesh, and is refined when nothing moves. 0: always simulate the full mesh, as baking does",
    )
    time_scale: FloatProperty(
        "Speed",
        "Time scale of the cloth: 0.5 is slow motion. Bodies keep the scene's time",
        default=1.0,
        min=0.01,
        soft_max=4.0,
        max=100.0,
    )
    substeps: number("substeps")
    solver: choice("solver")
    scheme: choice("scheme")
    fixed_iterations: BoolProperty(
        "Fixed Iterations",
        "Two Levels: a fixed number of Iterations, whatever the quality. Two are fastest for a "
        "single sheet",
    )
    iterations: number("iterations")
    sweep_method: choice("sweep_method")
    sweeps: number("sweeps")
    model: choice("model")
    estimate: choice("estimate")
    integrator: choice("integrator")
    bending: choice("bending")


class MUSLIN_OT_add(Button, bpy.types.Operator):
    """Make the selected meshes garments"""

    bl_idname = "muslin.add"
    bl_label = "Add Muslin Cloth"
    bl_options = {"REGISTER", "UNDO"}

    asks = (selected_meshes, not_baking)

    def work(self, context):
        chosen = [obj for obj in selected_meshes(context) if not obj.muslin.enabled]
        for obj in chosen:
            refuse_linked(obj)
            obj.muslin.enabled = True
            ensure_uid(obj)
        if not chosen:
            self.report({"INFO"}, "The selected objects are already garments")


class MUSLIN_OT_remove(Button, bpy.types.Operator):
    """Remove Muslin from the selected objects. A bake stays until it is freed"""

    bl_idname = "muslin.remove"
    bl_label = "Remove Muslin Cloth"
    bl_options = {"REGISTER", "UNDO"}

    asks = (lambda context: any(map(is_garment, selected_meshes(context))), not_baking)

    def work(self, context):
        from ..preview import preview

        for obj in selected_meshes(context):
            refuse_linked(obj)
            if obj.muslin.enabled:
                preview.discard(obj.muslin.uid)
                obj.muslin.enabled = False


# Names that a narrow sidebar would cut off.
SHORT = {"bending": {"text": "Bending"}, "sweep_method": {"text": "Sweeping"}}
ONLY_GRIDS = "Only for ropes and for sheets of quads in rows and columns."


def draw_first(layout, context, obj):
    """Quality, then fabric: the two choices that everyone makes."""
    garment = obj.muslin
    column = layout.column()
    row = column.row(align=True)
    row.active = is_steered(garment)
    row.prop(garment, "quality", expand=True)
    if not is_steered(garment):
        drawing.paragraph(column, context, "Overridden under Advanced", icon="INFO")
    row = column.row(align=True)
    row.prop(garment, "fabric", text="")
    if fabric_list.is_changed(garment):
        row.operator("muslin.reset_fabric", text="Reset", icon="LOOP_BACK")


def draw_pins(layout, context, obj):
    garment = obj.muslin
    column = split(layout)
    draw_choice(column, garment, "pin_group", obj, "vertex_groups")
    if garment.pin_group:
        column.prop(garment, "pin_stiffness", text="Stiffness")
        column.prop(garment, "pin_strength")
        release = column.row(align=True, heading="Release")
        release.prop(garment, "use_pin_release", text="")
        frame = release.row(align=True)
        frame.active = garment.use_pin_release
        frame.prop(garment, "pin_release", text="Frame")
    else:
        drawing.paragraph(layout, context, "Without pins the cloth is free and falls.")
        column = split(layout)
    column.separator()
    column.prop(garment, "rest")
    if garment.rest == "key":
        if obj.data.shape_keys is None:
            column.label(text="This mesh has no shape keys", icon="ERROR")
        else:
            draw_choice(column, garment, "rest_key", obj.data.shape_keys, "key_blocks")
    elif garment.rest == "uv":
        draw_choice(column, garment, "rest_uv", obj.data, "uv_layers")
        column.prop(garment, "uv_scale", text="Scale")
    if garment.rest != "uv":  # a sewing pattern is flat already
        column.prop(garment, "flat")


def draw_maps(layout, _context, obj):
    garment = obj.muslin
    for kind, setting in MAPS.items():
        column = split(layout)
        draw_choice(column, garment, f"{kind}_group", obj, "vertex_groups", text=setting.label)
        if getattr(garment, f"{kind}_group"):
            column.prop(garment, f"{kind}_factor", text="At Weight 1")


def draw_advanced(layout, context, obj):
    """Each choice is grey where another one makes it idle."""
    garment = obj.muslin
    plain = takes("estimate", garment.solver) and garment.scheme == "plain"
    sweeping = takes("sweeps", garment.solver)
    column = split(layout)
    for name in ("time_scale", "subframes"):
        column.prop(garment, name)
    column.prop(garment, "substeps", text="Substeps" if garment.substeps else "Substeps: Automatic")
    for name in ("integrator", "solver"):
        column.prop(garment, name)
    if is_woven(garment):
        drawing.paragraph(column, context, ONLY_GRIDS, icon="INFO")
    for name, acts in (
        ("bending", not is_woven(garment)),
        ("model", not is_woven(garment)),
        ("scheme", takes("scheme", garment.solver)),
        ("estimate", plain),
        ("fixed_iterations", has_two_levels(garment)),
        ("iterations", not is_steered(garment) and not sweeping),
        ("sweep_method", sweeping),
        ("sweeps", sweeping and garment.sweep_method in ("kim", "kang2")),
    ):
        row = column.row()
        row.active = acts
        row.prop(garment, name, **SHORT.get(name, {}))

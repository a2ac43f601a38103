# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user can set: `object.muslin` of a garment. Saved in the .blend, and nothing else is.

Names are those of the library's settings where they mean the same, and these are made from its table; units are SI.
What is running now is never kept here, since a file could be saved meanwhile: see run/running.py.
"""

import bpy

from . import fabric_list
from .fit_properties import MuslinFit
from .mirror_properties import MuslinMirror
from .sewing_properties import MuslinElastic, MuslinSewing, MuslinTack
from .overridable import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from .table_properties import MaterialNumbers, choice, flag, number

# Newer Blenders want to be told that a path may begin with "//"; older ones do not know the word.
_TELLS = "is_path_supports_blend_relative" in bpy.types.Property.bl_rna.properties
BESIDE = {"PATH_SUPPORTS_BLEND_RELATIVE"} if _TELLS else set()

OUTPUTS = (
    ("auto", "Automatic", "Shape keys for small bakes, a PC2 cache for large ones"),
    ("keys", "Shape Keys (absolute)", "One key a frame and one animated time; plays fastest"),
    ("relative", "Shape Keys (relative)", "One key a frame with its own curve; exact to the bit"),
    ("pc2", "PC2 Cache", "A file beside the .blend and a Mesh Cache modifier; exact to the bit"),
    ("mdd", "MDD Cache", "As PC2, in the format that other programs know"),
    ("abc", "Alembic", "An Alembic file, where this Blender has it"),
    ("usd", "USD", "A USD file, where this Blender has it"),
)
SUBFRAMES_MOST = 64
IN_FILE = ("keys", "relative")  # those that live in the .blend itself
RESTS = (
    ("mesh", "Mesh", "The mesh as it is modelled, without modifiers"),
    ("key", "Shape Key", "A shape key: the cloth as it was cut, the mesh being how it starts"),
    ("uv", "UV Map", "The UV map is the sewing pattern"),
)


folders_set = set()  # cache folders that were set since the file was loaded, not brought by it


def _remember_folder(garment, _context):
    folders_set.add(garment.cache_folder)


def may_collide(_self, obj):
    return obj.type in {"MESH", "CURVE", "SURFACE", "META", "FONT"}


def _factor(what):
    return FloatProperty(
        name=f"{what} at Weight 1",
        description=f"{what} where the group's weight is 1, as a multiple of the fabric's; 1 at weight 0",
        default=10.0,
        min=0.01,
        soft_max=100.0,
        max=1e4,
    )


def _group(what):
    return StringProperty(name=f"{what} Group", description=f"Vertex group that changes the {what}")


class MuslinCollider(bpy.types.PropertyGroup):
    """One object that the garment meets."""

    object: PointerProperty(name="Object", type=bpy.types.Object, poll=may_collide)
    enabled: BoolProperty(name="Use", description="Whether the cloth meets it", default=True)
    own_surface: BoolProperty(
        name="Own Surface", description="Thickness and friction of its own", default=False
    )
    thickness: number("thickness")
    friction: number("friction")


class MuslinBaked(bpy.types.PropertyGroup):
    """What the last bake left behind: enough to free it, to continue it and to say what it is."""

    kind: StringProperty()  # an id of OUTPUTS but "auto"; empty: nothing is baked
    path: StringProperty()  # of the cache file, as given to Blender ("//..." where possible)
    absolute: StringProperty()  # the same: after Save As to another folder "//" means another place
    frame_start: IntProperty()
    frame_end: IntProperty()  # the last one that is finished
    vertex_count: IntProperty()
    seconds: FloatProperty()  # a frame, on average
    note: StringProperty()  # one line for the panel: why this kind, or why it stopped
    verdict: StringProperty()  # one line: what is wrong at its end, or that nothing is

    def forget(self):
        """Nothing is baked. Written, not unset: what a linked file has would come through."""
        for name in ("kind", "path", "absolute", "note", "verdict"):
            setattr(self, name, "")
        for name in ("frame_start", "frame_end", "vertex_count", "seconds"):
            setattr(self, name, 0)


class MuslinGarment(MaterialNumbers, bpy.types.PropertyGroup):
    """All settings of a garment: `object.muslin`; those of its material are the table's."""

    enabled: BoolProperty(name="Muslin Cloth", description="Simulate this object as cloth")
    uid: StringProperty(options={"HIDDEN"})  # see scene/lookup.py
    uid_owner: StringProperty(options={"HIDDEN"})  # the object's name when it got the uid
    live_pins: IntProperty(options={"HIDDEN"})  # which of those set by hand: see run/hands.py
    quality: choice("quality", without=("custom",))
    budget_ms: number(
        "budget_ms",
        default=40.0,
        description="Time for a step of Drape Now and Preview on Play, ms: a garment too fine for it rides on a "
        "coarser one, and is refined when nothing moves. 0: always simulate the garment itself, as baking does",
    )

    fabric: EnumProperty(
        name="Fabric",
        description="What the cloth is made of; fills in the numbers below",
        items=fabric_list.items,
        default=0,  # the number of the default fabric; .blend files keep numbers
        update=fabric_list.use_fabric,
    )

    rest: EnumProperty(name="Rest Shape", items=RESTS, default="mesh")
    rest_key: StringProperty(name="Shape Key", description="The cloth as it was cut")
    rest_uv: StringProperty(name="UV Map", description="The sewing pattern")
    uv_scale: number("uv_scale")
    flat: BoolProperty(
        name="Cut from Flat Cloth",
        description="The cloth wants to lie flat, whatever its mesh",
        default=False,
    )
    pin_group: StringProperty(
        name="Pin Group", description="Vertex group that is held: weight 1 exactly, below softly"
    )
    pin_strength: FloatProperty(
        name="Strength",
        description="Factor on the weights of the pin group. Animate it to let the cloth go, or to take hold of it",
        default=1.0,
        min=0.0,
        max=1.0,
    )
    use_pin_release: BoolProperty(
        name="Release", description="Let go of the pin group at a frame", default=False
    )
    pin_release: IntProperty(
        name="Release at Frame", description="From this frame on nothing is pinned", default=25
    )
    mass_group: _group("Weight")
    mass_factor: _factor("Weight")
    stretch_group: _group("Stretch")
    stretch_factor: _factor("Stretch stiffness")
    bend_group: _group("Bending")
    bend_factor: _factor("Bending stiffness")
    size_group: _group("Size")
    size_factor: FloatProperty(
        name="Size at Weight 1",
        description="Size where the group's weight is 1, as a multiple of the garment's: below 1 it shrinks, above 1 "
        "it grows; 1 at weight 0",
        default=0.9,
        min=0.1,
        soft_min=0.8,
        soft_max=1.2,
        max=10.0,
    )

    colliders: CollectionProperty(type=MuslinCollider)
    active_collider: IntProperty()
    collider_collection: PointerProperty(
        name="Collection", description="All its objects are met", type=bpy.types.Collection
    )
    thickness: number("thickness")
    friction: number("friction")
    self_contact: flag("self_contact")

    together: BoolProperty(
        name="Together",
        description="Simulate it in one cloth with all other garments that have this and meet the same body",
        default=False,
    )
    layer: IntProperty(
        name="Layer",
        description="Which garment is worn over which: 1 is next to the body",
        default=1,
        min=1,
        soft_max=9,
        max=99,
    )

    mirror: PointerProperty(type=MuslinMirror)
    fit: PointerProperty(type=MuslinFit)
    sewing: PointerProperty(type=MuslinSewing)

    gravity: FloatProperty(
        name="Gravity", description="Share of the scene's gravity", default=1.0, min=-10.0, max=10.0
    )
    wind: number("wind")
    use_force_fields: BoolProperty(
        name="Scene's Force Fields",
        description="Feel the scene's force fields: wind by its strength in m/s, others by theirs in N/m²",
        default=True,
    )
    normal_drag: number("normal_drag")
    tangent_drag: number("tangent_drag")
    drag_law: choice("drag_law")

    time_scale: FloatProperty(
        name="Speed",
        description="How fast time goes by for the cloth: 0.5 is slow motion. Bodies keep the scene's time",
        default=1.0,
        min=0.01,
        soft_max=4.0,
        max=100.0,
    )
    subframes: IntProperty(
        name="Subframes",
        description="How often a bake reads the scene within a frame: more for bodies that turn fast between frames",
        default=1,
        min=1,
        soft_max=8,
        max=SUBFRAMES_MOST,
    )
    substeps: number("substeps")
    solver: choice("solver")
    scheme: choice("scheme")
    fixed_rounds: BoolProperty(
        name="Fixed Rounds",
        description="Two Levels: as many rounds as Iterations says, whatever the quality. Two are the quickest "
        "for a sheet",
        default=False,
    )
    iterations: number("iterations")
    sweep_method: choice("sweep_method")
    sweeps: number("sweeps")
    model: choice("model")
    estimate: choice("estimate")
    integrator: choice("integrator")
    bending: choice("bending")

    output: EnumProperty(name="Output", items=OUTPUTS, default="auto")
    cache_folder: StringProperty(
        name="Folder",
        description="Where cache files go",
        default="//muslin",
        subtype="DIR_PATH",
        options={"ANIMATABLE", *BESIDE},
        update=_remember_folder,
    )
    use_scene_range: BoolProperty(
        name="Scene's Frames", description="Bake the scene's frame range", default=True
    )
    settle_first: BoolProperty(
        name="Settle First",
        description="A garment that is worn comes to rest on the body before the first frame, which shows it so. "
        "Where it was made for the pose in which the body was modelled, the body comes from there",
        default=True,
    )
    frame_start: IntProperty(name="First Frame", description="Of the bake", default=1)
    frame_end: IntProperty(name="Last Frame", description="Of the bake", default=100)
    baked: PointerProperty(type=MuslinBaked)

    def frames(self, scene):
        """First and last frame of a bake."""
        if self.use_scene_range:
            return scene.frame_start, scene.frame_end
        return self.frame_start, self.frame_end


CLASSES = (
    MuslinCollider,
    MuslinBaked,
    MuslinMirror,
    MuslinFit,
    MuslinTack,
    MuslinElastic,
    MuslinSewing,
    MuslinGarment,
)


def register():
    bpy.types.Object.muslin = PointerProperty(type=MuslinGarment)


def unregister():
    del bpy.types.Object.muslin

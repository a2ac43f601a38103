# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user can set: `object.muslin` of a garment. Saved in the .blend, and nothing else is.

Names are those of the library's settings where they mean the same; units are SI.
What is running now is never kept here, since a file could be saved meanwhile: see run/running.py.
"""

import json
from pathlib import Path

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from .mirror_properties import MuslinMirror

FABRICS = json.loads((Path(__file__).parent / "presets" / "fabrics.json").read_text("utf-8"))
FABRIC_FIELDS = ("density", "stretch_warp", "stretch_weft", "shear", "bend")
# Newer Blenders want to be told that a path may begin with "//"; older ones do not know the word.
_TELLS = "is_path_supports_blend_relative" in bpy.types.Property.bl_rna.properties
BESIDE = {"PATH_SUPPORTS_BLEND_RELATIVE"} if _TELLS else set()
FABRIC = FABRICS[0]  # a new garment's

QUALITIES = (
    ("draft", "Draft", "Quickest: shows where the cloth falls. At least 80 % of its motion"),
    ("fit", "Fit", "For fitting and previews. At least 95 % of its motion where nothing touches"),
    ("final", "Final", "For the last bake. At least 99 % of its motion where nothing touches"),
)
OUTPUTS = (
    ("auto", "Automatic", "Shape keys for small bakes, a PC2 cache for large ones"),
    ("keys", "Shape Keys (absolute)", "One key a frame and one animated time; plays fastest"),
    ("relative", "Shape Keys (relative)", "One key a frame with its own curve; exact to the bit"),
    ("pc2", "PC2 Cache", "A file beside the .blend and a Mesh Cache modifier; exact to the bit"),
    ("mdd", "MDD Cache", "As PC2, in the format that other programs know"),
    ("abc", "Alembic", "An Alembic file, where this Blender has it"),
    ("usd", "USD", "A USD file, where this Blender has it"),
)
RESTS = (
    ("mesh", "Mesh", "The mesh as it is modelled, without modifiers"),
    ("key", "Shape Key", "A shape key: the cloth as it was cut, the mesh being how it starts"),
    ("uv", "UV Map", "The UV map is the sewing pattern"),
)


def use_fabric(garment, _context=None):
    """Choosing a fabric fills in its numbers."""
    for fabric in FABRICS:
        if fabric["id"] == garment.fabric:
            for name in FABRIC_FIELDS:
                setattr(garment, name, fabric[name])


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
    thickness: FloatProperty(
        name="Thickness",
        description="Metres that the cloth keeps from it",
        default=0.004,
        min=1e-5,
        max=0.1,
        precision=4,
    )
    friction: FloatProperty(
        name="Friction", description="0 slips, 1 hardly slides", default=0.3, min=0.0, max=10.0
    )


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


class MuslinGarment(bpy.types.PropertyGroup):
    """All settings of a garment: `object.muslin`."""

    enabled: BoolProperty(name="Muslin Cloth", description="Simulate this object as cloth")
    uid: StringProperty(options={"HIDDEN"})  # see scene/lookup.py
    uid_owner: StringProperty(options={"HIDDEN"})  # the object's name when it got the uid
    quality: EnumProperty(name="Quality", items=QUALITIES, default="fit")

    fabric: EnumProperty(
        name="Fabric",
        description="What the cloth is made of; fills in the numbers below",
        items=[(f["id"], f["name"], f["hint"]) for f in FABRICS],
        default=FABRIC["id"],
        update=use_fabric,
    )
    density: FloatProperty(
        name="Weight",
        description="kg per square metre",
        default=FABRIC["density"],
        min=0.001,
        max=100,
        precision=3,
    )
    stretch_warp: FloatProperty(
        name="Stretch Warp",
        description="N/m along the UV map's u",
        default=FABRIC["stretch_warp"],
        min=0,
        max=1e7,
    )
    stretch_weft: FloatProperty(
        name="Stretch Weft",
        description="N/m along the UV map's v",
        default=FABRIC["stretch_weft"],
        min=0,
        max=1e7,
    )
    shear: FloatProperty(
        name="Shear",
        description="N/m against becoming a rhombus",
        default=FABRIC["shear"],
        min=0,
        max=1e7,
    )
    bend: FloatProperty(
        name="Bending",
        description="N m against folding",
        default=FABRIC["bend"],
        min=0,
        max=10,
        precision=6,
    )
    damping: FloatProperty(
        name="Damping",
        description="Share of the speed lost in a second",
        default=0.2,
        min=0,
        max=100,
    )
    stiffness_damping: FloatProperty(
        name="Crease Damping",
        description="Seconds; calms stretching and bending, leaves swinging free",
        default=0.0,
        min=0.0,
        max=1.0,
        precision=4,
    )
    air_drag: FloatProperty(
        name="Air Drag", description="Slows everything, per area", default=0.0, min=0.0, max=100.0
    )
    rope_density: FloatProperty(
        name="Rope Weight",
        description="kg per metre of loose edges",
        default=0.02,
        min=1e-5,
        max=100,
    )
    rope_stretch: FloatProperty(
        name="Rope Stretch", description="N at double length", default=2000, min=0, max=1e7
    )

    rest: EnumProperty(name="Rest Shape", items=RESTS, default="mesh")
    rest_key: StringProperty(name="Shape Key", description="The cloth as it was cut")
    rest_uv: StringProperty(name="UV Map", description="The sewing pattern")
    uv_scale: FloatProperty(
        name="Pattern Scale",
        description="Metres that a UV unit is wide",
        default=1.0,
        min=1e-4,
        max=1e4,
    )
    flat: BoolProperty(
        name="Cut from Flat Cloth",
        description="The cloth wants to lie flat, whatever its mesh",
        default=False,
    )
    pin_group: StringProperty(
        name="Pin Group", description="Vertex group that is held: weight 1 exactly, below softly"
    )
    pin_stiffness: FloatProperty(
        name="Pin Stiffness",
        description="Pull of a pin of weight one half",
        default=100,
        min=0.01,
        max=1e6,
    )
    mass_group: _group("Weight")
    mass_factor: _factor("Weight")
    stretch_group: _group("Stretch")
    stretch_factor: _factor("Stretch stiffness")
    bend_group: _group("Bending")
    bend_factor: _factor("Bending stiffness")

    colliders: CollectionProperty(type=MuslinCollider)
    active_collider: IntProperty()
    collider_collection: PointerProperty(
        name="Collection", description="All its objects are met", type=bpy.types.Collection
    )
    thickness: FloatProperty(
        name="Thickness",
        description="Metres that the cloth keeps from what it meets",
        default=0.004,
        min=1e-5,
        max=0.1,
        precision=4,
    )
    friction: FloatProperty(
        name="Friction", description="0 slips, 1 hardly slides", default=0.3, min=0.0, max=10.0
    )
    self_contact: BoolProperty(
        name="Self-Contact",
        description="The cloth does not pass through itself; slower",
        default=False,
    )

    mirror: PointerProperty(type=MuslinMirror)

    gravity: FloatProperty(
        name="Gravity", description="Share of the scene's gravity", default=1.0, min=-10.0, max=10.0
    )
    wind: FloatVectorProperty(name="Wind", description="m/s in the world", size=3, subtype="XYZ")
    use_force_fields: BoolProperty(
        name="Scene's Wind",
        description="Feel the scene's wind force fields: their direction and strength (m/s)",
        default=True,
    )
    normal_drag: FloatProperty(
        name="Wind Across",
        description="How much wind presses on the cloth",
        default=0.6,
        min=0,
        max=100,
    )
    tangent_drag: FloatProperty(
        name="Wind Along", description="How much wind pulls along it", default=0.1, min=0, max=100
    )

    substeps: IntProperty(
        name="Substeps",
        description="Steps a frame; more for fast motion",
        default=2,
        min=1,
        max=100,
    )
    solver: EnumProperty(
        name="Solver",
        items=(
            ("linear", "Linear", "Constant matrix, factored once: quick"),
            (
                "implicit",
                "Conventional",
                "Newton's method with conjugate gradients: slow, to compare",
            ),
        ),
    )
    scheme: EnumProperty(
        name="Rounds",
        items=(
            ("two_level", "Two Levels", "Large motions first: lively. What the quality steers"),
            ("plain", "Plain", "A fixed number of rounds, as published: stiff cloth falls slowly"),
            ("anderson", "Extrapolated", "Plain rounds, extrapolated from the last few"),
        ),
    )
    fixed_rounds: BoolProperty(
        name="Fixed Rounds",
        description="Two Levels: as many rounds as Iterations says, whatever the quality. Two are the quickest "
        "for a sheet",
        default=False,
    )
    iterations: IntProperty(
        name="Iterations",
        description="Rounds a substep, or Newton steps (conventional), where the quality does not decide",
        default=4,
        min=1,
        max=1000,
    )
    model: EnumProperty(
        name="Model",
        items=(
            ("triangle", "Triangles", "Warp, weft and shear of each triangle: real fabric"),
            ("edge", "Edges", "Springs along the edges: simplest, follows the mesh's pattern"),
        ),
    )
    estimate: EnumProperty(
        name="Estimate",
        description="How the plain scheme guesses where the cloth turns",
        items=(
            ("translation", "Flying On", "Vertices keep their speed"),
            ("rotation", "Turning On", "Edges keep turning"),
            ("previous", "As It Is", "No guess: drags, to compare"),
        ),
    )
    integrator: EnumProperty(
        name="Integrator",
        items=(
            ("euler", "Calm", "Backward Euler: loses some swing"),
            ("bdf2", "Swinging", "Second order: swings on for longer, bounces more"),
        ),
    )

    output: EnumProperty(name="Output", items=OUTPUTS, default="auto")
    cache_folder: StringProperty(
        name="Folder",
        description="Where cache files go",
        default="//muslin",
        subtype="DIR_PATH",
        options={"ANIMATABLE", *BESIDE},
    )
    use_scene_range: BoolProperty(
        name="Scene's Frames", description="Bake the scene's frame range", default=True
    )
    frame_start: IntProperty(name="First Frame", description="Of the bake", default=1)
    frame_end: IntProperty(name="Last Frame", description="Of the bake", default=100)
    baked: PointerProperty(type=MuslinBaked)

    def frames(self, scene):
        """First and last frame of a bake."""
        if self.use_scene_range:
            return scene.frame_start, scene.frame_end
        return self.frame_start, self.frame_end


CLASSES = (MuslinCollider, MuslinBaked, MuslinMirror, MuslinGarment)


def register():
    bpy.types.Object.muslin = PointerProperty(type=MuslinGarment)


def unregister():
    del bpy.types.Object.muslin

# SPDX-License-Identifier: GPL-3.0-or-later
"""What is simulated: a sheet of 1 m, and below it a tube that bends or a ball."""

import math

import bpy
import numpy as np
from test_scenes import sheets, solids


def empty(frames):
    """A new file with nothing in it, frames from 1 on, 24 a second; the add-on stays on."""
    bpy.ops.wm.read_homefile(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    scene.render.fps, scene.render.fps_base = 24, 1.0
    scene.frame_set(1)
    return scene


def mesh_object(name, positions, sizes, corners):
    """An object of polygons of any size; written by arrays, since lists take seconds at this size."""
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(positions))
    mesh.vertices.foreach_set("co", np.ascontiguousarray(positions, np.float32).ravel())
    mesh.loops.add(len(corners))
    mesh.loops.foreach_set("vertex_index", np.ascontiguousarray(corners, np.int32))
    mesh.polygons.add(len(sizes))
    mesh.polygons.foreach_set("loop_start", (np.cumsum(sizes) - sizes).astype(np.int32))
    if bpy.app.version < (4, 1):
        mesh.polygons.foreach_set("loop_total", np.ascontiguousarray(sizes, np.int32))
    mesh.update(calc_edges=True)
    obj = bpy.data.objects.new(mesh.name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def _made(name, positions, faces):
    return mesh_object(name, positions, np.full(len(faces), faces.shape[1]), faces.ravel())


def sheet(side, pinned="corners"):
    """side x side vertices, horizontal, 1 m; pinned: "corners" of one edge, the whole "edge", or None."""
    flat = sheets.grid(side, side, 1.0, "quads")
    obj = _made("Sheet", flat.positions, flat.faces)
    row = range(side * (side - 1), side * side)
    if pinned is not None:
        held = (row[0], row[-1]) if pinned == "corners" else row
        obj.vertex_groups.new(name="Pins").add(list(held), 1.0, "REPLACE")
    return obj


def pin_group(obj):
    """The name of its group of pins; empty if it has none."""
    return "Pins" if "Pins" in obj.vertex_groups else ""


def make_garment(obj, folder, output="pc2", rounds=None):
    """A garment of the add-on's default fabric, one step a frame, at draft or with so many rounds."""
    select(obj)
    bpy.ops.muslin.add()
    settings = obj.muslin
    settings.quality, settings.substeps = "draft", 1
    if rounds is not None:
        settings.fixed_iterations, settings.iterations = True, rounds
    settings.pin_group = pin_group(obj)
    settings.output, settings.cache_folder = output, folder
    bpy.context.view_layer.update()


def move(body, motion):
    """By a point cache whose first frame is the scene's."""
    cache = body.modifiers.new("Motion", "MESH_CACHE")
    cache.cache_format, cache.filepath, cache.frame_start = "PC2", motion, 1


def select(obj):
    for each in bpy.context.view_layer.objects:
        each.select_set(each == obj)
    bpy.context.view_layer.objects.active = obj


def bake():
    """With the artist's own button; what went wrong is raised by Blender itself."""
    if bpy.ops.muslin.bake(scope="ALL") != {"FINISHED"}:
        raise RuntimeError("nothing was baked")


def tube(around=100, along=100):
    """A closed-round tube along x below the sheet: around x along quads."""
    x, turn = np.meshgrid(
        np.linspace(-0.6, 0.6, along + 1), np.arange(around) * (2 * np.pi / around), indexing="ij"
    )
    positions = np.stack([x, 0.15 * np.cos(turn), 0.15 * np.sin(turn) - 0.2], -1).reshape(-1, 3)
    return _made("Tube", positions, sheets.grid_quads(around, along + 1, wrap=True)[:, ::-1])


def ball(radius, below):
    """A sphere whose top is so far below the sheet."""
    mesh = solids.uv_sphere(radius, (0, 0, -below - radius), 31, 64)
    return _made("Ball", mesh.positions, mesh.faces)


def add_armature(obj, frames):
    """Two bones, from the left end to the right, the second turning by 20 degrees to the last frame."""
    weights = np.clip(positions_of(obj.data)[:, 0] / 0.6 * 0.5 + 0.5, 0.0, 1.0)  # of the second
    data = bpy.data.armatures.new("Bones")
    rig = bpy.data.objects.new("Bones", data)
    bpy.context.scene.collection.objects.link(rig)
    select(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    for name, start in (("First", -0.6), ("Second", 0.0)):
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = (start, 0.0, -0.2), (start + 0.6, 0.0, -0.2)
    bpy.ops.object.mode_set(mode="OBJECT")
    bone = rig.pose.bones["Second"]
    bone.rotation_mode = "XYZ"
    for frame, angle in ((1, 0.0), (frames, math.radians(20.0))):
        bone.rotation_euler.x = angle
        bone.keyframe_insert("rotation_euler", frame=frame)
    second = obj.vertex_groups.new(name="Second")
    first = obj.vertex_groups.new(name="First")
    for vertex, weight in enumerate(weights.tolist()):
        second.add([vertex], weight, "REPLACE")
        first.add([vertex], 1.0 - weight, "REPLACE")
    obj.modifiers.new("Armature", "ARMATURE").object = rig


def add_key(obj, frames):
    """A shape key that makes the tube thicker to the last frame."""
    obj.shape_key_add(name="Basis", from_mix=False)
    block = obj.shape_key_add(name="Thicker", from_mix=False)
    places = positions_of(obj.data)
    places[:, 1] *= 1.2
    block.data.foreach_set("co", places.ravel())
    for frame, value in ((1, 0.0), (frames, 1.0)):
        block.value = value
        block.keyframe_insert("value", frame=frame)


def positions_of(mesh):
    out = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", out)
    return out.reshape(-1, 3)


def seen(obj):
    """Evaluated positions at the current frame, n x 3."""
    return positions_of(obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data)

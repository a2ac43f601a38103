# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside Blender: a t-shirt on a rigged figure that moves, baked by the installed add-on and saved.

    blender -b --python demo_scene.py -- OUTPUT.blend

Everything that concerns cloth goes through the add-on as an artist would use it: objects are
selected, buttons are pressed (operators), settings of the panel are set. The file holds all that it
needs: the figure has an armature, the t-shirt has shape keys; to play it takes no add-on.
"""

import argparse
import sys
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix, Vector

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from test_scenes import garments  # noqa: E402
from test_scenes.contact.figures import arms_pose  # noqa: E402
from test_scenes.contact.rig import BONES, rigged_mannequin  # noqa: E402
from test_scenes.mesh import boundary_loops, unique_edges  # noqa: E402

CLOTH_COLOUR = (0.055, 0.19, 0.36, 1.0)
BODY_COLOUR = (0.36, 0.35, 0.34, 1.0)
BONE_LENGTH = 0.12  # m; for the eye only
SETTLING = 16  # frames that the cloth has to come to rest before the scene's first
EYE = Vector((0.95, -2.55, 1.42))
LOOK_AT = Vector((0.0, 0.0, 1.21))


def arguments():
    parser = argparse.ArgumentParser(prog="demo_scene.py")
    parser.add_argument("output", type=Path)
    parser.add_argument("--frames", type=int, default=56)
    parser.add_argument("--spacing", type=float, default=0.015, help="metres between vertices")
    parser.add_argument("--body-spacing", type=float, default=0.014, help="the same of the figure")
    parser.add_argument("--fabric", default="jersey")
    parser.add_argument("--quality", default="fit")
    return parser.parse_args(sys.argv[sys.argv.index("--") + 1 :])


# ---- objects -------------------------------------------------------------------------------------


def material(name, colour, roughness):
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    shader = made.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = colour
    shader.inputs["Roughness"].default_value = roughness
    made.diffuse_color = colour  # in the viewport and in Workbench
    return made


def add_object(name, data):
    made = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(made)
    return made


def add_mesh(name, positions, faces, surface):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(positions.tolist(), [], [list(map(int, face)) for face in faces])
    mesh.polygons.foreach_set("use_smooth", np.ones(len(mesh.polygons), bool))
    mesh.materials.append(surface)
    mesh.update()
    return add_object(name, mesh)


def choose(*objects):
    """Selects the objects; the last one is active, as if clicked last."""
    for other in bpy.context.view_layer.objects:
        other.select_set(other in objects)
    bpy.context.view_layer.objects.active = objects[-1]


# ---- the figure ----------------------------------------------------------------------------------


def add_armature():
    """The bones of the test figure; each turns about its head."""
    armature = add_object("Rig", bpy.data.armatures.new("Rig"))
    choose(armature)
    bpy.ops.object.mode_set(mode="EDIT")
    for name, (parent, joint) in BONES.items():
        bone = armature.data.edit_bones.new(name)
        bone.head, bone.tail = joint, joint + np.array([0, 0, BONE_LENGTH])
        if parent is not None:
            bone.parent = armature.data.edit_bones[parent]
    bpy.ops.object.mode_set(mode="OBJECT")
    armature.hide_render = True
    return armature


def pose_at(armature, frame, turns, shift):
    """Keys the pose: rotations about the joints, in the world's axes."""
    for name, turn in turns.items():
        bone = armature.pose.bones[name]
        rest = bone.bone.matrix_local.to_3x3()
        bone.rotation_mode = "QUATERNION"
        bone.rotation_quaternion = (rest.inverted() @ Matrix(turn.tolist()) @ rest).to_quaternion()
        bone.keyframe_insert("rotation_quaternion", frame=frame)
        if name == "pelvis":
            bone.location = rest.inverted() @ Vector(shift)
            bone.keyframe_insert("location", frame=frame)


def add_figure(frames, spacing):
    mesh, weights = rigged_mannequin(spacing)
    skin = material("Skin", BODY_COLOUR, 0.55)
    figure = add_mesh("Figure", mesh.positions, mesh.faces, skin)
    armature = add_armature()
    for column, name in enumerate(BONES):
        group = figure.vertex_groups.new(name=name)
        for vertex in np.flatnonzero(weights[:, column]):
            group.add([int(vertex)], float(weights[vertex, column]), "REPLACE")
    modifier = figure.modifiers.new("Armature", "ARMATURE")
    modifier.object = armature
    for frame in range(1, frames + 1):
        pose_at(armature, frame, *arms_pose(frame - 1, cycle=frames))
    return figure


# ---- the t-shirt ---------------------------------------------------------------------------------


def hem_weights(mesh):
    """(vertices, weights): 1 on the borders, one half beside: there a t-shirt is sewn double."""
    border = np.unique(np.concatenate(boundary_loops(mesh.faces)))
    edges, _ = unique_edges(mesh.faces)
    touching = np.isin(edges, border).any(1)
    near = np.setdiff1d(edges[touching], border)
    weights = np.concatenate([np.ones(len(border)), np.full(len(near), 0.5)])
    return np.concatenate([border, near]), weights


def add_shirt(spacing):
    mesh = garments.tshirt(spacing)
    shirt = add_mesh("T-Shirt", mesh.positions, mesh.faces, material("Cloth", CLOTH_COLOUR, 0.9))
    group = shirt.vertex_groups.new(name="Hems")
    for vertex, weight in zip(*hem_weights(mesh)):
        group.add([int(vertex)], float(weight), "REPLACE")
    thick = shirt.modifiers.new("Solidify", "SOLIDIFY")
    thick.thickness, thick.offset = 0.0016, 1.0
    shirt.modifiers.new("Subdivision", "SUBSURF").levels = 1
    return shirt


def dress(shirt, figure, options):
    """What an artist does in the panel, from top to bottom."""
    choose(shirt)
    bpy.ops.muslin.add()
    cloth = shirt.muslin
    cloth.quality = options.quality
    cloth.fabric = options.fabric
    cloth.bend_group, cloth.bend_factor = "Hems", 12.0
    choose(figure, shirt)
    bpy.ops.muslin.collider_add()
    cloth.self_contact = True
    cloth.output = "keys"
    cloth.use_scene_range = False
    cloth.frame_start, cloth.frame_end = 1 - SETTLING, options.frames


# ---- the studio ----------------------------------------------------------------------------------


def add_light(name, place, size, power):
    data = bpy.data.lights.new(name, "AREA")
    data.shape, data.size, data.energy = "DISK", size, power
    light = add_object(name, data)
    light.location = place
    light.rotation_euler = (LOOK_AT - light.location).to_track_quat("-Z", "Y").to_euler()


def add_studio():
    scene = bpy.context.scene
    world = bpy.data.worlds.new("Studio")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.85, 0.92, 1.0, 1.0)
    world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.16
    world.color = (0.62, 0.62, 0.63)  # behind what Workbench draws
    scene.world = world
    add_light("Key", Vector((-2.3, -1.5, 2.5)), 0.9, 95)
    add_light("Fill", Vector((2.6, -2.0, 1.2)), 2.0, 12)
    add_light("Rim", Vector((1.5, 1.8, 2.3)), 0.8, 75)
    camera = add_object("Camera", bpy.data.cameras.new("Camera"))
    camera.data.lens = 80
    camera.location = EYE
    camera.rotation_euler = (LOOK_AT - EYE).to_track_quat("-Z", "Y").to_euler()
    scene.camera = camera
    scene.view_settings.view_transform = "Standard"


# ---- all of it -----------------------------------------------------------------------------------


def empty_file(options):
    for made in list(bpy.data.objects):
        bpy.data.objects.remove(made)
    bpy.context.preferences.filepaths.save_version = 0  # no second file beside it
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, options.frames
    scene.render.fps = 24
    scene.frame_set(1 - SETTLING)
    return scene


def main():
    options = arguments()
    scene = empty_file(options)
    add_studio()
    figure = add_figure(options.frames, options.body_spacing)
    shirt = add_shirt(options.spacing)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    # Saved first: the cache's folder lies beside the file.
    bpy.ops.wm.save_as_mainfile(filepath=str(options.output), compress=True)
    dress(shirt, figure, options)
    if bpy.ops.muslin.bake() != {"FINISHED"}:
        sys.exit("the bake did not finish")
    scene.frame_set(1)
    bpy.ops.wm.save_as_mainfile(filepath=str(options.output), compress=True)


main()

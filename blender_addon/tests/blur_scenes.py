# SPDX-License-Identifier: GPL-3.0-or-later
"""A bright sheet that moves sideways before a camera without perspective, and how long its edges are blurred."""

import bpy
import numpy as np

from output_support import sheet

WIDTH, HEIGHT = 400, 4  # pixels
VIEW = 4.0  # units across the picture
SHUTTER = 0.5  # frames


def stage(scene):
    """A camera from above, Cycles on the processor, motion blur."""
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(camera)
    camera.data.type, camera.data.ortho_scale = "ORTHO", VIEW
    camera.location.z = 10.0
    scene.camera = camera
    render = scene.render
    render.engine = "CYCLES"
    render.resolution_x, render.resolution_y, render.resolution_percentage = WIDTH, HEIGHT, 100
    render.use_motion_blur, render.film_transparent = True, True
    render.image_settings.color_mode = "RGBA"
    owner = render if hasattr(render, "motion_blur_shutter") else scene.cycles
    owner.motion_blur_shutter = SHUTTER
    render.filter_size = 0.01  # pixels: what is soft is soft by motion
    scene.cycles.device, scene.cycles.samples = "CPU", 128
    scene.cycles.use_denoising = scene.cycles.use_adaptive_sampling = False
    scene.view_settings.view_transform = "Raw"


def bright(obj):
    material = bpy.data.materials.new("Light")
    material.use_nodes = True
    tree = material.node_tree
    tree.nodes.clear()
    light, out = tree.nodes.new("ShaderNodeEmission"), tree.nodes.new("ShaderNodeOutputMaterial")
    tree.links.new(light.outputs[0], out.inputs[0])
    obj.data.materials.append(material)


def moving_sheet(scene):
    """A square of 1 unit across and larger than the picture is high."""
    obj = sheet("Sheet", side=2)
    places = [(-0.5, -0.5, 0.0), (0.5, -0.5, 0.0), (-0.5, 0.5, 0.0), (0.5, 0.5, 0.0)]
    obj.data.vertices.foreach_set("co", np.float32(places).ravel())
    obj.data.update()
    bright(obj)
    return obj, np.float32(places)


def blur(scene, frame, path):
    """(length of the blurred edges, middle of the sheet) in units, of a render of this frame.

    Where an edge moves evenly, coverage c goes from 0 to 1 in a straight line over the length L: the sum of c (1 - c)
    is L/6 for each of the two edges.
    """
    scene.frame_set(frame)
    scene.render.filepath = path
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(path)
    cover = np.array(image.pixels[:], np.float32).reshape(HEIGHT, WIDTH, 4)[..., 3].mean(0)
    bpy.data.images.remove(image)
    pixel = VIEW / WIDTH
    places = (np.arange(WIDTH) + 0.5) * pixel - VIEW / 2
    return 3.0 * (cover * (1 - cover)).sum() * pixel, (cover * places).sum() / cover.sum()

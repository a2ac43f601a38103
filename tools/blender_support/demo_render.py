# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside Blender, without Muslin: draws a contact sheet and an animation of the demo's file.

    blender -b --factory-startup DEMO.blend --python demo_render.py -- FOLDER

Leaves FOLDER/NAME.png, FOLDER/NAME_frames/0001.png and so on, and FOLDER/NAME.mp4 where Blender can
write films; NAME is the file's. Ends with an error if the file needs another file or does not move.
"""

import argparse
import shutil
import sys
from pathlib import Path

import bpy
import numpy as np

GARMENT = "T-Shirt"


def arguments():
    parser = argparse.ArgumentParser(prog="demo_render.py")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--stills", default="", help="frames of the contact sheet; default: four")
    parser.add_argument("--samples", type=int, default=32)
    parser.add_argument("--no-film", action="store_true")
    return parser.parse_args(sys.argv[sys.argv.index("--") + 1 :])


def shape(frame):
    """The garment's vertices at a frame, n x 3."""
    bpy.context.scene.frame_set(frame)
    garment = bpy.data.objects[GARMENT]
    mesh = garment.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    out = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", out)
    return out.reshape(-1, 3)


def check_file(scene):
    """It must play by itself, or it is no use to whoever gets it."""
    needed = bpy.utils.blend_paths(absolute=True)
    if needed:
        sys.exit(f"the file needs other files: {needed}")
    if hasattr(bpy.types.Object, "muslin"):
        sys.exit("Muslin is enabled here: this would not show that the file plays without it")
    middle = (scene.frame_start + scene.frame_end) // 2
    if np.abs(shape(middle) - shape(scene.frame_start)).max() < 0.05:
        sys.exit("the garment does not move")


def draw_with_cycles(scene, samples):
    scene.render.engine = "CYCLES"
    scene.cycles.samples = samples
    scene.cycles.use_denoising = False
    scene.cycles.max_bounces = 4
    scene.render.use_persistent_data = True
    scene.render.resolution_x, scene.render.resolution_y = 420, 560
    scene.render.resolution_percentage = 100


def draw_with_workbench(scene):
    scene.render.engine = "BLENDER_WORKBENCH"
    shading = scene.display.shading
    shading.light, shading.color_type = "STUDIO", "MATERIAL"
    shading.show_shadows, shading.shadow_intensity = True, 0.35
    shading.show_cavity, shading.cavity_type = True, "BOTH"
    scene.display.light_direction = (-0.45, 0.55, 0.70)
    scene.display.render_aa = "8"
    scene.render.resolution_x, scene.render.resolution_y = 420, 560


def draw(scene, frame, path):
    scene.frame_set(frame)
    scene.render.image_settings.file_format = "PNG"
    scene.render.image_settings.color_mode = "RGB"
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    return path


def join(paths, output):
    """The pictures side by side."""
    parts = []
    for path in paths:
        image = bpy.data.images.load(str(path))
        pixels = np.empty(len(image.pixels), np.float32)
        image.pixels.foreach_get(pixels)
        parts.append(pixels.reshape(image.size[1], image.size[0], -1))
        bpy.data.images.remove(image)
    sheet = np.concatenate(parts, 1)
    made = bpy.data.images.new("Sheet", sheet.shape[1], sheet.shape[0])
    made.pixels.foreach_set(np.ascontiguousarray(sheet).ravel())
    made.filepath_raw, made.file_format = str(output), "PNG"
    made.save()


def film(frames, output, rate):
    """The pictures as an H.264 film, made by Blender's own sequencer; False where it cannot."""
    if not bpy.app.ffmpeg.supported:
        return False
    scene = bpy.data.scenes.new("Film")
    editor = scene.sequence_editor_create()
    strips = editor.strips if hasattr(editor, "strips") else editor.sequences
    strip = strips.new_image("frames", str(frames[0]), 1, 1)
    for path in frames[1:]:
        strip.elements.append(path.name)
    image = bpy.data.images.load(str(frames[0]))
    render = scene.render
    render.resolution_x, render.resolution_y = image.size
    render.fps, scene.frame_start, scene.frame_end = rate, 1, len(frames)
    if hasattr(render.image_settings, "media_type"):
        render.image_settings.media_type = "VIDEO"
    render.image_settings.file_format = "FFMPEG"
    render.ffmpeg.format, render.ffmpeg.codec = "MPEG4", "H264"
    render.ffmpeg.constant_rate_factor = "HIGH"
    render.filepath = str(output)
    scene.view_settings.view_transform = "Standard"
    bpy.ops.render.render(animation=True, scene=scene.name)
    return output.exists()


def main():
    options = arguments()
    scene = bpy.context.scene
    name = Path(bpy.data.filepath).stem
    check_file(scene)
    count = scene.frame_end - scene.frame_start + 1
    stills = [int(part) for part in options.stills.split(",") if part]
    stills = stills or [scene.frame_start + count * k // 4 for k in range(4)]
    frames_folder = options.folder / f"{name}_frames"
    shutil.rmtree(frames_folder, ignore_errors=True)
    frames_folder.mkdir(parents=True)
    draw_with_cycles(scene, options.samples)
    drawn = [draw(scene, frame, frames_folder / f"still_{frame:04}.png") for frame in stills]
    join(drawn, options.folder / f"{name}.png")
    if options.no_film:
        return
    draw_with_workbench(scene)
    frames = [
        draw(scene, frame, frames_folder / f"{frame:04}.png")
        for frame in range(scene.frame_start, scene.frame_end + 1)
    ]
    film(frames, options.folder / f"{name}.mp4", scene.render.fps)


main()

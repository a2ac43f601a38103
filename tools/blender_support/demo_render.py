# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside Blender, without Muslin: draws the demo's file as a contact sheet or as an animation.

    blender -b --factory-startup DEMO.blend --python demo_render.py -- check|sheet|film FOLDER

check: nothing but the question at the end.
sheet: FOLDER/NAME.png, four frames side by side in soft light (Cycles).
film:  FOLDER/NAME_frames/0001.png and so on (Workbench), and FOLDER/NAME.mp4 where this Blender can
       write films. NAME is the file's.
Ends with an error if the file needs another file, or if the garment does not move.
"""

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

import bpy
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from test_scenes.image import contact_sheet, write_png  # noqa: E402

GARMENT = "T-Shirt"
SIZE = 400, 480  # of one picture
STILLS = 4
LEAST_MOTION = 0.05  # m


def arguments():
    parser = argparse.ArgumentParser(prog="demo_render.py")
    parser.add_argument("what", choices=("check", "sheet", "film"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--samples", type=int, default=40, help="rays a pixel of the sheet")
    return parser.parse_args(sys.argv[sys.argv.index("--") + 1 :])


# ---- what the file must be -----------------------------------------------------------------------


def garment_shape(scene, frame):
    """The garment's vertices at a frame, n x 3."""
    scene.frame_set(frame)
    garment = bpy.data.objects[GARMENT]
    mesh = garment.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    out = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", out)
    return out.reshape(-1, 3)


def check_file(scene):
    """It must play by itself, or it is of no use to whoever gets it."""
    # Every file of a new Blender names the brushes that Blender brings, and finds them anywhere.
    own = os.path.join("datafiles", "assets", "brushes")
    needed = [path for path in bpy.utils.blend_paths(absolute=True) if own not in path]
    if needed:
        sys.exit(f"the file needs other files: {needed}")
    if hasattr(bpy.types.Object, "muslin"):
        sys.exit("Muslin is enabled here: this would not show that the file plays without it")
    middle = (scene.frame_start + scene.frame_end) // 2
    way = garment_shape(scene, middle) - garment_shape(scene, scene.frame_start)
    if np.abs(way).max() < LEAST_MOTION:
        sys.exit("the garment does not move")


# ---- pictures ------------------------------------------------------------------------------------


def use_cycles(scene, samples):
    """Soft light; what is behind the figure is left out, so that no ray is spent on it."""
    scene.render.engine = "CYCLES"
    scene.cycles.samples = samples
    scene.cycles.use_adaptive_sampling, scene.cycles.adaptive_threshold = True, 0.02
    scene.cycles.use_denoising = False  # not every Blender has it
    scene.cycles.max_bounces = 1
    scene.render.film_transparent = True
    scene.render.use_persistent_data = True


def use_workbench(scene):
    scene.render.engine = "BLENDER_WORKBENCH"
    shading = scene.display.shading
    shading.light, shading.color_type = "STUDIO", "MATERIAL"
    shading.show_specular_highlight = False  # cotton does not shine
    shading.show_shadows, shading.shadow_intensity = True, 0.3
    shading.show_cavity, shading.cavity_type = True, "SCREEN"
    scene.display.light_direction = (-0.45, 0.55, 0.70)
    scene.display.render_aa = "FXAA"  # two and a half times as quick as eight samples


def draw(scene, frame, path, colours="RGB"):
    scene.frame_set(frame)
    render = scene.render
    render.resolution_x, render.resolution_y = SIZE
    render.resolution_percentage = 100
    render.image_settings.file_format = "PNG"
    render.image_settings.color_mode = colours
    render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    return path


def over_backdrop(path):
    """The picture before paper that is a little darker below, uint8 (height, width, 3)."""
    image = bpy.data.images.load(str(path))
    width, height = image.size
    pixels = np.empty(width * height * image.channels, np.float32)
    image.pixels.foreach_get(pixels)
    bpy.data.images.remove(image)
    pixels = pixels.reshape(height, width, -1)[::-1]
    paper = np.linspace(0.90, 0.78, height, dtype=np.float32)[:, None, None]
    cover = pixels[..., 3:]
    return np.round(255 * (cover * pixels[..., :3] + (1 - cover) * paper)).astype(np.uint8)


def draw_sheet(scene, options, name):
    use_cycles(scene, options.samples)
    count = scene.frame_end - scene.frame_start + 1
    pictures = []
    with tempfile.TemporaryDirectory() as folder:
        for k in range(STILLS):
            frame = scene.frame_start + count * k // STILLS
            path = draw(scene, frame, Path(folder) / f"{frame:04}.png", "RGBA")
            pictures.append(over_backdrop(path))
    write_png(options.folder / f"{name}.png", contact_sheet(pictures, STILLS))


# ---- the animation -------------------------------------------------------------------------------


def write_film(frames, output, rate):
    """The pictures as an H.264 film by Blender's own sequencer."""
    scene = bpy.data.scenes.new("Film")
    editor = scene.sequence_editor_create()
    strips = editor.strips if hasattr(editor, "strips") else editor.sequences
    strip = strips.new_image("frames", str(frames[0]), 1, 1)
    for path in frames[1:]:
        strip.elements.append(path.name)
    render = scene.render
    render.resolution_x, render.resolution_y = SIZE
    render.resolution_percentage = 100
    render.fps, scene.frame_start, scene.frame_end = rate, 1, len(frames)
    if hasattr(render.image_settings, "media_type"):  # from Blender 5
        render.image_settings.media_type = "VIDEO"
    render.image_settings.file_format = "FFMPEG"
    render.ffmpeg.format, render.ffmpeg.codec = "MPEG4", "H264"
    render.ffmpeg.constant_rate_factor = "HIGH"
    render.filepath = str(output)
    scene.view_settings.view_transform = "Standard"
    bpy.ops.render.render(animation=True, scene=scene.name)


def draw_film(scene, options, name):
    use_workbench(scene)
    folder = options.folder / f"{name}_frames"
    film = options.folder / f"{name}.mp4"
    shutil.rmtree(folder, ignore_errors=True)
    film.unlink(missing_ok=True)
    folder.mkdir(parents=True)
    numbers = range(scene.frame_start, scene.frame_end + 1)
    frames = [draw(scene, frame, folder / f"{frame:04}.png") for frame in numbers]
    if bpy.app.ffmpeg.supported:
        write_film(frames, film, scene.render.fps)


def main():
    options = arguments()
    scene = bpy.context.scene
    check_file(scene)
    name = Path(bpy.data.filepath).stem
    if options.what == "sheet":
        draw_sheet(scene, options, name)
    elif options.what == "film":
        draw_film(scene, options, name)


main()

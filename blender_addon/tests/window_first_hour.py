# SPDX-License-Identifier: GPL-3.0-or-later
"""An artist's first hour, in a real window: import, dress, fabrics, grab, the fit map, two garments, sewing, bakes, undo,
saving, playing, and a render with motion blur.

Meshes come from the folder that MUSLIN_WARDROBE names (tools/blender_support/wardrobe.py). Every step leaves a picture,
for people to look at; what fails here is a step that does not do what it should, and anything that a panel prints.
Buttons of the panel are found and clicked by mouse (panel_mouse.py).
"""

import os
import sys
import tempfile
from pathlib import Path

import bpy
import numpy as np
import panel_mouse
import scenes
import screen
from bpy_extras.view3d_utils import location_3d_to_region_2d
from events import button, move_mouse, press, until, view
from listener import Listener
from mathutils import Vector
from support import addon, package
from window_panel import show_sidebar

WARDROBE = Path(os.environ["MUSLIN_WARDROBE"])
FRAMES = 4  # of a bake
LONGEST = 90.0  # s that a step may take where others work on the machine, too
PULL = 60  # pixels

LISTENER = Listener(sys.stderr)


def running():
    return addon("running")


def imported(name):
    """With Blender's own importer; the files have Z up."""
    before = set(bpy.data.objects)
    bpy.ops.wm.obj_import(filepath=str(WARDROBE / f"{name}.obj"), forward_axis="Y", up_axis="Z")
    (obj,) = set(bpy.data.objects) - before
    obj.data.polygons.foreach_set("use_smooth", np.ones(len(obj.data.polygons), bool))
    return obj


def area():
    window = bpy.context.window_manager.windows[0]
    return next(area for area in window.screen.areas if area.type == "VIEW_3D")


def look_at(middle, distance):
    """From the front, a little from the side and above."""
    space = area().spaces.active
    space.overlay.show_floor = space.overlay.show_axis_x = space.overlay.show_axis_y = False
    space.shading.type = "SOLID"
    region = space.region_3d
    region.view_perspective = "PERSP"
    region.view_location = middle
    region.view_distance = distance
    region.view_rotation = Vector((-0.35, 1.0, -0.12)).to_track_quat("-Z", "Y")


def pixels(place):
    """Where a place in space is seen, from the middle of the view."""
    region = next(region for region in area().regions if region.type == "WINDOW")
    at = location_3d_to_region_2d(region, area().spaces.active.region_3d, place)
    x, y = area().x + area().width // 2, area().y + area().height // 2
    return round(region.x + at.x - x), round(region.y + at.y - y)


def click(place, **keys):
    """With the left button at a place in space."""
    for value in ("PRESS", "RELEASE"):
        button(value, pixels(place), **keys)


def front_of(obj, height):
    """The place of the surface that is seen from the front at a height, m."""
    points = scenes.seen(obj)
    near = points[np.abs(points[:, 2] - height) < 0.05]
    return Vector(near[near[:, 1].argmin()].tolist())


def highest(obj):
    points = scenes.seen(obj)
    return Vector(points[points[:, 2].argmax()].tolist())


def find(name):
    return bpy.data.objects[name]


def preview_of(obj):
    return running().previews.get(obj.muslin.uid)


def window_01_installed():
    """The zip was installed and enabled by Blender itself before this window opened: the preferences show it."""
    sys.stderr = LISTENER
    assert package() in bpy.context.preferences.addons
    with view():
        bpy.ops.screen.userpref_show()
    yield from screen.drawn()
    bpy.context.preferences.active_section = "ADDONS"
    bpy.context.window_manager.addon_search = "Muslin"
    yield from screen.picture("hour_01_installed")
    windows = bpy.context.window_manager.windows
    with bpy.context.temp_override(window=windows[-1]):
        bpy.ops.wm.window_close()
    yield from screen.drawn()


def window_02_import():
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES
    scene.frame_set(1)
    with view():
        body, suit = imported("body"), imported("suit")
        bpy.ops.object.select_all(action="DESELECT")
    body.name, suit.name = "Body", "Suit"
    cache = body.modifiers.new("Motion", "MESH_CACHE")
    cache.cache_format, cache.filepath, cache.frame_start = "PC2", str(WARDROBE / "motion.pc2"), 1
    top, low = highest(body).z, scenes.seen(body)[:, 2].min()
    look_at(Vector((0.0, 0.0, low + 0.65 * (top - low))), 1.3 * (top - low))
    yield from show_sidebar()
    with view():
        bpy.ops.ed.undo_push(message="Imported")
    yield from screen.picture("hour_02_imported")


def window_03_dress():
    """Two clicks in the view and one on the button, all of them by mouse."""
    body, suit = find("Body"), find("Suit")
    click(front_of(suit, scenes.seen(suit)[:, 2].mean()))
    yield from screen.drawn()
    assert suit.select_get() and not body.select_get(), "the click selects the garment"
    click(highest(body) - Vector((0.0, 0.0, 0.03)), shift=True)
    yield from screen.drawn()
    assert suit.select_get() and body.select_get(), "shift-click adds the body"
    yield from panel_mouse.click("muslin.dress")
    yield from until(lambda: preview_of(suit) is not None and preview_of(suit).steps > 0, LONGEST)
    yield from screen.picture("hour_03_settling")
    click(front_of(suit, scenes.seen(suit)[:, 2].mean()))  # too early to grab: it only selects
    yield from until(lambda: preview_of(suit).settled, LONGEST)
    assert [item.object for item in suit.muslin.colliders] == [body]
    yield from screen.picture("hour_04_dressed")


def window_04_fabric():
    """Another fabric acts at once."""
    suit = find("Suit")
    steps = preview_of(suit).steps
    suit.muslin.fabric = "denim"
    yield from until(lambda: preview_of(suit).steps > steps + 2, LONGEST)
    yield from screen.picture("hour_05_denim")


def window_05_grab():
    """Drag, pin, let go."""
    suit = find("Suit")
    preview = preview_of(suit)
    low, tall = scenes.seen(suit)[:, 2].min(), np.ptp(scenes.seen(suit)[:, 2])
    x, y = pixels(front_of(suit, low + 0.7 * tall))
    before = np.array(preview.shown)
    button("PRESS", (x, y))
    move_mouse(x + PULL, y)
    yield from until(lambda: preview.hands_of(preview.uid).pull is not None, LONGEST)
    yield from until(lambda: np.abs(preview.shown - before).max() > 0.01, LONGEST)
    yield from screen.picture("hour_06_grabbed")
    button("RELEASE", (x + PULL, y))
    yield from until(lambda: preview.hands_of(preview.uid).pull is None, LONGEST)
    click(front_of(suit, low + 0.8 * tall), shift=True)
    yield from until(lambda: len(preview.hands_of(preview.uid).pins(suit)) == 1, LONGEST)
    press("Z", ctrl=True)
    yield from until(lambda: not preview.hands_of(preview.uid).pins(find("Suit")), LONGEST)


def window_06_fit_map():
    suit = find("Suit")
    suit.muslin.fit.enabled = True
    suit.muslin.fit.quantity = "ease"
    steps = preview_of(suit).steps
    find("Body").location.z += 0.005  # so that there is something to drape
    yield from until(lambda: preview_of(suit).steps > steps + 2, LONGEST)
    yield from screen.picture("hour_07_fit_map")
    suit.muslin.fit.enabled = False
    find("Body").location.z -= 0.005
    press("ESC")
    yield from until(lambda: not running().is_busy(), LONGEST)
    yield from panel_mouse.click("muslin.discard")
    yield from screen.drawn()
    assert len(suit.modifiers) == 0, list(suit.modifiers)


def window_07_two_garments():
    """A shirt under a jacket, put on and draped as one."""
    with view():
        shirt, jacket = imported("shirt"), imported("jacket")
        find("Suit").hide_set(True)
    shirt.name, jacket.name = "Shirt", "Jacket"
    body = find("Body")
    choose(shirt, jacket, body)
    yield from panel_mouse.click("muslin.dress")
    yield from until(lambda: preview_of(shirt) is not None, LONGEST)
    assert preview_of(shirt) is preview_of(jacket), "they are one cloth"
    yield from until(lambda: preview_of(shirt).settled, LONGEST)
    yield from screen.picture("hour_08_two_garments")
    press("ESC")
    yield from until(lambda: not running().is_busy(), LONGEST)
    yield from leave(shirt, jacket)


def window_08_sew_a_pattern():
    """Two panels, before and behind the body, join at the shoulders and the sides."""
    body = find("Body")
    panels, stitches = tabard(body)
    choose(panels, body)
    panels.muslin.sewing.enabled = True
    yield from panel_mouse.click("muslin.dress")
    yield from until(lambda: preview_of(panels) is not None and preview_of(panels).settled, LONGEST)
    yield from screen.picture("hour_09_sewn")
    shown = np.array(preview_of(panels).shown)
    gaps = np.linalg.norm(shown[stitches[:, 0]] - shown[stitches[:, 1]], axis=1)
    assert gaps.max() < 0.002, gaps.max()
    press("ESC")
    yield from until(lambda: not running().is_busy(), LONGEST)
    yield from leave(panels)
    find("Suit").hide_set(False)


def choose(*objects):
    with view():
        bpy.ops.object.select_all(action="DESELECT")
        for obj in objects:
            obj.select_set(True)
        bpy.context.view_layer.objects.active = objects[0]


def leave(*objects):
    """What was shown goes, and the objects with it."""
    choose(*objects)
    yield from panel_mouse.click("muslin.discard")
    yield from screen.drawn()
    for obj in objects:
        bpy.data.objects.remove(obj)


def tabard(body, side=13):
    """(object, pairs of vertices that are stitched): a square of cloth before the chest and one behind the back."""
    points = scenes.seen(body)
    low, tall = points[:, 2].min(), np.ptp(points[:, 2])
    chest = points[np.abs(points[:, 2] - low - 0.72 * tall) < 0.05 * tall]
    chest = chest[np.abs(chest[:, 0]) < 0.1 * tall]
    across = np.linspace(-0.17, 0.17, side) * tall
    heights = low + np.linspace(0.52, 0.86, side) * tall
    depths = chest[:, 1].min() - 0.03, chest[:, 1].max() + 0.03
    places = [(x, y, z) for y in depths for z in heights for x in across]
    faces = [
        tuple(first + row * side + column + k for k in (0, 1, side + 1, side))
        for first in (0, side * side)
        for row in range(side - 1)
        for column in range(side - 1)
    ]
    numbers = np.arange(side * side).reshape(side, side)
    sides = numbers[: side // 2, [0, -1]].ravel()
    shoulders = numbers[-1, np.abs(across) > 0.06 * tall]
    stitched = np.unique([*sides, *shoulders])
    stitches = np.column_stack([stitched, stitched + side * side])
    mesh = bpy.data.meshes.new("Tabard")
    mesh.from_pydata(places, stitches.tolist(), faces)
    obj = bpy.data.objects.new("Tabard", mesh)
    bpy.context.scene.collection.objects.link(obj)
    return obj, stitches


def bake():
    yield from panel_mouse.click("muslin.bake")
    yield from until(lambda: running().bake is None, LONGEST)
    yield from screen.drawn()


def window_09_bake_to_keys_and_free():
    suit = find("Suit")
    with view():
        bpy.context.view_layer.objects.active = suit
        suit.select_set(True)
    suit.muslin.quality, suit.muslin.output = "draft", "keys"
    before = scenes.modelled(suit)
    yield from bake()
    assert suit.muslin.baked.frame_end == FRAMES, suit.muslin.baked.frame_end
    assert suit.data.shape_keys is not None
    bpy.context.scene.frame_set(FRAMES)
    yield from screen.picture("hour_10_keys")
    yield from panel_mouse.click("muslin.free")
    yield from screen.drawn()
    assert suit.data.shape_keys is None and scenes.modelled(suit) == before


def window_10_bake_to_a_cache():
    suit = find("Suit")
    suit.muslin.output = "pc2"
    yield from bake()
    assert [modifier.name for modifier in suit.modifiers] == ["Muslin Cache"]
    bpy.context.scene.frame_set(FRAMES)
    yield from screen.picture("hour_11_cache")


def window_11_undo():
    """Undo takes a slider back and leaves the bake alone."""
    suit = find("Suit")
    with view():
        bpy.ops.ed.undo_push(message="Baked")
        suit.muslin.density *= 2.0
        bpy.ops.ed.undo_push(message="Slider")
    heavy = suit.muslin.density
    press("Z", ctrl=True)
    yield from until(lambda: find("Suit").muslin.density < heavy)
    assert find("Suit").muslin.baked.frame_end == FRAMES


def window_12_save_and_reload():
    path = os.path.join(tempfile.mkdtemp(prefix="muslin-hour-"), "suit.blend")
    bpy.context.scene.frame_set(FRAMES)
    before = scenes.seen(find("Suit")).copy()
    with view():
        bpy.ops.wm.save_as_mainfile(filepath=path)
        bpy.ops.wm.open_mainfile(filepath=path)
    yield from screen.drawn()
    suit = find("Suit")
    assert suit.muslin.baked.frame_end == FRAMES
    bpy.context.scene.frame_set(FRAMES)
    np.testing.assert_allclose(scenes.seen(suit), before, atol=1e-6)


def window_13_play():
    seen = set()

    def watch(scene, _depsgraph=None):
        seen.add(scene.frame_current)

    bpy.app.handlers.frame_change_post.append(watch)
    with view():
        bpy.ops.screen.animation_play()
    yield from until(lambda: seen >= set(range(1, FRAMES + 1)), LONGEST)
    with view():
        bpy.ops.screen.animation_cancel(restore_frame=False)
    bpy.app.handlers.frame_change_post.remove(watch)
    yield from screen.picture("hour_12_played")


def window_14_render_with_motion_blur():
    """The picture with blur is another one than that without, and neither is empty."""
    scene = bpy.context.scene
    scene.render.engine, scene.cycles.samples = "CYCLES", 8
    scene.cycles.device, scene.cycles.use_denoising = (
        "CPU",
        False,
    )  # not every Blender has a denoiser
    scene.render.resolution_x, scene.render.resolution_y = 160, 200
    scene.render.resolution_percentage = 100
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(camera)
    top = highest(find("Body"))
    camera.location = 0.6, -2.0 * top.z, 0.62 * top.z
    camera.rotation_euler = (
        (Vector((0.0, 0.0, 0.55 * top.z)) - camera.location).to_track_quat("-Z", "Y").to_euler()
    )
    light = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    light.data.energy, light.rotation_euler = 3.0, (0.7, 0.2, 0.4)
    scene.collection.objects.link(light)
    scene.camera = camera
    scene.frame_set(FRAMES - 1)
    pictures = [render(scene, blur) for blur in (True, False)]
    for picture in pictures:
        assert picture.std() > 0.02, "something is to be seen"
    assert np.abs(pictures[0] - pictures[1]).max() > 0.02, "motion is blurred"
    yield from screen.drawn()
    assert not LISTENER.text(), LISTENER.text()


def render(scene, blur):
    scene.render.use_motion_blur = blur
    name = f"hour_13_render_{'blurred' if blur else 'sharp'}"
    version = ".".join(str(number) for number in bpy.app.version[:2])
    path = Path(os.environ["MUSLIN_PICTURES"]) / f"{name}_{version}.png"
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(str(path))
    pixels = np.empty(4 * image.size[0] * image.size[1], np.float32)
    image.pixels.foreach_get(pixels)
    bpy.data.images.remove(image)
    return pixels

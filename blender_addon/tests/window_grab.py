# SPDX-License-Identifier: GPL-3.0-or-later
"""In a real window: the mouse pulls draping cloth, pins it and lets it go; undo; everything else is Blender's."""

from time import perf_counter

import bpy
import numpy as np
from bpy_extras import view3d_utils
from mathutils import Vector

import scenes
from events import button, move_mouse, press, until, view
from screen import picture
from support import addon

SIDE = 31  # vertices
SOON = 3  # steps from the click to the first motion that is seen; one is under way
AWAY = 60  # pixels


def running():
    return addon("running")


def begin():
    """A sheet that hangs from two corners, seen from the front, and its preview; for `yield from`."""
    running().stop_everything()
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    with view():
        obj = scenes.garment(size=SIDE)
        obj.muslin.damping = 4.0
        bpy.context.space_data.overlay.show_overlays = False  # they cost more than the scene
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_all()
        bpy.ops.ed.undo_push(message="Scene is ready")
        bpy.ops.muslin.drape_now(frames=60)  # at once: the window draws none of them
        assert bpy.ops.muslin.drape_now("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    preview = running().previews[obj.muslin.uid]
    yield from until(lambda: preview.steps > 60)
    with view():
        bpy.ops.view3d.view_all()  # it hangs lower now
    yield 0.2
    return obj, preview


def pixels(preview, vertex):
    """Where a vertex is seen, from the middle of the view."""
    with view():
        region, data = bpy.context.region, bpy.context.space_data.region_3d
        obj = preview.objects()[0]
        place = obj.matrix_world @ Vector(preview.shown[vertex])
        at = view3d_utils.location_3d_to_region_2d(region, data, place)
        area = bpy.context.area
    x, y = area.x + area.width // 2, area.y + area.height // 2
    return round(region.x + at.x - x), round(region.y + at.y - y)


def middle():
    return (SIDE - 4) * SIDE + SIDE // 2


def window_drag_pulls_and_lets_go():
    obj, preview = yield from begin()
    x, y = pixels(preview, middle())
    before = np.array(preview.shown)
    began = perf_counter()
    button("PRESS", (x, y))
    move_mouse(x, y + AWAY)
    yield from until(lambda: preview.hands_of(preview.uid).pull is not None, every=0.005)
    steps = preview.steps
    yield from until(lambda: np.abs(preview.shown - before).max() > 0.01, every=0.005)
    turn = 1.0 / preview.frames_per_second  # mostly Blender's, which draws by software here
    print(f"first motion after {perf_counter() - began:.2f} s, a turn takes {turn:.2f} s")
    assert preview.steps - steps <= SOON, preview.steps - steps
    vertex = preview.hands_of(preview.uid).pull.vertex
    goal = (
        preview.hands_of(preview.uid).pull.pins.targets.mean(axis=0)
        + preview.hands_of(preview.uid).way
    )
    yield from until(lambda: abs(preview.shown[vertex][2] - goal[2]) < 0.1)
    assert preview.hands_of(preview.uid).way[2] > 0.05, preview.hands_of(preview.uid).way
    yield from picture("grab_pull")
    button("RELEASE", (x, y + AWAY))
    yield from until(lambda: preview.hands_of(preview.uid).pull is None)
    assert obj == bpy.context.active_object and preview.mode == "drape"
    press("ESC")
    yield from until(lambda: preview.mode == "held")


def window_pins_undo_and_let_go():
    obj, preview = yield from begin()
    name = obj.name
    x, y = pixels(preview, middle())

    def pins():
        return preview.hands_of(preview.uid).pins(bpy.data.objects[name])

    button("PRESS", (x, y), shift=True)
    button("RELEASE", (x, y), shift=True)
    yield from until(lambda: len(pins()) == 1)
    button("PRESS", (x, y + 2 * AWAY))
    move_mouse(x + AWAY, y + AWAY)
    yield 0.5
    button("RELEASE", (x + AWAY, y + AWAY), shift=True)  # pinned where it was pulled to
    yield from until(lambda: len(pins()) == 2)
    steps = preview.steps
    yield from until(lambda: preview.steps > steps + 10)
    with view():
        bpy.context.space_data.overlay.show_overlays = True  # with the marks
    yield from picture("grab_pins")
    press("Z", ctrl=True)
    yield from until(lambda: len(pins()) == 1)
    press("Z", ctrl=True, shift=True)
    yield from until(lambda: len(pins()) == 2)
    steps = preview.steps
    yield from until(lambda: preview.steps > steps + 3)
    where = pixels(preview, pins()[1].vertex)
    button("PRESS", where, ctrl=True)
    button("RELEASE", where, ctrl=True)
    yield from until(lambda: len(pins()) == 1)
    at = pixels(preview, middle())
    button("PRESS", at)
    move_mouse(*at)
    yield from until(lambda: preview.hands_of(preview.uid).pull is not None)
    press("Z", ctrl=True, at=at)  # takes back that a pin was let go, while the hand pulls
    yield from until(lambda: len(pins()) == 2)
    steps = preview.steps
    yield from until(lambda: preview.steps > steps + 3)
    button("RELEASE", at)
    yield from until(lambda: preview.hands_of(preview.uid).pull is None)
    press("ESC")
    yield from until(lambda: preview.mode == "held")
    with view():
        bpy.ops.muslin.discard()


def window_the_rest_is_blenders():
    obj, preview = yield from begin()
    x, y = pixels(preview, middle())
    with view():
        bpy.ops.mesh.primitive_cube_add(size=0.2, location=(2.0, 0.0, 0.5))
        cube = bpy.context.active_object
        bpy.context.view_layer.objects.active = obj
    yield 0.2
    window, *_ = move_mouse(x, y)
    grab = running().grab
    assert grab, "on from the first"
    bpy.ops.muslin.grab()
    button("PRESS", (x, y))
    yield 0.3
    assert preview.hands_of(preview.uid).pull is None, "switched off"
    button("RELEASE", (x, y))
    bpy.ops.muslin.grab()
    yield 0.2
    with view():  # a wall before the cloth
        cube.location = (0.0, -1.0, 0.5)
        cube.scale = (10.0, 1.0, 10.0)
    yield 0.3
    button("PRESS", (x, y))
    yield 0.3
    assert preview.hands_of(preview.uid).pull is None, "hidden by a wall"
    button("RELEASE", (x, y))
    yield from until(lambda: bpy.context.view_layer.objects.active == cube)
    assert preview.mode == "drape"
    press("ESC")
    yield from until(lambda: preview.mode == "held")

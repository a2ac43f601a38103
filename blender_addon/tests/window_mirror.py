# SPDX-License-Identifier: GPL-3.0-or-later
"""Mirroring in a real window: the section in both places, the plane and the points in the view.

Looks at the pictures are for people; what fails here is anything that is printed while it is drawn, a
plane or points that are not there, and a measurement that does not end.
"""

import sys

import bpy
import events
import mirror_scenes as made
import numpy as np
import window_panel as windows
from mathutils import Quaternion, Vector

SHOWN = ("mirror",)


def panel():
    from addon.mirror import mirror_ui

    return mirror_ui


def pixels(path):
    image = bpy.data.images.load(str(path))
    found = np.array(image.pixels[:], np.float32).reshape(-1, 4)[:, :3]
    bpy.data.images.remove(image)
    return found


def orange(path):
    """How many pixels have the colour of the points."""
    red, green, blue = pixels(path).T
    return int(((red > 0.85) & (green < 0.45) & (green > 0.1) & (blue < 0.25)).sum())


def picture(name):
    """Taken when panels have come to rest; gives the path."""
    return (yield from windows.picture(name))


def lift(obj, heights):
    for index, height in heights.items():
        obj.data.vertices[index].co.z = height
    obj.data.update()


def window_1_arrange():
    sys.stderr = windows.LISTENER
    yield from windows.arrange()
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    with windows.in_window():
        obj, figure, _ = made.suit()
        figure.select_set(False)
    space = windows.area_of("VIEW_3D").spaces.active
    space.overlay.show_floor = space.overlay.show_axis_x = space.overlay.show_axis_y = False
    space.overlay.show_outline_selected = False  # these cost as much as the scene
    view = space.region_3d
    view.view_distance = 2.6
    view.view_rotation = Quaternion((0.82, 0.48, 0.15, 0.26))
    view.view_location = windows.beside(view, 0.6) + Vector((0.0, 0.0, 1.1))
    windows.area_of("PROPERTIES").spaces.active.context = "PHYSICS"
    yield from windows.show_sidebar()
    windows.open_only(SHOWN)
    yield from windows.picture("mirror_before")


def window_2_symmetric():
    obj = bpy.data.objects["Shirt"]
    with windows.in_window():
        assert bpy.ops.muslin.find_symmetry() == {"FINISHED"}
    path = yield from picture("mirror_symmetric")
    assert orange(path) < 20, orange(path)
    obj.muslin.mirror.show = False
    yield from picture("mirror_hidden")
    obj.muslin.mirror.show = True


def window_3_asymmetric():
    obj = bpy.data.objects["Shirt"]
    front = sorted(obj.data.vertices, key=lambda v: v.co.y + abs(v.co.x - 0.1))[:4]
    before = {vertex.index: vertex.co.z for vertex in front}
    lift(obj, {index: height + 0.02 for index, height in before.items()})
    with windows.in_window():
        assert bpy.ops.muslin.find_symmetry() == {"FINISHED"}
    path = yield from picture("mirror_asymmetric")
    assert orange(path) > 100, orange(path)
    obj.muslin.mirror.show = False
    path = yield from picture("mirror_asymmetric_hidden")
    assert orange(path) < 20, orange(path)
    obj.muslin.mirror.show = True
    with windows.in_window():
        bpy.ops.muslin.select_unpaired()
    yield from picture("mirror_selected")
    with windows.in_window():
        bpy.ops.object.mode_set(mode="OBJECT")
    lift(obj, before)
    with windows.in_window():
        bpy.ops.muslin.find_symmetry()
    assert panel().report_of(obj).is_symmetric


def window_4_measure():
    """ESC ends it at once, and left alone it comes to its end with a number."""
    from addon.mirror import measure

    measure.SECONDS = 1.0  # enough to see it at work
    running = windows.at_work()
    obj = bpy.data.objects["Shirt"]
    with windows.in_window():
        bpy.ops.muslin.measure_mirror("INVOKE_DEFAULT")
    assert running.job is not None
    events.press("ESC")
    yield from events.until(lambda: running.job is None, 10.0)
    assert obj.muslin.uid not in running.speeds
    with windows.in_window():
        bpy.ops.muslin.measure_mirror("INVOKE_DEFAULT")
    yield from events.until(lambda: running.job is None or running.job.progress > 0.2)
    yield from picture("mirror_measuring")
    yield from events.until(lambda: running.job is None, 60.0)
    assert "ms per frame" in running.speeds[obj.muslin.uid][1]


def window_5_drape():
    running = windows.at_work()
    obj = bpy.data.objects["Shirt"]
    with windows.in_window():
        bpy.ops.muslin.drape_now("INVOKE_DEFAULT", frames=5)
    yield from events.until(lambda: not running.is_busy(), 120.0)
    assert "half: " in running.solved[obj.muslin.uid][1], running.solved
    yield from picture("mirror_draped")
    with windows.in_window():
        bpy.ops.muslin.discard()


def window_6_unregister():
    """Nothing is drawn any more when the add-on is switched off, and all comes back."""
    from addon import registry
    from addon.mirror import mirror_overlay as overlay

    yield from windows.put_back()
    assert overlay._drawing._handlers
    registry.unregister()
    assert not overlay._drawing._handlers
    yield from windows.picture("mirror_unregistered")
    registry.register()
    assert overlay._drawing._handlers


def window_7_no_errors():
    windows.expect_no_errors()

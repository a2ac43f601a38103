# SPDX-License-Identifier: GPL-3.0-or-later
"""The fit map in a real window: colours over a shirt while it drapes, and their legend.

Looks at the pictures are for people; what fails here is anything that is printed while it is drawn, and colours that
are not those of the legend.
"""

import sys

import bpy
import events
import mirror_scenes as made
import numpy as np
import window_panel as windows
from mathutils import Quaternion, Vector
from window_mirror import pixels

VIEW = 0.24  # of the window's width
NEAR = 0.1  # of a colour: the card mixes those of the vertices in its own way


def share(path, colours):
    """Of the pixels left of the sidebar, how many have one of these colours, however shaded."""
    found = pixels(path).reshape(windows.window().height, -1, 3)
    found = found[:, : int(VIEW * found.shape[1])].reshape(-1, 3)
    bright = found.max(axis=1, keepdims=True)
    near = np.zeros(len(found), dtype=bool)
    for colour in colours:
        likeness = np.abs(found / np.maximum(bright, 0.05) - colour / colour.max()) < NEAR
        near |= (
            likeness.all(axis=1)
            & (np.ptp(found, axis=1) > 0.1)
            & (bright[:, 0] > 0.7 * colour.max())
        )
    return near.mean()


def scale(name):
    """All colours of a legend."""
    from addon.fit_map import fit_colours, fit_quantities

    return fit_colours.colours(fit_quantities.BY_NAME[name], np.linspace(0, 1, 60), (0, 1))[:, :3]


def window_1_arrange():
    sys.stderr = windows.LISTENER
    yield from windows.arrange()
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    with windows.in_window():
        obj, figure, _ = made.suit()
        figure.select_set(False)
    obj.muslin.mirror.enabled = False
    space = windows.area_of("VIEW_3D").spaces.active
    space.overlay.show_floor = space.overlay.show_axis_x = space.overlay.show_axis_y = False
    space.overlay.show_outline_selected = False
    view = space.region_3d
    view.view_distance = 2.2
    view.view_rotation = Quaternion((0.82, 0.48, 0.15, 0.26))
    view.view_location = windows.beside(view, 0.5) + Vector((0.0, 0.0, 1.1))
    windows.area_of("PROPERTIES").spaces.active.context = "PHYSICS"
    yield from windows.show_sidebar()
    windows.open_only(("fit",))
    path = yield from windows.picture("fit_before")
    assert share(path, scale("pressure")) < 0.01, share(path, scale("ease"))


def window_2_drape():
    running = windows.at_work()
    obj = bpy.data.objects["Shirt"]
    obj.muslin.fit.enabled = True
    with windows.in_window():
        bpy.ops.muslin.drape_now("INVOKE_DEFAULT", frames=12)
    yield from events.until(lambda: not running.is_busy(), 120.0)
    for name in ("pressure", "ease", "warp", "tension"):
        obj.muslin.fit.quantity = name
        path = yield from windows.picture(f"fit_{name}")
        assert share(path, scale(name)) > 0.05, (name, share(path, scale(name)))
    obj.muslin.fit.show = False
    path = yield from windows.picture("fit_hidden")
    assert share(path, scale("pressure")) < 0.01, share(path, scale("ease"))
    obj.muslin.fit.show = True


def window_3_subdivided():
    """By the graphics card, too: what is evaluated is only the cage then."""
    obj = bpy.data.objects["Shirt"]
    obj.muslin.fit.quantity = "ease"
    obj.modifiers.new("Fine", "SUBSURF").levels = 1
    path = yield from windows.picture("fit_subdivided")
    assert share(path, scale("ease")) > 0.05, share(path, scale("ease"))


def window_4_baked():
    """Each frame has its own colours on one scale, and the worst of all of them."""
    obj, scene = bpy.data.objects["Shirt"], bpy.context.scene
    obj.modifiers.remove(obj.modifiers["Fine"])
    scene.frame_end, obj.muslin.settle_first = 4, False
    with windows.in_window():
        bpy.ops.muslin.bake()
    scene.frame_set(3)
    path = yield from windows.picture("fit_frame")
    assert share(path, scale("ease")) > 0.05, share(path, scale("ease"))
    obj.muslin.fit.when = "worst"
    path = yield from windows.picture("fit_worst")
    assert share(path, scale("ease")) > 0.05, share(path, scale("ease"))


def window_5_end():
    with windows.in_window():
        bpy.ops.muslin.free()
    path = yield from windows.picture("fit_freed")
    assert share(path, scale("ease")) < 0.01, share(path, scale("ease"))
    yield from windows.put_back()


def window_6_no_errors():
    windows.expect_no_errors()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons, keys and waiting, for tests in a real window. Blender needs --enable-event-simulate."""

from contextlib import nullcontext

import bpy


def areas_of_view():
    """The window, the area of its 3D view, and the region of that in which things are shown."""
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    return window, area, region


def is_in_view():
    """Whether Blender itself has called from the 3D view, and not a timer."""
    area, region = bpy.context.area, bpy.context.region
    return (
        area is not None
        and area.type == "VIEW_3D"
        and region is not None
        and region.type == "WINDOW"
    )


def view():
    """What an operator needs to be invoked as if its button had been pressed in the 3D view."""
    if is_in_view():
        return nullcontext()
    window, area, region = areas_of_view()
    return bpy.context.temp_override(window=window, screen=window.screen, area=area, region=region)


def move_mouse(right=0, up=0):
    """To so many pixels from the middle of the 3D view; the window, and where the mouse is."""
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    x, y = area.x + area.width // 2 + right, area.y + area.height // 2 + up
    window.event_simulate(type="MOUSEMOVE", value="NOTHING", x=x, y=y)
    return window, x, y


def press(key, ctrl=False, shift=False, at=(0, 0)):
    """A key goes down and up in the middle of the 3D view, or so many pixels to the right and up from there."""
    window, x, y = move_mouse(*at)
    for value in ("PRESS", "RELEASE"):
        window.event_simulate(type=key, value=value, x=x, y=y, ctrl=ctrl, shift=shift)


def button(value, at=(0, 0), ctrl=False, shift=False):
    """The left button of the mouse goes down or up, so many pixels from the middle of the 3D view."""
    window, x, y = move_mouse(*at)
    window.event_simulate(type="LEFTMOUSE", value=value, x=x, y=y, ctrl=ctrl, shift=shift)


def until(condition, seconds=60.0, every=0.05):
    """Let Blender live until something is so: `yield from until(lambda: ...)`."""
    waited = 0.0
    while not condition():
        if waited > seconds:
            raise AssertionError(f"waited {seconds} s in vain")
        waited += every
        yield every

# SPDX-License-Identifier: GPL-3.0-or-later
"""Clicks on buttons of the sidebar, for tests in a real window: `yield from panel_mouse.click("muslin.bake")`.

Where a button is depends on the theme, the scale and what stands above it, and Blender tells no script. But Ctrl-C over
a button copies its Python command: the mouse goes down the sidebar and asks until it hears the operator it looks for.
"""

import bpy
import screen

STEP = 14  # pixels, less than the height of a button
EDGE = 30  # pixels: the sidebar's tabs
TURNS = 12  # of the wheel at once, less than a page
TOP = 99  # turns of the wheel that reach the top from anywhere
PAGES = 8  # that a sidebar may be long
NOTHING = "nothing was copied"


def sidebar():
    """The window, and the sidebar of its 3D view."""
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    return window, next(region for region in area.regions if region.type == "UI")


def click(operator):
    """The left button of the mouse goes down and up over the button of an operator, named as in Python."""
    window, x, y = yield from find(operator)
    for value in ("PRESS", "RELEASE"):
        window.event_simulate(type="LEFTMOUSE", value=value, x=x, y=y)
        yield from screen.drawn()


def find(operator):
    """Brings the mouse over the button of an operator, scrolling where needed; the window, and where the mouse is."""
    window, region = sidebar()
    x = region.x + (region.width - EDGE) // 3
    for page in range(PAGES):
        for y in range(region.y + region.height - STEP, region.y, -STEP):
            if f"bpy.ops.{operator}(" in (yield from command_at(window, x, y)):
                return window, x, y
        yield from turn_wheel("WHEELDOWNMOUSE" if page else "WHEELUPMOUSE", TURNS if page else TOP)
    raise AssertionError(f"the sidebar shows no button {operator}")


def turn_wheel(which, turns):
    """Over the middle of the sidebar."""
    window, region = sidebar()
    x, y = region.x + region.width // 3, region.y + region.height // 2
    for _ in range(turns):
        window.event_simulate(type=which, value="PRESS", x=x, y=y)
    yield from screen.drawn()


def command_at(window, x, y):
    """The Python command of what lies under the mouse."""
    manager = bpy.context.window_manager
    manager.clipboard = NOTHING
    for side in (1, 0):  # the first leaves the button before, the second comes to the next
        window.event_simulate(type="MOUSEMOVE", value="NOTHING", x=x + side, y=y)
    for value in ("PRESS", "RELEASE"):
        window.event_simulate(type="C", value=value, x=x, y=y, ctrl=True)
    yield from screen.drawn()
    return manager.clipboard

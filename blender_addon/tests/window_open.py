# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on in a real window: it is enabled there, Blender draws, and draws its preferences."""

import sys

import addon
import bpy
import numpy as np
import screen
from addon import preferences
from listener import Listener

WAIT = 0.1  # seconds between looks
LOOKS = 200


def window_is_drawn():
    """A picture of the window has the size of the screen and many shades."""
    assert not bpy.app.background
    assert addon.__name__ in bpy.context.preferences.addons
    path = yield from screen.picture("open")
    image = bpy.data.images.load(str(path))
    assert tuple(image.size) == (800, 800), tuple(image.size)
    pixels = np.array(image.pixels[:], np.float32).reshape(-1, 4)
    shades = len(np.unique((pixels[:, :3] * 255).astype(np.uint8), axis=0))
    bpy.data.images.remove(image)
    assert shades > 100, f"only {shades} shades"


def window_preferences_are_drawn():
    """With every core and with three: to the end, and without a word on stderr."""
    settings = bpy.context.preferences.addons[addon.__name__].preferences
    listener, draw, drawn = Listener(sys.stderr), preferences.draw_library, []

    def seen(layout, context):
        """The library's state is the last that the preferences draw."""
        draw(layout, context)
        drawn.append(settings.threads)

    preferences.draw_library, sys.stderr = seen, listener
    try:
        with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
            bpy.ops.preferences.addon_show(module=addon.__name__)
        for threads in (3, 0):
            settings.threads = threads
            drawn.clear()
            yield from until_drawn(drawn, threads, listener)
    finally:
        preferences.draw_library, sys.stderr, settings.threads = draw, listener.stream, 0
    assert "Traceback" not in listener.text() and "Error" not in listener.text(), listener.text()


def until_drawn(drawn, threads, listener):
    """Waits until they were drawn to the end with this number of threads."""
    for _ in range(LOOKS):
        for area in bpy.context.window_manager.windows[-1].screen.areas:
            area.tag_redraw()
        yield WAIT
        if threads in drawn:
            return
    raise AssertionError(f"not drawn with {threads} threads: {listener.text()}")

# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on in a real window: it is enabled there, and Blender draws."""

import addon
import bpy
import numpy as np
import screen


def window_is_drawn():
    """A picture of the window has the size of the screen and many shades."""
    assert not bpy.app.background
    assert addon.__name__ in bpy.context.preferences.addons
    path = yield from screen.picture("open")
    image = bpy.data.images.load(str(path))
    assert tuple(image.size) == (1280, 800), tuple(image.size)
    pixels = np.array(image.pixels[:], np.float32).reshape(-1, 4)
    shades = len(np.unique((pixels[:, :3] * 255).astype(np.uint8), axis=0))
    bpy.data.images.remove(image)
    assert shades > 100, f"only {shades} shades"

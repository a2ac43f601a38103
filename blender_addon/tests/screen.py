# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of Blender's window, for window tests: taken from outside, of the screen that Blender draws on."""

import os
import time
from pathlib import Path

import bpy

DRAWN = 0.5  # seconds in which Blender has surely drawn what changed
LONGEST = 30  # seconds


def picture(name=None):
    """Takes a picture when the window is drawn; a generator of seconds to wait, for `yield from`.

    It becomes NAME_VERSION.png in the folder blender/pictures of the build folder; without a name, the picture of the
    test itself. Returns the path.
    """
    request = Path(os.environ["MUSLIN_SCREENSHOT_REQUEST"])
    version = ".".join(str(number) for number in bpy.app.version[:2])
    path = Path(os.environ["MUSLIN_PICTURES"]) / f"{name}_{version}.png" if name else ""
    yield DRAWN
    part = request.with_suffix(".part")
    part.write_text(str(path))
    part.rename(request)
    end = time.monotonic() + LONGEST
    while request.exists():
        if time.monotonic() > end:
            raise TimeoutError("nobody took the picture")
        yield 0.1
    return path

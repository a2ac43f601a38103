# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawing and pictures of Blender's window, for window tests: a picture is taken from outside, of the screen."""

import os
import time
from pathlib import Path

import bpy

LONGEST = 30  # seconds
LOOK = 0.02  # seconds between looks whether the picture was taken


def drawn():
    """Waits until Blender has drawn what changed, for `yield from`.

    Between two calls of a timer Blender always handles its events and draws. Twice: events may be about what was
    drawn, as when a sidebar has found its place.
    """
    yield 0.0
    yield 0.0


def picture(name):
    """Takes a picture when the window is drawn; a generator of seconds to wait, for `yield from`.

    It becomes NAME_VERSION.png in the folder blender/pictures of the build folder. Returns the path.
    """
    request = Path(os.environ["MUSLIN_SCREENSHOT_REQUEST"])
    version = ".".join(str(number) for number in bpy.app.version[:2])
    path = Path(os.environ["MUSLIN_PICTURES"]) / f"{name}_{version}.png"
    yield from drawn()
    part = request.with_suffix(".part")
    part.write_text(str(path))
    part.rename(request)
    end = time.monotonic() + LONGEST
    while request.exists():
        if time.monotonic() > end:
            raise TimeoutError("nobody took the picture")
        yield LOOK
    return path

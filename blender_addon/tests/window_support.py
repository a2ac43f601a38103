# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a test in a real window: a generator that yields how many seconds Blender shall live on before
the next line. Start Blender with --enable-event-simulate; its exit status is the result."""

import os
import sys
import traceback

import bpy

LIMIT = 300.0  # s for a whole script


def view():
    """What an operator needs to be invoked as if its button had been pressed in the 3D view."""
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    return bpy.context.temp_override(window=window, screen=window.screen, area=area, region=region)


def press(key, ctrl=False, shift=False):
    """A key goes down and up in the middle of the 3D view."""
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    x, y = area.x + area.width // 2, area.y + area.height // 2
    window.event_simulate(type="MOUSEMOVE", value="NOTHING", x=x, y=y)
    for value in ("PRESS", "RELEASE"):
        window.event_simulate(type=key, value=value, x=x, y=y, ctrl=ctrl, shift=shift)


def until(condition, seconds=60.0, every=0.05):
    """Let Blender live until something is so: `yield from until(lambda: ...)`."""
    waited = 0.0
    while not condition():
        if waited > seconds:
            raise AssertionError(f"waited {seconds} s in vain")
        waited += every
        yield every


def run(test):
    """Run generator functions one after the other, then quit."""
    steps = test()
    spent = [0.0]

    def tick():
        try:
            pause = next(steps)
            spent[0] += pause
            if spent[0] > LIMIT:
                raise AssertionError("the test takes too long")
            return pause
        except StopIteration:
            print("WINDOW TEST PASSED", flush=True)
            bpy.ops.wm.quit_blender()
        except BaseException:
            traceback.print_exc()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(1)
        return None

    bpy.app.timers.register(tick, first_interval=1.0, persistent=True)

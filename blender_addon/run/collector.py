# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps Python's garbage collector in the main thread.

It runs in whichever thread allocates, and frees all that it finds: objects of Blender's, too, that an exception or
another add-on has tied in a knot. Blender's operators meanwhile work in the main thread without Python's lock, and free what such
objects refer to. So nothing is collected by itself while a thread of ours is at work: the main thread does it between two
steps. Every function here is called in the main thread.
"""

import gc
from contextlib import contextmanager

import bpy

LOOK_EVERY = 0.5  # s
MOST = 100_000  # new objects before they are collected, although a thread is at work all the time

_at_work = []  # functions: whether a thread is still at work
_was_on = False  # before the first of them


def rest_while(is_at_work):
    """From now on, until is_at_work() is False and somebody looks. Call it before the thread begins."""
    global _was_on
    look()
    if not _at_work:
        _was_on = gc.isenabled()
        gc.disable()
    elif gc.get_count()[0] > MOST:
        gc.collect()
    _at_work.append(is_at_work)
    if not bpy.app.background and not bpy.app.timers.is_registered(_tick):
        bpy.app.timers.register(_tick, first_interval=LOOK_EVERY, persistent=True)


def look():
    """Let it collect again once all threads are done."""
    if _at_work:
        _at_work[:] = [is_at_work for is_at_work in _at_work if is_at_work()]
        if not _at_work and _was_on:
            gc.enable()


@contextmanager
def resting():
    """Within it."""
    within = [True]
    rest_while(lambda: bool(within))
    try:
        yield
    finally:
        within.clear()
        look()


def _tick():
    """For Blender's clock: a thread may end without anybody asking for it."""
    look()
    return LOOK_EVERY if _at_work else None

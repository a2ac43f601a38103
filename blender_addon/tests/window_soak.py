# SPDX-License-Identifier: GPL-3.0-or-later
"""A life of random steps in a real window; see soaking. tools/soak lives longer ones, and others.

MUSLIN_SOAK  a file (JSON) of what is wanted: "seed" and "count", or "steps"; and "report", a file for what became of it
"""

import json
import os
from pathlib import Path

import bpy
import screen
from events import is_in_view, view
from soaking import steps, watch
from soaking.keys import Hand
from soaking.play import Life, script

SEED, COUNT = 1, 120


def broken(*_):
    raise ValueError("on purpose")


class BrokenModal(bpy.types.Operator):
    """Fails in its first event after it began."""

    bl_idname = "wm.muslin_broken_modal"
    bl_label = "Broken"

    def invoke(self, context, event):
        context.window_manager.modal_handler_add(self)
        context.window_manager.event_timer_add(0.01, window=context.window)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        return broken()


def break_timer():
    bpy.app.timers.register(broken)


def break_handler():
    handlers = bpy.app.handlers.frame_change_post
    handlers.append(broken)
    bpy.context.scene.frame_set(2)
    handlers.remove(broken)


def break_modal():
    bpy.utils.register_class(BrokenModal)
    with view():
        bpy.ops.wm.muslin_broken_modal("INVOKE_DEFAULT")


def break_drawing():
    kind = bpy.types.SpaceView3D
    handle = kind.draw_handler_add(broken, (), "WINDOW", "POST_VIEW")
    bpy.app.timers.register(lambda: kind.draw_handler_remove(handle, "WINDOW"), first_interval=0.3)
    for area in bpy.context.window_manager.windows[0].screen.areas:
        area.tag_redraw()


def window_hears_what_goes_wrong():
    """A traceback of a timer, of a handler, of an operator that runs or of drawing fails a life."""
    for break_something in (break_timer, break_handler, break_modal, break_drawing):
        ear = watch.Ear()
        try:
            break_something()
            yield from screen.drawn()
            yield 0.4
            ear.listen()
        except steps.Failed as failed:
            assert "on purpose" in str(failed), failed
        else:
            raise AssertionError(f"nobody heard {break_something.__name__}")
        finally:
            ear.close()
    bpy.utils.unregister_class(BrokenModal)


class DeafModal(bpy.types.Operator):
    """Takes every event until it is over."""

    bl_idname = "wm.muslin_deaf_modal"
    bl_label = "Deaf"
    is_over = False

    def invoke(self, context, event):
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        return {"FINISHED"} if DeafModal.is_over else {"RUNNING_MODAL"}


def pieces(hand, seen):
    """Twice by the key, once by the clock, once by a key that nobody hears, and by the key again until it fails."""
    hand.by_clock = False
    yield 0.0
    seen.append(is_in_view())
    yield 0.0
    seen.append(is_in_view())
    hand.by_clock = True
    yield 0.0
    seen.append(is_in_view())
    hand.by_clock = False
    with view():
        bpy.ops.wm.muslin_deaf_modal("INVOKE_DEFAULT")
    yield 0.0
    seen.append(is_in_view())
    DeafModal.is_over = True
    yield 0.0
    seen.append(is_in_view())
    broken()


def window_hand_presses_the_key():
    """The pieces of a life are called from the 3D view itself, in their order, each once; what fails is reported."""
    bpy.utils.register_class(DeafModal)
    hand, seen = Hand(), []
    try:
        yield from hand.do(pieces(hand, seen))
    except ValueError as error:
        assert "on purpose" in str(error), error
    else:
        raise AssertionError("the failure was not reported")
    assert seen == [True, True, False, False, True], seen
    assert hand.unheard == 1, hand.unheard
    bpy.utils.unregister_class(DeafModal)


def window_soak():
    wanted = {"seed": SEED, "count": COUNT}
    if "MUSLIN_SOAK" in os.environ:
        wanted = json.loads(Path(os.environ["MUSLIN_SOAK"]).read_text("utf-8"))
    report = Path(wanted["report"]) if "report" in wanted else None
    if "steps" in wanted:
        print("A given list of", len(wanted["steps"]), "steps", flush=True)
        steps = [tuple(step) for step in wanted["steps"]]
    else:
        print("Seed", wanted["seed"], flush=True)
        steps = script(wanted["seed"], wanted["count"])
    yield from Life(steps, report).live()

# SPDX-License-Identifier: GPL-3.0-or-later
"""In a real window: a garment too fine for its budget drapes coarser, is refined at rest, and says so."""

import bpy
import window_panel as windows

import scenes
from events import until, view
from screen import picture
from support import addon

SIDE = 61  # vertices: 3,721, of which 1,240 or 413 are simulated


def running():
    return addon("run.running")


def fresh():
    """A sheet above a ball, too fine for any budget, and the panel beside it."""
    running().stop_everything()
    yield from windows.show_sidebar()
    with windows.in_window():
        sheet, ball = windows.make_scene()
    bpy.data.objects.remove(sheet)
    with view():
        obj = scenes.garment(size=SIDE, pins=False, side=1.5, height=0.45)
        obj.muslin.colliders.add().object = ball
        obj.muslin.budget_ms = 0.01
    return obj, ball


def window_drapes_coarser_and_refines():
    obj, ball = yield from fresh()
    with view():
        assert bpy.ops.muslin.drape_now("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    uid = obj.muslin.uid
    yield from until(lambda: running().previews[uid].steps > 6)
    preview = running().previews[uid]
    assert "simulating 413 of 3,721 vertices" in preview.text, preview.text
    yield from picture("live_coarse")
    yield from until(lambda: preview.settled, 60)
    assert "refined and at rest: all 3,721 vertices" in preview.text, preview.text
    yield from picture("live_refined")
    ball.location.x += 0.05
    yield from until(lambda: "simulating" in preview.text)
    with view():
        bpy.ops.muslin.stop()
        bpy.ops.muslin.discard()
    yield 0.1


def window_paused_timeline_refines():
    obj, _ = yield from fresh()
    scene = bpy.context.scene
    with view():
        bpy.ops.muslin.preview()
    preview = running().previews[obj.muslin.uid]
    for frame in range(2, 8):
        scene.frame_set(frame)
    assert "simulating 413 of 3,721 vertices" in preview.text, preview.text
    yield from until(lambda: preview.settled, 60)
    assert preview.frame == 7
    scene.frame_set(8)
    assert "simulating 413 of 3,721 vertices" in preview.text, preview.text
    with view():
        bpy.ops.muslin.discard()
    yield 0.1

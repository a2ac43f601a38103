# SPDX-License-Identifier: GPL-3.0-or-later
"""In a real window: a garment too fine for its budget drapes coarser, is refined at rest, and says so."""

import bpy
import window_panel as windows

import scenes
from events import until, view
from screen import drawn, picture
from support import addon

SIDE = 61  # vertices: 3,721, of which 1,240 or 413 are simulated
DAMPING = 8.0  # 1/s: it comes to rest earlier


def running():
    return addon("running")


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
        obj.muslin.damping = DAMPING
    return obj, ball


def is_refined(preview):
    """Whether the garment itself is simulated. Some 250 steps lead there, each of which a window draws by software: the
    tests take these at once."""
    return preview.cloth.levels().simulated_count == SIDE * SIDE


def window_drapes_coarser_and_refines():
    obj, ball = yield from fresh()
    with view():
        assert bpy.ops.muslin.drape_now("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    uid = obj.muslin.uid
    yield from until(lambda: running().previews[uid].steps > 6)
    preview = running().previews[uid]
    assert "simulating 413 of 3,721 vertices" in preview.text, preview.text
    yield from picture("live_coarse")
    with view():
        bpy.ops.muslin.stop()
    yield from drawn()  # nobody drapes it from then on
    with view():
        while not is_refined(preview):
            bpy.ops.muslin.drape_now(frames=10)
        assert bpy.ops.muslin.drape_now("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
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
    steps = preview.steps
    yield from until(lambda: preview.steps > steps, 60)  # Blender's clock does it
    while preview._simulation.ready(None) and not is_refined(preview):
        preview.pause()
    yield from until(lambda: preview.settled, 60)
    assert preview.frame == 7
    scene.frame_set(8)
    assert "simulating 413 of 3,721 vertices" in preview.text, preview.text
    with view():
        bpy.ops.muslin.discard()
    yield 0.1

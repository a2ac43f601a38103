# SPDX-License-Identifier: GPL-3.0-or-later
"""In a real window: a bake that lets it live, ESC, drape, sliders, undo, edit mode, saving, loading."""

import os
import tempfile

import bmesh
import bpy
import numpy as np

import scenes
from events import move_mouse, press, until, view
from support import addon, package


SIDE = 21  # vertices
AWAY = 30, 40  # pixels


def running():
    return addon("running")


def fresh(size=21, end=60):
    """A new garment in a window's scene; without reading a file, which would close the window's data."""
    running().stop_everything()
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, end
    scene.frame_set(1)
    with view():
        bpy.context.space_data.overlay.show_overlays = False  # they cost more than the scene
        obj = scenes.garment(size=size)
        obj.muslin.cache_folder = tempfile.mkdtemp(prefix="muslin-window-")
        bpy.ops.ed.undo_push(message="Scene is ready")
    return obj


def begin_bake():
    with view():
        result = bpy.ops.muslin.bake("INVOKE_DEFAULT")
    assert result == {"RUNNING_MODAL"}, result


def begin_drape():
    with view():
        result = bpy.ops.muslin.drape_now("INVOKE_DEFAULT")
    assert result == {"RUNNING_MODAL"}, result


def window_bake_lives_and_finishes():
    obj = fresh(end=40)
    bpy.context.scene.frame_set(7)
    ticks = 0
    begin_bake()
    while running().bake is not None:
        ticks += 1
        yield 0.01
    obj = bpy.data.objects["Sheet"]
    assert ticks > 3, f"the window had {ticks} turns only"
    assert obj.muslin.baked.frame_end == 40, obj.muslin.baked.frame_end
    assert bpy.context.scene.frame_current == 7
    assert [m.name for m in obj.modifiers] == ["Muslin Cache"], list(obj.modifiers)


def window_escape_keeps_frames():
    fresh(size=41, end=2000)
    begin_bake()
    yield from until(lambda: running().bake is not None and running().bake.bakes[0].done > 5)
    press("ESC")
    yield from until(lambda: running().bake is None)
    yield 0.2
    obj = bpy.data.objects["Sheet"]
    kept = obj.muslin.baked.frame_end
    assert 5 <= kept < 2000, kept
    assert len(scenes.cached(obj)) == kept
    assert bpy.context.scene.frame_current == 1
    with view():
        bpy.context.scene.frame_end = kept + 5
        bpy.ops.muslin.continue_bake("EXEC_DEFAULT")
    assert obj.muslin.baked.frame_end == kept + 5


def window_save_during_a_bake_saves_no_trace():
    obj = fresh(size=41, end=2000)
    bpy.context.scene.frame_set(3)
    begin_bake()
    yield from until(lambda: running().bake is not None and running().bake.bakes[0].done > 5)
    yield 0.3  # the newest frame is shown by now
    path = os.path.join(tempfile.mkdtemp(prefix="muslin-window-"), "saved.blend")
    with view():
        bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    with bpy.data.libraries.load(path) as (_, into):
        into.objects, into.scenes = ["Sheet"], ["Scene"]
    copy, scene = into.objects[0], into.scenes[0]
    assert len(copy.modifiers) == 0, list(copy.modifiers)
    assert scene.frame_current == 3, scene.frame_current
    bpy.data.scenes.remove(scene)
    bpy.data.objects.remove(copy)
    assert running().bake is not None
    press("ESC")
    yield from until(lambda: running().bake is None)
    assert bpy.data.objects["Sheet"].muslin.baked.frame_end >= 5
    del obj


def window_undo_during_a_bake():
    fresh(size=41, end=2000)
    begin_bake()
    yield from until(lambda: running().bake is not None and running().bake.bakes[0].done > 5)
    with view():
        bpy.data.objects["Sheet"].location.x = 0.0
        bpy.ops.ed.undo_push(message="A step")
        bpy.ops.ed.undo()
    yield 0.3
    press("ESC")
    yield from until(lambda: running().bake is None)
    yield 0.2
    assert bpy.data.objects["Sheet"].muslin.baked.frame_end >= 5


def window_drape_slider_undo_edit_keep():
    obj = fresh(size=21)
    before = scenes.modelled(obj)
    begin_drape()
    uid = obj.muslin.uid
    yield from until(lambda: running().previews[uid].steps > 5)
    preview = running().previews[uid]
    assert preview.frames_per_second > 0.0
    count = preview.cloth.report().factor_count if preview._simulation.ready(None) else 0
    obj.muslin.stretch_warp *= 1.5
    steps = preview.steps
    yield from until(lambda: preview.steps > steps + 3)
    preview._simulation.ready(None)
    report = preview.cloth.report()
    assert report.analysis_count == 1, report
    assert report.factor_count > count, (report, count)
    with view():
        bpy.ops.ed.undo_push(message="A step")
        bpy.ops.ed.undo()
        steps = preview.steps
    yield from until(lambda: preview.steps > steps + 3)
    with view():
        bpy.ops.object.mode_set(mode="EDIT")
        steps = preview.steps
    yield from until(lambda: preview.steps > steps + 3)
    with view():
        steps = preview.steps
        bpy.ops.object.mode_set(mode="OBJECT")
    yield from until(lambda: preview.steps > steps + 3)
    press("ESC")
    yield from until(lambda: preview.mode == "held")
    obj = bpy.data.objects["Sheet"]
    assert scenes.modelled(obj) == before
    shown = np.array(scenes.seen(obj))
    with view():
        bpy.ops.muslin.keep("EXEC_DEFAULT", True, mode="mesh")  # with an undo step, as a button has
    assert scenes.modelled(obj) == shown.tobytes()
    with view():
        bpy.ops.ed.undo()
    yield 0.2
    obj = bpy.data.objects["Sheet"]
    assert scenes.modelled(obj) == before, "undo takes the kept shape back"
    assert len(obj.modifiers) == 0, "no preview comes back that is none"


def window_edited_mesh_goes_on_by_sweeps_and_then_with_its_factor():
    """In a real edit mode, with undo; ESC while the factor is made, and at the end."""
    obj = fresh(size=SIDE)
    begin_drape()
    uid = obj.muslin.uid
    yield from until(lambda: running().previews[uid].steps > 2)
    preview = running().previews[uid]
    with view():
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="SELECT")
        bpy.ops.mesh.subdivide()
        bpy.ops.ed.undo_push(message="Cut")
    yield from until(lambda: len(preview.shown) == (2 * SIDE - 1) ** 2)
    assert "sweep solver until the matrix is factored" in preview.text, preview.text
    steps = preview.steps
    yield from until(lambda: preview.steps > steps + 1)
    yield from until(lambda: "sweep solver" not in preview.text)
    assert preview.cloth.settings["solver"] == "linear"
    with view():
        bpy.ops.ed.undo()
    yield from until(lambda: len(preview.shown) == SIDE**2)
    press("ESC")
    yield from until(lambda: preview.mode == "held")
    begin_drape()
    yield from until(lambda: "sweep solver" not in preview.text and preview.mode == "drape")
    with view():
        bpy.ops.object.mode_set(mode="OBJECT")
    steps = preview.steps
    yield from until(lambda: preview.steps > steps + 2)
    press("ESC")
    yield from until(lambda: preview.mode == "held")
    assert len(scenes.seen(bpy.data.objects["Sheet"])) == SIDE**2


def way_of(preview, vertex):
    """How far a vertex of the pattern is from where the sheet's last corner was; 0 before there is one."""
    rest = preview._simulation.members[0].garment.modelled.positions
    return np.linalg.norm(rest[vertex] - (0.5, 0.5, 1.0)) if vertex < len(rest) else 0.0


def window_dragging_and_extruding_while_it_drapes():
    """The tools of edit mode run as Drape Now does, and it follows them."""
    obj = fresh(size=SIDE)
    begin_drape()
    uid, last = obj.muslin.uid, SIDE**2 - 1
    yield from until(lambda: running().previews[uid].steps > 2)
    preview = running().previews[uid]
    with view():
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="DESELECT")
    mesh = bmesh.from_edit_mesh(obj.data)
    mesh.verts.ensure_lookup_table()
    mesh.verts[last].select_set(True)
    bmesh.update_edit_mesh(obj.data)
    with view():
        bpy.ops.ed.undo_push(message="Selected")
    for key, dragged in (("G", last), ("E", last + 1)):
        press(key)
        yield 0.1
        move_mouse(*AWAY)
        yield from until(lambda: way_of(preview, dragged) > 0.01)
        press("RET", at=AWAY)
        yield from until(lambda: "sweep solver" not in preview.text)
        assert way_of(preview, dragged) > 0.01
    press("Z", ctrl=True)
    yield from until(lambda: len(preview.shown) == SIDE**2)
    press("ESC")
    yield from until(lambda: preview.mode == "held")
    with view():
        bpy.ops.object.mode_set(mode="OBJECT")


def window_deletion_ends_a_drape():
    obj = fresh()
    begin_drape()
    uid = obj.muslin.uid
    yield from until(lambda: running().previews[uid].steps > 2)
    bpy.data.objects.remove(obj)
    yield from until(lambda: uid not in running().previews)
    assert not running().is_busy()


def window_playing_the_timeline_simulates():
    obj = fresh(end=8)
    uid = obj.muslin.uid
    with view():
        bpy.ops.muslin.preview()
        bpy.ops.screen.animation_play()
    yield from until(lambda: running().previews[uid].steps > 20)  # it has looped
    with view():
        bpy.ops.screen.animation_cancel(restore_frame=False)
        bpy.ops.muslin.stop()
        bpy.ops.muslin.discard()
    assert not running().previews


def window_switched_off_and_loaded_while_running():
    import addon_utils

    name = package()
    fresh(size=41, end=2000)
    begin_bake()
    yield from until(lambda: running().bake is not None and running().bake.bakes[0].done > 5)
    addon_utils.disable(name)
    yield 0.5
    assert not any("Muslin" in m.name for o in bpy.data.objects for m in o.modifiers)
    addon_utils.enable(name)
    yield 0.2
    fresh(size=41, end=2000)
    begin_drape()
    yield 0.5
    with view():
        bpy.ops.wm.read_homefile(use_factory_startup=True)
    yield 0.5
    if not addon_utils.check(name)[1]:
        addon_utils.enable(name)
    assert not running().previews and running().bake is None

# SPDX-License-Identifier: GPL-3.0-or-later
"""Undo, files, scenes, libraries and overrides, and the add-on itself switched off and on."""

import addon_utils
import bpy
import scenes
from events import view
from support import package

from .steps import leave_modes, press, step

SCENES_MOST = 4


def begin(turn):
    """A new file with two garments and a ball; no step of its own, but what every life begins with."""
    with view():
        bpy.ops.wm.read_homefile(use_empty=True)
    make_scene(turn.folder)
    press("ed.undo_push", message="Begin")


def make_scene(folder):
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 8
    scene.frame_set(1)
    with view():
        ball = scenes.ball()
        sheet = scenes.garment("Sheet", size=9)
        worn = scenes.garment("Coat", size=7, pins=False, height=0.7)
    worn.muslin.colliders.add().object = ball
    for obj in (sheet, worn):
        obj.muslin.cache_folder = str(folder / "cache")
        obj.data.uv_layers.new()
    wind = bpy.data.objects.new("Wind", None)
    scene.collection.objects.link(wind)


def make_library(folder):
    """Somebody else's character, to be linked."""
    with view():
        bpy.ops.wm.read_homefile(use_empty=True)
    make_scene(folder)
    collection = bpy.data.collections.new("Character")
    for obj in list(bpy.context.scene.collection.objects):
        bpy.context.scene.collection.objects.unlink(obj)
        collection.objects.link(obj)
    bpy.context.scene.collection.children.link(collection)
    with view():
        bpy.ops.wm.save_as_mainfile(filepath=str(folder / "character.blend"), copy=True)


@step(9, may_model=True, pushes=False)
def undo(turn):
    for _ in range(turn.rng.choice([1, 1, 1, 2, 5])):
        press("ed.undo")


@step(6, may_model=True, pushes=False)
def redo(turn):
    for _ in range(turn.rng.choice([1, 1, 2])):
        press("ed.redo")


@step(6, pushes=False)
def push(turn):
    press("ed.undo_push", message="A step")


@step(3, may_model=True, pushes=False)
def save(turn):
    """Leaves no mode, but writes what is edited into its mesh."""
    press(
        "wm.save_as_mainfile",
        filepath=str(turn.folder / "shot.blend"),
        copy=turn.rng.random() < 0.3,
    )


@step(2, may_model=True, pushes=False)
def load(turn):
    path = turn.folder / turn.rng.choice(["shot.blend", "shot.blend", "character.blend"])
    if path.exists():
        press("wm.open_mainfile", filepath=str(path), load_ui=False)


@step(0.5, may_model=True, pushes=False)
def load_nonsense(turn):
    path = turn.folder / "nonsense.blend"
    path.write_bytes(b"BLENDER-v300" + bytes(100))
    press("wm.open_mainfile", filepath=str(path))


@step(1, may_model=True, pushes=False)
def revert(turn):
    press("wm.revert_mainfile")


@step(0.5, may_model=True, pushes=False)
def new_file(turn):
    press("wm.read_homefile", use_empty=turn.rng.random() < 0.5)


@step(2, pushes=False)
def new_scene(turn):
    if len(bpy.data.scenes) < SCENES_MOST:
        leave_modes()
        press("scene.new", type=turn.rng.choice(["NEW", "EMPTY", "LINK_COPY", "FULL_COPY"]))


@step(4)
def switch_scene(turn):
    leave_modes()
    scene = turn.one_of([s for s in bpy.data.scenes if s.library is None])
    bpy.context.window_manager.windows[0].scene = scene


@step(1, pushes=False)
def delete_scene(turn):
    if len(bpy.data.scenes) > 1:
        leave_modes()
        press("scene.delete")


@step(2, may_model=True)
def link(turn):
    """A character of another file, overridden or not; the mesh of one that is made local is nobody's change."""
    path = turn.folder / "character.blend"
    if len(bpy.data.collections) > 4 or bpy.data.filepath == str(path):
        return  # Blender itself crashes where a file links its own
    leave_modes()
    with bpy.data.libraries.load(str(path), link=turn.rng.random() < 0.8) as (found, wanted):
        wanted.collections = found.collections
    scene = bpy.context.scene
    for collection in wanted.collections:
        scene.collection.children.link(collection)
        if collection.library is not None and turn.rng.random() < 0.7:
            collection.override_hierarchy_create(scene, bpy.context.view_layer)


@step(1, may_model=True)
def unlink_library(turn):
    library = turn.one_of(bpy.data.libraries)
    if library is not None:
        leave_modes()
        library.reload() if turn.rng.random() < 0.5 else bpy.data.libraries.remove(library)


@step(1, may_model=True, pushes=False)
def make_local(turn):
    if turn.mesh() is not None:
        press("object.make_local", type=turn.rng.choice(["SELECT_OBJECT", "SELECT_OBDATA"]))


@step(1)
def purge(turn):
    leave_modes()
    press("outliner.orphans_purge", do_recursive=True)


@step(0.5, pushes=False)
def switch_off_and_on(turn):
    name = package()
    addon_utils.disable(name)
    yield 0.02
    addon_utils.enable(name)

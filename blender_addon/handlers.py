# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender calls the add-on for: frames, undo, saving and loading.

The handlers stay when another file is read. Each is silent and quick while nothing runs; the modules
that need NumPy are looked up only when they have been loaded already: without them nothing was shown.
"""

import sys

import bpy
from bpy.app.handlers import persistent

from . import running
from .output.folders import folders_set

_saved = []  # uids of the previews that were taken out of the file being saved


def _loaded(name):
    """A module of the add-on if it was needed before, else None."""
    return sys.modules.get(f"{__package__}.{name}")


@persistent
def frame_change_pre(scene, *_):
    """Fit maps of baked garments, before the scene is evaluated; never while someone else may read the mesh."""
    if running.bake is not None or not _may_have_fit():
        return
    if not running.on_main_thread() and not scene.render.use_lock_interface:
        return
    _follow_fit(scene.objects, scene)


def _may_have_fit():
    """Whether any garment has a fit map switched on; all objects are asked once for a file."""
    if running.follows_fit is None:
        running.follows_fit = any(obj.muslin.fit.enabled for obj in bpy.data.objects)
    return running.follows_fit


def _follow_fit(objects, scene=None):
    for obj in objects:
        if obj.library is None and obj.type == "MESH" and obj.muslin.fit.enabled:
            from .fit_map import fit_frames

            fit_frames.follow(obj, scene)


@persistent
def frame_change_post(scene, depsgraph=None):
    if not running.previews or running.bake is not None:
        return
    if not running.on_main_thread() or (depsgraph is not None and depsgraph.mode == "RENDER"):
        return
    from .preview import preview  # is loaded: there is one

    preview.frame_changed(scene)


@persistent
def undo_redo_post(*_):
    preview, results = _loaded("preview.preview"), _loaded("output.results")
    for obj in bpy.data.objects if results is not None else ():
        if obj.library is None and obj.muslin.uid:
            results.heal(obj)  # undo brings back what was freed; the files have to follow
    if preview is not None and running.on_main_thread():
        preview.tidy()
    running.follows_fit = None
    if running.bake is None and _may_have_fit():
        _follow_fit(bpy.data.objects)


def _purge():
    """Delete for good what was freed."""
    results = _loaded("output.results")
    if results is not None:
        results.purge()


@persistent
def save_pre(*_):
    """A preview is never saved, nor is the frame at which a bake happens to be."""
    preview = _loaded("preview.preview_view")
    if preview is None:
        return
    _saved[:] = preview.take_out()
    if running.bake is not None:
        name, frame = running.bake.user_frame()
        scene = bpy.data.scenes.get(name)
        if scene is not None:
            scene.frame_float = frame  # the bake returns to its own frame by itself


def _bring_home(saved):
    """Caches baked before the file was saved move beside it, and the file gets their new path."""
    results = _loaded("output.results")
    is_copy = bool(saved) and saved != bpy.data.filepath  # older Blenders do not say
    if results is None or is_copy or not bpy.data.filepath or running.bake is not None:
        return
    local = [obj for obj in bpy.data.objects if obj.library is None and obj.type == "MESH"]
    if any([results.bring_home(obj) for obj in local if obj.muslin.baked.kind]):
        try:
            bpy.ops.wm.save_mainfile()  # calls this again, with nothing left to move
        except RuntimeError:
            return  # the file names the old place, where everything still is


@persistent
def save_post(saved=None, *_):
    _purge()
    save_post_fail()
    _bring_home(saved if isinstance(saved, str) else "")


@persistent
def save_post_fail(*_):
    preview = _loaded("preview.preview_view")
    if preview is not None:
        preview.put_back(_saved)
        _saved.clear()


@persistent
def load_pre(*_):
    """The file goes away: stop everything, finished frames stay on disk."""
    _purge()
    folders_set.clear()
    running.stop_everything()
    preview = _loaded("preview.preview_view")
    if preview is not None:
        preview.forget()  # no undo brings them back


@persistent
def load_post(*_):
    """A file saved by a crash or an autosave may hold a preview whose session is gone; so does one that another file,
    which could not be read, was to replace."""
    for obj in bpy.data.objects:
        if obj.library is None and any(m.name.startswith("Muslin Preview") for m in obj.modifiers):
            from .preview import preview_view

            preview_view.remove_leftovers()
            return


HANDLERS = {
    "frame_change_pre": frame_change_pre,
    "frame_change_post": frame_change_post,
    "undo_post": undo_redo_post,
    "redo_post": undo_redo_post,
    "save_pre": save_pre,
    "save_post": save_post,
    "save_post_fail": save_post_fail,  # since 3.6: a full disk must not lose the preview
    "load_pre": load_pre,
    "load_post": load_post,
    "load_post_fail": load_post,  # since 3.6
}


def register():
    for name, function in HANDLERS.items():
        getattr(bpy.app.handlers, name, []).append(function)


def unregister():
    for name, function in HANDLERS.items():
        handlers = getattr(bpy.app.handlers, name, [])
        if function in handlers:
            handlers.remove(function)
    # nothing of the add-on stays in the scene, or in the temporary folder
    _purge()
    busy = running.is_busy()
    running.stop_everything()
    if busy:
        running.status_line(None)
    view = _loaded("preview.preview_view")
    if view is not None:
        view.remove_leftovers()
        view.forget()

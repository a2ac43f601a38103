# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes a bake away: exactly what Muslin made. Files that an undo may ask for again are only hidden
until the .blend is saved, another is loaded, the garment is baked again or Blender ends."""

import atexit
import os

import bpy

from ..fit_map import fit_attributes, fit_frames
from ..scene.problems import Problem
from . import find_cache, keys, modifier
from .cache import read, words
from .manifest import Manifest

_freed = {}  # uid -> (folder, name) of the manifests whose files are hidden, of this session


def free(obj, undoable=None):
    """Remove this object's bake; a note that says what stays, and why.

    undoable: files can be brought back by heal(); without a window no one could undo.
    """
    if obj.library is not None:
        raise Problem(f"{obj.name} is linked from another file: free it there")
    undoable = not bpy.app.background if undoable is None else undoable
    path = find_cache.locate(obj)
    manifest = find_cache.owned(obj, path)
    others = find_cache.users(obj, path) if path else []
    if fit_frames.path_of(obj) is not None:
        fit_attributes.clear(obj)
    detach(obj)
    if path is None:
        return "Freed"
    if others:
        return f"Freed; the file {path} is kept: {others[0]} uses it, too"
    if manifest is None:
        return f"Freed; the file {path} is kept: it belongs to another object or .blend"
    try:
        kept = _hide(obj.muslin.uid, manifest) if undoable else _delete(manifest)
    except OSError as error:
        return f"Freed; files in {manifest.folder} are kept: {words(error)}"
    if kept:
        return f"Freed; {', '.join(kept)} is kept: it was changed after Muslin wrote it"
    return "Freed"


def detach(obj):
    """Take the bake from the object and leave its files alone."""
    keys.remove(obj)
    modifier.remove(obj, modifier.CACHE)
    obj.muslin.baked.forget()


def _delete(manifest):
    for token, _part, _frames in manifest.leftovers():
        manifest.drop_part(token)
    return manifest.delete()


def _hide(uid, manifest):
    if not _freed:
        atexit.register(purge)
    now = (manifest.folder, manifest.name)
    if _freed.get(uid, now) != now:  # it was baked again since, into another folder
        _purge(*_freed[uid])
    _freed[uid] = now
    return manifest.set_aside()


def purge():
    """Delete for good what free() hid; for saving, loading and the end."""
    while _freed:
        _purge(*_freed.popitem()[1])


def _purge(folder, name):
    manifest = Manifest.load(folder, name)
    if manifest is not None:
        try:
            manifest.purge()
        except OSError:
            pass  # gone with its disk


def heal(obj):
    """After undo or redo: the files follow the object's settings, then the modifier the file.

    Undo brings back what was freed, redo frees it again; an undone bake leaves its file in the place
    of an older one, with other frames. Whether anything had to be done.
    """
    baked = obj.muslin.baked
    done = _follow_undo(obj.muslin.uid, bool(baked.kind))
    shown = modifier.find(obj, modifier.CACHE)
    path = find_cache.locate(obj) if shown is not None else None
    if path is None or obj.library is not None:
        return done
    try:
        found = read(path)
    except Problem:
        return done
    return _follow_file(baked, shown, path, found) or done


def _follow_undo(uid, wanted):
    manifest = Manifest.load(*_freed[uid]) if uid in _freed else None
    if manifest is None or wanted != bool(manifest.data.get("aside")):
        return False
    try:
        manifest.bring_back() if wanted else manifest.set_aside()
    except OSError:
        return False
    return True


def _follow_file(baked, shown, path, found):
    start, last = int(found.start), int(found.start) + len(found.positions) - 1
    done = False
    # say, an MDD file that a later bake did without
    if not os.path.isfile(bpy.path.abspath(shown.filepath)):
        shown.filepath = bpy.path.relpath(path) if shown.filepath.startswith("//") else path
        shown.cache_format, baked.kind = "PC2", "pc2"
        done = True
    if (baked.frame_start, baked.frame_end, shown.frame_start) != (start, last, start):
        baked.frame_start, baked.frame_end, shown.frame_start = start, last, start
        done = True
    return done

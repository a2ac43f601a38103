# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows a finished bake the way the artist chose, says why where it had to be another way, and takes it away again. What is shown
needs no Muslin: plain modifiers, keys and curves.

Only what Muslin made is taken away. Files that an undo may ask for again are only hidden until the .blend is saved, another is
loaded, the garment is baked again or Blender ends.
"""

import atexit
import os
import shutil

import bpy

from .. import words
from ..fit_map import fit_attributes, fit_file, fit_frames
from ..scene.lookup import ensure_uid
from ..scene.problems import Problem, refuse_linked, speaking_of
from . import cache, exports, find_cache, folders, keys, modifier
from .manifest import Manifest
from .output_kinds import BY_NAME, is_keys, kind_named

BYTES = 12  # of a vertex in a frame
KEY_LIMIT = 32_000_000  # bytes


def choose(kind, vertices, frames, obj=None):
    """(kind, why): "auto" becomes a kind that suits the size; obj, if given, what is possible there. Shape keys are part of the
    .blend: every save and autosave writes them (5 ms a MB were measured), every undo step compares them (0.5 ms a MB: at the limit
    as long as a redraw), and they have to fit into memory."""
    if kind != "auto":
        return kind, ""
    size = BYTES * vertices * frames
    if size > KEY_LIMIT:
        limit = f"limit {words.size(KEY_LIMIT)}"
        why = f"{words.size(size)} of shape keys would be written with every save ({limit})"
        return "pc2", f"PC2 cache: {why}"
    small = f"Shape keys: only {words.size(size)}"
    if obj is not None:
        shared = _sharing(obj)
        if shared:
            return "pc2", f"PC2 cache: shape keys would show on {shared}, too, which has this mesh"
        try:
            found, why = keys.possible(obj, "keys")
        except Problem:
            return "pc2", "PC2 cache: the mesh is linked and cannot have shape keys"
        return found, why or small
    return "keys", small


def check(obj, kind):
    """Before a long bake: Problem where its result could not be shown this way."""
    refuse_linked(obj)
    modifier.refuse_broken_override(obj)
    if kind in BY_NAME:  # not "auto"
        exports.require(BY_NAME[kind])
    if is_keys(kind):
        keys.possible(obj, kind)


# Showing


def present(obj, scene, path, kind, seconds=0.0):
    """Show the finished PC2 at `path` (absolute) and fill obj.muslin.baked; a note for the panel."""
    found = cache.read(path)
    frames, vertices = found.positions.shape[:2]
    if vertices != len(obj.data.vertices):
        raise Problem(
            f"The cache has {vertices} vertices and {obj.name} has {len(obj.data.vertices)}: "
            "the mesh was changed. Bake again"
        )
    kind, note = choose(kind, vertices, frames, obj)
    check(obj, kind)
    if is_keys(kind):
        kind, why = keys.possible(obj, kind)
        note = why or note
    old = find_cache.locate(obj)
    try:
        with speaking_of(obj.name):  # of a file that another program changes meanwhile
            made = _show(obj, scene, path, kind, found)
    except Problem as problem:
        if not kind_named(kind).ending:  # otherwise the PC2 is there, and is shown instead
            raise
        kind, note = "pc2", f"PC2 cache for now: {problem}"
        made = _show(obj, scene, path, kind, found)
    notes = [note, *_warnings(obj, kind, path)]
    baked, first = obj.muslin.baked, int(found.start)
    baked.kind, baked.seconds = kind, seconds
    baked.path, baked.absolute = folders.as_given(path, obj.muslin.cache_folder), path
    baked.frame_start, baked.frame_end = first, first + frames - 1
    baked.vertex_count = vertices
    _clear_old(obj, old, path, made)
    fit_frames.follow(obj)
    baked.note = ". ".join(part for part in notes if part)
    return baked.note


def left_over(obj):
    """How many frames an interrupted bake left, where the panel may look."""
    found = find_cache.leftover(obj, folders.may_look)
    return found[2] if found is not None else 0


def adopt(obj, scene):
    """Show what an interrupted bake left; a note, or "" where it left nothing."""
    baked = obj.muslin.baked
    kind = baked.kind or obj.muslin.output
    path = find_cache.adopt(obj)
    if path is None:
        return ""
    note = present(obj, scene, path, kind)
    baked.verdict = ""  # it was not checked
    rescued = f"Frames {baked.frame_start} to {baked.frame_end} were recovered"
    baked.note = f"{rescued}. {note}" if note else rescued
    return baked.note


def _show(obj, scene, path, kind, found):
    """Make keys or modifier; the names of the files that were made beside the PC2."""
    start, shown, made = int(found.start), path, set()
    scale = scene.render.frame_map_new / scene.render.frame_map_old
    if is_keys(kind):
        keys.add(obj, found.positions, start, kind, 1.0 / scale)
        modifier.remove(obj, modifier.CACHE)
        return made
    kind = kind_named(kind)
    if kind.is_played:
        manifest, name = _extra(obj, path, kind.ending)
        shown = manifest.place(name)
        try:
            fps = scene.render.fps / scene.render.fps_base
            exports.write_played(shown, found.positions, start, fps)
            manifest.add(name)
        except OSError as error:
            raise Problem(f"{shown} cannot be written: {cache.words(error)}") from None
        made.add(name)
    keys.remove(obj)
    shown = folders.as_given(shown, obj.muslin.cache_folder)
    modifier.attach(obj, modifier.CACHE, shown, kind.cache_format, start, scale)
    if kind.operator:
        manifest, name = _extra(obj, path, kind.ending)
        last = start + len(found.positions) - 1
        exports.write(kind, obj, scene, manifest.place(name), start, last)
        manifest.add(name)
        made.add(name)
    return made


def _extra(obj, path, ending):
    """A place beside the PC2 for a file made of it, and the manifest that will list it."""
    manifest = find_cache.owned(obj, path)
    if manifest is None:
        raise Problem(f"{path} is not this object's own cache. Bake it first")
    for number in range(1, 1000):
        name = manifest.name + (f"-{number}" if number > 1 else "") + ending
        size = manifest.data["files"].get(name, -1)
        if manifest.has(name, size) or not os.path.lexists(manifest.place(name)):
            return manifest, name
    raise Problem(f"The folder {manifest.folder} has too many files of this name")


def _sharing(obj):
    """Another object that has the same mesh, or ""."""
    if obj.data.users < 2:  # the panel asks at every redraw
        return ""
    return next((o.name for o in bpy.data.objects if o.data == obj.data and o != obj), "")


def _warnings(obj, kind, path):
    if is_keys(kind):
        if _sharing(obj):
            yield f"The shape keys show on {_sharing(obj)}, too, which has the same mesh"
        if obj.show_only_shape_key:
            yield "Shape Key Lock (the pin) is on: switch it off to see the keys play"
    elif not bpy.data.filepath and folders.is_beside(obj.muslin.cache_folder):
        yield f"The cache is in {os.path.dirname(path)}, and moves next to the .blend when that is saved"


def _clear_old(obj, old, path, made):
    manifest = find_cache.owned(obj, path)
    if manifest is not None:
        manifest.purge()
        own = (".pc2", ".muslin.state", fit_file.ENDING)
        keep = {*(manifest.name + ending for ending in own), *made}
        manifest.delete(set(manifest.data["files"]) - keep)
    if old is not None and not os.path.samefile(old, path) and not find_cache.users(obj, old):
        before = find_cache.owned(obj, old)
        if before is not None:
            before.delete()


# Taking it away

_freed = {}  # uid -> (folder, name) of the manifests whose files are hidden, of this session


def free(obj, undoable=None):
    """Remove this object's bake; a note that says what stays, and why. undoable: heal() can bring files back; without a window no
    one could undo."""
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
        if undoable:
            kept = _hide(obj.muslin.uid, manifest)
        else:
            manifest.drop_leftovers()
            kept = manifest.delete()
    except OSError as error:
        return f"Freed; files in {manifest.folder} are kept: {cache.words(error)}"
    if kept:
        return f"Freed; {', '.join(kept)} is kept: it was changed after Muslin wrote it"
    return "Freed"


def detach(obj):
    """Remove the bake from the object and leave its files alone."""
    keys.remove(obj)
    modifier.remove(obj, modifier.CACHE)
    obj.muslin.baked.forget()


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
            pass  # its disk is gone


def heal(obj):
    """After undo or redo: files follow the settings, then the modifier the file. Undo brings back what was freed, redo frees it
    again; an undone bake leaves its file, with other frames, in place of the older one. Whether anything changed.
    """
    baked = obj.muslin.baked
    done = _follow_undo(obj.muslin.uid, bool(baked.kind))
    shown = modifier.find(obj, modifier.CACHE)
    path = find_cache.locate(obj) if shown is not None else None
    if path is None or obj.library is not None:
        return done
    try:
        found = cache.read(path)
    except Problem:
        return done
    # say, an MDD file that a later bake did without
    if not os.path.isfile(bpy.path.abspath(shown.filepath)):
        shown.filepath = bpy.path.relpath(path) if shown.filepath.startswith("//") else path
        shown.cache_format, baked.kind = "PC2", "pc2"
        done = True
    start, last = int(found.start), int(found.start) + len(found.positions) - 1
    if (baked.frame_start, baked.frame_end, shown.frame_start) != (start, last, start):
        baked.frame_start, baked.frame_end, shown.frame_start = start, last, start
        done = True
    return done


def _follow_undo(uid, wanted):
    manifest = Manifest.load(*_freed[uid]) if uid in _freed else None
    if manifest is None or wanted != bool(manifest.data.get("aside")):
        return False
    try:
        manifest.bring_back() if wanted else manifest.set_aside()
    except OSError:
        return False
    return True


# Moving it beside a .blend that is saved for the first time


def bring_home(obj):
    """Copy a cache that was baked before its .blend was saved into the folder beside it. Whether it has a new place. The old one, in
    the system's temporary folder, stays for an undo, and for a .blend whose second save failed."""
    path, folder = find_cache.locate(obj), obj.muslin.cache_folder
    if path is None or not folders.is_unsaved(os.path.realpath(path)):
        return False
    if not bpy.data.filepath or not folders.is_beside(folder):
        return False
    old = Manifest.of(path)
    fresh = _copy(obj, old, folders.absolute(folder)) if old is not None else None
    if fresh is None:
        return False
    baked, shown = obj.muslin.baked, modifier.find(obj, modifier.CACHE)
    if shown is not None:
        name = _renamed(os.path.basename(shown.filepath), old, fresh)
        shown.filepath = folders.as_given(fresh.place(name), folder)
    baked.absolute = fresh.place(fresh.name + ".pc2")
    baked.path, baked.note = folders.as_given(baked.absolute, folder), ""
    return True


def _copy(obj, old, folder):
    """The files of a cache, under a name that is free there or the garment's own; None where they do not go."""
    fresh, place = None, ""
    try:
        os.makedirs(folder, exist_ok=True)
        fresh = find_cache.take_name(obj, ensure_uid(obj), folder)
        if fresh.data.get("token") and fresh.data["token"] == old.data.get("token"):
            return fresh  # copied before: an undo had led back to the old place
        for name in [name for name, size in old.data["files"].items() if old.has(name, size)]:
            renamed = _renamed(name, old, fresh)
            place = fresh.make_room(renamed)
            with open(old.place(name), "rb") as source, open(place, "r+b") as copy:
                shutil.copyfileobj(source, copy)
            fresh.add(renamed)
            place = ""
        for key in ("token", "frame_start", "frame_end", "vertex_count"):
            if key in old.data:
                fresh.data[key] = old.data[key]
        fresh.save()
    except (OSError, Problem):
        _take_back(fresh, place)
        return None
    return fresh


def _take_back(fresh, place):
    try:
        if fresh is not None:
            if place:
                os.remove(place)
            fresh.delete()
    except OSError:
        pass


def _renamed(name, old, fresh):
    return fresh.name + name[len(old.name) :]

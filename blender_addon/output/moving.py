# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes a cache that was baked before its .blend had a place to the folder beside it, once it has one.

It is copied: an undo leads back to the old place, and so does a .blend whose second save failed. The old place is in the
system's temporary folder, which is cleaned by others.
"""

import os
import shutil

import bpy

from ..scene.lookup import ensure_uid
from ..scene.problems import Problem
from . import find_cache, modifier, names
from .manifest import Manifest


def bring_home(obj):
    """Whether its cache has another place now. What cannot be copied is shown from where it is."""
    path, folder = find_cache.locate(obj), obj.muslin.cache_folder
    if path is None or not names.is_unsaved(path):
        return False
    if not bpy.data.filepath or not names.is_beside(folder):
        return False
    old = Manifest.of(path)
    fresh = _copy(obj, old, names.absolute(folder)) if old is not None else None
    if fresh is None:
        return False
    _show(obj, old, fresh)
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
    """What was copied, and the file that was begun."""
    try:
        if fresh is not None:
            if place:
                os.remove(place)
            fresh.delete()
    except OSError:
        pass


def _renamed(name, old, fresh):
    return fresh.name + name[len(old.name) :]


def _show(obj, old, fresh):
    baked, folder = obj.muslin.baked, obj.muslin.cache_folder
    shown = modifier.find(obj, modifier.CACHE)
    if shown is not None:
        name = _renamed(os.path.basename(shown.filepath), old, fresh)
        shown.filepath = names.as_given(fresh.place(name), folder)
    baked.absolute = fresh.place(fresh.name + ".pc2")
    baked.path = names.as_given(baked.absolute, folder)
    baked.note = ""

# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes a cache that was baked before its .blend had a place to the folder beside it, once it has one."""

import os
import shutil

import bpy

from ..scene.lookup import ensure_uid
from ..scene.problems import Problem
from . import find_cache, modifier, names
from .manifest import Manifest


def bring_home(obj):
    """Whether its cache was moved. What cannot be copied stays where it is, and is shown from there."""
    path, folder = find_cache.locate(obj), obj.muslin.cache_folder
    if path is None or not names.is_unsaved(path):
        return False
    if not bpy.data.filepath or not names.is_beside(folder):
        return False
    old = Manifest.of(path)
    if old is None or old.data["uid"] != obj.muslin.uid or find_cache.users(obj, path):
        return False
    fresh = _copy(obj, old, names.absolute(folder))
    if fresh is None:
        return False
    _show(obj, old, fresh)
    old.delete()
    try:
        os.rmdir(old.folder)  # unless another garment's cache is in it
    except OSError:
        pass
    return True


def _copy(obj, old, folder):
    """The files of a cache, under a name that is free there; None where they do not go."""
    fresh = None
    try:
        os.makedirs(folder, exist_ok=True)
        fresh = find_cache.take_name(obj, ensure_uid(obj), folder)
        for name in old.data["files"]:
            renamed = _renamed(name, old, fresh)
            shutil.copyfile(old.place(name), fresh.place(renamed))
            fresh.add(renamed)
        for key in ("token", "frame_start", "frame_end", "vertex_count"):
            if key in old.data:
                fresh.data[key] = old.data[key]
        fresh.save()
    except (OSError, Problem):
        if fresh is not None:
            fresh.delete()
        return None
    return fresh


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

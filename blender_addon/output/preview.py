# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows positions at once: a one-frame PC2 in a private folder and a Mesh Cache modifier.

The mesh itself is never touched, so taking the modifier away restores it to the bit. The file is
replaced, not rewritten: a render that reads it in another thread sees one whole frame or the other.
"""

import atexit
import os
import shutil
import tempfile

import bpy
import numpy as np

from ..muslin.pc2 import HEADER, MAGIC, VERSION
from ..scene.lookup import ensure_uid, find
from ..scene.problems import Problem
from . import modifier

_folder = None


def folder():
    """The private folder, made at first use."""
    global _folder
    if _folder is None or not os.path.isdir(_folder):
        _folder = tempfile.mkdtemp(prefix="muslin-preview-")
        atexit.register(shutil.rmtree, _folder, ignore_errors=True)
    return _folder


def forget():
    """Remove the private folder; for the end of the add-on."""
    global _folder
    if _folder is not None:
        shutil.rmtree(_folder, ignore_errors=True)
    _folder = None


def show(obj, positions_local):
    """Show the object with these positions: n x 3 float32, its local space."""
    path = _write(obj.muslin.uid or ensure_uid(obj), positions_local, obj.name)
    found = modifier.find(obj, modifier.PREVIEW)
    if found is None or found.filepath != path:
        modifier.attach(obj, modifier.PREVIEW, path)
    obj.update_tag(refresh={"DATA"})


def hide(obj):
    """Take the preview away; whether there was one. Its file stays: an undo may ask for it again."""
    return modifier.remove(obj, modifier.PREVIEW)


def take_out():
    """Before saving: no preview goes into a file. Returns what put_back() needs."""
    shown = [obj for obj in bpy.data.objects if modifier.find(obj, modifier.PREVIEW) is not None]
    for obj in shown:
        modifier.remove(obj, modifier.PREVIEW)
    return [obj.muslin.uid for obj in shown if obj.library is None]


def put_back(uids):
    """After saving: the previews that take_out() removed."""
    for uid in uids:
        obj, path = find(uid), os.path.join(folder(), uid + ".pc2")
        if obj is not None and os.path.exists(path):
            modifier.attach(obj, modifier.PREVIEW, path)


def remove_leftovers():
    """After loading: previews of a session that is gone."""
    for obj in bpy.data.objects:
        if obj.library is None:
            modifier.remove(obj, modifier.PREVIEW)


def _write(uid, positions, name):
    frame = np.ascontiguousarray(positions, dtype="<f4")
    path = os.path.join(folder(), uid + ".pc2")
    try:
        with open(path + ".new", "wb", buffering=0) as file:
            file.write(HEADER.pack(MAGIC, VERSION, len(frame), 0.0, 1.0, 1))
            if file.write(frame) != frame.nbytes:
                raise OSError(28, "the disk is full")
        os.replace(path + ".new", path)
    except OSError as error:
        raise Problem(f"The preview cannot be written to {path}: {error.strerror}", name) from None
    return path

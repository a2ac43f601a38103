# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows positions at once: a PC2 file in a private folder and a Mesh Cache modifier.

The mesh itself is never touched, so taking the modifier away restores it to the bit. The file has two
frames: a new one is written over the one that is not shown, then the modifier turns to it; a render
that reads the file meanwhile, in another thread, still has the old one. The file stays open and is
never replaced: on a usual Linux disk a rename over a file costs milliseconds.
"""

import atexit
import os
import shutil
import tempfile

import bpy
import numpy as np

from ..fit_map import fit_attributes, fit_frames
from ..muslin.pc2 import HEADER, MAGIC, VERSION
from ..output import modifier
from ..scene.lookup import ensure_uid, find
from ..scene.problems import reported

SLOTS = 2

_folder = None
_files = {}  # uid -> _Slots


class _Slots:
    def __init__(self, path, vertex_count):
        self.path = path
        self.vertex_count = vertex_count
        self.slot = 0
        self.file = open(path, "w+b", buffering=0)
        self.file.write(HEADER.pack(MAGIC, VERSION, vertex_count, 0.0, 1.0, SLOTS))
        self.file.truncate(HEADER.size + SLOTS * vertex_count * 12)

    def write(self, frame):
        slot = (self.slot + 1) % SLOTS
        self.file.seek(HEADER.size + slot * frame.nbytes)
        if self.file.write(frame) != frame.nbytes:
            raise OSError(28, "the disk is full")
        self.slot = slot


def folder():
    global _folder
    if _folder is None:
        atexit.register(forget)
    if _folder is None or not os.path.isdir(_folder):
        _folder = tempfile.mkdtemp(prefix="muslin-preview-")
    return _folder


def forget():
    global _folder
    while _files:
        _files.popitem()[1].file.close()
    if _folder is not None:
        shutil.rmtree(_folder, ignore_errors=True)
    _folder = None
    fit_attributes.forget()
    fit_attributes.forget_velocity()


def begin(shapes):
    """Where garments are before the first step, uid -> positions in the object's space: what is shown next comes from
    there."""
    for uid, positions in shapes.items():
        fit_attributes.begin_velocity(uid, positions)


def show(obj, positions_local, maps=None, rate=None):
    """Show the object with these positions, n x 3 float32, its local space, with these fit maps and its velocity. rate: frames per
    second, None where the shown frame was refined."""
    uid = obj.muslin.uid or ensure_uid(obj)
    slots = _write(uid, positions_local)
    _attach(obj, slots)
    velocity = fit_attributes.follow_velocity(uid, positions_local, rate, maps is not None)
    fit_attributes.show(obj, None if maps is None else {**maps, "velocity": velocity})


def _attach(obj, slots):
    """Blender looks up frame 0 x time - frame_start: the slot, whatever the time is."""
    shown = modifier.find(obj, modifier.PREVIEW)
    if shown is None or shown.filepath != slots.path or shown.frame_scale != 0.0:
        shown = modifier.attach(obj, modifier.PREVIEW, slots.path, "PC2", -slots.slot, 0.0)
        # Also in Edit Mode, where the shown vertices can be selected.
        shown.show_in_editmode = shown.show_on_cage = True
    else:
        shown.frame_start = -slots.slot
    obj.update_tag(refresh={"DATA"})


def hide(obj):
    """Remove the preview; whether there was one. Its file stays: an undo may ask for it again."""
    fit_attributes.forget_velocity(obj.muslin.uid)
    found = modifier.remove(obj, modifier.PREVIEW)
    if found:
        fit_attributes.hide(obj)
        fit_frames.follow(obj)
    return found


def hide_everywhere(uid):
    """Hide a garment's preview, on duplicates that were made meanwhile, too."""
    slots = _files.get(uid)
    for obj in bpy.data.objects:
        shown = modifier.find(obj, modifier.PREVIEW) if obj.library is None else None
        if shown is not None and slots is not None and shown.filepath == slots.path:
            hide(obj)


def take_out():
    """Before saving: no preview goes into a file. Returns what put_back() needs."""
    local = [obj for obj in bpy.data.objects if obj.library is None]
    shown = [obj for obj in local if modifier.find(obj, modifier.PREVIEW) is not None]
    for obj in shown:
        modifier.remove(obj, modifier.PREVIEW)
        fit_attributes.take_out(obj)
    return [obj.muslin.uid for obj in shown]


def put_back(uids):
    for uid in uids:
        obj, slots = find(uid), _files.get(uid)
        if obj is not None and slots is not None:
            _attach(obj, slots)
            fit_attributes.put_back(obj)


def remove_leftovers():
    """After loading: previews of an earlier session."""
    for obj in bpy.data.objects:
        if obj.library is None:
            hide(obj)


def _write(uid, positions):
    """To a name that is made here: a .blend may name any uid."""
    frame = np.ascontiguousarray(positions, dtype="<f4")
    slots = _files.get(uid)
    name = os.path.basename(slots.path) if slots is not None else f"{len(_files)}.pc2"
    path = os.path.join(folder(), name)
    with reported(f"The preview cannot be written to {path}"):
        fits = slots is not None and slots.vertex_count == len(frame) and os.path.exists(path)
        if not fits:
            slots = _files[uid] = _Slots(path, len(frame))
        slots.write(frame)
    return slots

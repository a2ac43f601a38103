# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds an object's cache, gives names to new ones, and adopts what a crash left."""

import os
import struct
import unicodedata

import bpy

from ..fit_map import fit_file
from ..muslin import windows
from ..muslin.pc2 import HEADER, MAGIC
from ..scene.lookup import ensure_uid
from ..scene.problems import Problem, reported
from . import folders, manifest as manifests, modifier
from .manifest import ENDING, Manifest, anywhere, is_own


def locate(obj, may_look=anywhere):
    """The absolute path of the object's finished PC2, or None. The modifier comes first: Blender changes its path when the .blend is
    saved elsewhere. may_look: of an absolute path; the panel's is folders.may_look."""
    baked = obj.muslin.baked
    given = [baked.path, baked.absolute]
    shown = modifier.find(obj, modifier.CACHE)
    if shown is not None:
        given.insert(0, shown.filepath)
    for path in given:
        path = os.path.splitext(os.path.abspath(bpy.path.abspath(path)))[0] + ".pc2" if path else ""
        if path and may_look(path) and os.path.isfile(path):
            return path
    return None


def owned(obj, path):
    """The manifest of a cache if this object of this .blend may replace and delete it, else None."""
    manifest = Manifest.of(path) if path else None
    if manifest is None:
        return None
    mine = manifest.belongs(ensure_uid(obj), folders.blend_from(manifest.folder))
    return manifest if mine else None


def users(obj, path):
    def stem(path):
        return os.path.splitext(os.path.realpath(bpy.path.abspath(path)))[0]

    others = ((o, modifier.find(o, modifier.CACHE)) for o in bpy.data.objects if o != obj)
    return [o.name for o, shown in others if shown and stem(shown.filepath) == stem(path)]


def take_name(obj, uid, folder):
    """The manifest for a new bake in a folder: of the bake before, or of a name that is free."""
    found = own_manifest(uid, folder)
    if found is not None:
        found.data["blend"] = folders.blend_from(folder)
        return found
    base = folders.file_name(obj.name)
    for number in range(1, 10000):
        name = base if number == 1 else f"{base}-{number}"
        manifest = Manifest.claim(folder, name, uid, folders.blend_from(folder))
        if manifest is not None:
            return manifest
    raise Problem(f"The folder {folder} has too many caches of this name")


def own_manifest(uid, folder, may_look=anywhere):
    """The manifest in this folder that belongs to the garment, or None."""
    blend = folders.blend_from(folder)
    for file in sorted(os.listdir(folder)):
        # As it was given: older disks of macOS take letters apart.
        file = unicodedata.normalize("NFC", file)
        if file.endswith(ENDING):
            manifest = Manifest.load(folder, file[: -len(ENDING)])
            if manifest is not None and manifest.belongs(uid, blend, may_look):
                return manifest
    return None


def promote(manifest, token, frame_start, frames):
    """Give a part its final name and list it. What happens halfway is repaired on the next load."""
    part = manifest.data["parts"][token]
    pc2 = manifest.name + ".pc2"
    files = {**manifest.data["files"], pc2: os.path.getsize(manifest.place(part["pc2"]))}
    beside = {manifest.name + ".muslin.state": part["state"]}
    beside[manifest.name + fit_file.ENDING] = part.get("fit", "")
    renamed = part.get("finished", {}).get(
        "files", {}
    )  # by a writer that died while it was renaming
    manifest.refuse_others()
    for name, made in beside.items():
        files.pop(name, None)
        if made and is_own(manifest.place(made)):
            files[name] = os.path.getsize(manifest.place(made))
        elif manifest.has(name, renamed.get(name, -1)):
            files[name] = renamed[name]
    done = {"files": files, "token": token, "vertex_count": part["vertex_count"]}
    done.update(frame_start=frame_start, frame_end=frame_start + frames - 1)
    part["finished"] = done
    manifest.save()
    for name, made in beside.items():
        if name in files:
            if made and is_own(manifest.place(made)):
                windows.replace(manifest.place(made), manifest.place(name))
        elif name in manifest.data["files"] and os.path.exists(manifest.place(name)):
            os.remove(manifest.place(name))
    windows.replace(manifest.place(part["pc2"]), manifest.place(pc2))
    del manifest.data["parts"][token]
    manifest.data.update(done)
    manifest.drop_leftovers()
    manifest.save()


def leftover(obj, may_look=anywhere):
    """(manifest, token, frames) of the longest bake that a crash interrupted, or None."""
    uid = obj.muslin.uid
    path = locate(obj, may_look)
    places = [os.path.dirname(path)] if path is not None else []
    folder = obj.muslin.cache_folder
    if bpy.data.filepath or not folders.is_beside(folder):
        places.append(folders.absolute(folder))
    for folder in places:
        if uid and may_look(folder) and os.path.isdir(folder):
            manifest = own_manifest(uid, folder, may_look)
            for token, part, frames in manifest.leftovers() if manifest is not None else ():
                if part["vertex_count"] == len(obj.data.vertices) and _is_news(
                    manifest, part, frames
                ):
                    frames = min(frames, _whole_frames(manifest, part))
                    if frames > 0:
                        return manifest, token, frames
                    break
    return None


def _is_news(manifest, part, frames):
    """A part that continued the finished cache, and has no more frames than that, would only lose frames."""
    data = manifest.data
    if part.get("continues") is None or part["continues"] != data.get("token"):
        return True
    return frames > data.get("frame_end", 0) - data.get("frame_start", 1) + 1


def _whole_frames(manifest, part):
    """The header of a part counts a frame once it is whole."""
    try:
        with open(manifest.place(part["pc2"]), "rb") as file:
            magic, _, vertices, start, _, whole = HEADER.unpack(file.read(HEADER.size))
    except (OSError, struct.error):
        return 0
    is_ours = magic == MAGIC and vertices == part["vertex_count"] and abs(start) < 2**31
    return whole if is_ours else 0


def adopt(obj):
    """Make an interrupted bake the object's cache, replacing an older one; its path, or None."""
    found = leftover(obj)
    if found is None:
        return None
    manifest, token, frames = found
    part = manifest.place(manifest.data["parts"][token]["pc2"])
    with reported(f"The unfinished cache {part} cannot be used"):
        with open(part, "r+b") as file:
            header = HEADER.unpack(file.read(HEADER.size))
            file.truncate(HEADER.size + frames * len(obj.data.vertices) * 12)
        manifests.writing.discard(token)
        promote(manifest, token, int(header[3]), frames)
    return manifest.place(manifest.name + ".pc2")

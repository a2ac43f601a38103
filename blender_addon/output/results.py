# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows a finished bake the way the artist chose, says why where it had to be another way, and
takes it away again. What is shown needs no Muslin: plain modifiers, keys and curves."""

import os

import bpy

from .. import words
from ..fit_map import fit_file, fit_frames
from ..scene.problems import Problem, refuse_linked, speaking_of
from . import cache, exports, find_cache, keys, modifier, names, reach
from .free import detach, free, heal, purge
from .moving import bring_home
from .output_kinds import BY_NAME, is_keys, kind_named

# The door to all of output but the preview and the writer of caches.
__all__ = (
    "adopt",
    "bring_home",
    "check",
    "choose",
    "detach",
    "free",
    "heal",
    "left_over",
    "present",
    "purge",
)

BYTES = 12  # of a vertex in a frame
KEY_LIMIT = 32_000_000  # bytes


def choose(kind, vertices, frames, obj=None):
    """(kind, why): "auto" becomes a kind that suits the size; obj, if given, what is possible there.

    The limit is where keys start to get in the way: they are part of the .blend, so every save and
    autosave writes them (5 ms a MB were measured), every undo step compares them (0.5 ms a MB: at
    the limit it takes as long as a picture on the screen), and they have to fit into memory.
    """
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
        if not kind_named(kind).ending:  # else the PC2 is there, of which the file was to be made
            raise
        kind, note = "pc2", f"PC2 cache for now: {problem}"
        made = _show(obj, scene, path, kind, found)
    notes = [note, *_warnings(obj, kind, path)]
    _fill(obj, path, kind, found, seconds)
    _clear_old(obj, old, path, made)
    fit_frames.follow(obj)
    obj.muslin.baked.note = ". ".join(part for part in notes if part)
    return obj.muslin.baked.note


def left_over(obj):
    """How many frames a bake left that did not come to its end, where the panel may look."""
    found = find_cache.leftover(obj, reach.may_look)
    return found[2] if found is not None else 0


def adopt(obj, scene):
    """Show what a crash left of a bake; a note, or "" where it left nothing."""
    kind = obj.muslin.baked.kind or obj.muslin.output
    path = find_cache.adopt(obj)
    if path is None:
        return ""
    note = present(obj, scene, path, kind)
    obj.muslin.baked.verdict = ""  # no one judged it
    rescued = (
        f"Frames {obj.muslin.baked.frame_start} to {obj.muslin.baked.frame_end} were recovered"
    )
    obj.muslin.baked.note = f"{rescued}. {note}" if note else rescued
    return obj.muslin.baked.note


def _show(obj, scene, path, kind, found):
    """Make keys or modifier; the names of the files that were made beside the PC2."""
    start = int(found.start)
    given = names.as_given(path, obj.muslin.cache_folder)
    scale = scene.render.frame_map_new / scene.render.frame_map_old
    if is_keys(kind):
        keys.add(obj, found.positions, start, kind, 1.0 / scale)
        modifier.remove(obj, modifier.CACHE)
        return set()
    kind, extra = kind_named(kind), None
    if kind.is_played:
        extra = _played(obj, scene, path, kind, found)
    shown = names.as_given(extra, obj.muslin.cache_folder) if extra else given
    keys.remove(obj)
    modifier.attach(obj, modifier.CACHE, shown, kind.cache_format, start, scale)
    if kind.operator:
        extra = _export(obj, scene, path, kind, start, len(found.positions))
    return {os.path.basename(extra)} if extra else set()


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


def _played(obj, scene, path, kind, found):
    manifest, name = _extra(obj, path, kind.ending)
    fps = scene.render.fps / scene.render.fps_base
    try:
        exports.write_played(manifest.place(name), found.positions, int(found.start), fps)
        manifest.add(name)
    except OSError as error:
        raise Problem(f"{manifest.place(name)} cannot be written: {cache.words(error)}") from None
    return manifest.place(name)


def _export(obj, scene, path, kind, start, frames):
    manifest, name = _extra(obj, path, kind.ending)
    exports.write(kind, obj, scene, manifest.place(name), start, start + frames - 1)
    manifest.add(name)
    return manifest.place(name)


def _sharing(obj):
    """Another object that has the same mesh, or ""."""
    if obj.data.users < 2:  # the panel asks at every redraw
        return ""
    others = [o.name for o in bpy.data.objects if o.data == obj.data and o != obj]
    return others[0] if others else ""


def _warnings(obj, kind, path):
    """What the artist should know about how it is shown."""
    if is_keys(kind):
        if _sharing(obj):
            yield f"The shape keys show on {_sharing(obj)}, too, which has the same mesh"
        if obj.show_only_shape_key:
            yield "Shape Key Lock (the pin) is on: switch it off to see the keys play"
    elif not bpy.data.filepath and names.is_beside(obj.muslin.cache_folder):
        yield f"The cache is in {os.path.dirname(path)}, and moves next to the .blend when that is saved"


def _fill(obj, path, kind, found, seconds):
    baked = obj.muslin.baked
    baked.kind = kind
    baked.path = names.as_given(path, obj.muslin.cache_folder)
    baked.absolute = path
    baked.frame_start = int(found.start)
    baked.frame_end = int(found.start) + len(found.positions) - 1
    baked.vertex_count = found.positions.shape[1]
    baked.seconds = seconds


def _clear_old(obj, old, path, made):
    """Delete files of the bake before that nothing needs any more."""
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

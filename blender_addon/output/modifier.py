# SPDX-License-Identifier: GPL-3.0-or-later
"""The Mesh Cache modifiers that show a result, at the cloth's place in the stack."""

from contextlib import contextmanager, nullcontext, suppress

import bpy

from ..scene.place import cloth_place
from ..scene.problems import Problem

CACHE = "Muslin Cache"
PREVIEW = "Muslin Preview"


def move(obj, name, index):
    """Put a modifier at an index; 3.4 has an operator for it and no function."""
    now = obj.modifiers.find(name)
    if now == index:
        return
    if hasattr(obj.modifiers, "move"):
        obj.modifiers.move(now, index)
    else:
        with _active(obj):
            bpy.ops.object.modifier_move_to_index(modifier=name, index=index)


@contextmanager
def _active(obj):
    """For an operator that works on the active object. An overridden context, beside which 3.4 may crash while a thread
    runs Python (docs/notes/blenders.md), only where the object cannot be made active: it is of another scene.
    """
    objects = bpy.context.view_layer.objects
    before = objects.active
    try:
        with suppress(RuntimeError):
            objects.active = obj
        is_seen = getattr(bpy.context, "object", None) == obj  # a pinned panel has its own context
        with nullcontext() if is_seen else _overridden(obj):
            yield
    finally:
        objects.active = before


def _overridden(obj):
    return bpy.context.temp_override(object=obj, active_object=obj)


def refuse_broken_override(obj):
    """Blender itself crashes on a new modifier where what is overridden was made local under its override."""
    override = obj.override_library
    if override and not (override.reference and override.reference.library):
        raise Problem(
            f"{obj.name} is a library override of something that is not linked any more. "
            "Make it local, or recreate the override"
        )


def place(obj, name):
    """Muslin's modifier of this name, made where the cloth stands if it is not there yet."""
    modifier = find(obj, name)
    if modifier is not None:
        return modifier
    refuse_broken_override(obj)
    inherited = sum(_is_inherited(obj, each) for each in obj.modifiers)  # Blender keeps them first
    index = max(cloth_place(obj), inherited)
    shown = find(obj, CACHE)
    if name == PREVIEW and shown is not None:
        index = obj.modifiers.find(shown.name) + 1  # the later one wins
    try:
        modifier = obj.modifiers.new(name, "MESH_CACHE")
    except RuntimeError:
        modifier = None
    if modifier is None:
        raise Problem(
            f"{obj.name} cannot have modifiers: it is linked from another file. "
            "Make it local or make a library override first"
        )
    modifier.show_expanded = False
    name = modifier.name  # Blender renames it when the artist has one that is called so
    move(obj, name, min(index, len(obj.modifiers) - 1))
    return obj.modifiers[name]


def find(obj, name):
    """Muslin's modifier of this name or None; not one of another kind, nor one that an overridden character has from its own file:
    Blender would bring it back as it is there."""
    return next((m for m in _called(obj, name) if not _is_inherited(obj, m)), None)


def _called(obj, name):
    return [m for m in obj.modifiers if m.type == "MESH_CACHE" and m.name.split(".")[0] == name]


def _is_inherited(obj, modifier):
    return obj.override_library is not None and modifier.is_override_data


def _show_inherited(obj, name, is_shown):
    """A result from the character's own file is shown only where this file has none."""
    for modifier in _called(obj, name):
        if _is_inherited(obj, modifier):
            modifier.show_viewport = modifier.show_render = is_shown


def attach(obj, name, path, kind="PC2", frame_start=0, frame_scale=1.0):
    """Let a modifier show a cache file. Blender looks up frame `frame_scale` x time - frame_start, where time includes the scene's
    remapping: a frame_scale of new/old undoes it. The start in the file's header is not used."""
    modifier = place(obj, name)
    _show_inherited(obj, name, False)
    modifier.cache_format, modifier.deform_mode = kind, "OVERWRITE"
    modifier.interpolation, modifier.time_mode, modifier.play_mode = "LINEAR", "FRAME", "SCENE"
    modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"
    is_set = isinstance(modifier.flip_axis, set)  # three switches since 5.x
    modifier.flip_axis = set() if is_set else (False, False, False)
    modifier.factor, modifier.vertex_group = 1.0, ""
    modifier.frame_scale = frame_scale
    modifier.frame_start = frame_start
    modifier.filepath = path
    return modifier


def remove(obj, name):
    """Remove Muslin's modifiers of this name; whether there was one."""
    found = False
    while (modifier := find(obj, name)) is not None:
        obj.modifiers.remove(modifier)
        found = True
    if found:
        _show_inherited(obj, name, True)
    return found

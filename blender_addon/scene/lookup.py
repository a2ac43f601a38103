# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds garments again: undo replaces objects and the artist renames them, but a uid stays.

A duplicate has the uid of what it was made from until it is first used. Which of the two is the
duplicate is known by the name that the uid was given to; who has it owns the cache, too.

And whether Blender evaluates an object frame by frame. What is disabled in the viewport is not, and keeps the place that
it had: reading it would be wrong without any sign, since an object that another one points to still calls itself
evaluated. The eye, of an object or of its collection, only hides from view.
"""

import uuid

import bpy

from .problems import Problem

_names = {}  # uid -> the name under which it was last found: a guess that is verified


def _bearers(uid):
    """Everything that bears this uid, the rightful owner first: local before linked, then the name it was given to, then the
    older name."""

    def claim(obj):
        return obj.library is not None, obj.muslin.uid_owner != obj.name, len(obj.name), obj.name

    return sorted((obj for obj in bpy.data.objects if obj.muslin.uid == uid), key=claim)


def ensure_uid(obj):
    """The uid of a garment; made at first use, and made again for a duplicate."""
    settings = obj.muslin
    uid = settings.uid
    if not uid or _bearers(uid)[0] != obj:
        uid = settings.uid = uuid.uuid4().hex
        # Blender 5 overrides in a linked garment only those groups of settings that were ever written
        settings.mirror.enabled = settings.mirror.enabled
        settings.fit.show = settings.fit.show
        settings.sewing.enabled = settings.sewing.enabled
        settings.baked.kind = settings.baked.kind
    if settings.uid_owner != obj.name:
        settings.uid_owner = obj.name
    _names[uid] = obj.name
    return uid


def own_copy(item):
    """A copy of an object or a mesh that belongs to this file alone, also of a library override. In Blender 3.4 it stays one:
    make_local() is only for linked data there."""
    copy = item.copy()
    if copy.override_library is not None:
        copy.make_local()
    return copy


def _is_used(obj):
    """A deleted garment may live on where something points to it."""
    return any(is_in(obj, scene) for scene in bpy.data.scenes)


def find(uid):
    """The object with this uid, or None; a deleted one is none."""
    if not uid:
        return None
    guess = bpy.data.objects.get(_names.get(uid, ""))
    if guess is not None and guess.muslin.uid == uid and guess.muslin.uid_owner == guess.name:
        if _is_used(guess):
            return guess
    bearers = [obj for obj in _bearers(uid) if _is_used(obj)]
    if not bearers:
        _names.pop(uid, None)
        return None
    _names[uid] = bearers[0].name
    return bearers[0]


def scene_named(name):
    scene = bpy.data.scenes.get(name)
    if scene is None:
        raise Problem(f"The scene {name} is gone")
    return scene


def garments(scene):
    return [obj for obj in scene.objects if obj.type == "MESH" and obj.muslin.enabled]


def is_shown(obj, view_layer):
    """Whether it is in the view layer and not disabled in the viewport."""
    if obj.visible_get(view_layer=view_layer):
        return True
    return not obj.hide_viewport and _holds(view_layer.layer_collection, obj)


def is_in(obj, scene):
    """Whether it is in the scene. What was deleted is not, though a setting that points to it keeps it alive."""
    return _has(scene.objects, obj)


def _has(objects, obj):
    """A linked object and its override have the same name, and a name finds only one of them."""
    found = objects.get(obj.name)
    return found == obj or (found is not None and any(other == obj for other in objects))


def why_absent(obj, depsgraph):
    """Why an object cannot be read, as the end of a sentence; "" where it can."""
    if is_shown(obj, depsgraph.view_layer):
        return ""
    if not is_in(obj, depsgraph.scene):
        return "was deleted, or is in another scene"
    return "is disabled in the viewport, or its collection is"


def _holds(layer, obj):
    if layer.collection.hide_viewport:
        return False
    if not layer.exclude and _has(layer.collection.objects, obj):
        return True
    return any(_holds(child, obj) for child in layer.children)


def addon_preferences():
    """None while the add-on is not enabled."""
    entry = bpy.context.preferences.addons.get(__package__.rpartition(".")[0])
    return entry.preferences if entry is not None else None

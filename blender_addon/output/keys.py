# SPDX-License-Identifier: GPL-3.0-or-later
"""Shape keys, one a frame, that show a bake to the bit without any file.

Absolute: one animated time runs through the keys. They stand one unit apart, and Blender places a
new key where its evaluation time is, so both are the same number and nothing is interpolated.
Relative: every key has a curve of its own, straight, so that motion blur finds what is between two
frames. Blender adds differences to the mesh, which rounds; so a first key, "Muslin Origin", takes the
mesh away (x - x is exactly 0) and the keys are relative to it.

Where the artist deletes the basis, Blender gives the mesh the shape of the next key: in front of the others is one,
"Muslin Rest", which has the basis' shape and shows in no frame.

What was made is written into the block's own property "muslin"; nothing else is ever removed.
"""

import json

import bpy
import numpy as np

from ..scene import place
from ..scene.problems import Problem

BASIS = "Basis"
REST = "Muslin Rest"
ORIGIN = "Muslin Origin"
LINEAR = 1  # Blender's number of this interpolation


def possible(obj, kind):
    """(kind, why): "keys" or "relative" as it is, or another kind and why. Problem where no kind of keys could replace it."""
    if not obj.data.is_editable if hasattr(obj.data, "is_editable") else obj.data.library:
        raise Problem(
            f"The mesh of {obj.name} is linked from another file and cannot have shape keys. "
            "Choose PC2 Cache, or make the mesh local (Object > Relations > Make Local)"
        )
    if obj.data.override_library is not None:
        raise Problem(
            f"The mesh of {obj.name} is a library override and cannot have shape keys. "
            "Choose PC2 Cache, or make the mesh local"
        )
    why = _obstacle(obj)
    if why:
        return "pc2", f"PC2 cache instead of shape keys: {why}"
    if kind == "keys":
        why = _why_relative(obj)
        if why:
            return "relative", f"Relative instead of absolute shape keys: {why}"
    return kind, ""


def _obstacle(obj):
    for modifier in place.before(obj):
        if modifier.type not in place.MOVES_NOTHING and not place.is_own_modifier(modifier):
            return f"the modifier {modifier.name} would deform them a second time"
    if obj.data.is_editmode:
        return "the mesh is in edit mode"
    key = obj.data.shape_keys
    if key is None:
        return ""
    theirs = _theirs(obj)
    if not key.use_relative and not place.key_record(obj).get("absolute") and len(theirs) > 1:
        return "the mesh has absolute keys of its own"
    animation = key.animation_data
    if animation is not None and animation.nla_tracks:
        return "the mesh's own keys are animated"
    action = animation.action if animation is not None else None
    if action is not None and not place.key_record(obj).get("made"):
        if action.library or action.users - action.use_fake_user > 1:
            return "the action of the mesh's own keys is used elsewhere, too"
    animated = _animated_paths(key)
    for block in theirs[1:]:
        used = block.value != 0.0 and not block.mute
        if used or f'key_blocks["{block.name}"].value' in animated:
            return f"the mesh's own key {block.name} is in use and would be added to the cloth"
    return ""


def _why_relative(obj):
    key = obj.data.shape_keys
    if key is None:
        return ""
    if len(_theirs(obj)) > 1:
        return "the mesh has relative keys of its own"
    if "eval_time" in _animated_paths(key) and not place.key_record(obj).get("absolute"):
        return "the evaluation time of its keys is animated already"
    return ""


def _theirs(obj):
    """The artist's own blocks, the basis among them."""
    made = place.key_record(obj).get("names", ())
    return [block for block in obj.data.shape_keys.key_blocks if block.name not in made]


def add(obj, positions, frame_start, kind, time_scale=1.0):
    """Replace Muslin's keys by new ones: frames x n x 3. time_scale: curve time a frame takes."""
    remove(obj)
    active = obj.active_shape_key_index
    made = {"basis": obj.data.shape_keys is None, "absolute": kind == "keys", "names": []}
    if made["basis"]:
        obj.shape_key_add(name=BASIS, from_mix=False)
    key = obj.data.shape_keys
    made.update(relative=key.use_relative, time=key.eval_time)
    make = _absolute if kind == "keys" else _relative
    try:
        made["made"] = _begin_action(key, f"Muslin {obj.name}"[:63])
        make(obj, key, positions, frame_start, time_scale, made)
    finally:
        key[place.KEY_RECORD] = json.dumps(made)
        obj.active_shape_key_index = active
    obj.data.update_tag()


def _block(obj, name, flat, made):
    block = obj.shape_key_add(name=name, from_mix=False)
    block.data.foreach_set("co", flat)
    block.interpolation = "KEY_LINEAR"
    block.value = 0.0  # 5.2 begins with 1
    made["names"].append(block.name)
    return block


def _rest(obj, key, made):
    flat = np.empty(3 * len(obj.data.vertices), dtype=np.float32)
    key.reference_key.data.foreach_get("co", flat)
    made["rest"] = _block(obj, REST, flat, made).name


def _absolute(obj, key, positions, frame_start, time_scale, made):
    key.use_relative = False
    key.eval_time = int(key.key_blocks[0].frame) + 1  # where Blender puts the next key
    _rest(obj, key, made)
    first = int(key.eval_time) + 1
    for index, frame in enumerate(positions):
        key.eval_time = first + index
        _block(obj, f"Muslin {frame_start + index:04d}", np.ascontiguousarray(frame).ravel(), made)
    indices = range(len(positions))
    times = [(frame_start + index) * time_scale for index in indices]
    values = [float(first + index) for index in indices]
    _add_curve(key, "eval_time", times, values)


def _relative(obj, key, positions, frame_start, time_scale, made):
    key.use_relative = True
    _rest(obj, key, made)
    zeros = np.zeros(3 * len(obj.data.vertices), dtype=np.float32)
    origin = _block(obj, ORIGIN, zeros, made).name
    key.key_blocks[origin].value = 1.0
    last = len(positions) - 1
    for index, frame in enumerate(positions):
        number = frame_start + index
        flat = np.ascontiguousarray(frame).ravel()
        block = _block(obj, f"Muslin {number:04d}", flat, made)
        block.relative_key = key.key_blocks[origin]
        points = [(number - 1, 0.0), (number, 1.0), (number + 1, 0.0)]
        points = points[index == 0 : 2 if index == last else 3]  # the ends hold
        times = [time * time_scale for time, _ in points]
        values = [value for _, value in points]
        _add_curve(key, f'key_blocks["{block.name}"].value', times, values)


def remove(obj):
    """Remove exactly what Muslin made; whether there was anything."""
    made = place.key_record(obj)
    if not made:
        return False
    if obj.data.is_editmode:
        raise Problem(f"Leave edit mode first: {obj.name} has shape keys of Muslin's")
    key = obj.data.shape_keys
    active = obj.active_shape_key.name if obj.active_shape_key else ""
    unwanted = [f'key_blocks["{name}"].value' for name in made["names"]]
    if made["absolute"]:
        unwanted.append("eval_time")
    _remove_curves(key, set(unwanted), made.get("made", ""))
    key = _remove_blocks(obj, _unneeded(key, made))
    if key is not None:
        del key[place.KEY_RECORD]
        key.use_relative = made["relative"]
        key.eval_time = made["time"]
        if made["basis"] and len(key.key_blocks) == 1:
            obj.shape_key_remove(key.key_blocks[0])
        else:
            obj.active_shape_key_index = max(key.key_blocks.find(active), 0)
    obj.data.update_tag()
    return True


def _unneeded(key, made):
    """Names of the blocks to be removed. Where the artist has deleted the basis under other keys, one of Muslin's takes its
    place for good."""
    names, first = made["names"], key.key_blocks[0]
    if first.name != made.get("rest") or all(block.name in names for block in key.key_blocks):
        return names
    first.name = BASIS
    return [name for name in names if name != made["rest"]]


def _remove_blocks(obj, names):
    """The mesh's keys without these, or None where no others are left. The last one goes first: whenever the first of all goes,
    Blender gives the mesh the shape of the next."""
    for name in reversed(names):
        block = obj.data.shape_keys.key_blocks.get(name)
        if block is not None:
            obj.shape_key_remove(block)
        if obj.data.shape_keys is None:
            return None
    return obj.data.shape_keys


# The curves that animate a block of keys; actions have slots since Blender 4.4


def curves(key):
    """The lists of curves that move this block: [] or one of them; it can be removed from."""
    animation = key.animation_data
    if animation is None or animation.action is None:
        return []
    action = animation.action
    if hasattr(action, "fcurve_ensure_for_datablock"):
        slot, layers = animation.action_slot, action.layers
        strips = [strip for layer in layers for strip in layer.strips] if slot is not None else []
        bags = [strip.channelbag(slot) for strip in strips]
        return [bag.fcurves for bag in bags if bag is not None]
    return [action.fcurves]


def _animated_paths(key):
    found = [curve.data_path for group in curves(key) for curve in group]
    animation = key.animation_data
    if animation is not None:
        found += [driver.data_path for driver in animation.drivers]
    return found


def _begin_action(key, name):
    """Make sure that there is an action; what had to be made: "", "action" or "all"."""
    made = ""
    if key.animation_data is None:
        key.animation_data_create()
        made = "all"
    if key.animation_data.action is None:
        key.animation_data.action = bpy.data.actions.new(name)
        made = made or "action"
    return made


def _add_curve(key, path, times, values):
    """A curve through these points; _begin_action() comes first."""
    action = key.animation_data.action
    if hasattr(action, "fcurve_ensure_for_datablock"):
        curve = action.fcurve_ensure_for_datablock(key, path)
    else:
        curve = action.fcurves.new(path)
    points = curve.keyframe_points
    points.add(len(times))
    points.foreach_set("co", [number for pair in zip(times, values) for number in pair])
    points.foreach_set("interpolation", [LINEAR] * len(times))
    curve.update()


def _remove_curves(key, unwanted, made):
    """Take away the curves of these data paths, then what _begin_action() made if no one else uses it."""
    animation = key.animation_data
    if animation is None:
        return
    others = [o for o in bpy.data.shape_keys if o != key and o.animation_data and animation.action]
    sharing = [o for o in others if o.animation_data.action == animation.action]
    if not any(place.KEY_RECORD in other for other in sharing):  # a duplicate may share the action
        for group in curves(key):
            for curve in [curve for curve in group if curve.data_path in unwanted]:
                group.remove(curve)
    elif made:
        animation.action = None
    if not made:
        return
    action = animation.action
    if action is not None and not _animated_paths(key):
        animation.action = None
        if action.users == 0:
            bpy.data.actions.remove(action)
    if (
        made == "all"
        and animation.action is None
        and not _animated_paths(key)
        and not animation.nla_tracks
    ):
        key.animation_data_clear()

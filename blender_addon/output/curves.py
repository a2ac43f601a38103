# SPDX-License-Identifier: GPL-3.0-or-later
"""Animation curves of a shape-key block, before and after Blender 4.4 gave actions slots."""

import bpy

LINEAR = 1  # Blender's number of this interpolation


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


def paths(key):
    """The data paths of everything that is animated or driven."""
    found = [curve.data_path for group in curves(key) for curve in group]
    animation = key.animation_data
    if animation is not None:
        found += [driver.data_path for driver in animation.drivers]
    return found


def begin(key, name):
    """Make sure that there is an action; what had to be made: "", "action" or "all"."""
    made = ""
    if key.animation_data is None:
        key.animation_data_create()
        made = "all"
    if key.animation_data.action is None:
        key.animation_data.action = bpy.data.actions.new(name)
        made = made or "action"
    return made


def add(key, path, times, values, interpolation):
    """A curve through these points; begin() comes first."""
    action = key.animation_data.action
    if hasattr(action, "fcurve_ensure_for_datablock"):
        curve = action.fcurve_ensure_for_datablock(key, path)
    else:
        curve = action.fcurves.new(path)
    points = curve.keyframe_points
    points.add(len(times))
    points.foreach_set("co", [number for pair in zip(times, values) for number in pair])
    points.foreach_set("interpolation", [interpolation] * len(times))
    curve.update()


def remove(key, unwanted, made, is_ours):
    """Take away the curves of these data paths, then what begin() made if no one else uses it.

    is_ours says whether another block has curves of Muslin's: a duplicate may share the action.
    """
    animation = key.animation_data
    if animation is None:
        return
    if not any(is_ours(other) for other in _sharing(key)):
        for group in curves(key):
            for curve in [curve for curve in group if curve.data_path in unwanted]:
                group.remove(curve)
    elif made:
        animation.action = None
    if not made:
        return
    action = animation.action
    if action is not None and not paths(key):
        animation.action = None
        if action.users == 0:
            bpy.data.actions.remove(action)
    if made == "all" and animation.action is None and not paths(key) and not animation.nla_tracks:
        key.animation_data_clear()


def _sharing(key):
    """Other blocks that have the same action."""
    action = key.animation_data.action
    if action is None:
        return []
    others = [other for other in bpy.data.shape_keys if other != key]
    return [o for o in others if o.animation_data and o.animation_data.action == action]

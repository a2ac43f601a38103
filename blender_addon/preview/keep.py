# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps what a preview shows: as a shape key, or as the mesh itself."""

import numpy as np

from .. import running
from ..fit_map import fit_attributes
from ..garment import vertex_groups
from ..scene import arrays, place
from ..scene.arrays import write_shape
from ..scene.problems import Problem
from . import preview as previews

KEY, MESH = "key", "mesh"


def keep(obj, mode, name):
    """Store the shape of a garment's preview, and of all in one cloth with it, and end it; a sentence about it."""
    preview = running.previews.get(obj.muslin.uid)
    if preview is None or preview.shown is None:
        raise Problem(f"{obj.name} has no preview to keep")
    preview.objects()  # a garment in one cloth with it may be gone
    members = preview._simulation.members
    objects = [member.find() for member in members]
    for each, member in zip(objects, members):
        if member.uid not in preview.shapes:
            raise Problem(f"{each.name} has not been simulated yet")
    kept = [(each, preview.shapes[member.uid]) for each, member in zip(objects, members)]
    for each in objects:
        _refuse(each, mode)
    preview._simulation.check_meshes()
    preview.hold()
    preview._simulation.add_tension()
    maps = [preview._simulation.fit_maps_of(*one) for one in zip(members, objects)]
    words = []
    for each, shape in kept:
        if mode == KEY:
            words.append(f"{each.name}: kept as the shape key {_as_key(each, shape, name)}")
        else:
            write_shape(each.data, shape)
            words.append(f"{each.name}: the mesh has the draped shape now")
    previews.discard(obj.muslin.uid)
    for each, found in zip(objects, maps):
        if found is not None:
            fit_attributes.write(each, found)  # which the kept shape has
    return ". ".join(words)


def _refuse(obj, mode):
    """What would bend the kept shape a second time, or change more than this garment."""
    mesh = obj.data
    if obj.mode == "EDIT" or mesh.is_editmode:
        raise Problem(f"{obj.name}: leave Edit Mode first")
    if mesh.library is not None or obj.library is not None:
        raise Problem(f"{obj.name} is linked from another file; make its mesh local first")
    if mesh.users > 1:
        raise Problem(
            f"The mesh of {obj.name} is used by {mesh.users} objects, and all would change. "
            "Make it single-user first (Object > Relations)"
        )
    bending = [m.name for m in place.before(obj) if m.type not in place.MOVES_NOTHING]
    if bending:
        raise Problem(
            f"{obj.name}: {', '.join(bending)} before the cloth would deform the kept shape a second "
            "time. Apply or switch it off first, or bake instead"
        )
    if obj.parent is not None and obj.parent_type not in place.RIGID_PARENTS:
        raise Problem(
            f"{obj.name}: its parent {obj.parent.name} bends it and would deform the kept shape a "
            "second time. Bake instead"
        )
    _refuse_keys(obj, mode)


def _refuse_keys(obj, mode):
    keys = obj.data.shape_keys
    if keys is None:
        return
    if mode == MESH:
        raise Problem(
            f"{obj.name} has shape keys, which are stored relative to its mesh: keep the cloth as "
            "a shape key instead"
        )
    if place.own_keys(obj):
        raise Problem(f"{obj.name} is baked to shape keys: free the bake first")
    if not keys.use_relative:
        raise Problem(
            f"{obj.name} has absolute shape keys, which cannot be mixed with a kept one: "
            "make them relative first"
        )


def _as_key(obj, positions, name):
    """A new key at full value, and its name. What other keys add now is taken off, so that the sum is the shape."""
    mix = _mixed(obj)
    key = obj.shape_key_add(name=name, from_mix=False)
    wanted = np.ascontiguousarray(positions, dtype=np.float32)
    if mix is not None:
        wanted = (wanted - mix).astype(np.float32)
    key.data.foreach_set("co", wanted.ravel())
    key.value = 1.0
    obj.data.update()
    return key.name


def _mixed(obj):
    """What the keys that are in use add to the reference, n x 3 float64; None without any."""
    keys = obj.data.shape_keys
    if keys is None:
        obj.shape_key_add(name="Basis", from_mix=False)
        return None
    if obj.show_only_shape_key:
        obj.show_only_shape_key = False
    total = None
    for block in keys.key_blocks[1:]:
        if block.mute or not block.value:
            continue
        offset = arrays.key_positions(block).astype(np.float64)
        offset -= arrays.key_positions(block.relative_key)
        weight, group = block.value, obj.vertex_groups.get(block.vertex_group)
        if group is not None:
            weight = vertex_groups.weights(obj, group.index)[:, None].astype(np.float64) * weight
        total = offset * weight if total is None else total + offset * weight
    return total

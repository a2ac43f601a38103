# SPDX-License-Identifier: GPL-3.0-or-later
"""Fit maps in a mesh: a number for each vertex and quantity, as attributes; and where it touches, and how it moves."""

import bmesh
import numpy as np

from ..muslin.inspection.fit_report import LEAST_PRESSURE
from .fit_quantities import QUANTITIES

# What -> attribute, its kind, and what Blender calls its numbers. "velocity" alone would be Cycles' own: wherever a mesh
# has it, motion blur follows it instead of the mesh, right or wrong.
LAYERS = {quantity.name: (quantity.attribute, "FLOAT", "value") for quantity in QUANTITIES}
LAYERS["contact"] = "muslin_contact", "FLOAT", "value"
LAYERS["velocity"] = "muslin_velocity", "FLOAT_VECTOR", "vector"

# uid -> the maps of what is previewed, which is not the mesh itself and goes into no file
_live = {}


def write(obj, maps):
    """Write attributes of the garment's mesh; those that are missing in maps are removed. maps: a name of LAYERS -> n numbers, or n x 3.
    False in Edit Mode, and for a mesh of another file."""
    mesh = obj.data
    if mesh.is_editmode or _is_of_another_file(mesh):
        return False
    maps = _with_contact(maps)
    for what, (name, kind, numbers) in LAYERS.items():
        values = maps.get(what)
        if values is None or len(values) != len(mesh.vertices):
            _remove(mesh, name)
            continue
        flat = np.ascontiguousarray(values, dtype=np.float32).ravel()
        attribute(mesh.attributes, name, kind).data.foreach_set(numbers, flat)
    mesh.update_tag()
    return True


def _write_edited(mesh, maps):
    """Into a mesh in Edit Mode, as long as it has its vertices."""
    edited, maps = bmesh.from_edit_mesh(mesh), _with_contact(maps)
    for what, (name, kind, _numbers) in LAYERS.items():
        values = maps.get(what)
        if values is not None and len(values) == len(edited.verts):
            layers = getattr(edited.verts.layers, kind.lower())
            layer = layers.get(name) or layers.new(name)
            for vertex, value in zip(edited.verts, np.asarray(values, dtype=np.float32).tolist()):
                vertex[layer] = value


def _with_contact(maps):
    if "pressure" not in maps:
        return maps
    return {**maps, "contact": maps["pressure"] >= LEAST_PRESSURE}


def _is_of_another_file(mesh):
    return mesh.library is not None or mesh.override_library is not None


def attribute(attributes, name, kind):
    """The vertex attribute of this name and kind; one of another kind is replaced."""
    found = attributes.get(name)
    if found is not None and (found.data_type, found.domain) != (kind, "POINT"):
        attributes.remove(found)
        found = None
    return found or attributes.new(name, kind, "POINT")


def _remove(mesh, name):
    found = mesh.attributes.get(name)
    if found is not None:
        mesh.attributes.remove(found)


def clear(obj):
    """Remove the attributes, in Edit Mode, too; vertex colours that the artist has made of them stay."""
    mesh = obj.data
    if _is_of_another_file(mesh):
        return
    for name, _kind, _numbers in LAYERS.values():
        _remove(mesh, name)
    mesh.update_tag()


def values(mesh, quantity):
    """The numbers of one quantity as a mesh has them, evaluated or not; None without any."""
    found = mesh.attributes.get(quantity.attribute)
    if found is None or found.domain != "POINT" or found.data_type != "FLOAT":
        return None
    if len(found.data) != len(mesh.vertices):  # in edit mode
        return None
    out = np.empty(len(found.data), dtype=np.float32)
    found.data.foreach_get("value", out)
    return out


def show(obj, maps):
    """The maps of a preview; None: they are not wanted."""
    uid = obj.muslin.uid
    if maps is not None:
        _live[uid] = maps
        write(obj, maps)
    elif uid in _live:
        hide(obj)


def is_live(obj):
    return obj.muslin.uid in _live


def hide(obj):
    _live.pop(obj.muslin.uid, None)
    clear(obj)


def take_out(obj):
    if obj.muslin.uid in _live:
        clear(obj)


def put_back(obj):
    maps = _live.get(obj.muslin.uid)
    if maps is not None and not write(obj, maps) and not _is_of_another_file(obj.data):
        _write_edited(obj.data, maps)


def forget():
    _live.clear()


# By uid: the shape of the frame that is shown, and its velocity or None where no one has asked.
_shown = {}


def begin_velocity(uid, positions):
    """The next shape comes from this one, n x 3 in the object's own space; earlier ones do not count."""
    _shown[uid] = positions, None


def follow_velocity(uid, positions, rate, is_wanted):
    """Another shape is shown, in the object's own space: its velocity there, units per second; None: not wanted.

    rate: frames of the scene a second, where both shapes are a frame apart, also where it drapes on a fixed one. None:
    it is the same frame, refined, and has its velocity; the next one comes from the shape that it had first. So does a
    shape that is shown again.
    """
    before, velocity = _shown.get(uid, (None, None))
    is_known = before is not None and len(before) == len(positions)
    if is_known and is_wanted and rate is not None and positions is not before:
        velocity = np.float32(rate) * (positions - before)
    elif is_wanted and (velocity is None or not is_known):
        velocity = np.zeros_like(positions)
    is_refined = is_known and rate is None
    _shown[uid] = before if is_refined else positions, velocity if is_wanted else None
    return _shown[uid][1]


def forget_velocity(uid=None):
    """Nothing of this garment is shown any more; None: of all."""
    if uid is None:
        _shown.clear()
    else:
        _shown.pop(uid, None)

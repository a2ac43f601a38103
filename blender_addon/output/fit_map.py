# SPDX-License-Identifier: GPL-3.0-or-later
"""Fit maps in a mesh: a number for each vertex and quantity, as attributes."""

import numpy as np

from ..fit_properties import QUANTITIES

_live = (
    {}
)  # uid -> the maps of what is previewed, which is not the mesh itself and goes into no file


def write(obj, maps):
    """Attributes of the garment's mesh. maps: quantity -> n numbers; what is not among them is taken away.

    Whether it could be: not in edit mode, nor into a mesh of another file.
    """
    mesh = obj.data
    if mesh.is_editmode or mesh.library is not None or mesh.override_library is not None:
        return False
    for quantity in QUANTITIES:
        values = maps.get(quantity.name)
        if values is None or len(values) != len(mesh.vertices):
            _remove(mesh, quantity)
            continue
        flat = np.ascontiguousarray(values, dtype=np.float32)
        _attribute(mesh, quantity).data.foreach_set("value", flat)
    mesh.update_tag()
    return True


def _attribute(mesh, quantity):
    found = mesh.attributes.get(quantity.attribute)
    if found is not None and (found.data_type, found.domain) != ("FLOAT", "POINT"):
        mesh.attributes.remove(found)
        found = None
    return found or mesh.attributes.new(quantity.attribute, "FLOAT", "POINT")


def _remove(mesh, quantity):
    found = mesh.attributes.get(quantity.attribute)
    if found is not None:
        mesh.attributes.remove(found)


def clear(obj):
    """Take the attributes away; vertex colours that the artist has made of them stay."""
    write(obj, {})


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


# Of a preview, whose shape is in no file: neither are its maps


def show(obj, maps):
    """The maps of what is previewed; None: they are not wanted."""
    uid = obj.muslin.uid
    if maps is not None:
        _live[uid] = maps
        write(obj, maps)
    elif uid in _live:
        hide(obj)


def is_live(obj):
    """Whether it is that of a preview."""
    return obj.muslin.uid in _live


def hide(obj):
    _live.pop(obj.muslin.uid, None)
    clear(obj)


def take_out(obj):
    """Before saving."""
    if obj.muslin.uid in _live:
        clear(obj)


def put_back(obj):
    """After saving."""
    if obj.muslin.uid in _live:
        write(obj, _live[obj.muslin.uid])


def forget():
    _live.clear()

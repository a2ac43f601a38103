# SPDX-License-Identifier: GPL-3.0-or-later
"""Closes the open front of a garment that is simulated whole, by links. Halves close in their plane."""

import numpy as np

from ..muslin import MuslinError, closures, fronts, links
from . import garment, mirror, place
from .findings import Finding

CLOSURES = {"zip": "Zip", "button": "Button"}


def choice(obj):
    """What the links are made from, to see whether the artist has changed it."""
    chosen = obj.muslin.mirror
    if chosen.closure != "button":
        return (chosen.closure,)
    return chosen.closure, chosen.overlap, chosen.over, chosen.plane


def front_links(obj, mesh):
    """Of a rest shape; None where nothing is to be closed, or nothing is open."""
    chosen = obj.muslin.mirror
    if chosen.closure != "button":
        return closures.front_links(mesh, chosen.closure)
    return closures.front_links(mesh, "button", chosen.overlap, chosen.over, across(obj, mesh))


def across(obj, mesh):
    """From one side of the front to the other, in the world, towards the side that Lies Over calls this one."""
    axis = mirror.axis_of(obj, obj.matrix_world)
    if obj.muslin.mirror.plane != "found":
        return axis
    try:
        normal = mirror.plane_of(obj, mesh, obj.matrix_world)[1]
    except MuslinError:  # it has no plane; it can be buttoned all the same
        return axis
    return -normal if normal @ axis < 0 else normal


def joined(several, begins):
    """Those of garments in one cloth, each from its first vertex there on; None where there are none."""
    found = [links.shifted(own, begin) for own, begin in zip(several, begins) if own is not None]
    return np.concatenate(found) if found else None


def all_links(cloth, data):
    """What sews a GarmentData, with its front, unless the cloth is mirrored, which closes that by itself."""
    sets = list(data.links)
    if data.closing is not None and cloth.mirror().mode == "off":
        sets.append(data.closing)
    return sets


def close(cloth, data):
    """Give a cloth what sews it."""
    sets = all_links(cloth, data)
    if sets:
        cloth.set_links(sets)


def findings(obj, scene):
    """A closure that closes nothing, of a garment that is not mirrored."""
    closure = obj.muslin.mirror.closure
    if closure == "free":
        return []
    mesh = garment.rest_mesh(obj, obj.matrix_world, place.unit_of(scene))
    if front_links(obj, mesh) is not None:
        return []
    text = f"{CLOSURES[closure]} closes nothing: {obj.name} has no open front"
    if closure == "button" and fronts.open_fronts(mesh):
        text += " that is wider than Overlap"
    return [Finding("closes_nothing", text, False, obj.name, fix="Set to Free")]

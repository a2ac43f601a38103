# SPDX-License-Identifier: GPL-3.0-or-later
"""Closes the open front of a garment that is simulated whole: its zip is a seam. Halves close in their plane."""

import numpy as np

from ..muslin import links
from ..muslin.fronts import front_stitches
from . import garment, place
from .findings import Finding


def choice(obj):
    """What the seam is made from, to see whether the artist has changed it."""
    return obj.muslin.mirror.closure == "zip"


def stitches(obj, mesh):
    """Of a rest shape, for a seam; None where nothing is to be closed, or nothing is open."""
    return front_stitches(mesh) if choice(obj) else None


def joined(several, begins):
    """Those of garments in one cloth, each from its first vertex there on; None where there are none."""
    found = []
    for own, begin in zip(several, begins):
        if own is not None:
            shifted = own.copy()
            shifted["vertices"][own["vertices"] >= 0] += begin
            found.append(shifted)
    return np.concatenate(found) if found else None


def all_links(cloth, data):
    """What sews a GarmentData, with its front, unless the cloth is mirrored, which closes that by itself."""
    sets = list(data.links)
    if data.stitches is not None and cloth.mirror().mode == "off":
        sets.append(links.seam(data.stitches))
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
    if closure == "button":
        text = f"Button closes nothing: {obj.name} is not mirrored. Choose Zip, or switch Mirror on"
    else:
        mesh = garment.rest_mesh(obj, obj.matrix_world, place.unit_of(scene))
        if stitches(obj, mesh) is not None:
            return []
        text = f"Zip closes nothing: {obj.name} has no open front"
    return [Finding("closes_nothing", text, False, obj.name, fix="Set to Free")]

# SPDX-License-Identifier: GPL-3.0-or-later
"""How the fit map of a garment looks: where its colours end, and the same as vertex colours."""

import numpy as np

from ..scene.problems import Problem
from . import fit_attributes, fit_colours, fit_frames
from .fit_quantities import BY_NAME


def limits(obj):
    """(least, most) of the colours of the quantity that is shown, as the artist has chosen.

    Of a bake those of the whole animation, so that a colour means the same in every frame.
    """
    fit = obj.muslin.fit
    quantity = BY_NAME[fit.quantity]
    if not fit.is_automatic:
        return fit_colours.span(quantity, (), (fit.least, fit.most))
    if fit.when == "frame" and not fit_attributes.is_live(obj):
        known = fit_frames.spans(obj).get(quantity.name)
        if known is not None:
            return known
    found = fit_attributes.values(obj.data, quantity)
    return fit_colours.span(quantity, () if found is None else found)


def to_colours(obj):
    """The quantity that is shown as a colour attribute; its name."""
    quantity, mesh = BY_NAME[obj.muslin.fit.quantity], obj.data
    if mesh.is_editmode:
        raise Problem(f"{obj.name}: leave Edit Mode first")
    if mesh.library is not None:
        raise Problem(f"The mesh of {obj.name} is linked from another file")
    found = fit_attributes.values(mesh, quantity)
    if found is None:
        raise Problem(f"{obj.name} has no map of {quantity.label.lower()} yet: drape it or bake it")
    colours = fit_colours.colours(quantity, found, limits(obj))
    name = f"Fit {quantity.label}"
    layer = mesh.color_attributes.get(name)
    if layer is not None and (layer.data_type, layer.domain) != ("BYTE_COLOR", "POINT"):
        mesh.color_attributes.remove(layer)
        layer = None
    layer = layer or mesh.color_attributes.new(name, "BYTE_COLOR", "POINT")
    layer.data.foreach_set(
        "color_srgb" if _knows_srgb(layer) else "color", _as_stored(layer, colours)
    )
    mesh.color_attributes.active_color_index = mesh.color_attributes.find(name)
    mesh.update()
    return name


def _knows_srgb(layer):
    return "color_srgb" in layer.data[0].bl_rna.properties


def _as_stored(layer, colours):
    """As Blender wants them: sRGB, or linear where it knows no other."""
    if not _knows_srgb(layer):
        rgb = colours[:, :3]
        colours[:, :3] = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return colours.ravel()

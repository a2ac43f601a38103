# SPDX-License-Identifier: GPL-3.0-or-later
"""The materials of several garments: `--fabric` and the options of the material, once for all or once for each."""

import numpy as np

from ..settings import MATERIAL_FIELDS
from ..table import section
from .fabric_options import with_fabric
from .garments import refuse_count

NAMES = ("fabric", "stretch", *(setting.name for setting in section("material")))


def spread(options):
    """What was given once holds for all garments; the rest is kept in `options.each`, name by name."""
    garments = len(options.garment)
    options.each = {}
    for name in NAMES:
        given = getattr(options, name) or []
        if len(given) not in (0, 1, garments):
            refuse_count(name, len(given), garments)
        if len(given) > 1:
            options.each[name] = given
        setattr(options, name, given[0] if len(given) == 1 else None)


def fabrics_of(options):
    """The fabric of each garment, None for none."""
    return options.each.get("fabric", [options.fabric] * len(options.garment))


def parts_of(options, garments, settings):
    """What Cloth needs where garments are of different fabrics: parts and materials; else nothing.

    settings: those that hold for all, without any fabric's.
    """
    if not options.each:
        return {}
    return {
        "parts": np.repeat(np.arange(len(garments.meshes)), np.diff(garments.starts)),
        "materials": [
            of_garment(options, settings, number, one)
            for number, one in enumerate(fabrics_of(options))
        ],
    }


def of_garment(options, settings, number, one):
    """Material, and model if it has its own, of a garment of this fabric."""
    asked_for = {name: value for name, value in settings.items() if is_of_material(name)}
    for name, values in options.each.items():
        if name == "stretch":
            asked_for["stretch_warp"], asked_for["stretch_weft"] = values[number]
        elif name != "fabric":
            asked_for[name] = values[number]
    found = with_fabric(one, asked_for)
    return {name: value for name, value in found.items() if is_of_material(name)}


def is_of_material(name):
    return name in MATERIAL_FIELDS or name == "model"

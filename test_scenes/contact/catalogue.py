# SPDX-License-Identifier: GPL-3.0-or-later
"""The scenes of contact by name, for loops over all of them."""

from functools import partial

from test_scenes.contact import falls, figures, layers, sleeve, strikes, trapped

SCENES = {
    "sphere": falls.sphere,
    "sphere_centred": falls.sphere_centred,
    "table": falls.table,
    "table_sheet": partial(falls.table, thin=True),
    "pole": falls.pole,
    "corner": falls.corner,
    "incline": falls.incline,
    "sleeve": sleeve.sleeve,
    "skirt": figures.skirt,
    "stack": layers.stack,
    "folded": layers.folded,
    "tshirt": figures.tshirt,
    "plate": strikes.plate,
    "blade": strikes.blade,
    "bead": strikes.bead,
}
# With those whose body cuts itself, which some loops cannot do with.
ALL = {**SCENES, **trapped.SCENES}


def make(name, **options):
    """The named scene; options go to the function that makes it."""
    return ALL[name](**options)

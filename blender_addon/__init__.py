# SPDX-License-Identifier: GPL-3.0-or-later
"""Muslin in Blender: feeds a garment, its pins and the moving body to the native library, and writes
the result back as shape keys or a cache.

Enabling must be quick, so nothing here imports NumPy or loads the library: both wait for the first
button that needs them. Folders, from the ground: `scene` reads Blender, `output` writes to it,
`run` simulates, `operators` are the buttons, `ui` the panels.
"""

bl_info = {
    "name": "Muslin",
    "description": "See cloth move now: drape, fit and bake garments",
    "author": "The Muslin developers",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "Physics properties, and the sidebar of the 3D view",
    "category": "Physics",
}


def register():
    from . import binding, registry

    binding.renew()
    registry.register()


def unregister():
    from . import binding, registry

    registry.unregister()
    binding.let_go()

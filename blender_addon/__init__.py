# SPDX-License-Identifier: GPL-3.0-or-later
"""Muslin in Blender: feeds a garment, its pins and the moving body to the native library, and writes
the result back as shape keys or a cache.

Enabling must be quick, so nothing here imports NumPy or loads the library: both wait for the first
button that needs them.

Below are `scene`, which reads Blender, and a few modules that all use: `running` (what is going on now), `words`,
`drawing`, `buttons`, `jobs`, `table_properties`. On them stand the features, a folder each:

    garment     what a cloth is made of, and what feeds it from the scene, frame by frame
    bodies      what it collides with
    forces      gravity, wind and force fields
    fabric      the fabrics of the menu, presets, copies to compare
    sewing      seams, tacks, elastics, panels of a pattern
    mirror      one half for both
    layers      several garments in one cloth
    simulation  the cloth under simulation, its thread, what comes before the first frame
    fit_map     strain, pressure and ease as colours
    check       what is wrong with a garment, and fixing it
    dress       Dress This Body and Fit a Suit
    preview     Drape Now and Preview on Play, and grabbing the cloth with the mouse
    bake        baking
    output      what a bake makes: caches, shape keys, files for other programs
    farm        a task of a farm's job

A file NAME_ui.py has the settings, the buttons and the section of the panel of its feature, and imports no NumPy.
On top are `properties` (object.muslin), `panels`, `preferences`, `handlers`, the door for scripts `api`, and `registry`.
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
    from . import loading, registry

    loading.renew()
    registry.register()


def unregister():
    from . import loading, registry

    registry.unregister()
    loading.let_go()

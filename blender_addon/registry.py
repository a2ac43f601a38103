# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells Blender about every class and handler of the add-on, and takes all of it back."""

from importlib import import_module

import bpy

# In the order in which they are registered: their operators, lists and preferences, or what is listed in CLASSES. Each may
# have register() and unregister() for the rest.
MODULES = (
    "fabric.fabric_list",
    "properties",
    "preferences",
    "handlers",
    "garment.garment_ui",
    "bodies.collider_ui",
    "dress.dress_ui",
    "layers.layers_ui",
    "fabric.fabric_ui",
    "bake.bake_ui",
    "farm.farm_button",
    "preview.preview_ui",
    "preview.grab_ui",
    "check.check_ui",
    "mirror.mirror_ui",
    "fit_map.fit_map_ui",
    "sewing.sewing_ui",
    "mirror.mirror_overlay",
    "last_error",
    "panels",
    "loading",
)


def register():
    done = []
    try:
        for name in MODULES:
            module = import_module(f".{name}", __package__)
            done.append(module)
            for kind in classes_of(module):
                bpy.utils.register_class(kind)
            getattr(module, "register", lambda: None)()
    except Exception:
        for module in reversed(done[:-1]):  # the add-on is registered as a whole or not at all
            _go(module)
        raise


def unregister():
    for name in reversed(MODULES):
        _go(import_module(f".{name}", __package__))


def classes_of(module):
    kinds = (bpy.types.Operator, bpy.types.UIList, bpy.types.AddonPreferences)
    classes = [each for each in vars(module).values() if isinstance(each, type)]
    own = [each for each in classes if each.__module__ == module.__name__]
    return getattr(module, "CLASSES", [each for each in own if issubclass(each, kinds)])


def _go(module):
    getattr(module, "unregister", lambda: None)()
    for kind in reversed(classes_of(module)):
        bpy.utils.unregister_class(kind)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells Blender about every class and handler of the add-on, and takes all of it back."""

from importlib import import_module

# In the order in which they are registered. Each has register() and unregister().
MODULES = (
    "properties",
    "ui.preferences",
    "handlers",
    "operators.garment",
    "operators.fabric",
    "operators.bake",
    "operators.preview",
    "operators.check",
    "ui.panels",
)


def register():
    done = []
    try:
        for name in MODULES:
            module = import_module(f".{name}", __package__)
            module.register()
            done.append(module)
    except Exception:
        for module in reversed(done):  # half an add-on is worse than none
            module.unregister()
        raise


def unregister():
    for name in reversed(MODULES):
        import_module(f".{name}", __package__).unregister()

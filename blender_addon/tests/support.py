# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the installed add-on, whichever way it was installed."""

import importlib

NAMES = ("bl_ext.user_default.muslin", "muslin")


def package():
    """The add-on's module name, enabled."""
    import addon_utils

    for name in NAMES:
        try:
            importlib.import_module(name + ".properties")
        except ImportError:
            continue
        if not addon_utils.check(name)[1]:  # enabling twice would register everything anew
            addon_utils.enable(name)
        return name
    raise ImportError("the add-on is not installed")


def addon(name):
    """A module of the add-on: addon("garment.feed"); of the binding that it uses: addon("muslin.cloth")."""
    return importlib.import_module(full_name(package(), name))


def full_name(package, name):
    """What a module of the add-on is called; an extension has the binding from a wheel, beside itself."""
    if package.startswith("bl_ext.") and name.split(".")[0] == "muslin":
        return name
    return f"{package}.{name}"

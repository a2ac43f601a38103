# SPDX-License-Identifier: GPL-3.0-or-later
"""The installed add-on, under whichever name this Blender knows it."""

import importlib

import bpy

NAMES = ("bl_ext.user_default.muslin", "muslin")  # as an extension, as an older add-on


def name():
    """As Blender would enable it."""
    return NAMES[bpy.app.version < (4, 2)]


def module(path):
    """A module of the add-on, or of the binding that it uses: module("run.bake"), module("muslin.cloth")."""
    # otherwise it is in a wheel
    inside = bpy.app.version < (4, 2) or path.split(".")[0] != "muslin"
    return importlib.import_module(f"{name()}.{path}" if inside else path)


def preferences():
    return bpy.context.preferences.addons[name()].preferences

# SPDX-License-Identifier: GPL-3.0-or-later
"""A body and garments from files, imported and dressed as an artist does it, with every click counted."""

import addon
import bpy
import scenes


class Hands:
    """What an artist does with the mouse. clicks: how often it was pressed."""

    def __init__(self):
        self.clicks = 0

    def select(self, obj, also=False):
        """also: with shift, beside what is selected."""
        self.clicks += 1
        if not also:
            for other in bpy.context.view_layer.objects:
                other.select_set(False)
        obj.select_set(True)
        bpy.context.view_layer.objects.active = obj

    def press(self, operator, **options):
        self.clicks += 1
        return operator(**options)


def imported(path):
    """With Blender's own importer; the files have Z up."""
    before = set(bpy.data.objects)
    whole = {"use_split_objects": False, "use_split_groups": False}
    bpy.ops.wm.obj_import(filepath=path, forward_axis="Y", up_axis="Z", **whole)
    (found,) = set(bpy.data.objects) - before
    return found


def lay_out(garments, body, motion=None, frames=61):
    """(garments, body, Hands) in an empty scene, all selected by hand; the button comes next."""
    scenes.empty(frames)
    wearer = imported(body)
    if motion is not None:
        scenes.move(wearer, motion)
    worn = [imported(path) for path in garments]
    hands = Hands()
    for index, obj in enumerate(worn):
        hands.select(obj, also=index > 0)
    hands.select(wearer, also=True)
    return worn, wearer, hands


def preview_of(obj):
    return addon.module("running").previews.get(obj.muslin.uid)


def dress(hands):
    """The button, and no preview of anything is left."""
    hands.press(bpy.ops.muslin.dress)
    for uid in list(addon.module("running").previews):
        addon.module("preview.preview").discard(uid)

# SPDX-License-Identifier: GPL-3.0-or-later
"""From imported meshes to a garment that has settled on its body: clicks, and seconds from the last of them."""

from time import perf_counter

import addon
import bpy
import numpy as np
import wardrobe

VISIBLE = 0.001  # m that some vertex has moved


class Shown:
    """When the view got which shape. moved: s from the click to the first visible motion."""

    def __init__(self):
        self.click = self.moved = None
        self.first = {}
        view = addon.module("preview.preview_view")
        self._show, view.show = view.show, self._watch

    def _watch(self, obj, positions, *more):
        self._show(obj, positions, *more)
        now = perf_counter()
        if obj.name not in self.first:
            places = np.empty(3 * len(obj.data.vertices), np.float32)
            obj.data.vertices.foreach_get("co", places)
            self.first[obj.name] = places.reshape(-1, 3)
        if self.moved is None and np.abs(positions - self.first[obj.name]).max() > VISIBLE:
            self.moved = now - self.click


def measure(folder, garment, body):
    """The first click of a fresh Blender: what it loads is part of it."""
    worn, _, hands = wardrobe.lay_out([garment], body)
    shown = Shown()
    shown.click = perf_counter()
    hands.press(bpy.ops.muslin.dress)
    ended = perf_counter()
    preview = wardrobe.preview_of(worn[0])
    return {
        "clicks": hands.clicks,
        "first_motion": shown.moved,
        "settled": ended - shown.click,
        "rests": bool(preview.settled),
        "steps": preview.steps,
        "text": preview.text,
    }

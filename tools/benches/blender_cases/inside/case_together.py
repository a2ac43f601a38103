# SPDX-License-Identifier: GPL-3.0-or-later
"""Two garments that are simulated together: a bake's time outside the native step."""

import bpy
import clock
import scenes
import wardrobe


def measure(folder, garments, body, motion, frames):
    worn, _, hands = wardrobe.lay_out(garments, body, motion, frames)
    hands.press(bpy.ops.muslin.dress)
    wardrobe.discard()
    for obj in worn:
        obj.muslin.quality, obj.muslin.output, obj.muslin.cache_folder = "draft", "pc2", folder
    found = {}
    for way, in_turn in (("in turn", True), ("as baked", False)):
        with clock.watching(in_turn, stages=in_turn) as watched:
            scenes.bake()
        found[way] = clock.milliseconds(watched.frames)
    return found

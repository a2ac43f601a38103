# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake's time outside the native step, for garments that meet and follow more and more."""

import clock
import scenes


def _plain(side, frames):
    return scenes.sheet(side)


def _armature_collider(side, frames):
    obj, tube = scenes.sheet(side), scenes.tube()
    scenes.add_armature(tube, frames, scenes.bend_weights(tube))
    return obj


def _key_collider(side, frames):
    obj = scenes.sheet(side)
    scenes.add_key(scenes.tube(), frames)
    return obj


def _armature_pins(side, frames):
    """All vertices follow the bones, as those of a garment do; the pinned edge is held where they lead."""
    obj = scenes.sheet(side, pinned="edge")
    scenes.add_armature(obj, frames, scenes.bend_weights(obj))
    return obj


SETUPS = {
    "no collider": _plain,
    "armature collider": _armature_collider,
    "shape key collider": _key_collider,
    "armature pins": _armature_pins,
}


def _garment(name, side, frames, folder):
    import bpy

    scenes.empty(frames)
    obj = SETUPS[name](side, frames)
    scenes.make_garment(obj, folder)
    tube = bpy.data.objects.get("Tube")
    if tube is not None:
        obj.muslin.colliders.add().object = tube
    bpy.context.view_layer.update()
    return obj


def _bake(in_turn, **how):
    with clock.watching(in_turn, **how) as watched:
        scenes.bake()
    return clock.milliseconds(watched.frames)


def measure(folder, side, frames):
    """By setup and way: a list of frames. "again" bakes over the last bake, which is still shown."""
    found = {}
    for name in SETUPS:
        _garment(name, side, frames, folder)
        found[name] = {
            "in turn": _bake(True),
            "again": _bake(True),
            "as baked": _bake(False, stages=False),
        }
    return found

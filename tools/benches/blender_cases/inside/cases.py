# SPDX-License-Identifier: GPL-3.0-or-later
"""What runs in a Blender with the add-on. Each case gets a folder for its files; what it returns goes into a JSON file."""

from pathlib import Path
from time import perf_counter

import addon
import bpy
import clock
import contest
import numpy as np
import scenes
import wardrobe

# --- sheets ----------------------------------------------------------------------------------------


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
    "no collider": lambda side, _: scenes.sheet(side),
    "armature collider": _armature_collider,
    "shape key collider": _key_collider,
    "armature pins": _armature_pins,
}


def _timed_bake(in_turn, stages):
    with clock.watching(in_turn, stages) as watched:
        scenes.bake()
    return clock.milliseconds(watched.frames)


def overhead(folder, side, frames):
    """By setup and way: a list of frames. "again" bakes over the last bake, which is still shown."""
    found = {}
    for name, make in SETUPS.items():
        scenes.empty(frames)
        obj = make(side, frames)
        scenes.make_garment(obj, folder)
        tube = bpy.data.objects.get("Tube")
        if tube is not None:
            obj.muslin.colliders.add().object = tube
        bpy.context.view_layer.update()
        found[name] = {"in turn": _timed_bake(True, True), "again": _timed_bake(True, True)}
        found[name]["as baked"] = _timed_bake(False, False)
    return found


def readback(folder, side, frames):
    """What Blender shows at every frame of a finished bake, against what the library computed, by kind of output."""
    kinds = ("pc2", "relative", "keys", "mdd")
    return {kind: _compare(kind, folder, side, frames) for kind in kinds}


def _compare(kind, folder, side, frames):
    scene = scenes.empty(frames)
    obj = scenes.sheet(side)
    scenes.make_garment(obj, folder, kind)
    computed = _computed(scenes.bake)
    if obj.muslin.baked.kind != kind or len(computed) != frames:
        raise RuntimeError(f"baked {obj.muslin.baked.kind} of {len(computed)} frames, not {kind}")
    shown = []
    for frame in range(1, frames + 1):
        scene.frame_set(frame)
        shown.append(scenes.seen(obj))
    shown = np.array(shown)
    other_bits = shown.view(np.uint32) != computed.view(np.uint32)
    zeros = (shown == 0) & (computed == 0)  # a key is a sum, and sums lose the sign of a zero
    return {
        "numbers": int(shown.size),
        "mismatch": int((other_bits & ~zeros).sum()),
        "zero_signs": int((other_bits & zeros).sum()),
        "largest": float(np.abs(shown.astype(float) - computed).max()),
    }


def _computed(baking):
    """What the library gave, frame by frame, while a function bakes."""
    cloth = addon.module("muslin").Cloth
    function, kept = cloth.positions, []

    def keeping(self):
        found = function(self)
        kept.append(found.copy())
        return found

    cloth.positions = keeping
    try:
        baking()
    finally:
        cloth.positions = function
    return np.array(kept)


def free(folder, side, frames, rounds):
    """A free sheet held at two corners: Muslin's bake, and Blender's own cloth at its default quality."""
    return contest.run(folder, frames, rounds, lambda: scenes.sheet(side))


def sphere(folder, side, frames, rounds, radius, below):
    """A sheet that falls on a sphere, likewise. below: the top of the sphere under the sheet, m."""

    def build():
        scenes.ball(radius, below)
        return scenes.sheet(side, pinned=None)

    return contest.run(folder, frames, rounds, build, _meet, "sphere_")


def _meet(obj, builtin):
    ball = bpy.data.objects["Ball"]
    if builtin:
        ball.modifiers.new("Collision", "COLLISION")
    else:
        obj.muslin.colliders.add().object = ball


# --- garments --------------------------------------------------------------------------------------

VISIBLE = 0.001  # m that some vertex has moved
WARM = 2  # frames that are not counted: the first builds, the second factors


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
        first = self.first.setdefault(obj.name, scenes.positions_of(obj.data))
        if self.moved is None and np.abs(positions - first).max() > VISIBLE:
            self.moved = now - self.click


def dressing(folder, garment, body):
    """From imported meshes to a garment that has settled, by the first click of a fresh Blender: what it loads counts."""
    worn, _, hands = wardrobe.lay_out([garment], body)
    shown = Shown()
    shown.click = perf_counter()
    hands.press(bpy.ops.muslin.dress)
    seconds = perf_counter() - shown.click
    preview = wardrobe.preview_of(worn[0])
    found = {"clicks": hands.clicks, "first_motion": shown.moved, "settled": seconds}
    return {**found, "rests": bool(preview.settled), "steps": preview.steps}


def playing(folder, garment, body, motion, frames, budget):
    """Preview on Play of a dressed body. budget: ms for a step. Milliseconds of every frame, vertices simulated."""
    (obj,), _, hands = wardrobe.lay_out([garment], body, motion, frames)
    wardrobe.dress(hands)
    obj.muslin.budget_ms = budget
    bpy.context.view_layer.objects.active = obj
    bpy.ops.muslin.preview()
    preview, taken, counts = wardrobe.preview_of(obj), [], []
    for frame in range(1, frames + 1):
        begin = perf_counter()
        bpy.context.scene.frame_set(frame)
        taken.append(1e3 * (perf_counter() - begin))
        counts.append(preview._simulation.levels.simulated_count)
    return {"frames": taken[WARM:], "simulated": counts[WARM:]}


def together(folder, garments, body, motion, frames):
    """Two garments that are simulated together: a bake's time outside the native step."""
    worn, _, hands = wardrobe.lay_out(garments, body, motion, frames)
    wardrobe.dress(hands)
    for obj in worn:
        obj.muslin.quality, obj.muslin.output, obj.muslin.cache_folder = "draft", "pc2", folder
    return {"in turn": _timed_bake(True, True), "as baked": _timed_bake(False, False)}


def wearing(folder, garment, body, motion, frames):
    """A garment dressed and baked with nothing changed: where the track is, in metres, the first row is frame 1."""
    (obj,), _, hands = wardrobe.lay_out([garment], body, motion, frames)
    wardrobe.dress(hands)
    scenes.select(obj)
    obj.muslin.cache_folder = folder
    begin = perf_counter()
    bpy.ops.muslin.bake(scope="ACTIVE")
    seconds = perf_counter() - begin
    track = np.empty((frames, len(obj.data.vertices), 3), np.float32)
    for index in range(frames):
        bpy.context.scene.frame_set(index + 1)
        track[index] = scenes.seen(obj)
    path = Path(folder) / "worn.npy"
    np.save(path, track)
    return {"track": str(path), "seconds": seconds}

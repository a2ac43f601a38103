# SPDX-License-Identifier: GPL-3.0-or-later
"""What runs in a Blender with the add-on. Each case gets a folder for its files; what it returns goes into a JSON file."""

from pathlib import Path
from time import perf_counter

import addon
import bpy
import clock
import numpy as np
import scenes

# --- sheets ----------------------------------------------------------------------------------------


def _armature_collider(side, frames):
    obj, tube = scenes.sheet(side), scenes.tube()
    scenes.add_armature(tube, frames)
    return obj


def _key_collider(side, frames):
    obj = scenes.sheet(side)
    scenes.add_key(scenes.tube(), frames)
    return obj


def _armature_pins(side, frames):
    """All vertices follow the bones, as those of a garment do; the pinned edge is held where they lead."""
    obj = scenes.sheet(side, pinned="edge")
    scenes.add_armature(obj, frames)
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


def _settings(obj):
    """Those of the cloth that the add-on makes of the object."""
    Simulation = addon.module("simulation.simulation").Simulation
    simulation = Simulation(obj, bpy.context.scene, bpy.context.evaluated_depsgraph_get())
    settings = simulation.feeder.garment.settings
    simulation.close()
    return settings


def _ours(folder, frames, store, build, meet, rounds):
    """Milliseconds of every frame after the first two, and what was before and after them."""
    scenes.empty(frames)
    obj = build()
    scenes.make_garment(obj, folder, rounds=rounds)
    if meet:
        meet(obj, False)
    bpy.context.view_layer.update()
    begin = perf_counter()
    with clock.watching(False, stages=False) as watched:
        scenes.bake()
    whole = perf_counter() - begin
    cache = addon.module("output.cache")
    np.save(store, np.array(cache.read(cache.locate(obj)).positions))
    rows = clock.milliseconds(watched.frames)
    surface = {"thickness": obj.muslin.thickness, "friction": obj.muslin.friction}
    return {
        "frames": [row["wall"] for row in rows],
        "whole": 1e3 * whole,
        "settings": _settings(obj),
        "surface": surface,
    }


def _builtin(frames, store, build, meet):
    scene = scenes.empty(frames)
    obj = build()
    modifier = obj.modifiers.new("Cloth", "CLOTH")
    modifier.settings.vertex_group_mass = scenes.pin_group(obj)
    modifier.collision_settings.use_collision = meet is not None
    modifier.point_cache.frame_start, modifier.point_cache.frame_end = 1, frames
    if meet:
        meet(obj, True)
    milliseconds, track = [], []
    begin = perf_counter()
    for frame in range(1, frames + 1):
        before = perf_counter()
        scene.frame_set(frame)
        milliseconds.append(1e3 * (perf_counter() - before))
        track.append(scenes.seen(obj))
    whole = perf_counter() - begin
    np.save(store, np.array(track))
    settings = {"quality": modifier.settings.quality, "mass": modifier.settings.mass}
    return {"frames": milliseconds[2:], "whole": 1e3 * whole, "settings": settings}


def contest(folder, frames, rounds, build, meet=None, name=""):
    """A cloth baked by Muslin, and before and after that simulated by Blender's own, so that both see the same machine.

    rounds  a step, where the quality does not decide
    build   makes the objects and returns the cloth
    meet    tells one or the other solver what the cloth meets: a function of (cloth, builtin)
    name    of the files
    """
    methods = {"draft": None, "fixed": rounds}
    places = {key: str(Path(folder) / f"{name}{key}.npy") for key in (*methods, "builtin")}
    found = {key: [] for key in places}
    for key, count in methods.items():
        found[key].append(_ours(folder, frames, places[key], build, meet, count))
    found["builtin"].append(_builtin(frames, places["builtin"], build, meet))
    for key, count in methods.items():
        found[key].append(_ours(folder, frames, places[key], build, meet, count))
    return {"runs": found, "tracks": places}


def free(folder, side, frames, rounds):
    """A free sheet held at two corners: Muslin's bake, and Blender's own cloth at its default quality."""
    return contest(folder, frames, rounds, lambda: scenes.sheet(side))


def sphere(folder, side, frames, rounds, radius, below):
    """A sheet that falls on a sphere, likewise. below: the top of the sphere under the sheet, m."""

    def build():
        scenes.ball(radius, below)
        return scenes.sheet(side, pinned=None)

    return contest(folder, frames, rounds, build, _meet, "sphere_")


def _meet(obj, builtin):
    ball = bpy.data.objects["Ball"]
    if builtin:
        ball.modifiers.new("Collision", "COLLISION")
    else:
        obj.muslin.colliders.add().object = ball


# --- garments --------------------------------------------------------------------------------------

VISIBLE = 0.001  # m that some vertex has moved
WARM = 2  # frames that are not counted: the first builds, the second factors


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
    worn, _, hands = lay_out([garment], body)
    shown = Shown()
    shown.click = perf_counter()
    hands.press(bpy.ops.muslin.dress)
    seconds = perf_counter() - shown.click
    preview = preview_of(worn[0])
    found = {"clicks": hands.clicks, "first_motion": shown.moved, "settled": seconds}
    return {**found, "rests": bool(preview.settled), "steps": preview.steps}


def playing(folder, garment, body, motion, frames, budget):
    """Preview on Play of a dressed body. budget: ms for a step. Milliseconds of every frame, vertices simulated."""
    (obj,), _, hands = lay_out([garment], body, motion, frames)
    dress(hands)
    obj.muslin.budget_ms = budget
    bpy.context.view_layer.objects.active = obj
    bpy.ops.muslin.preview()
    preview, taken, counts = preview_of(obj), [], []
    for frame in range(1, frames + 1):
        begin = perf_counter()
        bpy.context.scene.frame_set(frame)
        taken.append(1e3 * (perf_counter() - begin))
        counts.append(preview._simulation.levels.simulated_count)
    return {"frames": taken[WARM:], "simulated": counts[WARM:]}


def together(folder, garments, body, motion, frames):
    """Two garments that are simulated together: a bake's time outside the native step."""
    worn, _, hands = lay_out(garments, body, motion, frames)
    dress(hands)
    for obj in worn:
        obj.muslin.quality, obj.muslin.output, obj.muslin.cache_folder = "draft", "pc2", folder
    return {"in turn": _timed_bake(True, True), "as baked": _timed_bake(False, False)}


def wearing(folder, garment, body, motion, frames):
    """A garment dressed and baked with nothing changed: where the track is, in metres, the first row is frame 1."""
    (obj,), _, hands = lay_out([garment], body, motion, frames)
    dress(hands)
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

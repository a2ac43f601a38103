# SPDX-License-Identifier: GPL-3.0-or-later
"""One task of a job in the .blend file that is open: the garments get the task's settings and are baked, and their
point caches go where the job says. The file is not saved, and bakes that it has stay on disk as they are.

Settings of a job on a garment are names of its properties, looked up and never executed; refusals say what is wrong.
"""

import os
import shutil
from pathlib import Path

import bpy

from ..bake.bake_queue import BakeQueue
from ..bake.plans import plan_all, together_in
from ..bodies.colliders import key_of, wanted
from ..fabric import fabric_list
from ..muslin import MuslinError, exits, windows
from ..muslin.fabrics import find_fabric, is_own
from ..muslin.farm import work
from ..muslin.farm.job import read_job
from ..muslin.farm.record import noted
from ..muslin.farm.tasks import tasks_of
from ..muslin.inspection.verdict import joined_frames
from ..output import cache, results
from ..scene.place import is_own_modifier
from ..scene.problems import Problem

# What the job says by itself, or what belongs to the file.
NOT_SETTINGS = (
    *("rna_type", "enabled", "uid", "uid_owner", "live_pins", "active_collider"),
    *("baked", "output", "cache_folder", "collider_collection"),
)
UNKNOWN = "is not a setting of a garment; see the tooltips of Blender's panel"
NUMBERS = {"INT": (int, "a whole number"), "FLOAT": ((int, float), "a number")}
FRAMES, FABRIC = "frames", "fabric"


def apply(obj, scene, settings, origin):
    """Set all of them on one garment, its fabric first: that fills in numbers that others then change. origin(name): where in
    the job's file one comes from. Gives the files that were read."""
    read = []
    for name in sorted(settings, key=lambda name: name != FABRIC):
        value = settings[name]
        try:
            if name == FRAMES:
                set_frames(obj.muslin, scene, value)
            elif name == FABRIC:
                read += set_fabric(obj.muslin, value)
            else:
                set_property(obj.muslin, name, value)
        except Problem as problem:
            raise Problem(f"{origin(name)}: {problem}") from None
    return read


def set_frames(garment, scene, count):
    """So many frames from the scene's first."""
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise Problem("must be a number of frames")
    garment.use_scene_range = False
    garment.frame_start = scene.frame_start
    garment.frame_end = scene.frame_start + count - 1


def set_fabric(garment, name):
    """By its name or its file; gives the path of the user's own, in a list. Muslin's go with its version."""
    try:
        fabric = find_fabric(name)
    except MuslinError as error:
        raise Problem(str(error)) from None
    fabric_list.take(garment, fabric)
    return [fabric.path] if is_own(fabric) else []


def set_property(garment, name, value):
    """A property of the garment, or with dots of a group of it."""
    *groups, last = name.split(".")
    owner = garment
    for group in groups:
        known = owner.bl_rna.properties.get(group)
        if known is None or known.type != "POINTER" or group in NOT_SETTINGS:
            raise Problem(UNKNOWN)
        owner = getattr(owner, group)
    known = owner.bl_rna.properties.get(last)
    if known is None or known.is_readonly or name in NOT_SETTINGS:
        raise Problem(UNKNOWN)
    check(known, value)
    try:
        setattr(owner, last, value)
    except (TypeError, ValueError) as error:
        raise Problem(str(error)) from None


def check(known, value):
    """Refuse what Blender would cut off silently, or does not take."""
    if known.type == "BOOLEAN":
        if not isinstance(value, bool):
            raise Problem("must be true or false")
    elif known.type in NUMBERS:
        kinds, noun = NUMBERS[known.type]
        parts = value if isinstance(value, list) else [value]
        if len(parts) != (known.array_length or 1) or isinstance(value, list) != known.is_array:
            count = known.array_length
            raise Problem(f"must be {count} numbers" if known.is_array else "must be one number")
        for part in parts:
            if not isinstance(part, kinds) or isinstance(part, bool):
                raise Problem(f"must be {noun}")
            if not known.hard_min <= part <= known.hard_max:
                raise Problem(f"must be from {known.hard_min:g} to {known.hard_max:g}")
    elif known.type in ("STRING", "ENUM"):
        if not isinstance(value, str):
            raise Problem("must be a word")
        words = [item.identifier for item in known.enum_items] if known.type == "ENUM" else [value]
        if value not in words:
            raise Problem(f"there is no {value}; there are {', '.join(words)}")
    else:
        raise Problem("cannot be set from a job")


SPEAK_EVERY = 1.0  # s


def run(job_path, task_name, again=False):
    """Do the task; gives the exit code, and a sentence on what became of it."""
    try:
        task = find_task(read_job(job_path), task_name)
        state, code = work.run_task(task, simulate, again)
    except (MuslinError, Problem) as error:
        return exits.BAD_INPUT, str(error)
    if state == work.BUSY:
        return exits.BUSY, f"{task_name} is already running in another process"
    if state == work.KEPT:
        return exits.OK, f"{task_name} is finished and up to date"
    return code, f"{task_name}: {state}"


def find_task(job, name):
    """The task of this name, whose shot must be the file that is open."""
    task = next((one for one in tasks_of(job) if one.name == name), None)
    if task is None:
        raise Problem(f"{job.path}: there is no task {name}")
    if not task.is_blend:
        raise Problem(f"{job.path}: shots.{task.shot.name} is not a .blend file")
    opened = bpy.data.filepath
    if not opened or not os.path.samefile(opened, task.shot.blend):
        raise Problem(f"{name} is a task of {task.shot.blend}, and {opened or 'no file'} is open")
    return task


def simulate(task, paths):
    """Bake and put the caches at these paths; gives an Outcome."""
    folder = Path(paths[0]).with_suffix(".bake")
    shutil.rmtree(folder, ignore_errors=True)  # of a Blender that was killed
    placed = True
    try:
        return bake(task, paths, folder, bpy.context.scene)
    except Problem as problem:
        print("Muslin:", problem, flush=True)
        return work.Outcome(exits.BAD_INPUT, reason=str(problem))
    except work.NotPlaced:
        placed = False
        raise
    finally:
        if placed:
            shutil.rmtree(folder, ignore_errors=True)


def bake(task, paths, folder, scene):
    garments = [garment_named(task, name, scene) for name in task.parts]
    members = {each.name: each for obj in garments for each in together_in(scene, obj)}
    for obj in members.values():
        results.detach(obj)
        obj.muslin.output = "pc2"
        obj.muslin.cache_folder = str(folder)
    read = outer_files(members.values())
    for obj in garments:
        read.update(apply(obj, scene, task.settings, task.origin))
    # before: who changes one meanwhile gets it done again
    inputs = noted(task, sorted(map(str, read)))
    queue = BakeQueue(plan_all(garments, scene), scene)
    queue.run(SPEAK_EVERY)
    for _, sentence in queue.summary():
        print("Muslin:", sentence, flush=True)
    reason = next((one.error for one in queue.bakes if one.error), "")
    if reason or any(one.written < one.plan.frames for one in queue.bakes):
        return work.Outcome(exits.FAILED, reason=reason or "the bake was stopped")
    for obj, path in zip(garments, paths):
        work.move(cache.locate(obj), path)
    return work.Outcome(exits.OK, joint_verdict(queue.bakes), inputs)


def garment_named(task, name, scene):
    obj, blend = scene.objects.get(name), task.shot.blend
    where = f"garments.{task.garment.name}.object"
    if obj is None or obj.type != "MESH":
        raise Problem(f"{where}: {blend} has no mesh {name} in its scene {scene.name}")
    if not obj.muslin.enabled:
        raise Problem(f"{where}: {name} is not a garment in {blend}: use Make It Cloth there")
    return obj


def outer_files(garments):
    """Files that decide how bodies move, besides the .blend: linked libraries, and caches. A missing one that is needed is a
    Problem: its body would stand still, or not be there."""
    found = {}  # whether it is needed, by path
    met = {key for obj in garments for key in wanted(obj)}
    for library in bpy.data.libraries:
        packed = library.packed_file is not None or getattr(library, "is_archive", False)
        add_file(found, library.filepath, None, not packed)
    for one in bpy.data.cache_files:
        add_file(found, one.filepath, one.library, one.users > 0)
    for obj in bpy.data.objects:
        for each in obj.modifiers:
            if each.type == "MESH_CACHE":
                # the bake of a garment that these do not collide with may be gone
                needed = each.show_viewport and (key_of(obj) in met or not is_own_modifier(each))
                add_file(found, each.filepath, obj.library, needed)
    there = {path for path in found if os.path.isfile(windows.openable(path))}
    for path in sorted(found.keys() - there):
        if found[path]:
            raise Problem(f"{path} is missing; {bpy.data.filepath} reads it")
    return there


def add_file(found, path, library, needed):
    """path is relative to `library`, or to the .blend."""
    if path:
        whole = os.path.realpath(bpy.path.abspath(path, library=library))
        found[whole] = found.get(whole, False) or needed


def joint_verdict(bakes):
    """One verdict of several bakes: the worst of all, and what is wrong at the end since the first frame of any."""
    found = [numbers for numbers in (bake.judge.numbers for bake in bakes) if numbers]
    if not found:
        return {}
    worst = {name: max(one["worst"][name] for one in found) for name in found[0]["worst"]}
    since = {}
    for name in found[0]["since"]:
        frames = [one["since"][name] for one in found if one["since"][name] is not None]
        since[name] = min(frames, default=None)
    unclean = joined_frames([one["unclean"] for one in found])
    good = all(one["good"] for one in found)
    return {"worst": worst, "since": since, "unclean": unclean, "good": good}

# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of a job on a garment: names of its properties, looked up and never executed; refusals say what is wrong."""

from .. import fabric_list
from ..muslin import MuslinError
from ..muslin.fabrics import find_fabric, is_own
from ..scene.problems import Problem

# What the job says by itself, or what belongs to the file.
NOT_SETTINGS = (
    *("rna_type", "enabled", "uid", "uid_owner", "live_pins", "active_collider"),
    *("baked", "output", "cache_folder", "collider_collection"),
)
UNKNOWN = "is no setting of a garment; tooltips of Blender's panel have their names"
NUMBERS = {"INT": int, "FLOAT": (int, float)}
FRAMES, FABRIC = "frames", "fabric"


def apply(obj, scene, settings, origin):
    """Set all of them on one garment; origin(name): where in the job's file one comes from.

    Gives the files that were read. A fabric comes first: it fills in numbers that others then change.
    """
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
            raise Problem(f"{origin(name)}: {problem}", obj.name) from None
    return read


def set_frames(garment, scene, count):
    """So many from the scene's first one on."""
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
        parts = value if isinstance(value, list) else [value]
        if len(parts) != (known.array_length or 1) or isinstance(value, list) != known.is_array:
            raise Problem(
                f"must be {known.array_length} numbers" if known.is_array else "one number"
            )
        for part in parts:
            if not isinstance(part, NUMBERS[known.type]) or isinstance(part, bool):
                raise Problem(
                    "must be a whole number" if known.type == "INT" else "must be a number"
                )
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

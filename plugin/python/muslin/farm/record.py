# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of a task that was done: what it was made from, what came out, and how long that took."""

import hashlib
import json
import math
import os
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from .. import __version__, library, table, windows
from ..errors import FileError, LibraryError, MuslinError
from ..fabrics import find_fabric
from ..files import open_ordinary, read_ordinary, to_json, write_atomic
from .job import FABRIC, FILE_SETTINGS, is_file

VERSION = 1
FINISHED, FAILED = "finished", "failed"
CHUNK = 1 << 20  # bytes
WORST = ("body_piercings", "self_piercings", "inside_count", "largest_stretch")  # of a verdict


def hash_of(path):
    """SHA-256 of an ordinary file's bytes; None where it cannot be read. Records may name anything."""
    try:
        place = windows.openable(path)
        status = os.stat(place)
    except (OSError, ValueError):
        return None
    return hash_at(str(place), status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=4096)
def hash_at(path, _size, _time):
    """Many tasks read the same body."""
    digest = hashlib.sha256()
    try:
        with open_ordinary(path) as file:
            while chunk := file.read(CHUNK):
                digest.update(chunk)
    except (OSError, FileError):  # others than ordinary files may never end
        return None
    return digest.hexdigest()


def digest_of(task):
    """One hash of all that decides the result, as far as the job's file names it. Fabrics of a Blender are inputs in
    the record."""
    content = {
        "muslin": __version__,
        "settings": {
            name: value if task.is_blend else with_hashes(name, value)
            for name, value in task.settings.items()
            if name != "threads"  # how fast a task goes, and nothing else
        },
        "parts": list(task.parts if task.is_blend else map(hash_of, task.parts)),
        "bodies": [[path and hash_of(path) for path in body] for body in task.shot.bodies],
        "blend": task.shot.blend and hash_of(task.shot.blend),
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def with_hashes(name, value):
    """Files and fabrics as what is in them."""
    if isinstance(value, list):
        return [with_hashes(name, part) for part in value]
    if name in FILE_SETTINGS:
        return hash_of(value)
    if name == FABRIC:
        try:
            return ["" if is_file(name, value) else value, hash_of(find_fabric(value).path)]
        except MuslinError:  # refused by who simulates
            return [value, None]
    return value


def read_record(task):
    """The record of the last time that it was done; {} of a task that never was, or whose record is damaged."""
    place = task.state(".json")
    try:
        found = json.loads(read_ordinary(place))
    except (FileError, ValueError, RecursionError):
        return {}
    return found if is_record(found) else {}


def is_record(found):
    """Whether all that others look up is there: anyone may have edited the file."""
    try:
        verdict, lists = found["verdict"], [found[name] for name in ("build", "inputs", "outputs")]
        dicts = [verdict, *((verdict["worst"], verdict["since"]) if verdict else ())]
        numbers = [verdict["worst"][name] for name in WORST] if verdict else []
        for each in verdict.get("unclean", {}).values():  # none in records of older versions
            first_and_last = [frame for first, last in each["frames"] for frame in (first, last)]
            numbers += [each["worst"], each["worst_frame"], *first_and_last]
        words = [found.get("reason", ""), *(one["path"] for files in lists for one in files)]
        kinds = ((dict, dicts), (list, lists), (str, words))
        is_sound = all(isinstance(part, kind) for kind, parts in kinds for part in parts)
        return found["muslin_task"] == VERSION and is_sound and all(map(math.isfinite, numbers))
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        return False


def write_record(task, **content):
    content = {"muslin_task": VERSION, "task": task.name, **content}
    write_atomic(task.state(".json"), to_json(content).encode())


def noted(task, paths):
    """Files as a record keeps them: beside the job where they are, with their hashes."""
    home = os.path.realpath(task.job.folder)
    found = []
    for path in map(os.path.realpath, paths):
        beside = path.startswith(home + os.sep)
        shown = os.path.relpath(path, home) if beside else path
        found.append({"path": Path(shown).as_posix(), "sha256": hash_of(path)})
    return found


def origin_of(task):
    """What decides the result, as a record keeps it, but for inputs that only the simulation knows."""
    return {"digest": digest_of(task), "build": noted(task, build_files())}


def build_files():
    """A version has many builds while it is made; these make the difference."""
    files = [table.find("settings/settings.json")]
    with suppress(LibraryError):  # reported by who simulates
        files.append(library.find())
    return files


def is_true(task, record, simulates=False):
    """Whether a record says that the task is finished, and everything is as it was then. simulates: whether this
    process would do the task: which Muslin a Blender has, others can only tell from the files in the record.
    """
    if record.get("state") != FINISHED or record.get("digest") != digest_of(task):
        return False
    if record.get("outputs") != noted(task, task.outputs):
        return False
    then, now = record["build"], noted(task, build_files())
    same = [one.get("sha256") for one in then] == [one["sha256"] for one in now]
    if not same and (not task.is_blend or simulates or not are_unchanged(task, then)):
        return False
    return are_unchanged(task, record["inputs"])


def are_unchanged(task, files):
    """Whether these, as a record has them, are what they were."""
    paths = [task.job.folder / one["path"] for one in files]
    return None not in map(hash_of, paths) and files == noted(task, paths)

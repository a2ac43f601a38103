# SPDX-License-Identifier: GPL-3.0-or-later
"""What may be believed of files in a cache folder. It lies beside a .blend, and both may be untrusted.

The list of a cache's files: names that Muslin would not have given are taken for no one's, so that nothing else is ever
read, overwritten or deleted through it. And how files of Muslin's begin: what is called as Muslin would have called it,
and begins otherwise, is someone else's, and is neither replaced nor deleted.
"""

import os
import re
import stat
import struct

from ..muslin.pc2 import MAGIC as PC2
from .output_kinds import KINDS

STATE = b"MUSLIN STATE 1\n"
FIT = b"MUSLIN FIT 1"
MADE = {kind.ending: kind.beginnings for kind in KINDS if kind.ending}  # files made of a PC2
BEGINNINGS = {".pc2": (PC2,), ".state": (STATE,), ".fit": (FIT,), **MADE}  # by the last ending
LONGEST = max(len(each) for several in BEGINNINGS.values() for each in several)
HIDDEN = re.compile(r"\.(.+)\.[0-9a-f]{12}\.freed")  # see Manifest.set_aside
MDD = struct.Struct(">ii")  # frames and vertices


def size_of(path):
    """Bytes of an ordinary file; None for a link, a folder or nothing."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def is_own(path):
    """Is there an ordinary file that begins as Muslin's of this name do? One that was just begun may have less."""
    size = size_of(path)
    if size is None:
        return False
    try:
        with open(path, "rb") as file:
            head = file.read(LONGEST)
    except OSError:
        return False
    name = os.path.basename(path)
    hidden = HIDDEN.fullmatch(name)
    ending = os.path.splitext((hidden[1] if hidden else name).removesuffix(".new"))[1]
    if ending == ".mdd":
        return _is_mdd(head, size)
    known = BEGINNINGS.get(ending, ())
    return any(head[: len(each)] == each[: len(head)] for each in known)


def _is_mdd(head, size):
    """That has no mark of its own, but its counts tell its size."""
    if len(head) < MDD.size:
        return False
    frames, vertices = MDD.unpack(head[: MDD.size])
    return frames > 0 and vertices > 0 and size == MDD.size + frames * (4 + 12 * vertices)


LARGEST = 1 << 20  # bytes of a list
TOKEN = re.compile(r"[0-9a-f]{12}")
BAKED = (".pc2", ".muslin.state", ".muslin.fit")
ENDINGS = (*BAKED, *MADE)
NUMBERS = ("frame_start", "frame_end", "vertex_count")


def checked(name, data):
    """The list called `name` without what is not Muslin's; None where it has another shape."""
    try:
        return _checked(name, data)
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def _checked(name, data):
    if data["muslin"] != 1 or not all(
        isinstance(data.get(key, ""), str) for key in ("uid", "blend", "token")
    ):
        return None
    found = {key: data[key] for key in ("muslin", "uid", "blend", "token") if key in data}
    found.update(_numbers(data))
    found["files"] = _files(name, data["files"])
    found["parts"] = {token: _part(name, token, part) for token, part in data["parts"].items()}
    if "aside" in data:
        aside = {of: (hidden, size) for of, (hidden, size) in data["aside"].items()}
        kept = _files(name, {of: size for of, (_, size) in aside.items()})
        found["aside"] = {of: list(aside[of]) for of in kept if _is_hidden(of, aside[of][0])}
    return found


def _numbers(data):
    given = {key: data[key] for key in NUMBERS if key in data}
    if not all(isinstance(value, int) for value in given.values()):
        raise ValueError("no number")
    return given


def _files(name, files):
    """Those whose names are the cache's own; further ones of a kind have a number."""
    if not all(isinstance(size, int) for size in files.values()):
        raise ValueError("no size")
    own = re.compile(re.escape(name) + r"(-\d{1,3})?(" + "|".join(map(re.escape, ENDINGS)) + ")")
    return {file: size for file, size in files.items() if own.fullmatch(file)}


def _is_hidden(file, hidden):
    """Is this the name under which a freed file waits?"""
    before, token, after = hidden[: len(file) + 2], hidden[len(file) + 2 : -6], hidden[-6:]
    return (before, after) == (f".{file}.", ".freed") and TOKEN.fullmatch(token) is not None


def part_names(name, token):
    """Of the files of a bake that is not finished: positions, state and fit maps."""
    return {kind: f".{name}.{token}.part.{kind}" for kind in ("pc2", "state", "fit")}


def _part(name, token, part):
    given = {kind: part[kind] for kind in ("pc2", "state", "fit") if kind in part}
    wanted = part_names(name, token)
    sound = TOKEN.fullmatch(token) is not None and {"pc2", "state"} <= given.keys()
    sound = sound and all(given[kind] == wanted[kind] for kind in given)
    sound = sound and isinstance(part.get("machine", ""), str)
    sound = sound and all(isinstance(part.get(key, 0), int) for key in ("process", "begun"))
    if not sound or not isinstance(part["vertex_count"], int):
        raise ValueError("no part")
    found = {key: part[key] for key in ("machine", "process", "begun", "continues") if key in part}
    found.update(given, vertex_count=part["vertex_count"])
    if "finished" in part:
        done = part["finished"]
        found["finished"] = {**_numbers(done), "token": token, "files": _files(name, done["files"])}
    return found

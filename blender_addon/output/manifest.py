# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of files that Muslin wrote beside a cache: `NAME.muslin.json`; and what may be believed of it.

Only what it lists is ever deleted: an ordinary file (no link) in the same folder that has a name of
Muslin's and the beginning of its kind, and the size it was written with. The list is padded and
rewritten in place, so that it fits on a full disk, too.
It names the garment (uid) and the .blend that the cache belongs to: another .blend that was saved
from this one shows the same cache, but neither overwrites nor deletes it.

It lies beside a .blend, and both may be untrusted: names that Muslin would not have given are taken for no one's, so that
nothing else is ever read, overwritten or deleted through it. What is called as Muslin would have called it, and begins
otherwise, is someone else's, and is neither replaced nor deleted.
"""

import errno
import json
import os
import re
import secrets
import socket
import stat
import struct
import sys
import time

from ..muslin.pc2 import MAGIC as PC2
from . import folders
from .output_kinds import KINDS

ENDING = ".muslin.json"
BLOCK = 4096  # bytes; written in one go
WRITE = os.O_WRONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
LARGEST = 1 << 20  # bytes of a list
TOKEN = re.compile(r"[0-9a-f]{12}")
NUMBERS = ("frame_start", "frame_end", "vertex_count")
STATE = b"MUSLIN STATE 1\n"
FIT = b"MUSLIN FIT 1"
MADE = {kind.ending: kind.beginnings for kind in KINDS if kind.ending}  # files made of a PC2
BEGINNINGS = {".pc2": (PC2,), ".state": (STATE,), ".fit": (FIT,), **MADE}  # by the last ending
LONGEST = max(len(each) for several in BEGINNINGS.values() for each in several)
HIDDEN = re.compile(r"\.(.+)\.[0-9a-f]{12}\.freed")  # see Manifest.set_aside
BAKED = (".pc2", ".muslin.state", ".muslin.fit")
ENDINGS = (*BAKED, *MADE)
MDD = struct.Struct(">ii")  # frames and vertices

writing = set()  # tokens of the writers of this process


def anywhere(_path):
    return True


class Manifest:
    """data: uid, blend, token, frame_start, frame_end, vertex_count, files {name: bytes}, parts."""

    def __init__(self, folder, name, data):
        self.folder = folder
        self.name = name
        self.data = data

    @property
    def path(self):
        return os.path.join(self.folder, self.name + ENDING)

    def place(self, name):
        return os.path.join(self.folder, name)

    @classmethod
    def claim(cls, folder, name, uid, blend):
        """Take a name that no one has; None if someone has it, in capitals or not: the folder may be copied to where these
        are the same. OSError if it cannot be written."""
        taken = set(map(folders.folded, os.listdir(folder)))
        if any(folders.folded(name + ending) in taken for ending in (ENDING, *ENDINGS)):
            return None
        data = {"muslin": 1, "uid": uid, "blend": blend, "files": {}, "parts": {}}
        manifest = cls(folder, name, data)
        try:
            file = os.open(manifest.path, WRITE | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError:
            return None
        try:
            os.write(file, manifest._text())
        except OSError:
            os.remove(manifest.path)
            raise
        finally:
            os.close(file)
        return manifest

    @classmethod
    def load(cls, folder, name):
        """The list of this name, or None where none can be read."""
        manifest = cls(folder, name, None)
        try:
            if not stat.S_ISREG(os.lstat(manifest.path).st_mode):
                return None
            with open(manifest.path, "rb") as file:
                manifest.data = _checked(name, json.loads(file.read(LARGEST)))
        except (OSError, AttributeError, KeyError, TypeError, ValueError, RecursionError):
            return None
        if manifest.data is None:
            return None
        manifest.repair()
        return manifest

    @classmethod
    def of(cls, path):
        folder, file = os.path.split(path)
        return cls.load(folder, os.path.splitext(file)[0])

    def _text(self):
        text = json.dumps(self.data, indent=1, sort_keys=True).encode() + b"\n"
        return text + b" " * (-len(text) % BLOCK)

    def save(self):
        """In place: needs no room that it does not have already. OSError if the file is gone."""
        file = os.open(self.path, WRITE)
        try:
            text = self._text()
            os.write(file, text)
            os.ftruncate(file, len(text))
        finally:
            os.close(file)

    def restore(self):
        """Write the list again after it was removed."""
        with open(self.path, "xb") as file:
            file.write(self._text())

    def belongs(self, uid, blend, may_look=anywhere):
        """Is it this garment's in this .blend? A .blend that is no longer there has no claim; one that must not be looked for
        has one."""
        if self.data.get("uid") != uid:
            return False
        other = self.data.get("blend", "")
        place = os.path.abspath(os.path.join(self.folder, other))
        return other in ("", blend) or (may_look(place) and not os.path.exists(place))

    def repair(self):
        """A writer that died while it was finishing may have renamed its file but not listed it; one that died when it
        began may have listed a file that it never made."""
        for token, part in list(self.data["parts"].items()):
            done = part.get("finished")
            if is_alive(token, part) or os.path.lexists(self.place(part["pc2"])):
                continue
            pc2 = self.name + ".pc2"
            if done is not None and size_of(self.place(pc2)) == done["files"].get(pc2):
                self.data.update(done)
            del self.data["parts"][token]

    def add(self, name):
        self.data["files"][name] = os.path.getsize(self.place(name))
        self.save()

    def leftovers(self):
        """Parts whose writer is gone, the longest first: (token, part, frames)."""
        found = []
        for token, part in self.data["parts"].items():
            size = size_of(self.place(part["pc2"]))
            if size is not None and not is_alive(token, part):
                found.append((token, part, (size - 32) // (12 * max(part["vertex_count"], 1))))
        return sorted(found, key=lambda item: (item[2], item[0]), reverse=True)

    def drop_part(self, token):
        part = self.data["parts"].pop(token)
        names = [part[kind] for kind in ("pc2", "state", "fit") if kind in part]
        for name in (*names, part["state"] + ".new"):
            if is_own(self.place(name)):
                _remove(self.place(name))

    def drop_leftovers(self):
        for token, _part, _frames in self.leftovers():
            self.drop_part(token)

    def has(self, name, size):
        """Whether the listed file is still the one that was written."""
        return size_of(self.place(name)) == size and is_own(self.place(name))

    def make_room(self, name):
        """An empty file in place of the listed one, if there is one; OSError where someone else's, or a link, is there."""
        place = self.place(name)
        if self.has(name, self.data["files"].pop(name, -1)):
            os.remove(place)
        open(place, "xb").close()
        return place

    def refuse_others(self):
        """OSError where a bake would end in the place of a file that is not Muslin's."""
        for ending in BAKED:
            place = self.place(self.name + ending)
            if os.path.lexists(place) and not is_own(place):
                raise FileExistsError(errno.EEXIST, f"{place} is in the way, and not Muslin's own")

    def delete(self, names=None):
        """Delete the listed files (or those of them in names); returns those that had to stay."""
        kept = []
        for name, size in list(self.data["files"].items()):
            if names is not None and name not in names:
                continue
            place = self.place(name)
            if os.path.lexists(place) and not (self.has(name, size) and _remove(place)):
                kept.append(name)
            del self.data["files"][name]
        self._tidy()
        return kept

    def _tidy(self):
        if self.data["files"] or self.data["parts"] or self.data.get("aside"):
            self.save()
        else:
            _remove(self.path)

    def set_aside(self):
        """Delete in a way that can be undone: hide the files; returns those that had to stay."""
        kept, aside = [], self.data.setdefault("aside", {})
        for name, size in list(self.data["files"].items()):
            hidden = f".{name}.{secrets.token_hex(6)}.freed"
            if self.has(name, size):
                os.rename(self.place(name), self.place(hidden))
                aside[name] = [hidden, size]
            elif os.path.lexists(self.place(name)):
                kept.append(name)
            del self.data["files"][name]
        self._tidy()
        return kept

    def bring_back(self):
        """Undo set_aside(), but never over something newer."""
        for name, (hidden, size) in list(self.data.get("aside", {}).items()):
            if self.has(hidden, size) and not os.path.lexists(self.place(name)):
                os.rename(self.place(hidden), self.place(name))
                self.data["files"][name] = size
                del self.data["aside"][name]
        self._tidy()

    def purge(self):
        """Delete for good what was set aside."""
        for hidden, size in self.data.pop("aside", {}).values():
            if self.has(hidden, size):
                _remove(self.place(hidden))
        self._tidy()


def _remove(path):
    try:
        os.remove(path)
    except OSError:
        return False
    return True


def writer():
    """To tell later whether it still writes."""
    return {"process": os.getpid(), "machine": socket.gethostname(), "begun": int(time.time())}


def is_alive(token, part):
    if part.get("machine") != socket.gethostname():
        return time.time() - part.get("begun", 0) < 86400  # on another machine: give it a day
    if part.get("process") == os.getpid():
        return token in writing
    return _process_runs(part.get("process", 0))


def _process_runs(process):
    if sys.platform == "win32":  # os.kill would end the process there
        import ctypes

        handle = ctypes.windll.kernel32.OpenProcess(0x1000, False, process)
        code = ctypes.c_ulong(0)
        ctypes.windll.kernel32.GetExitCodeProcess(handle, ctypes.byref(code))
        ctypes.windll.kernel32.CloseHandle(handle)
        return bool(handle) and code.value == 259
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return process > 0


# Checks of what is on disk


def size_of(path):
    """Bytes of an ordinary file; None of a link, a folder or nothing."""
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
    if ending == ".mdd":  # it has no mark of its own, but its counts tell its size
        frames, vertices = MDD.unpack(head[: MDD.size]) if len(head) >= MDD.size else (0, 0)
        return min(frames, vertices) > 0 and size == MDD.size + frames * (4 + 12 * vertices)
    known = BEGINNINGS.get(ending, ())
    return any(head[: len(each)] == each[: len(head)] for each in known)


def _checked(name, data):
    """The list called `name` without what is not Muslin's; None, or an error of Python's, where it has another shape."""
    if data["muslin"] != 1 or not all(
        isinstance(data.get(key, ""), str) for key in ("uid", "blend", "token")
    ):
        return None
    found = {key: data[key] for key in ("muslin", "uid", "blend", "token") if key in data}
    found.update(_numbers(data))
    found["files"] = _files(name, data["files"])
    found["parts"] = {token: _part(name, token, part) for token, part in data["parts"].items()}
    if "aside" in data:
        aside = {of: [hidden, size] for of, (hidden, size) in data["aside"].items()}
        kept = _files(name, {of: size for of, (_, size) in aside.items()})
        named = {of: HIDDEN.fullmatch(aside[of][0]) for of in kept}
        found["aside"] = {of: aside[of] for of in kept if named[of] and named[of][1] == of}
    return found


def _numbers(data):
    given = {key: data[key] for key in NUMBERS if key in data}
    if not all(isinstance(value, int) for value in given.values()):
        raise ValueError("no number")
    return given


def _files(name, files):
    """Names of the cache's own files; further ones of a kind have a number."""
    if not all(isinstance(size, int) for size in files.values()):
        raise ValueError("no size")
    own = re.compile(re.escape(name) + r"(-\d{1,3})?(" + "|".join(map(re.escape, ENDINGS)) + ")")
    return {file: size for file, size in files.items() if own.fullmatch(file)}


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

# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of files that Muslin wrote beside a cache: `NAME.muslin.json`.

Only what it lists is ever deleted: an ordinary file (no link) in the same folder that has a name of
Muslin's and the beginning of its kind (see listing), and the size it was written with. The list is padded and
rewritten in place, so that it fits on a full disk, too.
It names the garment (uid) and the .blend that the cache belongs to: another .blend that was saved
from this one shows the same cache, but neither overwrites nor deletes it.
"""

import errno
import json
import os
import secrets
import socket
import stat
import sys
import time

from . import listing, names
from .listing import size_of

ENDING = ".muslin.json"
BLOCK = 4096  # bytes; written in one go
WRITE = os.O_WRONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)

writing = set()  # tokens of the writers of this process


def anywhere(_path):
    """What a button may look at."""
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
        taken = set(map(names.folded, os.listdir(folder)))
        if any(names.folded(name + ending) in taken for ending in (ENDING, *listing.ENDINGS)):
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
        """The list of this name, or None where there is none that can be read."""
        manifest = cls(folder, name, None)
        try:
            if not stat.S_ISREG(os.lstat(manifest.path).st_mode):
                return None
            with open(manifest.path, "rb") as file:
                data = json.loads(file.read(listing.LARGEST))
        except (OSError, ValueError, RecursionError):
            return None
        manifest.data = listing.checked(name, data)
        if manifest.data is None:
            return None
        manifest.repair()
        return manifest

    @classmethod
    def of(cls, path):
        """The list that a cache file belongs to."""
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
        """Write the list again after someone removed it."""
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
            if done is not None and size_of(self.place(self.name + ".pc2")) == done["files"].get(
                self.name + ".pc2"
            ):
                self.data.update(done)
            del self.data["parts"][token]

    def add(self, name):
        """List a file that was just written."""
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
        """Delete an unfinished part."""
        part = self.data["parts"].pop(token)
        for name in (*_names(part), part["state"] + ".new"):
            if listing.is_own(self.place(name)):
                _remove(self.place(name))

    def has(self, name, size):
        """Is the listed file still the one that was written?"""
        return size_of(self.place(name)) == size and listing.is_own(self.place(name))

    def make_room(self, name):
        """An empty file in place of the listed one, if there is one; OSError where someone else's, or a link, is there."""
        place = self.place(name)
        if self.has(name, self.data["files"].pop(name, -1)):
            os.remove(place)
        open(place, "xb").close()
        return place

    def refuse_others(self):
        """OSError where a bake would end in the place of a file that is not Muslin's."""
        for ending in listing.BAKED:
            place = self.place(self.name + ending)
            if os.path.lexists(place) and not listing.is_own(place):
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
        """Save the list, or remove it when there is nothing on it."""
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
        """Delete what was set aside for good."""
        for hidden, size in self.data.pop("aside", {}).values():
            if self.has(hidden, size):
                _remove(self.place(hidden))
        self._tidy()


def _names(part):
    """Of its files; not every bake has a fit map."""
    return [part["pc2"], part["state"], *([part["fit"]] if "fit" in part else [])]


def _remove(path):
    try:
        os.remove(path)
    except OSError:
        return False
    return True


def writer():
    """Who writes: to tell later whether it still does."""
    return {"process": os.getpid(), "machine": socket.gethostname(), "begun": int(time.time())}


def is_alive(token, part):
    """Is the writer of a part still at work?"""
    if part.get("machine") != socket.gethostname():
        return time.time() - part.get("begun", 0) < 86400  # cannot be asked: give it a day
    if part.get("process") == os.getpid():
        return token in writing
    return _process_runs(part.get("process", 0))


def _process_runs(process):
    if sys.platform == "win32":  # os.kill would end it there
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

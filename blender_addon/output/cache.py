# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a bake into a PC2 file, so that no finished frame is ever lost.

Frames go into a part, `.NAME.TOKEN.part.pc2`, which is a whole PC2 file after each of them. finish()
gives it its name; until then the file of the last bake stays as it was. What a crash leaves behind
is found through the manifest and adopted. A state file holds the simulation after some frame, for
an exact Continue. After the constructor nothing here touches Blender: any thread may append.
"""

import errno
import json
import os
import secrets
import zlib

import numpy as np

from ..fit_map import fit_file
from ..muslin import FileError, read_pc2, windows
from ..muslin.files import open_ordinary, write_all
from ..muslin.pc2 import HEADER, MAGIC, VERSION
from ..scene.lookup import ensure_uid
from ..scene.problems import Problem
from . import find_cache, folders, manifest as manifests
from .manifest import STATE, Manifest

HEAD_BYTES = 4096  # most that the second line of a state file may have
STATE_BYTES = 1 << 30  # most that the state itself may have
COPY = 1 << 24  # bytes at a time

locate = find_cache.locate


ERRORS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "your disk quota is used up",
    errno.EFBIG: "the file system does not take files that large",
    errno.EROFS: "the disk is read-only",
    errno.EACCES: "you have no permission to write there",
    errno.EPERM: "you have no permission to write there",
    errno.ENOENT: "the folder no longer exists",
}


def words(error):
    """An OSError in the artist's words."""
    return ERRORS.get(error.errno, error.strerror or str(error))


def read(path):
    """The cache at an absolute path: .positions (frames x vertices x 3, read as used), .start."""
    try:
        return read_pc2(path)
    except FileError as error:
        raise Problem(f"The cache cannot be used: {error}") from None


def read_state(path):
    """(snapshot, frame) from which the cache at this path can be continued exactly, or None."""
    manifest = Manifest.of(path)
    try:
        with open_ordinary(os.path.splitext(path)[0] + ".muslin.state") as file:
            if file.readline(len(STATE)) != STATE:
                return None
            head = json.loads(file.readline(HEAD_BYTES))
            if not 0 < head["bytes"] < STATE_BYTES:
                return None
            snapshot = file.read(head["bytes"] + 1)
        if manifest is None or head["token"] != manifest.data.get("token"):
            return None
        first, last = manifest.data["frame_start"], manifest.data["frame_end"]
        whole = len(snapshot) == head["bytes"] and zlib.crc32(snapshot) == head["check"]
        whole = whole and isinstance(head["frame"], int)
        return (snapshot, head["frame"]) if whole and first <= head["frame"] <= last else None
    except (FileError, OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


class CacheWriter:
    """One bake of one object. folder: as the artist gave it. path: the final place of the file. continue_from: the last frame to keep
    of the bake before. fit: whether fit maps are kept, too. warning: one sentence for the artist, or "".
    """

    def __init__(self, obj, folder, vertex_count, frame_start, continue_from=None, fit=False):
        self.object_name = obj.name
        self.uid = ensure_uid(obj)
        self.vertex_count = int(vertex_count)
        self.frame_start = int(frame_start)
        self.frames = 0
        self.token = secrets.token_hex(6)
        self._file = self._fit = None
        place, self.warning = folders.folder_for(folder)
        old = self._old(locate(obj), continue_from) if continue_from is not None else None
        try:
            self.manifest = find_cache.take_name(obj, self.uid, place)
            for token, part in self.manifest.data["parts"].items():
                if manifests.is_alive(token, part):
                    raise Problem(f"{self.object_name} is already being baked")
            self.manifest.refuse_others()
            self._open(fit, old)
            if old is not None:
                self._copy(*old)
        except OSError as error:
            self.abandon()
            raise Problem(f"The cache cannot be written to {place}: {words(error)}") from None
        except Problem:
            self.abandon()
            raise
        self.path = self.manifest.place(self.manifest.name + ".pc2")

    def _old(self, path, last):
        if path is None:
            raise Problem(f"{self.object_name} has no cache to continue")
        cache = read(path)
        (count, vertices), start = cache.positions.shape[:2], int(cache.start)
        if vertices != self.vertex_count:
            raise Problem(
                f"The cache has {vertices} vertices and {self.object_name} has "
                f"{self.vertex_count}: it cannot be continued. Bake from the start"
            )
        if not start - 1 <= last < start + count:
            raise Problem(
                f"The cache holds frames {start} to {start + count - 1}: "
                f"it cannot be continued after frame {last}"
            )
        self.frame_start = start
        return path, last - start + 1

    def _open(self, fit, old):
        about = manifests.part_names(self.manifest.name, self.token)
        if not fit:
            del about["fit"]
        self._part = self.manifest.place(about["pc2"])
        self._state_part = self.manifest.place(about["state"])
        about["vertex_count"] = self.vertex_count
        if old is not None:
            about["continues"] = self.manifest.data.get("token")
        self.manifest.data["parts"][self.token] = {**about, **manifests.writer()}
        manifests.writing.add(self.token)
        self.manifest.save()  # listed before the file is made, so that none is left unlisted
        self._file = open(self._part, "x+b", buffering=0)
        self._write(self._header(), 0)
        if fit:
            place = self.manifest.place(about["fit"])
            self._fit = fit_file.FitWriter(place, self.vertex_count, self.frame_start)

    def _header(self):
        start = float(self.frame_start)
        return HEADER.pack(MAGIC, VERSION, self.vertex_count, start, 1.0, self.frames)

    def _write(self, data, offset):
        self._file.seek(offset)
        write_all(self._file, data)

    def _end_of(self, frames):
        return HEADER.size + frames * self.vertex_count * 12

    def _copy_bytes(self, source, at, end, path):
        source.seek(at)
        while at < end:
            data = source.read(min(COPY, end - at))
            if not data:
                raise Problem(f"The cache {path} is truncated")
            self._write(data, at)
            at += len(data)

    def _copy(self, path, count):
        """The kept frames of the old file; it stays as it is until this one is finished."""
        with open(path, "rb") as old:
            self._copy_bytes(old, HEADER.size, self._end_of(count), path)
        self.frames = count
        self._write(self._header(), 0)
        if self._fit is not None:
            self._fit.keep(fit_file.beside(path), count)

    def append(self, positions_local, maps=None):
        """Add a frame: n x 3 float32 in the object's own space, and its fit maps. After a Problem, finish() still works."""
        frame = np.ascontiguousarray(positions_local, dtype="<f4")
        if frame.shape != (self.vertex_count, 3):
            raise Problem(f"{self.object_name}: {frame.shape} is not {self.vertex_count} x 3")
        try:
            if not os.path.exists(self._part):
                self._rescue()
            self._write(frame, HEADER.size + self.frames * frame.nbytes)
            if self._fit is not None:
                self._fit.write(self.frames, maps or {})
            self.frames += 1
            self._write(self._header(), 0)
        except OSError as error:
            number = self.frame_start + self.frames
            raise Problem(
                f"Frame {number} cannot be written to {self.manifest.folder}: {words(error)}. "
                f"The {self.frames} finished frames are kept"
            ) from None

    def state(self, snapshot, frame):
        """Keep the simulation after `frame`; whether that worked. A failure only costs Continue."""
        head = {"token": self.token, "frame": int(frame), "bytes": len(snapshot)}
        head["check"] = zlib.crc32(snapshot)
        new = self._state_part + ".new"
        try:
            with open(new, "wb", buffering=0) as file:
                for data in STATE, json.dumps(head).encode() + b"\n", snapshot:
                    if file.write(data) != len(data):
                        raise OSError(errno.ENOSPC, "full")
            windows.replace(new, self._state_part)  # there is always one of them
        except OSError:
            if os.path.exists(new):
                os.remove(new)
            return False
        return True

    def _rescue(self):
        """The folder or the part was removed; the open file still has all frames."""
        os.makedirs(self.manifest.folder, exist_ok=True)
        gone, self._file = self._file, open(self._part, "x+b", buffering=0)
        self._copy_bytes(gone, 0, self._end_of(self.frames), self._part)
        gone.close()
        if not os.path.exists(self.manifest.path):
            self.manifest.data["files"] = {}
            self.manifest.restore()

    def finish(self):
        """Give the part its name; the path, or None where not a single frame was finished."""
        if self.frames == 0:
            self.abandon()
            return None
        try:
            if not os.path.exists(self._part):
                self._rescue()
            self._file.truncate(self._end_of(self.frames))
            os.fsync(self._file.fileno())
            self._file.close()
            self._end_fit()
            find_cache.promote(self.manifest, self.token, self.frame_start, self.frames)
        except OSError as error:
            raise Problem(
                f"The cache {self.path} cannot be finished: {words(error)}. "
                f"Its frames are kept in {self._part}"
            ) from None
        finally:
            self._file.close()
            self._end_fit()
            manifests.writing.discard(self.token)
        return self.path

    def _end_fit(self):
        fit, self._fit = self._fit, None
        if fit is not None:
            fit.close(self.frames)

    def abandon(self):
        """Delete the part; the last bake stays as it was."""
        if self._file is not None:
            self._file.close()
        self._end_fit()
        manifests.writing.discard(self.token)
        manifest = getattr(self, "manifest", None)
        if manifest is not None and self.token in manifest.data["parts"]:
            try:
                manifest.drop_part(self.token)
                manifest.delete(())
            except OSError:
                pass

# SPDX-License-Identifier: GPL-3.0-or-later
"""PC2 point caches, as Blender's Mesh Cache modifier reads them: a header of 32 bytes, then three float32 per vertex,
frame after frame. Not a memory map: when another program cuts such a file short, the system ends whoever looks at
what is gone."""

import math
import operator
import os
import struct
import threading
from collections import namedtuple

import numpy as np

from . import windows
from .arrays import floats
from .errors import FileError
from .files import AtomicFile, open_ordinary, reported

UNREADABLE = "cannot be read"
CHANGED = "was changed by another program while it was read; start again once that is done"


class FrameFile:
    """Frames in a file; `shape` is count x that of a frame. Every index reads: frames[i], frames[a:b], frames[a:b,
    vertices].

    file: open already, unbuffered, from now on this one's. A FileError reports one that was changed since.
    """

    def __init__(self, path, offset, shape, dtype, file=None):
        self.path = path
        self.shape = tuple(shape)
        self.dtype = np.dtype(dtype)
        self._offset = offset
        self._lock = threading.Lock()  # between finding a place and reading there
        self._file = open_ordinary(path, buffering=0) if file is None else file
        with reported(path, UNREADABLE):
            self._state = self._look()
        if self._state[0] < offset + self.frame_bytes * len(self):
            raise FileError(path, CHANGED)

    def __del__(self):
        file = getattr(self, "_file", None)
        if file is not None:
            file.close()

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def frame_bytes(self):
        return int(np.prod(self.shape[1:], dtype=object)) * self.dtype.itemsize

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, key):
        first, *rest = key if isinstance(key, tuple) else (key,)
        several = isinstance(first, slice)
        numbers = range(len(self))[first if several else operator.index(first)]
        numbers = numbers if several else [numbers]
        found = np.empty((len(numbers), *self.shape[1:]), self.dtype)
        for place, number in zip(found, numbers):
            self._read(number, place)
        return found[(slice(None), *rest)] if several else found[0][tuple(rest)]

    def __array__(self, dtype=None, copy=None):
        return self[:].astype(dtype or self.dtype, copy=False)

    def _look(self):
        """Differs when another program has written to the file: its bytes and when it was written to last."""
        found = os.fstat(self._file.fileno())
        return found.st_size, found.st_mtime_ns

    def _read(self, number, place):
        """One frame into a contiguous array."""
        rest = memoryview(place).cast("B") if place.size else b""
        with reported(self.path, UNREADABLE):
            with self._lock:
                self._file.seek(self._offset + number * self.frame_bytes)
                while rest:
                    count = self._file.readinto(rest)
                    if not count:
                        break
                    rest = rest[count:]
            changed = self._look() != self._state
        if rest or changed:
            raise FileError(self.path, CHANGED)


HEADER = struct.Struct("<12siiffi")
MAGIC = b"POINTCACHE2\0"
VERSION = 1


class Pc2Writer:
    """Writes frames under a temporary name; finish() gives the file its final one, an exception in a `with` throws it
    away.

    The file is whole after each frame, so a killed process leaves all that it finished. start: number of the first
    frame. sampling: frames from one sample to the next.
    """

    def __init__(self, path, vertex_count, start=0.0, sampling=1.0):
        self.path, self.vertex_count = path, vertex_count
        self.start, self.sampling = start, sampling
        self.frames, self._output = 0, None
        try:
            with reported(path):
                self._output = AtomicFile(path)
                self._output.write(self._header())
        except FileError:
            self.discard()
            raise

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.finish()
        else:
            self.discard()

    def _header(self):
        counts = (VERSION, self.vertex_count, self.start, self.sampling, self.frames)
        return HEADER.pack(MAGIC, *counts)

    def write(self, positions):
        """Add one frame: vertex_count x 3 numbers, m."""
        frame = floats("positions", positions, (self.vertex_count, 3)).astype("<f4", copy=False)
        number = self.frames + 1
        with reported(self.path, f"frame {number} cannot be written"):
            self._output.file.seek(self._size)
            self._output.write(frame)
            self.frames = number
            self._output.file.seek(0)
            self._output.write(self._header())

    @property
    def _size(self):
        """Bytes of the file with the frames that are finished."""
        return HEADER.size + self.frames * self.vertex_count * 12

    def finish(self, path=None):
        """Name the file and close it, once; without a frame there is no file. path: another name in the same folder.
        A FileError tells where the frames are if the name cannot be had."""
        if self.frames == 0:
            self.discard()
        output, self._output = self._output, None
        if output is None:
            return
        if path is not None:
            self.path = path
            output.path = windows.openable(os.path.realpath(path))
        try:
            output.file.truncate(self._size)
            output.file.seek(0)
            output.write(self._header())
            output.commit()
        except OSError as error:
            problem = f"cannot be written: {error.strerror}"
            if os.path.exists(output.temporary):
                problem += f"; its frames are in {output.temporary}"
            raise FileError(self.path, problem) from None
        finally:
            output.file.close()

    def discard(self):
        """Throw away what was written; a file of an earlier run stays as it was."""
        output, self._output = self._output, None
        if output is not None:
            output.discard()


# A PC2 file. positions: a FrameFile, frames x vertices x 3 float32, read from disk whenever one is asked for.
PointCache = namedtuple("PointCache", "positions start sampling")


def read_pc2(path):
    """Open a PC2 file; FileError when it is none or is cut short, then and whenever a frame is read."""
    file = open_ordinary(path, buffering=0)
    try:
        shape, start, sampling = read_header(path, file)
    except BaseException:
        file.close()
        raise
    return PointCache(FrameFile(path, HEADER.size, shape, "<f4", file), start, sampling)


def read_header(path, file):
    """Shape of the frames, number of the first one, and frames from one to the next; the file is long enough."""
    with reported(path, UNREADABLE):
        header = file.read(HEADER.size) or b""
        size = os.fstat(file.fileno()).st_size
    if len(header) < HEADER.size or not header.startswith(MAGIC):
        raise FileError(path, "not a PC2 file")
    _, version, vertices, start, sampling, frames = HEADER.unpack(header)
    counts = f"{vertices} vertices, {frames} frames"
    if version != VERSION or vertices < 0 or frames < 0:
        raise FileError(path, f"a PC2 header of version {version} with {counts}")
    if not math.isfinite(start) or not math.isfinite(sampling):
        raise FileError(path, f"a PC2 header that starts at frame {start}, every {sampling}")
    if size < HEADER.size + frames * vertices * 12:
        raise FileError(path, f"cut short: {counts} do not fit in {size} bytes")
    return (frames, vertices, 3), start, sampling

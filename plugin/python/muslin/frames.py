# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of one shape in a file that other programs may write to, read when they are asked for.

Not a memory map: when another program cuts such a file short, the system ends whoever looks at what is gone.
"""

import operator
import os
import threading

import numpy as np

from .errors import FileError
from .reading import open_ordinary

CHANGED = "was changed by another program while it was read; start again once that is done"


class FrameFile:
    """`shape` is count x the shape of a frame. Every index reads: frames[i], frames[a:b], frames[a:b, vertices].

    file: open already, unbuffered, and from now on this one's. It stays open: one that takes its name later is not read. A
    FileError reports one that was changed since.
    """

    def __init__(self, path, offset, shape, dtype, file=None):
        self.path = path
        self.shape = tuple(shape)
        self.dtype = np.dtype(dtype)
        self._offset = offset
        self._lock = threading.Lock()  # between finding a place and reading there
        self._file = open_ordinary(path, buffering=0) if file is None else file
        try:
            self._state = self._look()
        except OSError as error:
            raise FileError(path, f"cannot be read: {error.strerror}") from None
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
        if not isinstance(first, slice):
            return self._frame(range(len(self))[operator.index(first)])[tuple(rest)]
        numbers = range(len(self))[first]
        found = np.empty((len(numbers), *self.shape[1:]), self.dtype)
        for place, number in zip(found, numbers):
            self._read(number, place)
        return found[(slice(None), *rest)]

    def __array__(self, dtype=None, copy=None):
        return self[:].astype(dtype or self.dtype, copy=False)

    def _frame(self, number):
        found = np.empty(self.shape[1:], self.dtype)
        self._read(number, found)
        return found

    def _look(self):
        """Differs when another program has written to the file: its bytes and when it was written to last."""
        found = os.fstat(self._file.fileno())
        return found.st_size, found.st_mtime_ns

    def _read(self, number, place):
        """One frame into a contiguous array."""
        rest = memoryview(place).cast("B") if place.size else b""
        try:
            with self._lock:
                self._file.seek(self._offset + number * self.frame_bytes)
                while rest:
                    count = self._file.readinto(rest)
                    if not count:
                        break
                    rest = rest[count:]
            changed = self._look() != self._state
        except OSError as error:
            raise FileError(self.path, f"cannot be read: {error.strerror}") from None
        if rest or changed:
            raise FileError(self.path, CHANGED)

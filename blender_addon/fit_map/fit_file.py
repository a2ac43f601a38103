# SPDX-License-Identifier: GPL-3.0-or-later
"""The fit maps of a bake, frame by frame, beside its cache: `NAME.muslin.fit`.

A header, then for each frame the quantities in their order, a half-precision number for each vertex: to 0.05 percent,
as large as the cache itself. NaN: not stored. After writing a frame the file is whole.
"""

import os
import struct

import numpy as np

from ..muslin import FileError
from ..muslin.files import open_ordinary
from ..muslin.pc2 import FrameFile
from ..output.manifest import FIT as MAGIC
from .fit_quantities import QUANTITIES

ENDING = ".muslin.fit"
HEADER = struct.Struct("<12siii")  # magic, vertices, quantities, first frame
LARGEST = 65504.0  # that half precision has


class FitWriter:
    """One bake's maps. After the constructor nothing here touches Blender."""

    def __init__(self, path, vertex_count, frame_start):
        self.path = path
        self._shape = len(QUANTITIES), vertex_count
        self._bytes = 2 * len(QUANTITIES) * vertex_count
        self._file = open(path, "x+b", buffering=0)
        self._file.write(HEADER.pack(MAGIC, vertex_count, len(QUANTITIES), frame_start))

    def write(self, index, maps):
        """The frame `index` after the first. maps: quantity -> n numbers."""
        rows = np.full(self._shape, np.nan, dtype="<f2")
        for row, quantity in zip(rows, QUANTITIES):
            if quantity.name in maps:
                row[:] = np.clip(maps[quantity.name], -LARGEST, LARGEST)
        self._file.seek(HEADER.size + index * self._bytes)
        if self._file.write(rows) != rows.nbytes:
            raise OSError(28, "the disk is full")

    def keep(self, path, frames):
        """The first frames of an earlier bake, as far as it has stored them."""
        before = read(path)
        for index in range(frames):
            self.write(index, before.maps(index) if before is not None else {})

    def close(self, frames):
        self._file.truncate(HEADER.size + frames * self._bytes)
        self._file.close()


class FitFrames:
    """The maps of a finished bake, read as they are used. start: the first frame."""

    def __init__(self, rows, start):
        self._rows = rows  # frames x quantities x vertices
        self.start = start

    def __len__(self):
        return len(self._rows)

    @property
    def vertex_count(self):
        return self._rows.shape[2]

    def maps(self, index):
        """quantity -> n numbers float32, of those that were stored; beyond the ends the first or the last frame. {} where another
        program has changed the file meanwhile."""
        try:
            return _stored(self._rows[min(max(index, 0), len(self._rows) - 1)])
        except FileError:
            return {}

    def worst(self):
        """As maps(): the tightest value of each vertex and quantity over all frames."""
        found = np.full(self._rows.shape[1:], np.nan, dtype=np.float32)
        try:
            for frame in self._rows:
                for row, quantity, now in zip(found, QUANTITIES, frame):
                    tighter = np.fmax if quantity.worst > 0 else np.fmin
                    tighter(row, now, out=row)
        except FileError:
            return {}
        return _stored(found)


def _stored(rows):
    found = zip(QUANTITIES, np.asarray(rows, dtype=np.float32))
    return {quantity.name: row for quantity, row in found if not np.isnan(row).any()}


def beside(path):
    return os.path.splitext(path)[0] + ENDING


def read(path):
    """The maps in a file; None where there is none, or it is another kind of file."""
    try:
        with open_ordinary(path) as file:
            magic, vertices, quantities, start = HEADER.unpack(file.read(HEADER.size))
        size = os.path.getsize(path) - HEADER.size
    except (FileError, OSError, struct.error):
        return None
    if magic != MAGIC or quantities != len(QUANTITIES) or vertices < 1:
        return None
    frames = size // (2 * quantities * vertices)
    if not frames:
        return None
    try:
        return FitFrames(FrameFile(path, HEADER.size, (frames, quantities, vertices), "<f2"), start)
    except FileError:
        return None

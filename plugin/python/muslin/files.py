"""Writing files so that nothing half-written ever stands under the final name.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import os
import stat

from . import windows
from .errors import FileError


def check_writable(path):
    """Refuse a path that could not be written later, before hours of work depend on it."""
    if not str(path):
        raise FileError("''", "this is no path")
    folder = os.path.dirname(os.path.realpath(path))
    place = windows.openable(os.path.realpath(path))
    if not os.path.isdir(windows.openable(folder)):
        raise FileError(path, f"the folder {folder} does not exist")
    if os.path.isdir(place):
        raise FileError(path, "this is a folder, not a file")
    if os.path.exists(place) and not stat.S_ISREG(os.stat(place).st_mode):
        raise FileError(path, "this is not an ordinary file")
    try:
        # Asking for permissions is not enough: a read-only disk shows only on writing.
        AtomicFile(path).discard()
    except OSError as error:
        raise FileError(path, f"the folder {folder} cannot be written: {error.strerror}") from None


class AtomicFile:
    """A binary file under a temporary name in the final folder, renamed by commit().

    A link keeps its place: what it points to is replaced. The file is not buffered, so that a full
    disk shows in write() and not later.
    """

    def __init__(self, path):
        self.path = windows.openable(os.path.realpath(path))
        self.file = self._create()

    def _create(self):
        folder, name = os.path.split(self.path)
        for attempt in range(1000):
            self.temporary = os.path.join(folder, f".{name}.{os.getpid()}.{attempt}.part")
            try:
                return open(self.temporary, "xb", buffering=0)
            except FileExistsError:  # left by a run that was killed and had the same process id
                continue
        raise FileError(self.path, "too many unfinished files of this name")

    def write(self, data):
        """Write all bytes; an unbuffered file may take them in several goes."""
        rest = memoryview(data).cast("B")
        while rest:
            rest = rest[self.file.write(rest) :]

    def commit(self):
        """Give the file its final name, replacing what was there."""
        os.fsync(self.file.fileno())
        self.file.close()
        windows.replace(self.temporary, self.path)

    def discard(self):
        """Remove the temporary file; the final name stays as it was."""
        self.file.close()
        if os.path.exists(self.temporary):
            os.remove(self.temporary)


def write_atomic(path, data):
    """Write bytes to `path` all at once or not at all; FileError names the path."""
    output = None
    try:
        output = AtomicFile(path)
        output.write(data)
        output.commit()
    except OSError as error:
        raise FileError(path, f"cannot be written: {error.strerror}") from None
    finally:
        if output is not None:
            output.discard()

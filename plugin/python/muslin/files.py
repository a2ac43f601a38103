# SPDX-License-Identifier: GPL-3.0-or-later
"""Files: ordinary ones opened for reading, and written so that nothing half-written has the final name.

Pipes and devices are refused: opening one may wait for a writer, and reading one may never end.
"""

import json
import math
import os
import re
import stat
import time
from contextlib import contextmanager, suppress

from . import windows
from .errors import FileError, printable

try:
    import fcntl
except ImportError:  # Windows, where no one removes a file that is open
    fcntl = None

# s since it was last written to: what a process has is known by its lock, but not on every disk of a network.
STALE = 86400.0
COPY = 1 << 24  # bytes at a time


def check_writable(path):
    """Refuse a path that could not be written later, before hours of work depend on it."""
    if not str(path):
        raise FileError("''", "this is not a path")
    folder = os.path.dirname(os.path.realpath(path))
    place = windows.openable(os.path.realpath(path))
    if not os.path.isdir(windows.openable(folder)):
        raise FileError(path, f"the folder {folder} does not exist")
    if os.path.isdir(place):
        raise FileError(path, "this is a folder, not a file")
    if os.path.exists(place):
        mode = os.stat(place).st_mode
        if not stat.S_ISREG(mode):
            raise FileError(path, "this is not an ordinary file")
        # A new file would take its name all the same; root may write whatever the mode says.
        if not mode & 0o222 or not os.access(place, os.W_OK):
            raise FileError(path, "this file is read-only")
    with reported(path, f"the folder {folder} cannot be written"):
        # Asking for permissions is not enough: a read-only disk shows only on writing.
        AtomicFile(path).discard()


@contextmanager
def reported(path, problem="cannot be written"):
    """What the system refuses meanwhile is a FileError of this path."""
    try:
        yield
    except OSError as error:
        raise FileError(path, f"{problem}: {error.strerror}") from None


def make_folder(path):
    """With those above it, unless it is there."""
    with reported(path):
        os.makedirs(windows.openable(path), exist_ok=True)


def is_taken(path):
    """Whether an older file has the name. What is not complete replaces nothing: that may be a result that is."""
    return os.path.exists(windows.openable(path))


def unfinished_place(path):
    """Where something goes that is not complete, and whose name is taken."""
    stem, ending = os.path.splitext(os.path.realpath(path))
    return f"{stem}.unfinished{ending}"


def write_all(file, data):
    """All bytes; an unbuffered file may take them in several goes."""
    rest = memoryview(data).cast("B")
    while rest:
        rest = rest[file.write(rest) :]


class AtomicFile:
    """A binary file under a temporary name in the final folder, renamed by commit(). A link stays: what it points to is
    replaced.

    Not buffered, so that a full disk shows in write(). Locked while open: what a killed process left is told by that,
    and is removed by whoever writes a file of this name a day later.
    """

    def __init__(self, path):
        self.path = windows.openable(os.path.realpath(path))
        remove_stale(self.path)
        self.file = self._create()

    def _create(self):
        folder, name = os.path.split(self.path)
        for attempt in range(1000):
            self.temporary = os.path.join(folder, f".{name}.{os.getpid()}.{attempt}.part")
            try:
                file = open(self.temporary, "x+b", buffering=0)
            except FileExistsError:  # left by a run that was killed and had the same process id
                continue
            is_free(file)
            return file
        raise FileError(self.path, "too many unfinished files of this name")

    def write(self, data):
        write_all(self.file, data)

    def commit(self):
        """Give the file its final name, replacing what was there."""
        if not os.path.exists(self.temporary):
            self._rescue()
        os.fsync(self.file.fileno())
        self.file.close()
        windows.replace(self.temporary, self.path)

    def _rescue(self):
        """Someone removed the folder, or the file from it; the open file still has all its bytes."""
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        gone, self.file = self.file, self._create()
        with gone:
            gone.seek(0)
            while data := gone.read(COPY):
                self.write(data)

    def discard(self):
        """Remove the temporary file; the final name stays as it was."""
        self.file.close()
        if os.path.exists(self.temporary):
            os.remove(self.temporary)


def is_free(file):
    """Whether no other process has locked an open file; from now on this one has, where the disk knows locks."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def remove_stale(path):
    """Take away what killed processes have left of files for this path: old ones that no process has."""
    folder, name = os.path.split(path)
    ours = re.compile(re.escape(f".{name}.") + r"\d+\.\d+\.part")
    left = []
    with suppress(OSError):
        files = [entry for entry in os.scandir(folder) if ours.fullmatch(entry.name)]
        left = [entry.path for entry in files if entry.is_file(follow_symlinks=False)]
    for place in left:
        with suppress(OSError), open(place, "r+b", buffering=0) as file:
            age = time.time() - os.fstat(file.fileno()).st_mtime
            if age > STALE and is_free(file):
                if fcntl is None:
                    file.close()  # Windows removes no file that is open, be it here
                os.remove(place)


def write_atomic(path, data):
    """Write bytes to `path` all at once or not at all; FileError names the path."""
    with reported(path):
        output = AtomicFile(path)
        try:
            output.write(data)
            output.commit()
        finally:
            output.discard()


def parse_json(path, text):
    """What a JSON text says; FileError names what is wrong. Of two fields with one name JSON takes the last, which no
    one means."""

    def unique(pairs):
        found = dict(pairs)
        names = [name for name, _ in pairs]
        for name in names if len(found) < len(names) else ():
            if names.count(name) > 1:
                raise FileError(path, f"{printable(name)} is given twice")
        return found

    if not text.strip():
        raise FileError(path, "is empty")
    try:
        return json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise FileError(path, f"this is not JSON: {error.msg}", error.lineno) from None
    except (ValueError, RecursionError):  # a number of thousands of digits; brackets likewise
        raise FileError(path, "this is not JSON that can be read") from None


def finite(value):
    """JSON knows no infinity: such a number becomes null."""
    if isinstance(value, dict):
        return {key: finite(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def to_json(value):
    return json.dumps(finite(value), indent=1, allow_nan=False) + "\n"


# Windows has neither; there pipes and devices have names of their own.
AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


def open_ordinary(path, buffering=-1):
    """A file opened for its bytes; a FileError names the path of whatever is no ordinary file."""
    try:
        place = windows.openable(path)
        file = open(place, "rb", buffering, opener=lambda name, how: os.open(name, how | AT_ONCE))
    except OSError as error:
        if os.path.isdir(place):
            raise FileError(path, "this is a folder, not a file") from None
        raise FileError(path, f"cannot be read: {error.strerror}") from None
    except ValueError:  # a zero in its name
        raise FileError(path, "this is not a path") from None
    # Of the open file: another may have taken its name since.
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise FileError(path, "this is not an ordinary file")
    return file


def read_ordinary(path, most=-1):
    """The bytes of an ordinary file, or the first `most` of them; a FileError names the path."""
    with open_ordinary(path) as file:
        try:
            return file.read(most) or b""  # None: some files of /proc would have to be waited for
        except OSError as error:
            raise FileError(path, f"cannot be read: {error.strerror}") from None
        except (MemoryError, OverflowError):
            raise FileError(path, "this is too large for this machine's memory") from None

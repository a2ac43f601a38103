# SPDX-License-Identifier: GPL-3.0-or-later
"""The one way in which files are opened for reading: ordinary ones only, and without waiting.

A pipe may be opened once someone writes to it, which may be never, and a device may have no end.
"""

import os
import stat

from . import windows
from .errors import FileError

# Windows has neither; there pipes and devices have names of their own.
AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


def open_ordinary(path, buffering=-1):
    """A file opened for its bytes; a FileError names the path of whatever is no ordinary file."""
    try:
        place = windows.openable(path)
        file = open(place, "rb", buffering, opener=opened_at_once)
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


def opened_at_once(place, flags):
    return os.open(place, flags | AT_ONCE)


def read_ordinary(path, most=-1):
    """The bytes of an ordinary file, or the first `most` of them; a FileError names the path."""
    with open_ordinary(path) as file:
        try:
            return file.read(most) or b""  # None: some files of /proc would have to be waited for
        except OSError as error:
            raise FileError(path, f"cannot be read: {error.strerror}") from None
        except (MemoryError, OverflowError):
            raise FileError(path, "this is too large for this machine's memory") from None

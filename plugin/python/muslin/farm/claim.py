"""A task is done by one process at a time, on whatever machine it runs, and so is each of its outputs.

Two jobs may name the same point cache, so there is a lock beside each of these, too. Locks belong to the process: they
are gone when that ends, however it ends. The files stay; those beside outputs tell whose they are (`owner`).

SPDX-License-Identifier: GPL-3.0-or-later
"""

import errno
from contextlib import ExitStack, contextmanager

from .. import windows
from ..errors import FileError
from ..files import make_folder
from .job import not_a_link

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None
    import msvcrt

TAKEN = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES)
LOCKED_BYTE = 1 << 30  # far behind what is written: nobody reads a locked byte of Windows


@contextmanager
def claimed(task):
    """Gives True while the task and its outputs are this process's alone, or False: another one has some of them."""
    places = [task.state(".lock"), *sorted(map(lock_beside, task.outputs))]
    with ExitStack() as stack:
        yield all(stack.enter_context(locked(place)) for place in places)


def lock_beside(output):
    return not_a_link(output.with_name(f".{output.name}.lock"))


@contextmanager
def locked(place):
    """Gives whether this process has the lock."""
    with open_lock(place) as file:
        held = lock(place, file)
        try:
            yield held
        finally:
            if held:
                unlock(file)


def open_lock(place):
    make_folder(place.parent)
    try:
        return open(windows.openable(place), "a+b")
    except OSError as error:
        raise FileError(place.parent, f"cannot be written: {error.strerror}") from None


def lock(place, file):
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            file.seek(LOCKED_BYTE)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    except OSError as error:
        if error.errno in TAKEN:
            return False
        problem = f"cannot be locked: {error.strerror}; a job needs a disk that has locks"
        raise FileError(place, problem) from None
    return True


def unlock(file):
    if fcntl is None:
        file.seek(LOCKED_BYTE)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

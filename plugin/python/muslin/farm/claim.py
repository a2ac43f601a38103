"""A task is done by one process at a time, on whatever machine it runs.

The lock belongs to the process: it is gone when that ends, however it ends. The file stays.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import os
from contextlib import contextmanager

from ..errors import FileError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None
    import msvcrt


@contextmanager
def claimed(task):
    """Gives True while the task is this process's alone, or False: another one has it."""
    with open_lock(task) as file:
        held = lock(file)
        try:
            yield held
        finally:
            if held:
                unlock(file)


def open_lock(task):
    try:
        task.job.state_folder.mkdir(exist_ok=True)
        return open(task.state(".lock"), "a+b")
    except OSError as error:
        raise FileError(task.job.state_folder, f"cannot be written: {error.strerror}") from None


def lock(file):
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    except OSError:
        return False
    return True


def unlock(file):
    if fcntl is None:
        file.seek(0, os.SEEK_SET)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

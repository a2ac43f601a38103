# SPDX-License-Identifier: GPL-3.0-or-later
"""A task, and each of its outputs, is done by one process at a time, on whatever machine; and no two jobs write one
file."""

import errno
import json
import os
from contextlib import ExitStack, contextmanager
from pathlib import Path

from .. import windows
from ..errors import FileError
from ..files import make_folder, read_ordinary, reported
from .job import not_a_link, state_folder_of

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None
    import msvcrt

TAKEN = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES)
LOCKED_BYTE = 1 << 30  # far behind what is written: no one reads a locked byte of Windows


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
    make_folder(place.parent)
    with reported(place.parent):
        file = open(windows.openable(place), "a+b")
    with file:
        held = lock(place, file)
        try:
            yield held
        finally:
            if held and fcntl is None:
                file.seek(LOCKED_BYTE)
                msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)


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
        problem = f"cannot be locked: {error.strerror}; a job needs a file system with locks"
        raise FileError(place, problem) from None
    return True


def check_owner(task):
    """Refuse to overwrite what another job has written. The task must be claimed."""
    for output in task.outputs:
        owner = owner_of(output)
        paths = map(windows.openable, (owner, task.job.path))
        if owner is not None and not os.path.samefile(*paths):
            raise FileError(output, f"belongs to the job {owner}; two jobs cannot share an output")


def owner_of(output):
    """The file of the job that wrote it, or None where that, or its record, is no more."""
    place = lock_beside(output)
    try:
        found = json.loads(read_ordinary(place))
        job = Path(os.path.realpath(output.parent / found["job"]))
        record = state_folder_of(job) / f"{found['task']}.json"
    except (FileError, OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    there = all(os.path.isfile(windows.openable(path)) for path in (job, record))
    return job if there else None


def note_owner(task):
    """From now on they are this job's. The path is relative: folders move, and machines name them differently."""
    for output in task.outputs:
        job = Path(os.path.relpath(task.job.path, output.parent)).as_posix()
        place = lock_beside(output)
        # the file that is locked, not a new one
        with reported(place), open(windows.openable(place), "wb") as file:
            file.write(json.dumps({"job": job, "task": task.name}).encode())

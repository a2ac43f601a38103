"""Whose an output is: two jobs that write one file would never be finished both.

The file of the lock beside an output names the job and the task that wrote it last, whose claim holds as long as that job
and its record are there.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import os
from pathlib import Path

from .. import windows
from ..errors import FileError
from ..reading import read_ordinary
from .claim import lock_beside
from .job import state_folder_of


def check_owner(task):
    """Refuse to overwrite what another job has written. The task must be claimed."""
    for output in task.outputs:
        owner = owner_of(output)
        if owner is not None and not same_file(owner, task.job.path):
            problem = f"belongs to the job {owner}; two jobs cannot have one output"
            raise FileError(output, problem)


def same_file(*paths):
    return os.path.samefile(*map(windows.openable, paths))


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
        try:
            # the file that is locked, not a new one
            with open(windows.openable(place), "wb") as file:
                file.write(json.dumps({"job": job, "task": task.name}).encode())
        except OSError as error:
            raise FileError(place, f"cannot be written: {error.strerror}") from None

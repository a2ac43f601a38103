"""A task of a job whose shot is a .blend file: a Blender without a window bakes it, by the add-on's own operator.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import os
import shutil
import subprocess

from ..errors import MuslinError, printable
from . import exits

# What it shall do is said behind the --, where nothing is taken for Python.
EXPRESSION = "import bpy; bpy.ops.muslin.bake_task()"


def arguments(blend, job, task, threads, more=()):
    """Of `blender`, for one task."""
    run = ["-b", "-t", threads, blend, "--python-exit-code", exits.FAILED]
    said = ["--python-expr", EXPRESSION, "--", job, task, "--threads", threads, *more]
    return [str(one) for one in (*run, *said)]


def command(blender, task, threads, more=()):
    """The whole command line; a MuslinError where there is no such Blender."""
    program = shutil.which(blender)
    if program is None:
        raise MuslinError(None, f"--blender: there is no program {printable(blender)}")
    return [program, *arguments(task.shot.blend, task.job.path, task.name, threads, more)]


def run(whole):
    """In place of this process where that is possible, so that signals reach Blender; gives the exit code."""
    if os.name == "posix":
        os.execv(whole[0], whole)
    return subprocess.call(whole)

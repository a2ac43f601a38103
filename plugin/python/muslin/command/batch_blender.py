"""A task of a job whose shot is a .blend file: a Blender without a window bakes it, by the add-on's own operator.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import os
import shutil
import subprocess
import time

from .. import library
from ..errors import MuslinError, printable
from . import exits
from .kin import ends_with_this
from .simulation import noted_signals

LOOK_EVERY = 0.1  # s
OWN_LIBRARY = "MUSLIN_OWN_LIBRARY"  # tools/muslin says it
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


def environment():
    """Of a Blender: the library that tools/muslin names is that of the command line, unless the user named it."""
    found = dict(os.environ)
    if found.pop(OWN_LIBRARY, "") == found.get(library.ENVIRONMENT_VARIABLE):
        del found[library.ENVIRONMENT_VARIABLE]
    return found


def run(whole):
    """Wait for it, or end it where this process is to end; gives the exit code."""
    process = subprocess.Popen(whole, env=environment(), preexec_fn=ends_with_this())
    with noted_signals() as stop, process:
        while process.poll() is None and not stop.asked:
            time.sleep(LOOK_EVERY)
        if not stop.asked:
            return process.returncode if process.returncode >= 0 else exits.FAILED
        process.terminate()
    return exits.INTERRUPTED

# SPDX-License-Identifier: GPL-3.0-or-later
"""The command of one task of a job: of `drape` where its bodies are files; a Blender without a window, which bakes by the
add-on's own operator, where its shot is a .blend file."""

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager

from .. import exits, library
from ..errors import FileError, MuslinError, printable, refuse
from ..farm.work import Outcome
from . import drape, values
from .simulation import ends_with_this, noted_signals

# What the job itself says, or the caller of the batch.
NOT_SETTINGS = (
    *("help", "garment", "body", "output", "last_frame", "threads"),
    *("stats", "verdict", "fit_report", "record"),
)


class RefusingParser(values.Parser):
    """Refuses as the rest of the command line does, and not by ending the process."""

    def error(self, message):
        refuse(message)


class DrapeOptions:
    """The options of drape, made once."""

    def __init__(self):
        self._parser = RefusingParser(prog="muslin")
        commands = self._parser.add_subparsers(dest="command", required=True)
        drape.add_command(commands)
        actions = commands.choices["drape"]._actions
        self._kinds = {one.dest: one for one in actions if one.dest not in NOT_SETTINGS}

    def parse(self, arguments):
        return self._parser.parse_args(["drape", *arguments])

    def check(self, task):
        """Refuse what drape would refuse without reading a mesh: a setting by its field, several by their task."""
        for name, value in task.settings.items():
            with refused_at(task, task.origin(name)):
                self.parse(["--garment=g.obj", "--output=g.pc2", *self.of_setting(name, value)])
        with refused_at(task, task.name):
            drape.check_options(self.of_task(task, task.outputs, threads=1)[1])

    def of_setting(self, name, value):
        """One setting as arguments, each value joined to its option: `true` is a switch, a list one value each, or
        numbers with commas."""
        kind = self._kinds.get(name)
        if kind is None:
            refuse("is not a setting of drape; muslin drape --help lists its options")
        option = values.spelled(name)
        if isinstance(value, bool) and kind.nargs in (0, "?"):
            return [option] if value else []
        if kind.nargs == 0:
            refuse("must be true or false")
        parts = value if isinstance(value, list) else [value]
        if any(isinstance(part, bool) for part in parts):
            refuse("must be a number or a word, not true or false")
        texts = [part if isinstance(part, str) else repr(part) for part in parts]
        numbers = all(isinstance(part, (int, float)) for part in parts)
        if numbers or not isinstance(kind, argparse._AppendAction):
            return [f"{option}={','.join(texts)}"]
        return [f"{option}={text}" for text in texts]

    def of_task(self, task, outputs, threads):
        """All arguments of `muslin drape` but the command's name, and what they mean."""
        found = []
        for mesh, output in zip(task.garment.meshes, outputs):
            found += [f"--garment={mesh}", f"--output={output}"]
        for name, value in task.settings.items():
            found += self.of_setting(name, value)
        found.append(f"--threads={threads}")
        options = self.parse(found)
        # not read from the arguments: a folder may have the .pc2: in its name that parts motion and mesh
        options.body = [
            values.BodySource(str(body.mesh), body.motion and str(body.motion))
            for body in task.shot.bodies
        ] or None
        for mesh, motion in task.shot.bodies:
            found.append(f"--body={mesh}" if motion is None else f"--body={motion}:{mesh}")
        return found, options


@contextmanager
def refused_at(task, where):
    """What is refused meanwhile is so for this place in the job's file."""
    try:
        yield
    except MuslinError as error:
        raise FileError(task.job.path, f"{printable(where)}: {error.message}") from None


def simulate(task, outputs, threads):
    """Drape in this process; gives an Outcome."""
    verdict = task.state(".verdict.json")
    verdict.unlink(missing_ok=True)
    arguments, options = DrapeOptions().of_task(task, outputs, threads)
    options.verdict = str(verdict)
    options.keeps_part = False
    print("muslin: drape", shlex.join(arguments), file=sys.stderr, flush=True)
    try:
        code = drape.drape(options)
    except MuslinError as error:
        print(f"muslin: {error}", file=sys.stderr)
        return Outcome(exits.BAD_INPUT, reason=error.message)
    try:
        found = json.loads(verdict.read_bytes())
    except OSError:
        found = {}
    verdict.unlink(missing_ok=True)
    for moment in ("start", "end"):  # places are for who looks at one garment
        found.get(moment, {}).pop("places", None)
    reason = options.failure or ("" if code == exits.OK else "see its log")
    return Outcome(code, found, reason=reason)


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
        refuse(f"--blender: there is no program {printable(blender)}")
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

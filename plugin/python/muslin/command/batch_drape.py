"""A task of a job whose bodies are files: the settings of the job are options of `drape`.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import json
import shlex
import sys

from ..errors import FileError, MuslinError
from ..farm.work import Outcome
from . import drape, exits
from .argument_lists import join_negative_values

# What the job itself says, or whoever runs it.
NOT_SETTINGS = (
    *("help", "garment", "body", "output", "last_frame", "threads"),
    *("stats", "verdict", "fit_report", "record"),
)


class Parser(argparse.ArgumentParser):
    """Refuses as the rest of the command line does, and not by ending the process."""

    def error(self, message):
        raise MuslinError(None, message)


class DrapeOptions:
    """The options of drape, made once."""

    def __init__(self):
        self._parser = Parser(prog="muslin", allow_abbrev=False)
        commands = self._parser.add_subparsers(dest="command", required=True)
        drape.add_command(commands)
        actions = commands.choices["drape"]._actions
        self._kinds = {one.dest: one for one in actions if one.dest not in NOT_SETTINGS}

    def parse(self, arguments):
        return self._parser.parse_args(join_negative_values(["drape", *arguments]))

    def check(self, task):
        """Refuse what drape would refuse, with the field of the job's file."""
        for name in task.settings:
            try:
                given = self.of_setting(name, task.settings[name])
                self.parse(["--garment", "g.obj", "-o", "g.pc2", *given])
            except MuslinError as error:
                where = task.origin(name)
                raise FileError(task.job.path, f"{where}: {error.message}") from None

    def of_setting(self, name, value):
        """One setting as arguments: `true` is a switch, a list one value each, or their numbers with commas."""
        kind = self._kinds.get(name)
        if kind is None:
            raise MuslinError(None, "is no setting of drape; muslin drape --help lists its options")
        option = "--" + name.replace("_", "-")
        if kind.nargs == 0:
            if not isinstance(value, bool):
                raise MuslinError(None, "must be true or false")
            return [option] if value else []
        if isinstance(value, bool):
            raise MuslinError(None, "must be a number or a word, not true or false")
        if not isinstance(value, list):
            return [option, spelled(value)]
        numbers = all(isinstance(part, (int, float)) for part in value)
        if numbers or not isinstance(kind, argparse._AppendAction):
            return [option, ",".join(map(spelled, value))]
        return [argument for part in value for argument in (option, spelled(part))]

    def of_task(self, task, outputs, threads):
        """All arguments of `muslin drape` but the command's name."""
        found = []
        for mesh, output in zip(task.garment.meshes, outputs):
            found += ["--garment", str(mesh), "-o", str(output)]
        for body in task.shot.bodies:
            moved = "" if body.motion is None else f"{body.motion}:"
            found += ["--body", f"{moved}{body.mesh}"]
        for name, value in task.settings.items():
            found += self.of_setting(name, value)
        return [*found, "--threads", str(threads)]


def spelled(value):
    return value if isinstance(value, str) else repr(value)


def simulate(task, outputs, threads):
    """Drape in this process; gives an Outcome."""
    verdict = task.state(".verdict.json")
    verdict.unlink(missing_ok=True)
    options = DrapeOptions()
    arguments = options.of_task(task, outputs, threads)
    print("muslin: drape", shlex.join(arguments), file=sys.stderr, flush=True)
    try:
        code = drape.drape(options.parse([*arguments, "--verdict", str(verdict)]))
    except MuslinError as error:
        print(f"muslin: {error}", file=sys.stderr)
        return Outcome(exits.BAD_INPUT, reason=error.message)
    try:
        found = json.loads(verdict.read_bytes())
    except OSError:
        found = {}
    verdict.unlink(missing_ok=True)
    reason = "" if code == exits.OK else "the simulation failed; its log tells at which frame"
    return Outcome(code, without_places(found), reason=reason)


def without_places(verdict):
    """A record keeps numbers; places are for who looks at one garment."""
    for moment in ("start", "end"):
        verdict.get(moment, {}).pop("places", None)
    return verdict

# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of all commands and options, from the parsers that read them."""

import argparse
import os
import re
from unittest import mock

from muslin import fabrics
from muslin.command import make_parser
from pages import markdown

HEAD = """\
What `tools/muslin COMMAND --help` prints, for every command. With the wheel installed the command is `muslin`.
[The guide](../guide/command_line.md) says how to work with them; [settings.md](settings.md) has what the words of a choice
mean."""

PROCESSORS = r", here \d+"  # how many this machine has


def text(_root):
    """The page: the same on every machine, so without the user's own fabrics."""
    with mock.patch.dict(os.environ, {fabrics.FOLDERS: ""}):
        parser = make_parser()
    commands = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    short = {action.dest: action.help for action in commands._choices_actions}
    links = [(f"[{name}](#{name})", markdown.sentence(short[name])) for name in commands.choices]
    parts = [HEAD, markdown.table(("command", ""), links)]
    shown = {}  # the command that a row of a table stands at
    for name, command in commands.choices.items():
        parts += _command(name, command, shown)
    return markdown.page("The command line: every option", *parts)


def _command(name, command, shown):
    """Its heading, what it does, a table for each group of options, and what it shares with commands above (`shown`)."""
    yield f"## {name}"
    yield _words(command.description or "")
    shared = {}
    for group in command._action_groups:
        actions = [
            a for a in group._group_actions if a.help != argparse.SUPPRESS and a.dest != "help"
        ]
        rows = [(_spelling(action), _help(action, command)) for action in actions]
        known = [row for row in rows if row[0][1] == "-" and shown.setdefault(row, name) != name]
        for row in known:
            shared.setdefault(shown[row], []).append(row[0])
        rows = [row for row in rows if row not in known]
        if rows:
            yield markdown.table((group.title, ""), rows)
    for other, spellings in shared.items():
        yield f"As in [{other}](#{other}): {', '.join(spellings)}."


def _spelling(action):
    if not action.option_strings:
        return markdown.code(action.metavar or action.dest)
    value = _value(action)
    return ", ".join(markdown.code(f"{option}{value}") for option in action.option_strings)


def _value(action):
    """What follows the option, as argparse shows it."""
    if action.nargs == 0:
        return ""
    metavar = action.metavar or action.dest.upper()
    if action.choices is not None and action.metavar is None:
        metavar = "{" + ",".join(map(str, action.choices)) + "}"
    if isinstance(metavar, tuple):
        metavar = " ".join(metavar)
    return f" [{metavar}]" if action.nargs == "?" else f" {metavar}"


def _help(action, command):
    """The help with its default filled in; argparse writes %% for %."""
    values = {**vars(action), "prog": command.prog}
    said = re.sub(PROCESSORS, "", _words((action.help or "") % values))
    return markdown.sentence(said)


def _words(said):
    return re.sub(r"\s+", " ", said).strip()

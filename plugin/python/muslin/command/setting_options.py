# SPDX-License-Identifier: GPL-3.0-or-later
"""Options made from the table of settings: spelling, range, help and default of each."""

from ..table import SETTINGS, section
from . import values


def add_section(group, name, by_hand=(), notes=None, **changes):
    """An option for each setting of a section but those made `by_hand`. notes: what the help adds. changes: as in
    add_setting()."""
    for setting in section(name):
        if setting.name not in by_hand:
            add_setting(group, setting.name, (notes or {}).get(setting.name, ""), **changes)


def add_setting(group, name, note="", **changes):
    """The option of one setting; `changes` are argparse's, in place of those of the table."""
    setting = SETTINGS[name]
    meaning = {"help": help_of(setting, note)}
    if setting.type == "flag":
        meaning["action"] = "store_true"
    elif setting.type == "choice":
        meaning["choices"] = [choice.option for choice in offered(setting)]
    elif setting.length > 1:
        meaning.update(type=values.vector, metavar="X,Y,Z")
    else:
        meaning["type"] = values.ranged(setting)
        meaning["metavar"] = "N" if setting.type == "int" else "X"
    group.add_argument(values.spelled(name), **{**meaning, **changes})


def offered(setting):
    return [choice for choice in setting.enum.choices if choice.option]


def help_of(setting, note=""):
    """What the help says of a setting: meaning, unit, note, range and default."""
    if setting.enum:
        words = setting.enum.help  # a sentence as a part of another
        parts = [words[0].lower() + words[1:].rstrip("."), setting.help]
        parts += [f"{choice.option}: {choice.help}" for choice in offered(setting)]
    else:
        narrow = setting.most is not None and setting.type != "flag"
        facts = (setting.help, setting.unit, setting.range_words() if narrow else "")
        parts = [", ".join(filter(None, facts))]
    line = "; ".join(filter(None, parts))
    if note:
        line += (". " if note[0].isupper() else "; ") + note
    line = line.replace("%", "%%")
    return line if setting.type == "flag" else line + default_of(setting)


def default_of(setting):
    """The default as the command line spells it; nothing where the help says what it means."""
    value = setting.default
    if setting.enum:
        text = next(choice.option for choice in setting.enum.choices if choice.word == value)
    else:
        numbers = value if setting.length > 1 else [value]
        text = ",".join(f"{number:.6g}" for number in numbers)
        text = setting.zero if setting.zero and value == 0 else text
    return f" (default {text})"


def given(options):
    """The settings among parsed options that were given, in the words of `Cloth`."""
    found = {}
    for name, setting in SETTINGS.items():
        value = getattr(options, name, None)
        if setting.section is None or value is None or value is False:
            continue
        if setting.enum:
            value = next(choice.word for choice in offered(setting) if choice.option == value)
        found[name] = value
    return found

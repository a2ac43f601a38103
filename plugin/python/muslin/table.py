# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of settings: every number that crosses the boundary, with unit, range, default and words.

Read from settings.json, which stands beside this package where it is installed and in plugin/settings
in the sources. Needs neither NumPy nor the native library: Blender reads it when the add-on is enabled.
"""

import copy
import json
import math
from collections import namedtuple
from pathlib import Path

TYPES = ("float", "int", "flag", "choice", "struct", "array")

# word: as settings spell it. option: as the command line does, None where it does not offer it.
Choice = namedtuple("Choice", "name value word label help option")
Enum = namedtuple("Enum", "name prefix help choices")
Struct = namedtuple("Struct", "name help settings")
# What a solver or a model can. solvers, models: the words of those that can. lacking: what the library says where it is
# refused; empty: it is left out silently.
Ability = namedtuple("Ability", "name solvers models lacking help")
Table = namedtuple("Table", "version abilities enums structs arguments maps")
WOVEN = "woven"  # the model of a solver that takes no other
# What a setting has that does not say otherwise: its facts, and where it is used. header: what only muslin.h says.
FACTS = {"of": None, "length": 1, "unit": "", "checked": True, "since": 1, "help": "", "header": ""}
USES = {"section": None, "addon": {}, "panel": "fabric", "rebuild": False, "fabric": True}
USUAL = {**FACTS, **USES, "needs": None, "zero": None}


class TableError(Exception):
    """The table contradicts itself."""


class Setting:
    """One field of a struct, or one argument of a function.

    least, most: the ends of its range, None where there is none; above, below: whether they are outside of it. enum: the
    Enum of a choice. nested: the struct's name. section: of the command line's options. addon: what Blender's property
    takes besides, such as its precision. panel: the section of the add-on's panel that shows a number of the material.
    rebuild: True where only a new cloth takes another value; or the part that a cloth has only if one of the part's
    numbers is not 0 when it is built. fabric: whether it is a matter of the fabric. needs: the name of the Ability
    without which it does nothing or is refused. zero: a word that stands for 0, or None.
    """

    def __init__(self, entry, enums):
        entry = {**USUAL, **entry}
        self.name, self.type = entry.pop("name"), entry.pop("type")
        vars(self).update((name, entry.pop(name)) for name in USUAL)
        self.enum = enums[entry.pop("enum")] if self.type == "choice" else None
        self.nested = entry.pop("struct", None)
        self.above, self.below = "above" in entry, "below" in entry
        self.least = entry.pop("above", entry.pop("least", None))
        self.most = entry.pop("below", entry.pop("most", None))
        self.label = entry.pop("label", self.name.replace("_", " ").title())
        self.default = entry.pop("default", 0 if self.length == 1 else [0] * self.length)
        if self.type == "flag":
            self.least, self.most = 0, 1
        self._check(entry)

    def _check(self, left):
        if left or self.type not in TYPES:
            raise TableError(f"{self.name}: not understood: {self.type} {' '.join(left)}")
        if self.type == "choice":
            if self.default not in [choice.word for choice in self.enum.choices]:
                raise TableError(f"{self.name}: {self.default} is no word of {self.enum.name}")
        elif self.type in ("float", "int", "flag") and self.checked and self.default:
            numbers = self.default if self.length > 1 else [self.default]
            if len(numbers) != self.length or not all(map(self.holds, numbers)):
                raise TableError(f"{self.name}: its default {self.default} is out of its range")

    @property
    def is_number(self):
        """Something that a caller sets by name, not an array or a struct."""
        return self.type not in ("struct", "array")

    def holds(self, value):
        """Whether a number is in the range."""
        least = -math.inf if self.least is None else self.least
        most = math.inf if self.most is None else self.most
        is_end = (self.above and value == least) or (self.below and value == most)
        return math.isfinite(value) and least <= value <= most and not is_end

    def narrowed(self):
        """The same with the range of Blender's field, which the `addon` entry may make narrower."""
        found = copy.copy(self)
        if "min" in self.addon:
            found.least, found.above = self.addon["min"], False
        if "max" in self.addon:
            found.most, found.below = self.addon["max"], False
        return found

    def range_words(self):
        """The range in words; empty where every number will do."""
        if None not in (self.least, self.most) and not self.above and not self.below:
            return f"from {self.least:g} to {self.most:g}"
        least, most = "above" if self.above else "at least", "below" if self.below else "at most"
        ends = ((least, self.least), (most, self.most))
        return " and ".join(f"{word} {end:g}" for word, end in ends if end is not None)


def find(path):
    """A data file or folder, by its path in `plugin` of the sources; an installed package has it inside."""
    package = Path(__file__).resolve().parent
    inside = package / Path(path).name
    return inside if inside.exists() else package.parents[1] / path


def read(path):
    content = json.loads(Path(path).read_text("utf-8"))
    enums = {name: _enum(name, entry) for name, entry in content["enums"].items()}
    structs = {
        name: Struct(name, entry["help"], [Setting(field, enums) for field in entry["fields"]])
        for name, entry in content["structs"].items()
    }
    arguments = [Setting(entry, enums) for entry in content["arguments"]]
    maps = {entry["name"]: Setting(entry, enums) for entry in content["maps"]}
    missing = {"solvers": (), "models": (), "lacking": ""}
    abilities = {one["name"]: Ability(**{**missing, **one}) for one in content["abilities"]}
    return Table(content["version"], abilities, enums, structs, arguments, maps)


def enum_of_maps(table):
    """The kinds of per-vertex maps, by their places in the table."""
    kinds = []
    for place, (name, setting) in enumerate(table.maps.items()):
        kinds.append(Choice(name.upper(), place, name, setting.label, setting.help, None))
    return Enum("Map", "MUSLIN_MAP_", "What a per-vertex map is a factor on.", kinds)


def _enum(name, entry):
    words = "".join("_" + letter if letter.isupper() else letter for letter in name).upper()
    prefix = entry.get("prefix", f"MUSLIN{words}_")
    return Enum(name, prefix, entry["help"], [_choice(choice) for choice in entry["choices"]])


def _choice(entry):
    word = entry.get("word", entry["name"].lower())
    option = entry.get("option", word.replace("_", "-")) or None
    label = entry.get("label", word.title())
    return Choice(entry["name"], entry["value"], word, label, entry["help"], option)


def section(name):
    """The settings of a section of the command line, in the table's order."""
    return [setting for setting in SETTINGS.values() if setting.section == name]


def takes(name, solver=None, model=None):
    """Whether a solver, and a model, act on a setting; None: the default."""
    ability = TABLE.abilities.get(SETTINGS[name].needs)
    solver = solver or SETTINGS["solver"].default
    if ability is None or solver in ability.solvers:
        return True
    can_choose = solver in TABLE.abilities["models"].solvers
    return (model or SETTINGS["model"].default if can_choose else WOVEN) in ability.models


def parts_of(numbers):
    """The parts of a cloth that these settings, by name, ask for: it must have them from its start."""
    found = set()
    for name, setting in SETTINGS.items():
        value = numbers.get(name, 0)
        if isinstance(setting.rebuild, str) and any(
            value if hasattr(value, "__len__") else [value]
        ):
            found.add(setting.rebuild)
    return found


TABLE = read(find("settings/settings.json"))
SETTINGS = {
    setting.name: setting
    for settings in (*(struct.settings for struct in TABLE.structs.values()), TABLE.arguments)
    for setting in settings
    if setting.is_number
}
MAPS = TABLE.maps  # by name
MAP_OPTIONS = tuple(f"{name}_map" for name in MAPS)  # of the command line and of jobs

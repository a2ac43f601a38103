# SPDX-License-Identifier: GPL-3.0-or-later
"""One file of a fabric: read with all its numbers checked, or refused with file, field and value.

Two formats are known. Our own has `material`, with settings of MuslinMaterial; the one of measured fabrics
(measured_fabric.py) has `stretching`. Needs neither NumPy nor the native library.
"""

import difflib
import json
import os
from collections import namedtuple

from .errors import FileError, printable
from .files import parse_json, read_ordinary, write_atomic
from .measured import measured_fabric
from .table import SETTINGS, TABLE, takes

LARGEST_FILE = 1_000_000  # bytes; a fabric has a few hundred
LARGEST_NUMBER = 2**31 - 1  # of a fabric, as .blend files keep it
LONGEST = {"label": 80, "help": 400, "source": 400}  # characters: menus and tables show them
LARGEST_FLOAT = 3.4028234663852886e38  # what the library's float holds
# the same above 0; it would make less of smaller ones, or nothing
LEAST_FLOAT = 1.1754943508222875e-38
NOT_SAID = "not said"
# Without one of these a fabric would silently be the default one in part.
NEEDED = ("density", "stretch_warp", "stretch_weft", "shear", "bend")
FIELDS = ("label", "help", "number", "source", "model", "material", "contact")
CONTACT = ("thickness", "friction")  # of MuslinBody: contact of the fabric with bodies and itself
MEMBRANE = "membrane"
OF_MEMBRANES = tuple(name for name, one in SETTINGS.items() if one.needs == "continuum")

# source: where the numbers come from. model: the word of a Model, None: the caller's. contact: thickness (m) and
# friction, as far as the file has them. number: what .blend files know it by, None where the file has none.
Fabric = namedtuple("Fabric", "name number label help source model material contact path")


def read_fabric(path):
    """The Fabric in a file, which gives it its name; a FileError names the file, the field and the value."""
    content = parse_json(path, text_of(path))
    if not isinstance(content, dict):
        problem = f"{shown(content)} is not an object with fields"
        raise FileError(path, f"this is not a fabric: {problem}")
    if measured_fabric.is_one(content):
        content = measured_fabric.converted(content, Fields(path))
    return fabric_of(path, content)


def write_fabric(path, content):
    """What read_fabric would read, refused with the same words where it would not."""
    fabric_of(path, content)
    write_atomic(path, (json.dumps(content, indent=2) + "\n").encode())


def text_of(path):
    """The text of an ordinary file of moderate size."""
    data = read_ordinary(path, LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise FileError(path, f"this is too large: it has more than {LARGEST_FILE:,} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(path, f"this is not UTF-8 text: byte {error.start} is wrong") from None


def shown(value):
    """A value as the file has it, shortened."""
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."


class Fields:
    """Takes values out of a file's content; what is wrong is refused with the field and the value."""

    def __init__(self, path):
        self.path = path

    def refuse(self, field, problem):
        raise FileError(self.path, f"{field}: {problem}")

    def needed(self, content, field, inside=""):
        if field not in content:
            self.refuse(inside + field, "is missing")
        return content[field]

    def only(self, content, known, inside=""):
        """Refuse fields that are not known, and say which one may be meant."""
        for field in content:
            if field not in known:
                close = difflib.get_close_matches(field, known, 1)
                advice = f"; did you mean {close[0]}?" if close else ""
                given = shown(content[field])
                self.refuse(inside + field, f"{given}: there is no such field{advice}")

    def text(self, content, field, otherwise):
        value = content.get(field, otherwise)
        if not isinstance(value, str) or not value.strip():
            self.refuse(field, f"{shown(value)} is not text")
        words = " ".join(value.split())
        if not words.isprintable():  # control characters, halves of characters
            self.refuse(field, f"{shown(value)} cannot be printed")
        count, most = len(words), LONGEST[field]
        if count > most:
            self.refuse(field, f"{shown(value)} has {count} characters, expected at most {most}")
        return words

    def group(self, content, field):
        value = content.get(field, {})
        if not isinstance(value, dict):
            self.refuse(field, f"{shown(value)} is not an object with fields")
        return value

    def number(self, field, value):
        """A finite number that the library can hold."""
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.refuse(field, f"{shown(value)} is not a number")
        if not abs(value) <= LARGEST_FLOAT:  # also where it is none, as NaN
            self.refuse(field, f"{shown(value)} is not a finite number")
        if 0 < abs(value) < LEAST_FLOAT:
            self.refuse(field, f"{shown(value)} is too small to distinguish from 0")
        return float(value)

    def setting(self, field, value, name):
        """What a setting may be: a number that the library takes and Blender's field shows, or as many as it has."""
        setting = SETTINGS[name].narrowed()
        if setting.length == 1:
            return self._in_range(field, value, setting)
        if not isinstance(value, list) or len(value) != setting.length:
            count = f"{len(value)} values" if isinstance(value, list) else shown(value)
            self.refuse(field, f"expected a list of {setting.length} numbers, got {count}")
        return [self._in_range(f"{field}[{at}]", each, setting) for at, each in enumerate(value)]

    def _in_range(self, field, value, setting):
        number = self.number(field, value)
        if setting.type != "float" and number != int(number):
            self.refuse(field, f"{shown(value)} is not a whole number")
        if not setting.holds(number):
            unit = f" {setting.unit}" if setting.unit else ""
            self.refuse(field, f"{shown(value)} is not {setting.range_words()}{unit}")
        return number


def fabric_of(path, content):
    """A Fabric of a file's content, once all of it is found to be right."""
    fields = Fields(path)
    fields.only(content, FIELDS)
    name = os.path.splitext(os.path.basename(path))[0]
    fields.needed(content, "material")
    material = fields.group(content, "material")
    known = [setting.name for setting in TABLE.structs["Material"].settings]
    fields.only(material, known, "material.")
    for needed in NEEDED:
        fields.needed(material, needed, "material.")
    contact = fields.group(content, "contact")
    fields.only(contact, CONTACT, "contact.")
    material = {key: fields.setting(f"material.{key}", material[key], key) for key in material}
    words = [choice.word for choice in SETTINGS["model"].enum.choices]
    model = content.get("model")
    if model is not None and model not in words:
        fields.refuse("model", f"{shown(model)} is not one of {', '.join(words)}")
    check_together(fields, model, material)
    return Fabric(
        name=name.lower(),
        number=number_of(fields, content),
        label=fields.text(content, "label", label_of(name)),
        help=fields.text(content, "help", "Your own fabric"),
        source=fields.text(content, "source", NOT_SAID),
        model=model,
        material=material,
        contact={key: fields.setting(f"contact.{key}", contact[key], key) for key in contact},
        path=str(path),
    )


def check_together(fields, model, material):
    """Refuse what the library would refuse of numbers that are right by themselves: none may show later only."""
    stretch, bend = (material.get(name) or [] for name in ("stretch_samples", "bend_samples"))
    for name in [name for name in OF_MEMBRANES if not takes(name, model=model)]:
        value = material.get(name)
        if any(value) if isinstance(value, list) else value:
            given = f', and not "{model}"' if model else ""
            fields.refuse(f"material.{name}", f'{shown(value)} needs "model": "{MEMBRANE}"{given}')
    if any(stretch):
        if material.get("poisson"):
            problem = "does not go with stretch_samples, which say how much narrower a strip gets"
            fields.refuse("material.poisson", f"{material['poisson']:g} {problem}")
        rows, name = in_rows("stretch_samples", stretch, measured_fabric.STRETCHING)
        measured_fabric.check_stretching(fields, rows, name)
    if any(bend):
        rows, name = in_rows("bend_samples", bend, measured_fabric.BENDING)
        measured_fabric.check_bending(fields, rows, name)


def in_rows(setting, samples, shape):
    """Samples as rows of a table, and what to call the number in a row and a column."""
    columns = shape[1]
    rows = [samples[columns * row : columns * (row + 1)] for row in range(shape[0])]
    return rows, lambda row, column: f"material.{setting}[{columns * row + column}]"


def label_of(name):
    """A file's name as a menu shows it."""
    words = printable(name).replace("_", " ").replace("-", " ").split()
    return " ".join(word[:1].upper() + word[1:] for word in words) or name


def number_of(fields, content):
    if content.get("number") is None:
        return None
    value = fields.number("number", content["number"])
    if value != int(value) or not 0 <= value <= LARGEST_NUMBER:
        given = shown(content["number"])
        fields.refuse("number", f"{given} is not a whole number from 0 to {LARGEST_NUMBER}")
    return int(value)

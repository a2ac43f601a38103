"""Fabrics: the numbers of a material under a name, each in a file of its own.

A file has `label`, `help`, `number`, and in `material` settings of MuslinMaterial; what it leaves out has its
default. .blend files keep the number, so it never changes. Needs neither NumPy nor the native library.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import difflib
import json
from collections import namedtuple

from .errors import MuslinError
from .table import SETTINGS, TABLE, TableError, find

DEFAULT = "cotton"  # whose numbers are the defaults of the material

Fabric = namedtuple("Fabric", "name number label help material")


def read(path):
    """The fabric in a file, which gives it its name."""
    content = json.loads(path.read_text("utf-8"))
    known = {setting.name for setting in TABLE.structs["Material"].settings}
    for name, value in content["material"].items():
        if name not in known or not SETTINGS[name].holds(value):
            raise TableError(f"{path}: no material has {name} {value}")
    return Fabric(
        path.stem, content["number"], content["label"], content["help"], content["material"]
    )


def all_fabrics():
    """Every fabric, in the order in which they are offered; all with the same numbers."""
    found = sorted(map(read, find("fabrics").glob("*.json")), key=lambda fabric: fabric.number)
    named = {name for fabric in found for name in fabric.material}
    defaults = {
        setting.name: setting.default
        for setting in TABLE.structs["Material"].settings
        if setting.name in named
    }
    return [fabric._replace(material={**defaults, **fabric.material}) for fabric in found]


def find_fabric(name):
    """A fabric by its name; a MuslinError that suggests others if there is none."""
    fabrics = {fabric.name: fabric for fabric in all_fabrics()}
    if name.lower() in fabrics:
        return fabrics[name.lower()]
    close = difflib.get_close_matches(name.lower(), fabrics, 2)
    advice = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(fabrics)}"
    raise MuslinError(None, f"there is no fabric {name!r}; {advice}")


def fabric(name):
    """The numbers of a fabric as settings: Cloth(mesh, **fabric("silk"))."""
    return dict(find_fabric(name).material)

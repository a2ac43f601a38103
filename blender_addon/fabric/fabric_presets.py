# SPDX-License-Identifier: GPL-3.0-or-later
"""The artist's own fabrics: one file each among Blender's presets, in the format that all of Muslin reads."""

from pathlib import Path

import bpy

from ..muslin.errors import MuslinError
from ..muslin.fabric_file import CONTACT, read_fabric, write_fabric
from ..muslin.table import TABLE
from ..output.folders import RESERVED
from ..scene.problems import Problem, reported
from . import fabric_list

DIGITS = 7  # as many as a float has
SOURCE = "values set in Blender"


def save(garment, label):
    """A new preset, or new numbers for one of the artist's own; the path of its file."""
    name = file_name(label)
    known = {item[0] for item in fabric_list.items()}
    path = fabric_list.preset_folder() / f"{name}.json"
    if name in known and not path.exists():
        raise Problem(f"A fabric named {name} already exists: choose another name")
    make_folder()
    write(path, garment, label)
    use(garment, name)
    return path


def export(garment, filepath):
    path = Path(bpy.path.abspath(filepath))
    path = path if path.suffix.lower() == ".json" else path.with_name(f"{path.name}.json")
    fabric = fabric_list.chosen(garment)
    write(path, garment, fabric.label if fabric is not None else "Fabric")
    return path


def take(garment, filepath):
    """Someone's file becomes a preset, and the garment's fabric; its label."""
    path = Path(bpy.path.abspath(filepath))
    try:
        fabric = read_fabric(path)
        data = path.read_bytes()
    except (MuslinError, OSError) as error:
        raise Problem(str(error)) from None
    copy = make_folder() / f"{fabric.name}.json"
    if fabric.name in {item[0] for item in fabric_list.items()} and not copy.exists():
        raise Problem(f"A fabric named {fabric.name} already exists: rename the file")
    with reported(f"{copy} cannot be written"):
        if copy.exists() and copy.read_bytes() != data:
            raise Problem(f"Another preset named {fabric.name} already exists: rename the file")
        copy.write_bytes(data)
    use(garment, fabric.name)
    return fabric.label


def is_preset(garment):
    fabric = fabric_list.chosen(garment)
    return fabric is not None and Path(fabric.path).parent == fabric_list.preset_folder()


def remove(garment):
    """Remove the chosen preset; a sentence about it."""
    fabric = fabric_list.chosen(garment)
    with reported(f"{fabric.path} cannot be removed"):
        Path(fabric.path).unlink(missing_ok=True)
    fabric_list.look_again()
    return f"{fabric.label} was removed from the menu; this garment keeps its values"


def file_name(label):
    name = "_".join(label.lower().split())
    if not name or not all(letter.isalnum() or letter in "_-" for letter in name):
        raise Problem("Use letters, digits, spaces, - and _ only")
    return f"_{name}" if RESERVED.match(name) else name


def make_folder():
    folder = fabric_list.preset_folder()
    with reported(f"{folder} cannot be made"):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def write(path, garment, label):
    """A garment's numbers, without tables of measurements that are all zero."""
    settings = [one for one in TABLE.structs["Material"].settings if one.fabric]
    values = {one.name: plain(getattr(garment, one.name)) for one in settings}
    material = {name: of for name, of in values.items() if not isinstance(of, list) or any(of)}
    model = {"model": garment.model} if fabric_list.can_measure(garment.model) else {}
    contact = {name: plain(getattr(garment, name)) for name in CONTACT}
    made = {"label": label, "source": SOURCE, **model, "material": material, "contact": contact}
    try:
        write_fabric(path, made)
    except MuslinError as error:
        raise Problem(str(error)) from None


def use(garment, name):
    fabric_list.look_again()
    garment.fabric = name


def plain(value):
    """A number without the digits that a float adds, or a list of such."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    return [plain(one) for one in value]

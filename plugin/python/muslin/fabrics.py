# SPDX-License-Identifier: GPL-3.0-or-later
"""Fabrics: the numbers of a material under a name, each in a file (fabric_file.py); users add a folder of their own.

A user's file that cannot be used is listed with the reason. .blend files keep a fabric's number, so it never changes.
Needs neither NumPy nor the native library.
"""

import difflib
import os
import zlib
from collections import namedtuple
from pathlib import Path

from .errors import FileError, MuslinError, printable, refuse
from .fabric_file import CONTACT, read_fabric
from .table import SETTINGS, TABLE, TableError, find

DEFAULT = "cotton"  # whose numbers are the defaults of the material
FOLDERS = "MUSLIN_FABRICS"  # the environment's word: folders of the user's fabrics
MOST_FILES = 500  # of the user's: a menu of more is none
FIRST_OWN = 1 << 16  # the least number of a user's fabric, far from those that come with Muslin
# A user's file that is no fabric, and why.
Broken = namedtuple("Broken", "name path reason")


_MORE_FOLDERS = []  # of the program that Muslin is a part of: its presets


def add_folder(folder):
    """Look for the user's fabrics there, too; it need not be there yet."""
    _MORE_FOLDERS.append(Path(folder))


def remove_folder(folder):
    _MORE_FOLDERS.remove(Path(folder))


def user_folders():
    """Where the user's fabrics are: MUSLIN_FABRICS, or muslin/fabrics of the configuration folder if it is there; and
    those of add_folder."""
    named = os.environ.get(FOLDERS)
    more = [folder for folder in _MORE_FOLDERS if folder.is_dir()]
    if named is not None:
        return [Path(folder) for folder in named.split(os.pathsep) if folder] + more
    folder = default_folder()
    return ([folder] if folder is not None and folder.is_dir() else []) + more


def default_folder():
    """The folder of the user's fabrics if nothing else is said; None where the user has no home."""
    configured = os.environ.get("XDG_CONFIG_HOME")
    try:
        base = Path(configured) if configured else Path.home() / ".config"
    except RuntimeError:
        return None
    return base / "muslin" / "fabrics"


def survey():
    """(fabrics, broken): every fabric in the order in which they are offered, and the user's files that are none."""
    found = sorted(map(read_fabric, find("fabrics").glob("*.json")), key=lambda one: one.number)
    if [one.number for one in found] != sorted({one.number for one in found}):
        raise TableError("two fabrics have the same number")
    own, broken = [], []
    for path in user_files(broken):
        try:
            if not path.name.isprintable():
                raise FileError(path, "the name of this file cannot be printed: give it another")
            one, taken = read_fabric(path), {each.name: each.path for each in found + own}
            if one.name in taken:
                problem = f"there is a fabric {one.name!r} already: {taken[one.name]}"
                raise FileError(path, problem)
            own.append(one)
        except MuslinError as error:
            broken.append(Broken(path.stem, str(path), printable(str(error))))
    return [with_defaults(one) for one in found + numbered(found, own)], broken


def user_files(broken):
    """The user's files, sorted; folders that cannot be read are added to `broken`."""
    files = []
    for folder in user_folders():
        try:
            paths = [folder / name for name in os.listdir(folder) if is_listed(name)]
        except OSError as error:
            reason = printable(f"{folder}: cannot be read: {error.strerror}")
            broken.append(Broken(folder.name, str(folder), reason))
            continue
        files += sorted(paths)
    for path in files[MOST_FILES:]:
        problem = f"more than {MOST_FILES} files of fabrics; this one is not read"
        broken.append(Broken(path.stem, str(path), f"{printable(str(path))}: {problem}"))
    return files[:MOST_FILES]


def is_listed(name):
    """Whether a file of a folder is meant to be a fabric; hidden ones are other programs' notes about files."""
    return name.lower().endswith(".json") and not name.startswith(".")


def numbered(found, own):
    """The user's fabrics with numbers: their file's if no one has it, else one that comes from the name."""
    taken = {one.number for one in found}
    result = []
    for one in own:
        number = one.number
        if number is None or number in taken:
            number = FIRST_OWN + zlib.crc32(os.fsencode(one.name)) % (1 << 30)
        while number in taken:
            number += 1
        taken.add(number)
        result.append(one._replace(number=number))
    return result


def with_defaults(one):
    """The same fabric with every number that a fabric can have."""
    settings = TABLE.structs["Material"].settings
    defaults = {setting.name: setting.default for setting in settings if setting.fabric}
    surface = {name: SETTINGS[name].default for name in CONTACT}
    return one._replace(material={**defaults, **one.material}, contact={**surface, **one.contact})


def all_fabrics():
    """Every fabric that can be used, in the order in which they are offered."""
    return survey()[0]


def find_fabric(name):
    """A fabric by its name, or by the path of its file; a MuslinError that suggests others if there is none."""
    if not isinstance(name, (str, os.PathLike)):
        refuse(f"{name!r} is neither the name of a fabric nor the path of its file")
    if looks_like_path(name):
        return with_defaults(numbered([], [read_fabric(os.fspath(name))])[0])
    found, broken = survey()
    fabrics = {one.name: one for one in found}
    if name.lower() in fabrics:
        return fabrics[name.lower()]
    for one in broken:
        if one.name.lower() == name.lower():
            refuse(one.reason)
    close = difflib.get_close_matches(name.lower(), fabrics, 2)
    advice = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(fabrics)}"
    refuse(f"there is no fabric {name!r}; {advice}")


def looks_like_path(name):
    is_path = not isinstance(name, str) or os.path.basename(name) != name
    return is_path or name.lower().endswith(".json")


def is_own(one):
    """Whether a Fabric is a file of the user's, and not one that comes with Muslin."""
    return Path(one.path).parent != find("fabrics")


def has_warp(one):
    """Whether a Fabric differs between warp and weft."""
    numbers = one.material
    measured = any(any(numbers.get(name, ())) for name in ("stretch_samples", "bend_samples"))
    stretch = numbers["stretch_warp"] != numbers["stretch_weft"]
    return measured or stretch or numbers["bend_weft"] != 1


def settings_of(one):
    """The numbers of a Fabric as settings of a cloth, with its model if it needs one."""
    return {**one.material, **({"model": one.model} if one.model else {})}


def fabric(name):
    """The numbers of a fabric as settings: Cloth(mesh, **fabric("silk")); a name, or the path of a file."""
    return settings_of(find_fabric(name))


def fabric_surface(name):
    """Thickness and friction of a fabric: cloth.add_body(mesh, **fabric_surface("silk"))."""
    return dict(find_fabric(name).contact)

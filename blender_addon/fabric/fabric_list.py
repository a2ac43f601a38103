# SPDX-License-Identifier: GPL-3.0-or-later
"""The fabrics that the menu offers: those that come with Muslin, and the files in the user's folder.

The folder is looked at again when the menu is drawn, a second after the last time at the earliest: a new file is
there without a restart. A file that is no fabric is kept apart, with its reason.
"""

import os
import time
from pathlib import Path

import bpy.utils.previews

from ..muslin import fabrics
from ..muslin.table import SETTINGS, takes

LOOK_AGAIN = 1.0  # s
SWATCHES = Path(__file__).resolve().parent / "swatches"  # made by tools/swatches


class FabricList:
    """What was found last. items: as an EnumProperty takes them; Blender keeps pointers to their words."""

    def __init__(self):
        self.forget()

    def forget(self):
        self.looked = None  # when, s
        self.signature = None
        self.fabrics = {}
        self.broken = []
        self.items = []
        self.old_items = []  # a menu that is still open may show these

    def look(self):
        """Read the folder again if something in it has changed."""
        now = time.monotonic()
        if self.looked is not None and now - self.looked < LOOK_AGAIN:
            return self
        self.looked, before = now, self.signature
        self.signature = folder_signature()
        if self.signature != before:
            found, self.broken = fabrics.survey()
            self.fabrics = {one.name: one for one in found}
            self.old_items = self.items
            self.items = [(f.name, f.label, f.help, swatch(f.name), f.number) for f in found]
        return self


def folder_signature():
    """What changes when a file in the user's folders comes, goes or is written: path, time and size of each; of a folder that
    cannot be read, or of a link that leads nowhere or in a circle, why."""
    found = []

    def look(read, path):
        try:
            return read(path)
        except OSError as error:
            found.append((str(path), error.errno, 0))
            return None

    for folder in fabrics.user_folders():
        for path in [folder / name for name in look(os.listdir, folder) or ()]:
            status = look(os.stat, path)
            if status is not None:
                found.append((str(path), status.st_mtime_ns, status.st_size))
    return sorted(found)


_LIST = FabricList()
_PICTURES = {}  # "swatches": Blender's collection of them while the add-on is enabled


def swatch(name):
    """The icon of a fabric; the user's own have none."""
    pictures = _PICTURES.get("swatches")
    return pictures[name].icon_id if pictures is not None and name in pictures else "NONE"


def preset_folder():
    """Beside Blender's own presets, of this user and this version."""
    return Path(bpy.utils.user_resource("SCRIPTS", path="presets")) / "muslin"


def register():
    """Blender reads each picture when it is first shown."""
    pictures = _PICTURES["swatches"] = bpy.utils.previews.new()
    for path in sorted(SWATCHES.glob("*.png")):
        pictures.load(path.stem, str(path), "IMAGE")
    fabrics.add_folder(preset_folder())
    _LIST.forget()  # what was found before had no icons


def unregister():
    fabrics.remove_folder(preset_folder())
    bpy.utils.previews.remove(_PICTURES.pop("swatches"))
    _LIST.forget()


def items(_garment=None, _context=None):
    return _LIST.look().items


def look_again():
    """A file has just been written or removed."""
    _LIST.looked = None


def broken():
    return _LIST.look().broken


def chosen(garment):
    """The fabric of a garment; None: a newer Muslin's, from its .blend, or one whose file is gone."""
    return _LIST.look().fabrics.get(garment.fabric)


def use_fabric(garment, _context=None):
    fabric = chosen(garment)
    if fabric is not None:
        take(garment, fabric)


def take(garment, fabric):
    """A fabric's numbers, its friction and thickness, and the model if it needs one; whether the menu has it or not."""
    for name, value in (*fabric.material.items(), *fabric.contact.items()):
        setattr(garment, name, value)
    if fabric.model:
        garment.model = fabric.model
    elif can_measure(garment.model):
        garment.model = SETTINGS["model"].default


def can_measure(model):
    """Whether it is the model that fabrics with measured stretch need."""
    return takes("stretch_samples", model=model)


def take_numbers(garment):
    fabric = chosen(garment)
    for name, value in fabric.material.items() if fabric else ():
        setattr(garment, name, value)


def is_changed(garment):
    fabric = chosen(garment)
    return fabric is None or any(
        not _same(getattr(garment, name), value) for name, value in fabric.material.items()
    )


def _same(value, wanted):
    if isinstance(wanted, (list, tuple)):
        return all(map(_same, value, wanted))
    return abs(value - wanted) <= 1e-5 * abs(wanted)

# SPDX-License-Identifier: GPL-3.0-or-later
"""How files of Muslin's begin. A cache folder may come from a stranger's .blend and be any folder: what is called as Muslin
would have called it, and begins otherwise, is somebody else's, and is neither replaced nor deleted."""

import os
import re
import stat
import struct

from ..muslin.pc2 import MAGIC as PC2

STATE = b"MUSLIN STATE 1\n"
FIT = b"MUSLIN FIT 1"
# By the last ending; Alembic has had two formats.
BEGINNINGS = {
    ".pc2": (PC2,),
    ".state": (STATE,),
    ".fit": (FIT,),
    ".abc": (b"Ogawa", b"\x89HDF"),
    ".usdc": (b"PXR-USDC",),
}
LONGEST = max(len(each) for several in BEGINNINGS.values() for each in several)
HIDDEN = re.compile(r"\.(.+)\.[0-9a-f]{12}\.freed")  # see Manifest.set_aside
MDD = struct.Struct(">ii")  # frames and vertices


def size_of(path):
    """Bytes of an ordinary file; None for a link, a folder or nothing."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def is_own(path):
    """Is there an ordinary file that begins as Muslin's of this name do? One that was just begun may have less."""
    size = size_of(path)
    if size is None:
        return False
    try:
        with open(path, "rb") as file:
            head = file.read(LONGEST)
    except OSError:
        return False
    name = os.path.basename(path)
    hidden = HIDDEN.fullmatch(name)
    ending = os.path.splitext((hidden[1] if hidden else name).removesuffix(".new"))[1]
    if ending == ".mdd":
        return _is_mdd(head, size)
    known = BEGINNINGS.get(ending, ())
    return any(head[: len(each)] == each[: len(head)] for each in known)


def _is_mdd(head, size):
    """That has no mark of its own, but its counts tell its size."""
    if len(head) < MDD.size:
        return False
    frames, vertices = MDD.unpack(head[: MDD.size])
    return frames > 0 and vertices > 0 and size == MDD.size + frames * (4 + 12 * vertices)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a cache goes: the folder, and a file name that every file system takes."""

import os
import re
import tempfile
import unicodedata

import bpy

from ..scene.problems import Problem

LONGEST = 80  # bytes of UTF-8: file systems take 255, and endings and long folders come on top
RESERVED = re.compile(r"(con|prn|aux|nul|(com|lpt)[\d¹²³]) *(\.|$)", re.IGNORECASE)  # on Windows
UNSAVED = "muslin-unsaved-"  # folders for caches of .blend files that have no place yet

_unsaved = None


def file_name(object_name):
    """The object's name as a file name, without ending. Different objects may get the same one."""
    kept = unicodedata.normalize("NFC", object_name)
    kept = "".join(c if c.isalnum() or c in " -_.()" else "_" for c in kept).strip(" .")
    while len(kept.encode()) > LONGEST:
        kept = kept[:-1]
    kept = kept.rstrip(" .") or "cloth"
    return "_" + kept if RESERVED.match(kept) else kept


def folded(file):
    """What two file names have in common that are one on Windows or macOS."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", file).casefold())


def is_beside(folder):
    """Is a folder, as the artist gave it, meant from the .blend's own?"""
    return folder.startswith("//") or not os.path.isabs(folder)


def absolute(folder):
    """The absolute folder; the .blend has to be saved if it is beside it."""
    if is_beside(folder):
        folder = "//" + folder.removeprefix("//")
    return os.path.normpath(os.path.abspath(bpy.path.abspath(folder)))


def folder_for(folder):
    """The absolute folder of `folder` as the artist gave it, made if need be, and a warning or ""."""
    folder = folder.strip()
    warning = ""
    if is_beside(folder) and not bpy.data.filepath:
        place = _unsaved_folder()
        warning = (
            f"This .blend is not saved yet, so the cache is in the temporary folder {place}. "
            "Save the file to move the cache next to it"
        )
    else:
        place = absolute(folder)
    try:
        os.makedirs(place, exist_ok=True)
    except OSError as error:
        raise Problem(
            f"The cache folder {place} cannot be made: {error.strerror}. Choose another folder"
        ) from None
    return place, warning


def _unsaved_folder():
    """Not Blender's own temporary folder, which is emptied when it ends: a bake may be kept."""
    global _unsaved
    if _unsaved is None or not os.path.isdir(_unsaved):
        _unsaved = tempfile.mkdtemp(prefix=UNSAVED)
    return _unsaved


def is_unsaved(path):
    """Is a cache file in such a folder, of this session or of an earlier one? An untrusted .blend may name any folder."""
    above, folder = os.path.split(os.path.dirname(os.path.realpath(path)))
    return folder.startswith(UNSAVED) and above == os.path.realpath(tempfile.gettempdir())


def as_given(path, folder):
    """The path for Blender: "//..." where the artist's folder is given so and the .blend is saved."""
    if is_beside(folder) and bpy.data.filepath:
        try:
            return bpy.path.relpath(path)
        except ValueError:  # on another drive
            pass
    return path


def blend_from(folder):
    """The current .blend as seen from a folder, so that both can be moved together; "" if unsaved."""
    if not bpy.data.filepath:
        return ""
    try:
        return os.path.relpath(bpy.data.filepath, folder).replace(os.sep, "/")
    except ValueError:
        return bpy.data.filepath

# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a cache goes: the folder, and a file name that every file system takes; and which places the panel may look at by itself.

To open an untrusted .blend, and to draw it, must wake no other disk, server or automount: the panel looks into the .blend's own
folder and into folders that the artist has set, or trusts, since the file was loaded. Buttons look wherever the scene says.
"""

import os
import re
import tempfile
import unicodedata

import bpy

from ..scene.problems import Problem

LONGEST = 80  # bytes of UTF-8: file systems take 255, and endings and long folders come on top
RESERVED = re.compile(r"(con|prn|aux|nul|(com|lpt)[\d¹²³]) *(\.|$)", re.IGNORECASE)  # on Windows
UNSAVED = "muslin-unsaved-"  # folders for caches of unsaved .blend files
MOST_LINKS = 40  # links to follow in a path, as many as Linux does
PREFIX = re.compile(r"^\\\\\?\\(?=[A-Za-z]:)")  # in front of the targets of links on Windows

folders_set = set()  # cache folders that were set since the file was loaded, not brought by it
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
    """The same for two file names that are one on Windows or macOS."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", file).casefold())


def is_beside(folder):
    """Whether a folder, as the artist gave it, is relative to the .blend's own."""
    return folder.startswith("//") or not os.path.isabs(folder)


def absolute(folder):
    if is_beside(folder):
        folder = "//" + folder.removeprefix("//")
    return os.path.normpath(os.path.abspath(bpy.path.abspath(folder)))


def folder_for(folder):
    """The absolute folder of `folder` as the artist gave it, made if need be, and a warning or ""."""
    global _unsaved
    folder = folder.strip()
    warning = ""
    if is_beside(folder) and not bpy.data.filepath:
        # not in Blender's own temporary folder, which is emptied when it ends: a bake may be kept
        if _unsaved is None or not os.path.isdir(_unsaved):
            _unsaved = tempfile.mkdtemp(prefix=UNSAVED)
        place = _unsaved
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


def is_unsaved(path):
    """Is an absolute path, by its words alone, that of a cache in such a folder, of this session or of an earlier one? An untrusted
    .blend may name any folder."""
    above, folder = os.path.split(os.path.dirname(path))
    temporary = tempfile.gettempdir()
    return folder.startswith(UNSAVED) and above in (temporary, os.path.realpath(temporary))


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


def outside(folder):
    """Where `folder`, as the artist gave it, leads if that is not within the .blend's own; "" if it is."""
    if is_beside(folder) and not bpy.data.filepath:
        return ""
    return _led_out(absolute(folder))


def may_look(path):
    """Whether the panel may look at an absolute path without being asked to."""
    given = [f for f in folders_set if bpy.data.filepath or not is_beside(f)]
    is_trusted = any(is_within(path, absolute(folder)) for folder in given)
    return is_trusted or is_unsaved(path) or not _led_out(path)


def _led_out(path):
    if not bpy.data.filepath:
        return path
    home = os.path.dirname(os.path.abspath(bpy.data.filepath))
    return led_out(path, home if is_within(path, home) else os.path.realpath(home))


def is_within(path, folder):
    """By their words alone; both absolute."""
    try:
        return os.path.commonpath((folder, path)) == os.path.normpath(folder)
    except ValueError:  # on another drive
        return False


def led_out(path, home):
    """Where an absolute path leads if that is not within `home`; "" if it is. Links are looked up only within."""
    if not is_within(path, home):
        return path
    place, parts = home, _parts(os.path.relpath(path, home))
    for _ in range(MOST_LINKS):
        place, target, parts = _to_link(place, parts, home)
        if target is None:
            return "" if is_within(place, home) else os.path.normpath(os.path.join(place, *parts))
        if os.path.isabs(target):
            if not is_within(target, home) or os.pardir in _parts(target):
                return os.path.normpath(os.path.join(target, *parts))
            place, target = home, os.path.relpath(target, home)
        parts = _parts(target) + parts
    return path


def _to_link(place, parts, home):
    """Follow the path until it meets a link, leaves home or ends: (place, where the link leads, the rest of the path)."""
    for number, part in enumerate(parts, 1):
        step = os.path.dirname(place) if part == os.pardir else os.path.join(place, part)
        target = None if part == os.pardir else _link(step)
        if target is not None:
            return place, target, parts[number:]
        place = step
        if not is_within(place, home):
            return place, None, parts[number:]
    return place, None, []


def _link(path):
    try:
        return PREFIX.sub("", os.readlink(path))
    except (OSError, ValueError):  # no link, or nothing
        return None


def _parts(path):
    parts = re.split(r"[/\\]" if os.sep == "\\" else "/", path)
    return [part for part in parts if part not in ("", ".")]

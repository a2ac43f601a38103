# SPDX-License-Identifier: GPL-3.0-or-later
"""Which places the panel may look at by itself. To open an untrusted .blend, and to draw it, must wake no other disk, server
or automount: it looks into the .blend's own folder and into folders that the artist has set, or trusts, since the file was
loaded. Buttons look wherever the scene says."""

import os
import re
import tempfile

import bpy

from . import names


folders_set = set()  # cache folders that were set since the file was loaded, not brought by it

MOST_LINKS = 40  # that lead to each other; Linux follows as many
PREFIX = re.compile(r"^\\\\\?\\(?=[A-Za-z]:)")  # before what links of Windows lead to


def outside(folder):
    """Where `folder`, as the artist gave it, leads if that is not within the .blend's own; "" if it is."""
    if names.is_beside(folder) and not bpy.data.filepath:
        return ""
    return _led_out(names.absolute(folder))


def may_look(path):
    """Whether the panel may look at an absolute path without being asked to."""
    return _is_trusted(path) or _is_unsaved(path) or not _led_out(path)


def _is_trusted(path):
    given = [f for f in folders_set if bpy.data.filepath or not names.is_beside(f)]
    return any(is_within(path, names.absolute(folder)) for folder in given)


def _is_unsaved(path):
    """As names.is_unsaved, of the path's words alone: that folder is of this computer."""
    above, folder = os.path.split(os.path.dirname(path))
    temporary = tempfile.gettempdir()
    return folder.startswith(names.UNSAVED) and above in (temporary, os.path.realpath(temporary))


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
    """Goes on until the way meets a link, leaves home or ends: (place, where the link leads, what is left of the way)."""
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
    return [
        part
        for part in re.split(r"[/\\]" if os.sep == "\\" else "/", path)
        if part not in ("", ".")
    ]

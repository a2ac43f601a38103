# SPDX-License-Identifier: GPL-3.0-or-later
"""Every call of the library into a file while the preferences say so: what a report of a bug needs.

A recording begins when the switch is set, or, if it was set already, when the library is first needed. What
goes wrong ends the recording and nothing else; it is reported in the preferences and with the next bake.
"""

import os
import time
from itertools import count

import bpy

from .scene.lookup import addon_preferences

ENDING = ".muslin"

problem = ""  # why nothing is recorded although it is wanted, in words


def switched():
    """The switch or the folder has another value: a new file, or none."""
    stop()
    follow()


def follow():
    """Begin if that is wanted and nothing is recorded yet; a recording that failed stays ended."""
    wanted = addon_preferences()
    if wanted is not None and wanted.record and not problem and path() is None:
        _begin(wanted.record_folder)


def _begin(folder):
    from .muslin import recording
    from .muslin.errors import MuslinError

    folder = os.path.abspath(bpy.path.abspath(folder) if folder else os.path.expanduser("~"))
    recording.report = remember
    try:
        os.makedirs(folder, exist_ok=True)
        recording.start(_free_name(folder))
    except OSError as error:
        remember(f"{folder}: the folder cannot be made: {error.strerror}")
    except MuslinError as error:
        remember(str(error))


def _free_name(folder):
    """Named by the time; several in one second are counted."""
    name = os.path.join(folder, time.strftime("muslin-%Y-%m-%d-%H%M%S"))
    names = (f"{name}{'' if number == 1 else f'-{number}'}{ENDING}" for number in count(1))
    return next(found for found in names if not os.path.exists(found))


def remember(text):
    """Called from any thread."""
    global problem
    problem = f"Nothing is recorded: {text}"


def stop():
    global problem
    problem = ""
    if path() is not None:
        from .muslin import recording

        recording.stop()


def path():
    """The file that is written now, or None."""
    from .muslin import recording

    return recording.path()

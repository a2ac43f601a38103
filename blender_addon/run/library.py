# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the native library can be used here, for panels: they may ask at every redraw.

Asking never loads anything. Looking does: once after a panel was first seen, and when the user asks
for it again.
"""

import platform
from collections import namedtuple

from . import running

# message: in words, what is wrong; empty when all is well. version and path: empty when unknown.
Status = namedtuple("Status", "tried ready version path machine message")

_UNKNOWN = Status(False, False, "", "", platform.machine(), "")
_status = _UNKNOWN


def status():
    """What is known by now."""
    return _status


def look():
    """Find and load the library, and remember how it went. Never raises: a panel must go on."""
    global _status
    machine = platform.machine()
    try:
        running.forget_library_problem()
        message = running.library_problem()
        if message:
            _status = Status(True, False, "", "", machine, message)
        else:
            from ..muslin import library

            _status = Status(True, True, library.version(), str(library.find()), machine, "")
    except Exception as error:  # whatever it is, the user shall read it
        message = str(error) or type(error).__name__
        _status = Status(True, False, "", "", machine, message)
    return _status


def forget():
    """As if nothing had been tried: for a library that was put in its place meanwhile."""
    global _status
    _status = _UNKNOWN

# SPDX-License-Identifier: GPL-3.0-or-later
"""What is different about files on Windows.

A file that another program has open cannot be replaced there, and a path of 260 letters or more is refused unless it is
written in full behind a prefix. On other systems these functions do nothing of their own.
"""

import errno
import ntpath
import os
import sys
import time

ON_WINDOWS = sys.platform == "win32"

# s: how long to wait for whoever reads the file, try after try; about three seconds in all. A virus scanner or a search
# index looks at a new file for less.
WAITS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
# letters: Windows takes 247 of a folder and 259 of a file, and temporary names have up to 22 more than the file's.
LONGEST = 230
PREFIX = "\\\\?\\"
NETWORK = "\\\\"


def replace(source, target):
    """Give `source` the name of `target`, replacing what was there. OSError says who is in the way."""
    source, target = openable(source), openable(target)
    for wait in WAITS if ON_WINDOWS else ():
        try:
            os.replace(source, target)
            return
        except PermissionError:
            time.sleep(wait)
    try:
        os.replace(source, target)
    except PermissionError:
        if not ON_WINDOWS:
            raise
        problem = "it is read-only, or another program has it open; close it there"
        raise OSError(errno.EBUSY, problem, target) from None


def openable(path):
    """The path as open(), and whatever else asks the system for a file, takes it however long it is."""
    if not ON_WINDOWS:
        return path
    whole = ntpath.normpath(ntpath.join(os.getcwd(), path))
    return whole if len(whole) < LONGEST else extended(whole)


def extended(whole):
    """An absolute path of Windows in the form that has no limit: no slashes, no dots, a prefix."""
    if whole.startswith(PREFIX):
        return whole
    if whole.startswith(NETWORK):
        return PREFIX + "UNC\\" + whole[len(NETWORK) :]
    return PREFIX + whole

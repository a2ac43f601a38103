# SPDX-License-Identifier: GPL-3.0-or-later
"""python -m muslin: the command line."""

import os
import sys

from . import exits


def run():
    """Import the command line and run it; Ctrl-C ends it quietly in the imports, too."""
    try:
        leave_current_folder()
        from .command import main

        return main()
    except KeyboardInterrupt:
        return exits.INTERRUPTED


def leave_current_folder():
    """Off Python's path, where `python -m` and an empty item of PYTHONPATH put it: a numpy.py beside a downloaded
    mesh would be executed. This package is found without: it knows its own folder."""
    try:
        here = os.path.realpath(os.curdir)
    except OSError:  # it was removed
        sys.path[:] = filter(os.path.isabs, sys.path)
        return
    sys.path[:] = [folder for folder in sys.path if os.path.realpath(folder or os.curdir) != here]


if __name__ == "__main__":
    sys.exit(run())

"""python -m muslin: the command line.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import sys

INTERRUPTED = 130  # as in command.exits, which may not be there yet


def run():
    """Import the command line and run it; Ctrl-C ends it quietly in the imports, too."""
    try:
        from .command import main

        return main()
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(run())

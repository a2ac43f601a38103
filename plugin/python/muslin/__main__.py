"""python -m muslin: the command line.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import sys

from .command import main

if __name__ == "__main__":
    sys.exit(main())

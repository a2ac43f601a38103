# SPDX-License-Identifier: GPL-3.0-or-later
"""has_modules.py MODULE...: ends with 0 where this Python has them all.

A script and not `python -c`, which looks for the standard library in the current folder first.
find_spec instead of import: importing NumPy costs a tenth of a second, and this runs in every script.
"""

import importlib.util
import sys

if __name__ == "__main__":
    sys.exit(not all(importlib.util.find_spec(name) for name in sys.argv[1:]))

"""The cases of a test file that take long: they run where the environment has MUSLIN_LONG, as in tools/test --all, and with
files that tools/test is given by name (-R).

A file that is long as a whole has this word in tools/test_levels.cmake instead.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import os
import unittest

long_test = unittest.skipUnless(os.environ.get("MUSLIN_LONG"), "long: tools/test --all")

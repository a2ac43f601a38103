# SPDX-License-Identifier: GPL-3.0-or-later
"""The environment of programs that must use what is installed, and nothing of the checkout."""

import os

NOT_PASSED = ("MUSLIN_LIBRARY", "PYTHONPATH")


def plain(**more):
    kept = {name: value for name, value in os.environ.items() if name not in NOT_PASSED}
    return {**kept, **{name: str(value) for name, value in more.items()}}

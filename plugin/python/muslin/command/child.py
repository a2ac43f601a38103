# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts the command line in a process of its own, without the current folder on Python's path, where `python -m
muslin` would execute whatever lies beside a downloaded mesh."""

import os
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
PACKAGES = os.path.dirname(os.path.dirname(HERE))


def run():
    """As a script this folder is first on the path; that of the package takes its place."""
    sys.path[:] = [PACKAGES, *(one for one in sys.path if os.path.realpath(one or ".") != HERE)]
    from muslin.__main__ import run as run_command

    return run_command()


if __name__ == "__main__":
    sys.exit(run())

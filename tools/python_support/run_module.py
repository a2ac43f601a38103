# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a module as `python -m MODULE ARGUMENT...` does, but without the current folder on the path.

`python -m` looks into the current folder first: a numpy.py that lies beside a downloaded mesh would be executed.
As a script, Python looks into this folder instead, and that is taken away again, too.
"""

import os
import runpy
import sys

HERE = os.path.dirname(os.path.realpath(__file__))


def main():
    """Hands the arguments after the module's name to the module."""
    sys.path[:] = [folder for folder in sys.path if os.path.realpath(folder or ".") != HERE]
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()

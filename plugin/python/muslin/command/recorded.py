"""The option --record: every call of the library goes into a file that `muslin replay` runs again.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import sys
from contextlib import contextmanager

from .. import recording
from ..errors import printable

HELP = """also write every call of the library to FILE, with the meshes and all motion: what a report
of a bug needs, see muslin replay"""


def add_option(parser):
    parser.add_argument("--record", metavar="FILE", help=HELP)


def say(text):
    print(f"muslin: {text}", file=sys.stderr)


def warn(text):
    """One line for one warning, whatever the text holds."""
    print("muslin: warning: " + printable(" ".join(text.split())), file=sys.stderr)


@contextmanager
def told_as_warnings():
    """A recording that ends early is told as any other warning is."""
    before, recording.tell = recording.tell, warn
    try:
        yield
    finally:
        recording.tell = before


@contextmanager
def recorded(options):
    """Records what is done meanwhile, if the options ask for it."""
    path = getattr(options, "record", None)
    if path is None:
        yield
        return
    recording.start(path)
    try:
        yield
    finally:
        recording.stop()

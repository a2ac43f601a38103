# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: a module for each command, which the binding does the work for."""

import io
import os
import signal
import sys

from .. import __version__, exits
from .._enums import Status
from ..errors import MuslinError
from . import (
    batch,
    check,
    drape,
    fabrics_command,
    fit_fabric,
    info,
    intersections_command,
    pattern_command,
    replay_command,
    settle,
    symmetry_command,
    upsampled,
)
from .replay_command import recorded, recording_warnings
from .simulation import ENDING_SIGNALS
from .values import Parser, join_negative_values

# Statuses that are no fault of what the user gave.
FAILURES = (Status.ERROR_MEMORY, Status.ERROR_MATRIX, Status.ERROR_DIVERGED)


# In the order of the help.
COMMANDS = (
    *(drape, settle, batch, fabrics_command, fit_fabric, check, info, intersections_command),
    *(symmetry_command, pattern_command, upsampled, replay_command),
)


def make_parser():
    parser = Parser(
        prog="muslin",
        description="Drapes garments: a mesh goes in, a point cache comes out. Units are metres, "
        "seconds and kilograms; vertices are counted from 0, as in Blender.",
    )
    parser.add_argument("--version", action="version", version=f"muslin {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in COMMANDS:
        module.add_command(commands)
    return parser


def main(arguments=None):
    """Run the command line; gives the exit code (see exits)."""
    arguments = sys.argv[1:] if arguments is None else arguments
    # names of files may hold what a terminal, or a file on Windows, cannot
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")
    for number in ENDING_SIGNALS:  # treated as Ctrl-C is
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
    try:
        with recording_warnings():
            options = make_parser().parse_args(join_negative_values(arguments))
            with recorded(options):
                code = options.run(options)
        sys.stdout.flush()  # a closed pipe shows here, and not when Python ends
        return code
    except MuslinError as error:
        print(f"muslin: {error}", file=sys.stderr)
        return exits.FAILED if error.status in FAILURES else exits.BAD_INPUT
    except KeyboardInterrupt:
        print("muslin: interrupted", file=sys.stderr)
        return exits.INTERRUPTED
    except MemoryError:
        print("muslin: not enough memory", file=sys.stderr)
        return exits.FAILED
    except BrokenPipeError:
        # The reader, such as head, has seen enough. Python would complain again at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exits.OK

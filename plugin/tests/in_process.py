"""The command line inside the test's own process: what `python -m muslin` does, without the start of a Python.

A start and the imports cost more than most commands that are tested. What only a process shows, such as signals,
terminals and pipes, is tested with one (test_interruption.py, test_reports.py).

SPDX-License-Identifier: GPL-3.0-or-later
"""

import contextlib
import os
import signal
import sys
import tempfile
from types import SimpleNamespace
from unittest import mock

from muslin.command import main
from muslin.command.simulation import ENDING_SIGNALS


@contextlib.contextmanager
def caught(number, name):
    """What is written to a file descriptor meanwhile, by Python or by the library; gives a function that tells it."""
    kept = os.dup(number)
    stream = getattr(sys, name)
    with tempfile.TemporaryFile("w+", encoding="utf-8", newline="") as file:
        os.dup2(file.fileno(), number)
        setattr(sys, name, os.fdopen(os.dup(number), "w", encoding="utf-8"))

        def text():
            getattr(sys, name).flush()
            file.seek(0)
            return file.read()

        try:
            yield text
        finally:
            getattr(sys, name).close()
            setattr(sys, name, stream)
            os.dup2(kept, number)
            os.close(kept)


@mock.patch("muslin.command.drape_options.processor_count", lambda: 1)
def run_in_process(*arguments):
    """Run `muslin ARGUMENT...`; gives returncode, stdout and stderr, as subprocess.run does.

    An exception that main lets through would be a traceback and is raised here. A cloth has one thread, unless the
    arguments say more: other tests need the other cores.
    """
    handlers = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        with caught(1, "stdout") as stdout, caught(2, "stderr") as stderr:
            try:
                code = main([str(argument) for argument in arguments])
            except SystemExit as end:  # argparse: --help and usage errors
                code = end.code
            return SimpleNamespace(returncode=code or 0, stdout=stdout(), stderr=stderr())
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)

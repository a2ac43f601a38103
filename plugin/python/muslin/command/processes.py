# SPDX-License-Identifier: GPL-3.0-or-later
"""Work in processes and threads that can be ended: those that end with the one that started them, and one long call of the
library that Ctrl-C can end."""

import ctypes
import os
import signal
import sys
import threading

from . import exits

PR_SET_PDEATHSIG = (
    1  # of <linux/prctl.h>: the signal that comes when the thread that started a process ends
)


def ends_with_this():
    """What Popen shall call in the new process, as preexec_fn; None where only Linux could be asked for that."""
    if not sys.platform.startswith("linux"):
        return None
    library, parent = ctypes.CDLL(None), os.getpid()

    def ask():
        library.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != parent:  # it ended just before
            os._exit(1)

    return ask


WAIT_SECONDS = 0.05


def interruptible(work):
    """The result of work(), done in a thread of its own; what it raises is raised here.

    Ctrl-C ends the process at once: nothing may wait for a call that does not listen. So this is
    only for work that leaves no file behind.
    """
    outcome = {}

    def keep_outcome():
        try:
            outcome["result"] = work()
        except BaseException as error:
            outcome["error"] = error

    worker = threading.Thread(target=keep_outcome, daemon=True)
    try:
        worker.start()
        while worker.is_alive():
            worker.join(WAIT_SECONDS)
    except KeyboardInterrupt:
        print("muslin: interrupted", file=sys.stderr, flush=True)
        os._exit(exits.INTERRUPTED)
    if "error" in outcome:
        raise outcome["error"]
    return outcome["result"]

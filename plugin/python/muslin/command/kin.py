"""Processes that end with the one that started them, though that be killed and cannot end them itself.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import ctypes
import os
import signal
import sys

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

"""Work that Ctrl-C can end although it is one long call of the library.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import os
import sys
import threading

from . import exits

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

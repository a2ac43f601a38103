"""Exit codes of the command line.

SPDX-License-Identifier: GPL-3.0-or-later
"""

OK = 0
FAILED = 1  # the simulation failed (finished frames are kept), or what --fail asks about was found
BAD_INPUT = 2  # an option, a file or the mesh cannot be used
BUSY = 75  # another process does this task: to be tried again (EX_TEMPFAIL of sysexits.h)
INTERRUPTED = 130  # Ctrl-C or SIGTERM; frames that were finished are kept

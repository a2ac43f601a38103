# SPDX-License-Identifier: GPL-3.0-or-later
"""Exit codes of the command line, and of the process of a farm's task."""

OK = 0  # now, or before and up to date
FAILED = 1  # the simulation failed (finished frames are kept), or what --fail asks about was found
BAD_INPUT = 2  # an option, a file, a job or the mesh cannot be used
BUSY = 75  # another process does this task: to be tried again (EX_TEMPFAIL of sysexits.h)
INTERRUPTED = 130  # Ctrl-C, SIGTERM or SIGHUP; frames that were finished are kept

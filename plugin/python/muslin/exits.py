# SPDX-License-Identifier: GPL-3.0-or-later
"""Exit codes of the command line."""

from ..farm import BUSY

__all__ = ("BAD_INPUT", "BUSY", "FAILED", "INTERRUPTED", "OK")

OK = 0
FAILED = 1  # the simulation failed (finished frames are kept), or what --fail asks about was found
BAD_INPUT = 2  # an option, a file or the mesh cannot be used
INTERRUPTED = 130  # Ctrl-C, SIGTERM or SIGHUP; frames that were finished are kept

"""How the process of a task ends, in numbers that farms understand.

SPDX-License-Identifier: GPL-3.0-or-later
"""

FINISHED = 0  # now, or before and up to date
FAILED = 1  # the simulation did
BAD_JOB = 2  # the job, a file or a setting cannot be used
BUSY = 75  # another process does this task: to be tried again (EX_TEMPFAIL of sysexits.h)

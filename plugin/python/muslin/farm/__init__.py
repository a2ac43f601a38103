# SPDX-License-Identifier: GPL-3.0-or-later
"""A job for a farm: which garments are draped in which shots in which variations, task by task.

A cloth is simulated frame after frame, so what can be done at the same time is garments, shots and variations. The
file of a job says these once (`job`), each combination is a task (`tasks`), a task is done by one process (`work`),
which holds it meanwhile (`claim`) and leaves a record of what it was made from (`record`). The command line and the
add-on both work by these; how a cloth is simulated they know themselves.
"""

# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory that cannot be had: every allocation of lists of calls fails, by build/tests/test_memory."""

import os
import re
import subprocess
from pathlib import Path

from common.report import heading, note, table

PROGRAM = Path(os.environ["MUSLIN_BENCH_PROGRAMS"]).parent / "tests" / "test_memory"
TOLD = re.compile(r"(\w+): (\d+) tried, (\d+) wrong")


def measure(results, quick):
    heading("Memory that cannot be had")
    note("Each allocation alone, and with all that follow. The whole scene anew for each;")
    note("quick: most of them on one cloth, which has to go on as if nothing had happened.")
    command = [PROGRAM] if quick else [PROGRAM, "--full"]
    told = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout
    lines = told.splitlines()
    counts = [TOLD.fullmatch(line) for line in lines]
    rows = [(found[1], int(found[2]), int(found[3])) for found in counts if found]
    if not rows or rows[-1][0] != "all":
        raise RuntimeError("test_memory came to no end:\n" + "\n".join(lines[-20:]))
    for line, found in zip(lines, counts):
        if not found:
            note(line)
    table(("scene", "tried", "wrong"), rows, left=1)
    for name, tried, wrong in rows[:-1]:
        results.row("memory", scene=name, tried=tried, wrong=wrong)
    results.number("oom_tried", rows[-1][1])
    results.number("oom_wrong", rows[-1][2])

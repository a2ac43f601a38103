# SPDX-License-Identifier: GPL-3.0-or-later
"""Which share of the library's lines the tests run, by a coverage build of its own."""

import json
import subprocess
from pathlib import Path

from common.report import heading, note
from trust_cases.environment import plain

REPOSITORY = Path(__file__).resolve().parents[3]
BUILD = REPOSITORY / "build-coverage"


def measure(results, quick):
    heading("Lines that tests run")
    note("All tests without Blender; quick: the short ones, which tell little.")
    chosen = ["-L", "short"] if quick else ["-E", "^lint$"]
    command = [REPOSITORY / "tools" / "test", "--kind", "coverage", *chosen]
    (BUILD / "coverage.json").unlink(missing_ok=True)
    told = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=False, env=plain()
    ).stdout.splitlines()
    begins = [at for at, line in enumerate(told) if "lines that ran" in line]
    if not begins:
        raise RuntimeError("tools/test --kind coverage came to nothing:\n" + "\n".join(told[-20:]))
    print(*told[begins[0] :], sep="\n")
    share = json.loads((BUILD / "coverage.json").read_text(encoding="utf-8"))["coverage"]
    results.number("coverage", share)

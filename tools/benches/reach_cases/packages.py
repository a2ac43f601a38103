# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages for every platform: how many are good, by the judgement of Blender, pip and the machines' loaders."""

import subprocess
import sys
import tempfile
from pathlib import Path

from common.report import heading, note, table

REPOSITORY = Path(__file__).resolve().parents[3]

sys.path.insert(0, str(REPOSITORY / "tools"))
from packing import judge  # noqa: E402


def measure(results, _quick):
    heading("Packages")
    with tempfile.TemporaryDirectory() as folder:
        command = [REPOSITORY / "tools" / "package", "--all", "--wheels", "--output", folder]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        rows = [judged(path) for path in judge.packages(Path(folder))]
    for name, size, verdict in rows:
        results.row("packages", package=name, megabytes=size, verdict=verdict)
    table(("package", "MB", "verdict"), rows, left=1)
    results.number("packages_valid", sum(verdict == "good" for _, _, verdict in rows))


def judged(path):
    """Name, size in MB, and what is wrong."""
    try:
        verdict = "; ".join(judge.faults(path)) or "good"
    except judge.NoJudge as error:
        note(str(error))
        verdict = "not judged"
    return path.name, round(path.stat().st_size / 1e6, 2), verdict

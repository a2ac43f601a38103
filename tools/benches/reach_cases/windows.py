# SPDX-License-Identifier: GPL-3.0-or-later
"""Windows on x86-64: the C tests under Wine, and what muslin.dll needs."""

import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

from common.report import heading, note, table

from reach_cases import machines

REPOSITORY = Path(__file__).resolve().parents[3]
BUILD = REPOSITORY / "build-windows"
UNAVAILABLE = 77

sys.path.insert(0, str(REPOSITORY / "tools" / "python_support"))
import dll_file  # noqa: E402


def measure(results, quick):
    heading("Windows")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "tests.xml"
        chosen = [] if quick else ["--all"]
        command = [REPOSITORY / "tools" / "windows", "test", *chosen, "--output-junit", report]
        status = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if status.returncode == UNAVAILABLE:
            note(status.stdout.strip().splitlines()[-1])
            return
        if not report.exists():
            raise RuntimeError(f"tools/windows test came to nothing:\n{status.stdout}")
        tests = outcomes(report)
    ran = [test for test in tests if test[1] != "notrun"]
    for name, outcome, seconds in tests:
        results.row("windows", test=name, outcome=outcome, seconds=seconds)
    table(("test", "outcome", "s"), tests, left=2)
    results.number("wine_tests_run", len(ran))
    results.number("wine_tests_failed", sum(outcome != "run" for _, outcome, _ in ran))
    results.number("dll_foreign_imports", len(dll_file.foreign_imports(BUILD / "muslin.dll")))
    machines.compare(results, quick)


def outcomes(report):
    """Name, outcome ("run", "fail" or "notrun": skipped) and seconds of each test, of ctest's report."""
    return [
        (case.get("name"), case.get("status"), round(float(case.get("time")), 1))
        for case in xml.parse(report).getroot().iter("testcase")
    ]

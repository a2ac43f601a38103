# SPDX-License-Identifier: GPL-3.0-or-later
"""Lives of random steps in the windows of the Blenders: see tools/soak."""

import json
import os
import subprocess
from pathlib import Path

from blender_cases.session import UNAVAILABLE, VERSIONS
from common.report import digits, heading, note, table
from trust_cases.environment import plain

SOAK = Path(__file__).resolve().parents[2] / "soak"
STEPS, QUICK_STEPS = 2000, 120
SEED = 3


def measure(results, quick):
    heading("Random steps in Blender's window")
    steps = QUICK_STEPS if quick else STEPS
    note(
        f"{steps} steps of one seed in each Blender: buttons, undo, files, links, modes, renders and frames while cloth is "
        "previewed and baked. Counted are those before a crash, a traceback, a mesh that changed by itself, something "
        "left behind, or growing memory. Memory and open files: after each hundred, when all is discarded."
    )
    rows, counts = [], []
    for version in VERSIONS:
        found = _live(version, steps)
        if found is None:
            note(f"Blender {version} is not there; tools/blenders prepare {version} fetches it.")
            continue
        done = len(found["steps"]) - (not found["passed"])
        counts.append(done)
        sizes, files = zip(*found["footprints"] or [(0.0, 0)])
        what = found["error"].strip().splitlines()
        rows.append(
            (version, done, _span(sizes, 0), _span(files, 0), what[-1][:60] if what else "")
        )
        results.row("soak", version=version, steps=done, memory=sizes, files=files, error=what)
    if rows:
        header = (
            "Blender",
            "steps",
            "memory, MB|first, last",
            "open files|first, last",
            "ended by",
        )
        table(header, rows, left=1)
        results.number("soak_steps", min(counts))


def _span(values, places):
    return f"{digits(values[0], places)}, {digits(values[-1], places)}"


def _live(version, steps):
    """What tools/soak reports of a life; None where there is no such Blender."""
    report = Path(os.environ["MUSLIN_BENCH_PROGRAMS"]).resolve() / f"soak_{version}.json"
    report.parent.mkdir(parents=True, exist_ok=True)
    report.unlink(missing_ok=True)
    command = [SOAK, version, "--steps", str(steps), "--seed", str(SEED), "--json", report]
    done = subprocess.run(
        command, env=plain(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode == UNAVAILABLE:
        return None
    if not report.exists():
        raise RuntimeError(f"tools/soak failed for Blender {version}:\n{done.stdout}")
    return {"error": "", "footprints": [], **json.loads(report.read_text("utf-8"))}

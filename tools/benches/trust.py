# SPDX-License-Identifier: GPL-3.0-or-later
"""How far Muslin can be trusted: failing memory, broken files and meshes, kills, and long lives in Blender."""

import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

from blender_cases.session import TOOLS, UNAVAILABLE, VERSIONS, call, folder_of, open_sessions
from common.bench import Bench, heading, note
from trust_cases import garbage, kills

QUICK_HELP = "few executions, kills and steps; the same figures of shorter runs"
FIGURES = """
coverage | >= 0.97 | lines of native and plugin/src that tests run
oom_tried | all | allocations that were made to fail
oom_wrong | 0 | of these, with a wrong result, a leak or no status
fuzz_readers | >= 1e7 | executions of fuzzed files without a finding
fuzz_abi | >= 1e5 | executions of fuzzed calls without a finding
garbage_failed | 0 | defective real meshes, of 300, that were not survived
garbage_longest_seconds | - | the longest frame, or check, of theirs, s
kills_tried | >= 50 | kills during a bake, on the command line and in Blender
kills_lost | 0 | of these, with a finished frame or an older result lost
disks_lost | 0 | of four ways in which disks fail, those by which something was lost
soak_steps | >= 2000 | random steps in Blender's window that ended well, the worst of three
"""


def told_by(command, path):
    """What a tool writes as JSON to a file; fails with what it said."""
    path.unlink(missing_ok=True)
    status, said = call(command)
    if not path.exists():
        if status == UNAVAILABLE:
            return None
        raise RuntimeError(f"{command[0]} came to nothing:\n{said[-2000:]}")
    return json.loads(path.read_text(encoding="utf-8"))


def coverage(results, quick):
    """By a coverage build of its own."""
    heading("Lines that tests run")
    note("All tests without Blender; quick: the short ones, which tell little.")
    chosen = ["-L", "short"] if quick else ["-E", "^lint$"]
    command = [TOOLS / "test", "--kind", "coverage", *chosen]
    found = told_by(command, TOOLS.parent / "build-coverage" / "coverage.json")
    results.number("coverage", found["coverage"])


# Executions of each target: those of all readers are ten million. Snapshots are read in C, and stepped from under
# sanitizers: a hundred a second. The other readers are written in Python and take some thousand files a second.
PYTHON = ("obj", "pc2", "fabric", "job", "record")
FUZZED = {"abi": 100_000, "snapshot": 50_000, **dict.fromkeys(PYTHON, 2_000_000)}
QUICK_FUZZED = {"abi": 500, "snapshot": 1_000, **dict.fromkeys(PYTHON, 2_000)}


def fuzz(results, quick):
    """How many fuzzed files and orders of calls are taken or refused as promised, by tools/fuzz."""
    heading("Fuzzing")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, count in (QUICK_FUZZED if quick else FUZZED).items():
            path = Path(folder) / f"{name}.json"
            options = ["--seconds", "0", "--runs", str(count), "--json", path]
            rows.append({"target": name, **told_by([TOOLS / "fuzz", *options, name], path)[name]})
    results.table("fuzz", rows, "target executions findings")
    for key, mine in (("fuzz_abi", rows[:1]), ("fuzz_readers", rows[1:])):
        broken = any(row["findings"] for row in mine)
        results.number(key, 0 if broken else sum(row["executions"] for row in mine))


TOLD = re.compile(r"(\w+): (\d+) tried, (\d+) wrong")


def memory(results, quick):
    """Every allocation of lists of calls fails, alone and with all that follow, by build/tests/test_memory."""
    heading("Memory that cannot be had")
    note("The whole scene anew for each; quick: most of them on one cloth, which has to go on.")
    program = Path(os.environ["MUSLIN_BENCH_PROGRAMS"]).parent / "tests" / "test_memory"
    command = [program] if quick else [program, "--full"]
    told = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout
    found = [TOLD.fullmatch(line) for line in told.splitlines()]
    rows = [{"scene": f[1], "tried": int(f[2]), "wrong": int(f[3])} for f in found if f]
    if not rows or rows[-1]["scene"] != "all":
        raise RuntimeError("test_memory came to no end:\n" + told[-2000:])
    results.table("memory", rows)
    results.number("oom_tried", rows[-1]["tried"])
    results.number("oom_wrong", rows[-1]["wrong"])


SAID = re.compile(r"Muslin's kills: (\d+), lost: (\d+)")


def kills_blender(results, quick):
    """It adds to the figures of the command line's kills."""
    heading("Kills during a bake in Blender that is to replace an older one")
    sessions, rows = open_sessions(), []
    test = TOOLS.parent / "blender_addon" / "tests" / "test_kills.py"
    for session in sessions:
        count = -(-(3 if quick else 25) // len(sessions))  # of all Blenders together
        command = [TOOLS / "blender_support" / "test_in_blender", session.version, test]
        _, said = call(command, MUSLIN_BLENDER_HOME=session.home, MUSLIN_KILLS=count)
        found = SAID.search(said)
        if found is None:
            raise RuntimeError(f"the kills failed in Blender {session.version}:\n{said}")
        rows.append({"version": session.version, "kills": int(found[1]), "lost": int(found[2])})
    results.table("kills_blender", rows)
    if rows:
        results.add("kills_tried", sum(row["kills"] for row in rows))
        results.add("kills_lost", sum(row["lost"] for row in rows))


def soak(results, quick):
    """Lives of random steps in the windows of the Blenders: see tools/soak."""
    heading("Random steps of one seed in Blender's window")
    note("Memory (MB) and open files: after the first and last hundred, when all is discarded.")
    rows = []
    for version in VERSIONS:
        report = folder_of(f"soak_{version}.json")
        steps = ["--steps", "120" if quick else "2000", "--seed", "3", "--json", report]
        found = told_by([TOOLS / "soak", version, *steps], report)
        if found is None:
            note(f"Skipped: Blender {version}, which tools/blenders prepare fetches.")
            continue
        row = {"version": version, "steps": len(found["steps"]) - (not found["passed"])}
        footprints = found.get("footprints") or [(0.0, 0)]
        for when, (size, files) in (("first", footprints[0]), ("last", footprints[-1])):
            row |= {f"memory_{when}": size, f"files_{when}": files}
        what = found.get("error", "").strip().splitlines()
        rows.append({**row, "ended_by": what[-1][:60] if what else ""})
    results.table("soak", rows)
    if rows:
        results.number("soak_steps", min(row["steps"] for row in rows))


PARTS = {"coverage": coverage, "fuzz": fuzz, "garbage": garbage.measure, "kills": kills.measure}
PARTS |= {"kills_blender": kills_blender, "memory": memory, "soak": soak}
BENCH = Bench("trust", __doc__, QUICK_HELP, PARTS, FIGURES)

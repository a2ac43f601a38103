# SPDX-License-Identifier: GPL-3.0-or-later
"""How many fuzzed files and orders of calls are taken or refused as promised, by tools/fuzz.

Snapshots are read in C, and stepped from under sanitizers: a hundred a second. The other readers are written in Python and
take some thousand files a second, so nearly all of the count is theirs. The table tells them apart.
"""

import json
import subprocess
import tempfile
from pathlib import Path

from common.report import heading, note, table
from trust_cases.environment import plain

REPOSITORY = Path(__file__).resolve().parents[3]
ABI = ("abi",)
PYTHON = ("obj", "pc2", "fabric", "job", "record")
READERS = ("snapshot", *PYTHON)
# Executions of each target: those of all readers are ten million.
RUNS = {"abi": 100_000, "snapshot": 50_000, **{name: 2_000_000 for name in PYTHON}}
QUICK_RUNS = {"abi": 500, "snapshot": 1_000, **{name: 2_000 for name in PYTHON}}


def measure(results, quick):
    heading("Fuzzing")
    told = {name: run(name, count) for name, count in (QUICK_RUNS if quick else RUNS).items()}
    rows = [(name, one["executions"], one["findings"]) for name, one in told.items()]
    table(("target", "executions", "findings"), rows)
    note("abi and snapshot by libFuzzer with sanitizers, what is read in Python by seeded changes.")
    for key, names in (("fuzz_abi", ABI), ("fuzz_readers", READERS)):
        broken = any(told[name]["findings"] for name in names)
        results.number(key, 0 if broken else sum(told[name]["executions"] for name in names))


def run(name, count):
    """What tools/fuzz tells of a target after so many executions."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "told.json"
        options = ["--seconds", "0", "--runs", str(count), "--json", told]
        command = [REPOSITORY / "tools" / "fuzz", *options, name]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, env=plain())
        if not told.exists():
            raise RuntimeError(f"tools/fuzz {name} came to nothing:\n{done.stdout[-2000:]}")
        return json.loads(told.read_text(encoding="utf-8"))[name]

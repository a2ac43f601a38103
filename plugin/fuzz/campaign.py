"""Runs fuzz targets beside each other, and counts: tools/fuzz builds them and calls this.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = {"abi": 160, "snapshot": 48}  # with libFuzzer, and how many bytes an input has at most
READERS = ("obj", "pc2", "fabric", "job", "record")
SLOWEST = 60  # s for one input, on a busy machine
# Leaks are looked for at the end of the process: after each input it takes more time than the input.
LIBFUZZER = (
    "-only_ascii=1",
    "-len_control=0",
    "-detect_leaks=0",
    "-print_final_stats=1",
    f"-timeout={SLOWEST}",
)
PATIENCE = 600  # s beyond its time before a target is given up


def run_program(name, build, seconds, runs):
    """(executions, findings) of a libFuzzer program."""
    learnt, kept = build / "corpus" / name, build / "findings"
    learnt.mkdir(parents=True, exist_ok=True)
    kept.mkdir(exist_ok=True)
    command = [build / "tests" / f"fuzz_{name}", *LIBFUZZER, f"-max_len={PROGRAMS[name]}"]
    command += [f"-max_total_time={seconds}"] if seconds else []
    command += [f"-runs={runs}"] if runs else []
    command += [f"-artifact_prefix={kept}/{name}-", learnt, HERE / "corpus" / name]
    done = finished(command, seconds)
    found = re.search(r"number_of_executed_units:\s*(\d+)", done.stdout)
    return int(found[1]) if found else 0, done


def run_reader(name, build, seconds, runs):
    """The same of a reader in Python; other seeds in each run, as libFuzzer has."""
    first = int.from_bytes(os.urandom(5), "little")
    command = [sys.executable, "-B", HERE / "readers.py", "--reader", name, "--first", str(first)]
    command += ["--keep", build / "findings"]
    command += ["--seconds", str(seconds)] if seconds else []
    command += ["--runs", str(runs)] if runs else []
    done = finished(command, seconds)
    found = re.search(rf"^{name}: (\d+) files", done.stdout, re.MULTILINE)
    return int(found[1]) if found else 0, done


def finished(command, seconds):
    environment = {**os.environ, "UBSAN_OPTIONS": "print_stacktrace=1"}
    return subprocess.run(
        list(map(str, command)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=environment,
        timeout=seconds + PATIENCE if seconds else None,
    )


def run(names, build, seconds, runs, jobs):
    """{name: (executions, the process that is done)}"""

    def one(name):
        started = run_program if name in PROGRAMS else run_reader
        return started(name, build, seconds, runs)

    with ThreadPoolExecutor(jobs) as pool:
        return dict(zip(names, pool.map(one, names)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json", type=Path)
    everything = [*PROGRAMS, *READERS]
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    options = parser.parse_intermixed_args()
    names = options.targets or everything
    if not set(names) <= set(everything):
        parser.error(f"targets are {', '.join(everything)}")
    if not options.seconds and not options.runs:
        parser.error("--seconds 0 needs --runs")
    results = run(names, options.build, options.seconds, options.runs, options.jobs)
    for name, (count, done) in results.items():
        print(f"{name}: {count} executions, {'a finding' if done.returncode else 'no finding'}")
        if done.returncode:
            print(done.stdout[-6000:])
    if options.json:
        reported = {
            name: {"executions": count, "findings": int(done.returncode != 0)}
            for name, (count, done) in results.items()
        }
        options.json.write_text(json.dumps(reported, indent=1) + "\n")
    return int(any(done.returncode for _, done in results.values()))


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: GPL-3.0-or-later
"""Which share of the library's lines ran, folder by folder, and which did not.

    coverage_summary.py SOURCES BUILD [--list FILE] [--json FILE]

Reads the counters that the programs of a coverage build left in BUILD, through gcovr. A line of a header counts once,
and as run where any of the files that include it ran it. --list writes every function with lines that did not run, how many
these are, the first of them, and the reason that not_run.txt beside this file gives for it, or a question mark.
"""

import argparse
import json
import re
import subprocess
import sys
from bisect import bisect
from collections import defaultdict
from pathlib import Path

OURS = r"(native|plugin)/"
NOT_THE_LIBRARY = r".*/(tests|bench|third_party|examples|fuzz)/.*"
REASONS = Path(__file__).with_name("not_run.txt")


def read_lines(sources, build):
    """Of every file of the library, by its name from the top: line to (whether it ran, its function)."""
    command = ["gcovr", "--json", "-", "--root", sources, "--object-directory", build]
    command += [
        # Threads that count at the same time leave counts below zero, which it takes for errors; two of its own then wait
        # for each other for ever.
        "--gcov-ignore-parse-errors",
        "-j",
        "1",
        "--filter",
        f"{re.escape(str(sources))}/{OURS}",
        "--exclude",
        NOT_THE_LIBRARY,
        build,
    ]
    reported = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
    return {file["file"]: _lines(file) for file in json.loads(reported)["files"]}


def _lines(file):
    """gcovr names no function beside a line: it is the last that begins before it."""
    starts = sorted((function["lineno"], function["name"]) for function in file["functions"])
    lines = {}
    for line in file["lines"]:
        if not line["gcovr/noncode"]:
            number = line["line_number"]
            place = bisect(starts, (number, "\x7f"))
            lines[number] = line["count"] > 0, starts[place - 1][1] if place else ""
    return lines


def by_folder(files):
    """Of every folder: how many lines have code, and how many of these ran."""
    folders = defaultdict(lambda: [0, 0])
    for name, lines in files.items():
        counts = folders[str(Path(name).parent)]
        counts[0] += len(lines)
        counts[1] += sum(ran for ran, _ in lines.values())
    return dict(sorted(folders.items()))


def not_run(files):
    """Of every function with lines that did not run: (file, function) to these lines."""
    found = defaultdict(list)
    for name, lines in sorted(files.items()):
        for number, (ran, function) in sorted(lines.items()):
            if not ran:
                found[name, function].append(number)
    return found


def read_reasons(text):
    """(file, function) to why its lines do not run; the function * is every one of the file."""
    reasons = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, functions, reason = line.split(":", 2)
            for function in functions.split(","):
                reasons[name, function.strip()] = reason.strip()
    return reasons


def described(missed, reasons, sources):
    """A line for each function with lines that did not run."""
    for (name, function), numbers in missed.items():
        first = (sources / name).read_text(encoding="utf-8").splitlines()[numbers[0] - 1].strip()
        reason = reasons.get((name, function)) or reasons.get((name, "*"), "?")
        yield f"{name}:{numbers[0]}: {function}: {len(numbers)} lines: {reason}: {first}"


def table(folders):
    """The lines to print."""
    yield f"{'lines that ran':>32}{'of':>8}{'share':>9}"
    for folder, (lines, ran) in folders.items():
        yield f"{folder:<24}{ran:>8}{lines:>8}{100 * ran / lines:>8.1f}%"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", type=lambda text: Path(text).resolve())
    parser.add_argument("build", type=lambda text: Path(text).resolve())
    parser.add_argument(
        "--list", type=Path, metavar="FILE", help="functions with lines that did not run"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="the share of all, as a number")
    parser.add_argument("--least", type=float, default=0.0, metavar="SHARE", help="fails below it")
    options = parser.parse_args()
    files = read_lines(options.sources, options.build)
    if not files:
        sys.exit("coverage_summary: no counters of the library were found")
    folders = by_folder(files)
    folders["all"] = [sum(column) for column in zip(*folders.values())]
    print(*table(folders), sep="\n")
    missed = not_run(files)
    reasons = read_reasons(REASONS.read_text(encoding="utf-8"))
    lines = list(described(missed, reasons, options.sources))
    if options.list:
        options.list.write_text("\n".join(lines) + "\n", encoding="utf-8")
    explained = sum(": ?: " not in line for line in lines)
    print(f"{len(lines)} functions have lines that did not run; {explained} of them with a reason")
    share = folders["all"][1] / folders["all"][0]
    if options.json:
        options.json.write_text(json.dumps({"coverage": share}) + "\n", encoding="utf-8")
    if share < options.least:
        sys.exit(f"coverage_summary: {share:.4f} of the lines ran, fewer than {options.least}")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""coverage_summary.py SOURCES BUILD: which share of the library's lines ran, folder by folder.

Reads the counters that the programs of a coverage build left in BUILD, through gcov. A line of a header counts once,
and as run where any of the files that include it ran it.
"""

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

LIBRARY = ("native", "plugin")
NOT_THE_LIBRARY = {"tests", "bench", "third_party", "examples"}
TOGETHER = 50  # files that one gcov is asked about


def read_counters(build):
    """What gcov says of every source file, one object a file and compilation."""
    counters = sorted(str(path) for path in build.rglob("*.gcda"))
    for first in range(0, len(counters), TOGETHER):
        command = ["gcov", "--json-format", "--stdout", *counters[first : first + TOGETHER]]
        told = subprocess.run(command, cwd=build, stdout=subprocess.PIPE, check=True, text=True)
        for line in told.stdout.splitlines():
            report = json.loads(line)
            for file in report["files"]:
                yield Path(report["current_working_directory"], file["file"]).resolve(), file


def folder_of(path, sources):
    """The folder of a source file of the library, from the top of the sources; None of any other file."""
    if not path.is_relative_to(sources):
        return None
    folder = path.relative_to(sources).parent
    ours = folder.parts and folder.parts[0] in LIBRARY and not NOT_THE_LIBRARY & set(folder.parts)
    return str(folder) if ours else None


def summarise(sources, build):
    """Of every folder: how many lines have code, and how many of these ran."""
    ran = defaultdict(dict)
    for path, file in read_counters(build):
        folder = folder_of(path, sources)
        if folder is None:
            continue
        for line in file["lines"]:
            place = (path, line["line_number"])
            ran[folder][place] = ran[folder].get(place, False) or line["count"] > 0
    return {folder: (len(lines), sum(lines.values())) for folder, lines in sorted(ran.items())}


def main():
    """Prints a table, the sum last."""
    folders = summarise(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
    if not folders:
        sys.exit("coverage_summary: no counters of the library were found")
    folders["all"] = tuple(map(sum, zip(*folders.values())))
    print(f"{'lines that ran':>32}{'of':>8}{'share':>9}")
    for folder, (lines, ran) in folders.items():
        print(f"{folder:<24}{ran:>8}{lines:>8}{100 * ran / lines:>8.1f}%")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line that all benches share."""

import argparse
import os
import platform
import sys
import time

from common import charts
from common.report import Results, note

BUSY = 0.1  # cores at work for others from which on times are not to be trusted


def parse(name, about, quick_help, plots=False, more=None):
    """--json and --quick, and --plots where a bench draws; an unwritable file is refused now, not after
    minutes of measuring. more(parser) adds options of the bench's own."""
    parser = argparse.ArgumentParser(prog=f"tools/bench {name}", description=about)
    parser.add_argument("--json", metavar="FILE", help="also write the figures to FILE")
    parser.add_argument("--quick", action="store_true", help=quick_help)
    if plots:
        parser.add_argument("--plots", metavar="DIR", help="also draw the curves, as SVG, into DIR")
    if more:
        more(parser)
    options = parser.parse_args()
    if options.json:
        folder = os.path.dirname(os.path.abspath(options.json))
        if os.path.isdir(options.json):
            parser.error(f"{options.json} is a folder, not a file")
        if not os.path.isdir(folder) or not os.access(folder, os.W_OK):
            parser.error(f"cannot write into the folder {folder}")
    if plots and options.plots:
        if charts.missing():
            parser.error(charts.MISSING)
        try:
            os.makedirs(options.plots, exist_ok=True)
        except OSError as error:
            parser.error(f"cannot make the folder {options.plots}: {error.strerror}")
    return options


def describe_machine(results):
    busy = busy_cores()
    results.number("cores", os.cpu_count())
    results.number("busy_cores", round(busy, 2))
    note(
        f"{platform.machine()}, {os.cpu_count()} cores, {busy:.1f} of them busy before the start. "
        "Tables are in SI units where they name no other."
    )
    if busy > BUSY:
        note("Something else is running: the times below are noisy, the ratios less so.")


def busy_cores(seconds=1.0):
    """Cores at work while this process sleeps; 0 where the system does not tell."""
    try:
        before = _idle_seconds()
        time.sleep(seconds)
        return max(0.0, os.cpu_count() - (_idle_seconds() - before) / seconds)
    except (OSError, ValueError, IndexError):
        return 0.0


def _idle_seconds():
    with open("/proc/stat", encoding="ascii") as file:
        numbers = file.readline().split()
    return (int(numbers[4]) + int(numbers[5])) / os.sysconf("SC_CLK_TCK")


def run(measure, options):
    """Call measure(results, quick) and write the JSON file; Ctrl-C ends without a trace."""
    results = Results()
    if options.quick:
        results.number("quick", 1)
    try:
        measure(results, options.quick)
    except KeyboardInterrupt:
        print("\ninterrupted; no file was written", file=sys.stderr)
        return 130
    if options.json:
        results.write(options.json)
        print(f"Figures written to {options.json}")
    return 0

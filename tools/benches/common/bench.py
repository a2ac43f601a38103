# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bench is made of: parts that are measured, figures with what to reach, tables for people, JSON for machines."""

import argparse
import itertools
import json
import os
import platform
import re
import sys
import textwrap
import time
from dataclasses import dataclass
from numbers import Integral

from common import charts

WIDTH = 100
BUSY = 0.1  # cores at work for others from which on times are not to be trusted


class Results:
    """Numbers by key, and the rows of the tables as records. kept: what is shared by parts and drawn; it is not written."""

    def __init__(self):
        self.numbers, self.rows, self.kept = {}, [], {}

    def number(self, key, value):
        """Record one figure under its own key; a key is given once."""
        if key in self.numbers:
            raise ValueError(f"the key {key} is given twice")
        self.numbers[key] = value

    def figures(self, **found):
        """Several figures by their keys."""
        for key, value in found.items():
            self.number(key, value)

    def add(self, key, value):
        """To a figure that several parts have a share in; it begins at 0."""
        self.numbers[key] = self.numbers.get(key, 0) + value

    def row(self, table, **fields):
        self.rows.append({"table": table, **fields})

    def of(self, table, **wanted):
        """The rows of a table whose fields are as wanted."""
        wanted["table"] = table
        return [r for r in self.rows if all(r.get(name) == wanted[name] for name in wanted)]

    def table(self, name, rows, columns=None, **found):
        """Records rows, which are dictionaries, and figures; prints some fields of the rows, or all."""
        rows = list(rows)
        for row in rows:
            self.row(name, **row)
        print_table(rows, columns)
        self.figures(**found)

    def write(self, path):
        """One flat object `key: number` plus "rows". The file is whole or not there at all."""
        part = f"{path}.part"
        with open(part, "w", encoding="utf-8") as file:
            json.dump({**self.numbers, "rows": self.rows}, file, indent=1, allow_nan=False)
            file.write("\n")
        os.replace(part, path)


# --- tables ----------------------------------------------------------------------------------------


def heading(text):
    print(f"\n{text}\n{'=' * len(text)}", flush=True)


def note(text):
    """A paragraph, indented like the tables."""
    print(textwrap.fill(text, WIDTH, initial_indent="  ", subsequent_indent="  "), flush=True)


def print_table(rows, columns=None):
    """Fields of dictionaries under their names, words to the left.

    Names say the unit: what ends in seconds is printed in ms, strains and shares in %, what has none is in SI units.
    """
    if not rows:
        return
    columns = columns.split() if columns else list(rows[0])
    cells = [[_cell(name, row.get(name)) for name in columns] for row in rows]
    wordy = [isinstance(rows[0].get(name), str) for name in columns]
    left = wordy.index(False) if False in wordy else len(wordy)
    lines = [*zip(*map(_head, columns)), *cells]
    widths = [max(map(len, column)) for column in zip(*lines)]
    for number, line in enumerate(lines):
        if number == 2:
            print("  " + "-" * (sum(widths) + 2 * len(widths) - 2))
        words = [cell.ljust(width) for cell, width in zip(line[:left], widths)]
        numbers = [cell.rjust(width) for cell, width in zip(line[left:], widths[left:])]
        print("  " + "  ".join(words + numbers).rstrip())
    print(flush=True)


def _head(name):
    """Two lines."""
    *first, last = re.sub(r"seconds$", "ms", name).split("_")
    return " ".join(first), last


def _cell(name, value):
    if value is None or isinstance(value, str):
        return value or "-"
    if isinstance(value, bool):
        return "yes" if value else "NO"
    if isinstance(value, Integral):
        return f"{value:,}"
    if name.endswith("seconds"):
        return short(1000 * value)
    if "strain" in name or "share" in name:
        return f"{100 * value:.2f} %"
    return f"{value:,.0f}" if abs(value) >= 1e4 else short(value)


def short(value):
    """Four significant digits, for numbers of any size."""
    return None if value is None else f"{value:.4g}"


# --- figures ---------------------------------------------------------------------------------------

# What a number is compared with: "<= 3", "< 3", ">= x15" (times), "0.97..1.03", "0" (no other), and "-", which asks nothing.
NUMBER = r"([-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)"
BOUNDS = re.compile(rf"(<=|>=|<|) ?x?{NUMBER}(?:\.\.{NUMBER})?")


def judged(value, reach):
    """ "yes", "NO", or None where nothing is asked or known."""
    found = BOUNDS.fullmatch(reach)
    if found is None or value is None:
        return None
    way, low, high = found[1], float(found[2]), float(found[3] or found[2])
    fits = {"<": value < low, "<=": value <= low, ">=": value >= low, "": low <= value <= high}
    return "yes" if fits[way] else "NO"


def figures_of(text):
    """{key: (what to reach, what it is)} of lines `key | reach | what`; a key with {a,b} stands for one of each."""
    found = {}
    for line in text.strip().splitlines():
        keys, reach, what = (part.strip() for part in line.split("|"))
        parts = [part.split(",") for part in re.split(r"[{}]", keys)]
        found |= {"".join(choice): (reach, what) for choice in itertools.product(*parts)}
    return found


# --- a bench ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bench:
    """What one bench is made of; main() runs it by the command line.

    about    a sentence, of which what is before the colon is printed first
    parts    by name, or by the keys of the figures that they give: functions of (results, quick)
    figures  lines `key | reach | what it is`; what to reach as judged() reads it
    options  adds options of the bench's own to a parser; begin(options) reads them before anything is measured
    last     what is made of all parts' numbers, a function of results
    plots    draws from what was measured: a function of (results, folder)
    """

    name: str
    about: str
    quick_help: str
    parts: dict
    figures: str = ""
    options: object = None
    begin: object = None
    last: object = None
    plots: object = None

    def chosen(self, names=None):
        """The parts of these names, each once; a name that is none is refused."""
        for name in names or ():
            if name not in self.parts:
                there = ", ".join(self.parts)
                raise SystemExit(f"tools/bench {self.name}: there is no {name}; there are {there}")
        return list(dict.fromkeys(self.parts[name] for name in names or self.parts))

    def reached(self, key, value):
        """Whether a value of a figure is what it should be: "yes", "NO", or None where nothing is asked."""
        return judged(value, figures_of(self.figures)[key][0])

    def measure(self, results, options):
        begin = time.monotonic()
        print(self.about.partition(":")[0])
        if options.quick:
            results.number("quick", 1)
            note(f"Quick run: {self.quick_help}; the figures proper are those of a full run.")
        describe_machine(results)
        for part in self.chosen(options.only):
            part(results, options.quick)
        if self.last:
            self.last(results)
        self._show(results)
        if self.plots and options.plots:
            os.makedirs(options.plots, exist_ok=True)
            self.plots(results, options.plots)
        results.number("bench_seconds", round(time.monotonic() - begin, 1))
        note(f"Measured in {results.numbers['bench_seconds']:.0f} s.")

    def _show(self, results):
        found, rows = results.numbers, []
        for key, (reach, what) in figures_of(self.figures).items():
            if key in found:
                ours = short(found[key]) or "-"
                rows.append({"what": what, "key": key, "ours": ours, "reach": reach})
                rows[-1]["reached"] = judged(found[key], reach)
        if rows:
            heading("Figures")
            print_table(rows)

    def run(self, options):
        """Measures and writes the JSON file; its exit code. Ctrl-C ends without a trace."""
        results = Results()
        try:
            self.measure(results, options)
        except KeyboardInterrupt:
            print("\ninterrupted; no file was written", file=sys.stderr)
            return 130
        if options.json:
            results.write(options.json)
            print(f"Figures written to {options.json}")
        return 0

    def main(self):
        """Its exit code."""
        options = self.parse()
        self.chosen(options.only)
        if self.begin:
            self.begin(options)
        return self.run(options)

    def parse(self):
        """The command line; an unwritable file is refused now, not after minutes of measuring."""
        about = f"{self.about} --only takes: {', '.join(self.parts)}."
        parser = argparse.ArgumentParser(prog=f"tools/bench {self.name}", description=about)
        parser.add_argument("--json", metavar="FILE", help="also write the figures to FILE")
        parser.add_argument("--quick", action="store_true", help=self.quick_help)
        parser.add_argument("--only", metavar="NAME", nargs="+", help="only what gives these")
        if self.plots:
            parser.add_argument("--plots", metavar="DIR", help="also draw the curves into DIR")
        if self.options:
            self.options(parser)
        options = parser.parse_args()
        folder = os.path.dirname(os.path.abspath(options.json or "."))
        if options.json and (os.path.isdir(options.json) or not os.access(folder, os.W_OK)):
            parser.error(f"cannot write {options.json}")
        if self.plots and options.plots and charts.missing():
            parser.error(charts.MISSING)
        return options


def describe_machine(results):
    busy = busy_cores()
    results.figures(cores=os.cpu_count(), busy_cores=round(busy, 2))
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


def add_settings(parser):
    """--set, for settings_of()."""
    about = "a setting of every cloth, such as integrator=bdf2; may be given again"
    parser.add_argument("--set", metavar="NAME=VALUE", action="append", default=[], help=about)


def settings_of(texts):
    """NAME=VALUE of --set; what reads as a number is one."""
    found = {}
    for text in texts:
        name, _, value = text.partition("=")
        try:
            found[name] = float(value)
        except ValueError:
            found[name] = value
    return found

# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of a bench: aligned tables for people, one flat JSON object for machines."""

import json
import os
import re
import tempfile
import textwrap
from numbers import Integral

WIDTH = 100


class Results:
    """Numbers by key, and the rows of the printed tables as records. kept: what pictures are drawn from, by name; it is
    not written."""

    def __init__(self):
        self.numbers = {}
        self.rows = []
        self.kept = {}

    def number(self, key, value):
        """Record one figure under its own key; a key is given once."""
        if key in self.numbers:
            raise ValueError(f"the key {key} is given twice")
        self.numbers[key] = value

    def add(self, key, value):
        """To a figure that several parts have a share in; it begins at 0."""
        self.numbers[key] = self.numbers.get(key, 0) + value

    def row(self, table, **fields):
        self.rows.append({"table": table, **fields})

    def show(self, table, columns):
        """Prints all rows of a table: see Rows."""
        printed = Rows(self, table, columns)
        for row in self.rows:
            if row["table"] == table:
                printed.print(**row)
        printed.show()

    def write(self, path):
        """One flat object `key: number` plus "rows". The file is whole or not there at all."""
        folder = os.path.dirname(os.path.abspath(path))
        handle, scratch = tempfile.mkstemp(dir=folder, prefix=".bench-", suffix=".json")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump({**self.numbers, "rows": self.rows}, file, indent=1, allow_nan=False)
                file.write("\n")
            os.chmod(scratch, 0o644)
            os.replace(scratch, path)
        except BaseException:
            os.unlink(scratch)
            raise


def heading(text):
    print(f"\n{text}\n{'=' * len(text)}", flush=True)


def note(text):
    """A paragraph, indented like the tables."""
    print(textwrap.fill(text, WIDTH, initial_indent="  ", subsequent_indent="  "), flush=True)


def table(header, rows, left=1):
    """Print rows under a header: the first `left` columns to the left, numbers to the right.

    None prints as a dash. A header may be split over two lines at a "|".
    """
    names = [name.split("|") for name in header]
    lines = max(map(len, names))
    heads = [[""] * (lines - len(name)) + name for name in names]
    cells = [["-" if cell is None else str(cell) for cell in row] for row in rows]
    widths = [
        max([len(part) for part in heads[k]] + [len(row[k]) for row in cells])
        for k in range(len(header))
    ]
    for line in range(lines):
        print(_line([head[line] for head in heads], widths, left))
    print("  " + "-" * (sum(widths) + 2 * (len(widths) - 1)))
    for row in cells:
        print(_line(row, widths, left))
    print(flush=True)


def _line(cells, widths, left):
    texts = [cell.ljust(width) for cell, width in zip(cells[:left], widths)]
    numbers = [cell.rjust(width) for cell, width in zip(cells[left:], widths[left:])]
    return "  " + "  ".join(texts + numbers).rstrip()


def whole(value):
    """A count with thousands separated."""
    return None if value is None else f"{value:,.0f}"


def digits(value, places=3):
    return None if value is None else f"{value:.{places}f}"


def short(value):
    """Four significant digits, for numbers of any size."""
    return None if value is None else f"{value:.4g}"


def percent(value, places=1):
    return None if value is None else f"{100 * value:.{places}f} %"


def times(value):
    """A speed-up."""
    return None if value is None else f"x{value:.2f}"


def milliseconds(seconds, places=3):
    return None if seconds is None else f"{1000 * seconds:.{places}f}"


# What a number is compared with: "<= 3", "< 3", ">= x15" (times), "0.97..1.03", "0" (no other), and "-", which asks nothing.
NUMBER = r"([-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)"
BOUNDS = re.compile(rf"(<=|>=|<|) ?x?{NUMBER}(?:\.\.{NUMBER})?")


def judged(value, reach):
    """ "yes", "NO", or None where nothing is asked or known."""
    found = BOUNDS.fullmatch(reach() if callable(reach) else reach)
    if found is None or value is None:
        return None
    way, low, high = found[1], float(found[2]), float(found[3] or found[2])
    fits = {"<": value < low, "<=": value <= low, ">=": value >= low, "": low <= value <= high}
    return "yes" if fits[way] else "NO"


def reach_text(reach):
    return reach() if callable(reach) else reach


class Rows:
    """A table whose rows are recorded as they are and printed.

    columns  names of the fields that are printed, words first; all others are recorded alone. Names say the unit: what
             ends in seconds is printed in ms, strains and shares in %, what has none is in SI units
    """

    def __init__(self, results, name, columns):
        self.results, self.name, self.columns = results, name, columns.split()
        self.printed = []

    def add(self, **fields):
        self.results.row(self.name, **fields)
        self.print(**fields)

    def print(self, **fields):
        self.printed.append([fields.get(key) for key in self.columns])

    def show(self):
        if not self.printed:
            return
        first = self.printed[0]
        left = next((k for k, value in enumerate(first) if not isinstance(value, str)), len(first))
        cells = [[_cell(*pair) for pair in zip(self.columns, row)] for row in self.printed]
        table([_head(key) for key in self.columns], cells, left)


def _head(key):
    """Over two lines where it has several words."""
    words = re.sub(r"seconds$", "ms", key).split("_")
    return "|".join(part for part in (" ".join(words[:-1]), words[-1]) if part)


def _cell(key, value):
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "NO"
    if isinstance(value, Integral):
        return whole(value)
    if key.endswith("seconds"):
        return short(1000 * value)
    if "strain" in key or "share" in key:
        return percent(value, 2)
    return whole(value) if abs(value) >= 1e4 else short(value)

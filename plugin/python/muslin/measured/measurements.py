# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person measures of a fabric with a ruler, weights and scales: a CSV file, read with every value checked."""

import csv
import math
from collections import namedtuple

from ..errors import FileError
from ..fabric_file import text_of
from ..table import SETTINGS
from .strips import ANGLES

COLUMNS = ("measurement", "direction", "width_mm", "length_mm", "weight_g", "result_mm")
# Which columns each kind of row needs; the others are empty.
KINDS = {
    "square": ("width_mm", "length_mm", "weight_g"),
    "strip": ("direction", "width_mm", "length_mm", "weight_g", "result_mm"),
    "overhang": ("direction", "width_mm", "result_mm"),
}
LARGEST = 1e5  # mm or g: what is more was typed wrong
SHORTEST_OVERHANG, LONGEST_OVERHANG = 0.002, 1.0  # m

# In SI units. Pull: the length between two marks of a strip at rest, and under a weight. Overhang: at 41.5 degrees.
Square = namedtuple("Square", "line area mass")
Pull = namedtuple("Pull", "line direction width length mass result")
Overhang = namedtuple("Overhang", "line direction width result")
Measurements = namedtuple("Measurements", "squares pulls overhangs")


def read_measurements(path):
    """The Measurements in a CSV file; a FileError names the file, the line, the column and the value."""
    lines = list(table_lines(path, text_of(path)))
    if not lines:
        raise FileError(path, f"is empty; expected a line with {', '.join(COLUMNS)}")
    line, names = lines[0][0], [name.lower() for name in lines[0][1]]
    if sorted(names) != sorted(COLUMNS):
        wanted = ", ".join(COLUMNS)
        raise FileError(path, f"expected the columns {wanted}, got {', '.join(names)}", line)
    found = Measurements([], [], [])
    for line, cells in lines[1:]:
        if len(cells) != len(names):
            raise FileError(path, f"{len(cells)} values, expected {len(names)}", line)
        Row(path, line, dict(zip(names, cells))).add_to(found)
    check(path, found)
    return found


def table_lines(path, content):
    """(number, cells) of the lines that are neither empty nor remarks."""
    # A remark may hold a single quotation mark, which would swallow the lines after it.
    kept = ["" if line.lstrip().startswith("#") else line for line in content.splitlines()]
    reader = csv.reader(kept, strict=True)
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            remark = bool(cells) and cells[0].startswith("#")  # which a spreadsheet put into quotes
            if any(cells) and not remark:
                yield reader.line_num, cells
    except csv.Error as error:
        raise FileError(path, f"this is not CSV: {error}", reader.line_num) from None


class Row:
    """One line of the file."""

    def __init__(self, path, line, cells):
        self.path, self.line, self.cells = path, line, cells

    def refuse(self, column, problem):
        value = self.cells[column]
        raise FileError(self.path, f"{column}: {value!r} {problem}", self.line)

    def number(self, column):
        """A positive number of mm or g, in m or kg."""
        try:
            value = float(self.cells[column])
        except ValueError:
            self.refuse(column, "is not a number")
        if not math.isfinite(value) or not 0 < value <= LARGEST:
            self.refuse(column, f"is not above 0 and at most {LARGEST:g}")
        return value / 1000

    def add_to(self, found):
        kind = self.cells["measurement"].lower()
        if kind not in KINDS:
            self.refuse("measurement", f"is not one of {', '.join(KINDS)}")
        for column in COLUMNS[1:]:
            if self.cells[column] and column not in KINDS[kind]:
                self.refuse(column, f"has no meaning for a {kind}; leave it empty")
        direction = self.cells["direction"].lower()
        if "direction" in KINDS[kind] and direction not in ANGLES:
            self.refuse("direction", f"is not one of {', '.join(ANGLES)}")
        values = [self.number(column) for column in KINDS[kind] if column != "direction"]
        if kind == "square":
            area, density = values[0] * values[1], SETTINGS["density"].narrowed()
            weight = values[2] / area
            if not density.holds(weight):
                words = density.range_words()
                self.refuse("weight_g", f"makes {weight:g} kg/m^2, which is not {words}")
            found.squares.append(Square(self.line, area, values[2]))
        elif kind == "overhang":
            if not SHORTEST_OVERHANG <= values[1] <= LONGEST_OVERHANG:
                self.refuse("result_mm", "is not what cloth hangs over an edge by: 2 to 1000 mm")
            found.overhangs.append(Overhang(self.line, direction, *values))
        else:
            if values[3] <= values[1]:
                self.refuse("result_mm", "is not more than length_mm, the length without a weight")
            found.pulls.append(Pull(self.line, direction, *values))


def check(path, found):
    """Refuse what is missing, and a strip that more weight makes shorter."""
    if not found.squares:
        raise FileError(path, "there is no square, whose weight is needed")
    for name, rows in (("strip", found.pulls), ("overhang", found.overhangs)):
        for direction in ANGLES:
            if not any(row.direction == direction for row in rows):
                raise FileError(path, f"there is no {name} along the {direction}")
    for direction in ANGLES:
        pulls = [pull for pull in found.pulls if pull.direction == direction]
        pulls.sort(key=lambda pull: pull.mass / pull.width)
        for less, more in zip(pulls, pulls[1:]):
            if more.result / more.length < less.result / less.length:
                problem = (
                    f"is less for its length than in line {less.line}, though more weight pulls"
                )
                raise FileError(path, f"result_mm: {1000 * more.result:g} {problem}", more.line)

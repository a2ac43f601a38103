# SPDX-License-Identifier: GPL-3.0-or-later
"""Measured fabrics in the format of Wang, O'Brien and Ramamoorthi (2011), as ARCSim ships them.

`density`, kg/m^2. `stretching`, 6 rows of c11, c12, c22, c33, N/m: at rest, and at a strain of 1/6 along 0, 22.5, 45,
67.5 and 90 degrees from the warp. `bending`, 3 rows (along the warp, at 45 degrees, along the weft) of 5, N m, at
curvatures of 0, 10, 20, 30 and 40 1/m. The program that ships them cuts negative stretching off at 0 and doubles it,
and so do we: what it simulates is what was measured. Needs neither NumPy nor the native library.
"""

import math
from functools import partial

from ..table import SETTINGS

FIELDS = ("density", "stretching", "bending")
STRETCHING, BENDING = (6, 4), (3, 5)  # rows, columns
DOUBLED = 2.0
MOST_COUPLING = 0.99  # of c12 over the root of c11 c22: at 1 a strip does not resist


def is_one(content):
    """Whether the content of a file is meant to be in this format."""
    return "material" not in content and ("stretching" in content or "bending" in content)


def converted(content, fields):
    """The content of a file in our own format."""
    fields.only(content, FIELDS)
    density = fields.setting("density", fields.needed(content, "density"), "density")
    largest = most("stretch_samples") / DOUBLED
    stretching = table_of(content, "stretching", STRETCHING, fields, largest)
    bending = table_of(content, "bending", BENDING, fields, most("bend_samples"))
    check_bending(fields, bending, partial(place, "bending"))
    check_stretching(fields, stretching, partial(place, "stretching"))
    samples = [[DOUBLED * max(number, 0.0) for number in row] for row in stretching]
    return {
        "help": "A measured fabric: stretch and bending as they change with strain and curvature",
        "source": "measured: file in the format of Wang, O'Brien and Ramamoorthi 2011",
        "model": "membrane",
        "material": {
            "density": density,
            **small_strain(samples[0], [row[0] for row in bending]),
            "stretch_samples": [number for row in samples for number in row],
            "bend_samples": [number for row in bending for number in row],
        },
    }


def most(name):
    """The largest number of a setting that fits everywhere."""
    return SETTINGS[name].narrowed().most


def place(field, row, column):
    """What a number of a table is called."""
    return f"{field}[{row}][{column}]"


def table_of(content, field, shape, fields, largest):
    """Rows of numbers, as many as there must be."""
    rows = fields.needed(content, field)
    if not isinstance(rows, list) or len(rows) != shape[0]:
        count = f"{len(rows)} rows" if isinstance(rows, list) else "something else"
        fields.refuse(field, f"expected {shape[0]} rows of {shape[1]} numbers, got {count}")
    for i, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != shape[1]:
            count = f"{len(row)}" if isinstance(row, list) else "something else"
            fields.refuse(f"{field}[{i}]", f"expected {shape[1]} numbers, got {count}")
        for j, number in enumerate(row):
            if fields.number(place(field, i, j), number) > largest:
                fields.refuse(place(field, i, j), f"{number:g} is not at most {largest:g}")
    return [list(map(float, row)) for row in rows]


def small_strain(stretching, bending):
    """The plain numbers of a material that resists the first small strain and curvature alike.

    With stresses c11 Guu, c22 Gvv and c33 Guv / 2 of the Green strain G, the shear modulus is c33 / 4. Folded along
    45 degrees a sheet resists with (warp + weft + 2 twist) / 4.
    """
    c11, _, c22, c33 = stretching
    warp, bias, weft = bending
    twist = max((4 * bias - warp - weft) / 2, 0.0)
    return {
        "stretch_warp": c11,
        "stretch_weft": c22,
        "shear": c33 / 4,
        "bend": warp,
        "bend_weft": min(weft / warp, most("bend_weft")),
        "bend_twist": min(twist / warp, most("bend_twist")),
    }


def check_bending(fields, rows, name):
    """Refuse numbers that are not above 0: what is measured is measured whole. name(row, column): in the file's words."""
    for row, numbers in enumerate(rows):
        for column, number in enumerate(numbers):
            if number <= 0:
                fields.refuse(name(row, column), f"{number:g} is not above 0 N m")


def check_stretching(fields, rows, name):
    """Refuse what a strip would not resist with, slack or stretched; the same for numbers that are doubled and not."""
    c11, c12, c22, c33 = rows[0]
    for what, value, column in (("c11", c11, 0), ("c22", c22, 2), ("c33", c33, 3)):
        if value <= 0:
            fields.refuse(name(0, column), f"{what} {value:g} N/m at rest is not above 0")
    largest = MOST_COUPLING * math.sqrt(c11 * c22)
    if c12 > largest:
        fields.refuse(
            name(0, 1),
            f"c12 {c12:g} N/m at rest is not at most {largest:g}, {MOST_COUPLING:g} of the root of "
            "c11 c22: a strip would not resist being stretched",
        )
    # Along warp and weft: the force of strain e is c(e) e, with c linear from rest to 1/6, and grows up to there if c loses
    # less than half.
    for what, rest, row, column in (("c11", c11, 1, 0), ("c22", c22, 5, 2)):
        end = rows[row][column]
        if end < rest / 2:
            problem = f"is less than half of {rest:g} at rest: the force would fall"
            fields.refuse(name(row, column), f"{what} {end:g} N/m at a strain of 1/6 {problem}")

# SPDX-License-Identifier: GPL-3.0-or-later
"""Fabrics whose strips are hung, measured and fitted: do their numbers come back?"""

import csv
import os
import tempfile

from common.report import heading, note, percent, table
from muslin import fabric
from muslin.fabric_fit import fit
from muslin.measurements import COLUMNS, read_measurements
from test_scenes.laboratory import measured

# Woven, knitted, soft and stiff; with bending that differs between warp, weft and bias in all but two.
FABRICS = ("poplin", "satin", "jersey", "tulle", "leather", "neoprene")
QUICK = ("tulle", "neoprene")


def measure(results, quick):
    """fit_error: the largest relative error of any number of any fabric."""
    heading("Fabrics fitted to measurements of their simulated strips")
    note(
        "Strips hang in the simulation with weights, and over an edge to 41.5 degrees; lengths are read without any "
        "rounding, written into a file, and fitted as tools/muslin fit-fabric does. Errors of the fitted numbers."
    )
    rows, worst, names = [], 0.0, ()
    for name in QUICK if quick else FABRICS:
        wanted = fabric(name)
        found = through_file(measured(wanted))
        errors = {key: value / wanted[key] - 1 for key, value in found.items()}
        worst = max(worst, *map(abs, errors.values()))
        results.row("fitted", fabric=name, **errors)
        names = tuple(errors)
        rows.append((name, *(percent(error, 2) for error in errors.values())))
    table(("fabric", *(name.replace("_", "|") for name in names)), rows)
    results.number("fit_error", worst)


def through_file(rows):
    """The material fitted to measurements that were written into a file and read."""
    handle, path = tempfile.mkstemp(suffix=".csv")
    with os.fdopen(handle, "w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    try:
        return fit(read_measurements(path)).material
    finally:
        os.unlink(path)

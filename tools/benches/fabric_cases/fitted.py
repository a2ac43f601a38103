# SPDX-License-Identifier: GPL-3.0-or-later
"""Fabrics whose strips are hung, measured and fitted: do their numbers come back?"""

import csv
import math
import os
import tempfile

from common.report import heading, note, percent, table
from muslin import fabric
from muslin.measured.curve_fit import samples_of
from muslin.measured.fabric_fit import MEMBRANE, fit
from muslin.measured.measured_strips import strip_of
from muslin.measured.measurements import COLUMNS, read_measurements
from muslin.measured.strips import ANGLES
from test_scenes.laboratory import measured

# Woven, knitted, soft and stiff; with bending that differs between warp, weft and bias in all but two.
FABRICS = ("poplin", "satin", "jersey", "tulle", "leather", "neoprene")
QUICK = ("tulle", "neoprene")
# Stiffness of warp, weft and shear when slack (N/m), and at a strain of 1/6 over that: a knit that locks, and one that
# gives way along the weft.
CURVED = {"locking": ((600, 400, 120), (3, 2.5, 1.8)), "giving": ((900, 500, 200), (1.5, 0.6, 0.8))}
WEIGHTS, LOADED = (
    0.1,
    0.25,
    0.5,
    0.75,
    1.0,
), 0.12  # in parts of the largest, which strains by so much
STRAINS = (0.01, 0.02, 0.04, 0.08, 0.12)


def measure(results, quick):
    numbers(results, quick)
    curves(results, quick)


def numbers(results, quick):
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


def curves(results, quick):
    """curve_fit_error: the largest relative error of the force of a strip at any strain."""
    heading("Fabrics with stretch curves fitted to measurements of their simulated strips")
    note(
        "Five weights in each direction. Errors of the force of strips, by the fitted fabric's numbers."
    )
    rows, worst = [], 0.0
    for name, (slack, growth) in list(CURVED.items())[: 1 if quick else None]:
        wanted = {**fabric("jersey"), "model": MEMBRANE, "stretch_samples": curve(slack, growth)}
        found = through_file(measured(wanted, WEIGHTS, LOADED))
        for direction in ANGLES:
            theirs, ours = strip_of(wanted, direction), strip_of(found, direction)
            errors = [ours.pulled(strain) / theirs.pulled(strain) - 1 for strain in STRAINS]
            worst = max(worst, *map(abs, errors))
            results.row("curve", fabric=name, direction=direction, errors=errors)
            rows.append((name, direction, *(percent(error, 2) for error in errors)))
    table(("fabric", "strip", *(f"{100 * strain:g} %" for strain in STRAINS)), rows, left=2)
    results.number("curve_fit_error", worst)


def curve(slack, growth):
    return samples_of([math.log(number) for number in slack] + [math.log(g - 0.5) for g in growth])


def through_file(rows):
    """The material fitted to measurements that were written into a file and read."""
    handle, path = tempfile.mkstemp(suffix=".csv")
    with os.fdopen(handle, "w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    try:
        return fit(read_measurements(path)).material
    finally:
        os.unlink(path)

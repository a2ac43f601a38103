# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the cloth obeys mechanics: strips, sheets and friction against textbooks, on any mesh."""

import os

from common import charts
from common.bench import Bench, add_settings, settings_of
from truth_cases import bending, contact, drape, motion, rig, theory
from truth_cases.meshes import KINDS

QUICK_HELP = "two triangulations, one size, at fit; the same keys"
RIGHT = theory.peirce_degrees()
# The worst of all meshes, sizes and qualities.
FIGURES = f"""
cantilever_error | <= 0.03 | drop over reach of a clamped strip, relative
peirce_degrees | {RIGHT - 1:.2f}..{RIGHT + 1:.2f} | how far a strip of twice its bending length hangs
standing_error | <= 0.04 | weight at which an upright strip bends over, relative
lateral_error | <= 0.08 | weight at which a strip on edge turns aside, relative
stick_slip_error | <= 0.05 | friction that holds a pressed strip's foot, relative
capstan_error | <= 0.03 | tensions of a band around a cylinder, relative
swing_error | <= 0.01 | rates of a hanging sheet's small swings, relative
closed_form_error | <= 0.01 | catenary, own weight, fall in air, incline, relative
similarity_error | <= 0.01 | twice the size, eight times as stiff, over the length
bending_spread | <= 1.08 | stiffest over softest of all directions
cusick_in_band | 1 | fabrics within the published drapes and folds
cusick_drape_in_band | 1 | fabrics within the published drapes
momentum_loss | <= 1e-3 | share that two free sheets lose when they meet
creep_mm_s | <= 0.01 | of cloth that friction should hold, mm/s
stopping_error | <= 0.02 | way of a sheet that slides to rest, relative
"""
PARTS = {
    "cantilever_error": bending.cantilever,
    "peirce_degrees": bending.cantilever,
    "standing_error": bending.standing,
    "lateral_error": bending.lateral,
    "stick_slip_error": contact.stick_slip,
    "capstan_error": contact.capstan,
    "swing_error": motion.swings,
    "closed_form_error": motion.closed_forms,
    "similarity_error": bending.similarity,
    "bending_spread": bending.spread,
    "cusick_in_band": drape.cusick,
    "cusick_drape_in_band": drape.cusick,
    "momentum_loss": contact.momentum,
    "creep_mm_s": contact.creep,
    "stopping_error": contact.stopping,
}


# --- plots: theory dashed, every triangulation beside it -------------------------------------------


def _line(name, rows, x, y, dashed=False):
    """Points (x, mean of y) of all rows with the same x."""
    at = {}
    for row in rows:
        at.setdefault(row[x], []).append(row[y])
    points = tuple((place, sum(values) / len(values)) for place, values in sorted(at.items()))
    return charts.Line(name, points, dashed)


def by_kind(table, x, y, finest=True):
    """A line of each triangulation at fit, on its finest mesh where there are several, and one of theory."""

    def lines(results):
        rows = results.of(table, quality="fit")
        most = max((row.get("cells", 0) for row in rows), default=0)
        rows = [row for row in rows if not finest or row.get("cells", 0) == most]
        reported = (
            [_line("theory", rows, x, "theory", True)] if rows and "theory" in rows[0] else []
        )
        return reported + [_line(k, [row for row in rows if row["kind"] == k], x, y) for k in KINDS]

    return lines


def drapes(results):
    rows = [{**row, "mm": 1000 * row["length"]} for row in results.of("drape_curve")]
    starts = sorted({row["start"] for row in rows})
    each = [[row for row in rows if row["start"] == start] for start in starts]
    return [_line(f"start {k + 1}", mine, "mm", "drape") for k, mine in enumerate(each)]


def losses(results):
    """The worst of all triangulations."""
    lines = []
    for quality in ("draft", "fit", "final"):
        at = {}
        for row in results.of("momentum", quality=quality):
            rate = 24 * row["substeps"]
            at[rate] = max(at.get(rate, 1e-9), row["loss"])
        lines.append(charts.Line(quality, tuple(at.items())))
    return lines


def creeps(results):
    rows = results.of("creep", quality="fit")
    rows = [{**r, "place": KINDS.index(r["kind"]) + 1, "mm_s": max(r["mm_s"], 1e-6)} for r in rows]
    cases = sorted({row["case"] for row in rows})
    return [_line(c, [r for r in rows if r["case"] == c], "place", "mm_s") for c in cases]


LOG, EVEN, EVEN_LOG = ("log", "log"), ("linear", "linear"), ("linear", "log")
# Name: the lines, scales, title, axes.
PLOTS = {
    "cantilever": (by_kind("cantilever", "weight", "found"), LOG, "A clamped strip hangs"),
    "spread": (by_kind("spread", "degrees", "stiffness"), EVEN, "Bending stiffness by direction"),
    "standing": (by_kind("standing", "cells", "found", False), EVEN, "Upright strips bend over"),
    "lateral": (by_kind("lateral", "cells", "found", False), EVEN, "Strips on edge turn aside"),
    "stick_slip": (by_kind("stick_slip", "shortening", "found"), EVEN, "Foot of a pressed strip"),
    "capstan": (by_kind("capstan", "friction", "found"), EVEN, "A band around a cylinder"),
    "swing": (by_kind("swing", "mode", "found"), EVEN, "Small swings of a hanging sheet"),
    "incline": (by_kind("incline", "index", "found"), EVEN, "A slope of 25 degrees"),
    "cusick": (drapes, EVEN, "Cusick's drape meter, cotton's weight"),
    "momentum": (losses, LOG, "Momentum lost when free sheets meet"),
    "creep": (creeps, EVEN_LOG, "Creep of cloth that friction should hold"),
    "stopping": (by_kind("stopping", "substeps", "found"), EVEN, "How far a sheet slides"),
}
AXES = {
    "cantilever": ("weight over stiffness", "drop over reach"),
    "spread": ("angle of the lattice, degrees", "B over B asked"),
    "standing": ("cells along the strip", "weight over stiffness"),
    "lateral": ("cells along the strip", "weight over stiffness"),
    "stick_slip": ("shortening", "friction"),
    "capstan": ("friction", "tension over tension"),
    "swing": ("mode", "rate over the root of g / L"),
    "incline": ("friction in tenths", "acceleration over g"),
    "cusick": ("bending length, mm", "drape coefficient, %"),
    "momentum": ("substeps a second", "share lost, worst"),
    "creep": ("1 alternating, 2 one-way, 3 irregular, 4 equilateral", "mm/s"),
    "stopping": ("substeps a frame", "way, mm"),
}


def plots(results, folder):
    """Those that there are points for."""
    for name, (lines, scales, title) in PLOTS.items():
        drawn = [line for line in lines(results) if line.points]
        if drawn:
            path = os.path.join(folder, f"truth_{name}.svg")
            charts.write(path, title, *AXES[name], drawn, scales)


BENCH = Bench(
    "truth",
    __doc__,
    QUICK_HELP,
    PARTS,
    FIGURES,
    options=add_settings,
    begin=lambda options: rig.EXTRA.update(settings_of(options.set)),
    plots=plots,
)

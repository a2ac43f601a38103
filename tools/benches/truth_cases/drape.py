# SPDX-License-Identifier: GPL-3.0-or-later
"""Cusick's drape meter: a disc of 30 cm on a plate of 18 cm, its shadow from above and its folds.

The drape coefficient is the share of the overhanging ring that is still in the shadow: 100 % for a board.
"""

import numpy as np
from common.report import digits, heading, note, percent, table
from muslin.fabrics import fabric as numbers_of
from truth_cases.meshes import disc
from truth_cases.rig import GRAVITY, cloth_of, every, kinds

RADIUS, PLATE = 0.15, 0.09  # m
# From the plate to the border. Triangles that hardly stretch fold along their sides alone: cells of more than two fifths
# of the bending length, 11 mm in silk, make the cloth stiffer than it is.
CELLS = (14, 17, 20)
STARTS = 3
# Published ranges of the drape coefficient, %; 3 to 8 folds for all of them.
BANDS = {"silk": (20, 40), "cotton": (60, 76), "wool": (40, 70), "denim": (70, 90)}
FOLDS = (3, 8)
LENGTHS = (0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05)  # m, bending length of the curve
CALM = 4.0  # 1/s of damping
WATCHED, LOOKS, STILL = 24, 30, 3e-4  # frames between two looks, looks at most, m between them
PIXEL = 5e-4  # m


def cusick(results, quick):
    """cusick_in_band: the share of fabrics, triangulations and starts within the published bands."""
    heading("Cusick's drape meter: drape coefficient and folds")
    starts = range(1) if quick else range(STARTS)
    shapes = [(kind, CELLS[0], "fit") for kind in kinds(quick)]
    if not quick:
        shapes += [("irregular", cells, "fit") for cells in CELLS[1:]]
        shapes.append(("irregular", CELLS[0], "final"))
    inside, rows = [], []
    for (name, (kind, cells, quality)), found in every(
        lambda name, shape: [_drape(*shape, start, numbers_of(name)) for start in starts],
        BANDS,
        shapes,
    ):
        low, high = BANDS[name]
        mean = float(np.mean([drape for drape, _ in found]))
        folds = [count for _, count in found]
        fits = low <= mean <= high and all(FOLDS[0] <= count <= FOLDS[1] for count in folds)
        inside.append(fits)
        rows.append(
            (
                name,
                kind,
                cells,
                quality,
                digits(mean, 1),
                f"{low}-{high}",
                " ".join(map(str, folds)),
            )
        )
        for start, (drape, count) in zip(starts, found):
            results.row(
                "cusick",
                fabric=name,
                kind=kind,
                cells=cells,
                quality=quality,
                start=start,
                drape=drape,
                folds=count,
                low=low,
                high=high,
            )
    table(
        ("fabric", "triangulation", "cells", "quality", "drape, %", "band", "folds"), rows, left=2
    )
    results.number("cusick_in_band", sum(inside) / len(inside))
    note(f"{percent(sum(inside) / len(inside), 0)} of these are within the published bands.")
    if not quick:
        _curve(results)


def _curve(results):
    """Drape over the bending length of a fabric of cotton's weight."""
    cotton = numbers_of("cotton")

    def drape(length, start):
        bend = cotton["density"] * GRAVITY * length**3
        return _drape("irregular", CELLS[0], "fit", start, {**cotton, "bend": bend})

    for (length, start), (found, folds) in every(drape, LENGTHS, range(STARTS)):
        results.row("drape_curve", length=length, start=start, drape=found, folds=folds)


def _drape(kind, cells, quality, start, fabric):
    """(drape coefficient in %, folds) of a disc that falls from a level start with small dents of chance."""
    flat = disc(kind, RADIUS, PLATE, cells)
    positions = flat.standing([(1, 0, 0), (0, 1, 0)])
    distance = np.linalg.norm(flat.points, axis=1)
    angle = np.arctan2(flat.points[:, 1], flat.points[:, 0])
    random = np.random.default_rng(start)
    dents = sum(
        random.normal() * np.cos(k * angle + 2 * np.pi * random.random()) for k in range(2, 10)
    )
    begun = positions.astype(float)
    begun[:, 2] += 1e-3 * dents * np.maximum(distance - PLATE, 0) / (RADIUS - PLATE)
    settings = {**fabric, "damping": CALM, "quality": quality, "substeps": 2}
    with cloth_of(positions, flat.triangles, **settings) as cloth:
        cloth.set_pins(flat.clamp)
        begun[flat.clamp] = positions[flat.clamp]
        cloth.set_state(begun)
        rest = _rest(cloth)
    border = np.argsort(angle[distance > RADIUS - 1e-6])
    rim = rest[distance > RADIUS - 1e-6][border]
    return coefficient(rest, flat.triangles), _folds(rim[:, 2])


def _rest(cloth):
    """Where the cloth hardly moves for a second: folds come slowly, so a slow vertex says nothing."""
    before = np.inf
    for _ in range(LOOKS):
        for _ in range(WATCHED):
            cloth.step(1 / 24)
        here = cloth.positions().astype(float)
        if np.abs(here - before).max() < STILL:
            break
        before = here
    return here


def coefficient(positions, triangles):
    """Share of the ring around the plate that the cloth's shadow covers, %."""
    corners = positions[triangles][:, :, :2]
    parts = int(np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max() / PIXEL) + 2
    i, j = np.meshgrid(np.arange(parts), np.arange(parts))
    inside = i + j < parts
    b, c = (i[inside] + 1 / 3) / parts, (j[inside] + 1 / 3) / parts
    points = np.einsum("kp,tkd->tpd", np.array([1 - b - c, b, c]), corners).reshape(-1, 2)
    points = points[np.linalg.norm(points, axis=1) > PLATE]
    cells = np.unique(np.floor(points / PIXEL).astype(np.int64) @ np.array([1, 1 << 20]))
    return float(100 * len(cells) * PIXEL**2 / (np.pi * (RADIUS**2 - PLATE**2)))


def _folds(heights):
    """How often the border goes up through its mean height, ripples left out."""
    waves = np.fft.rfft(heights - heights.mean())
    waves[16:] = 0
    smooth = np.fft.irfft(waves, len(heights))
    return int(((smooth < 0) & (np.roll(smooth, -1) >= 0)).sum())

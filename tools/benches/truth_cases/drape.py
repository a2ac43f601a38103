# SPDX-License-Identifier: GPL-3.0-or-later
"""Cusick's drape meter: a disc of 30 cm between two plates of 18 cm; its border falls, undamped, for 2 s.

The drape coefficient is the share of the overhanging ring that is then in the shadow from above: 100 % for a board.
"""

import numpy as np
from common.bench import heading
from muslin.fabrics import fabric as numbers_of
from test_scenes import solids
from truth_cases.meshes import IRREGULAR, disc
from truth_cases.rig import CONVENTIONAL, GRAVITY, LEVEL, add_solid, cloth_of, kinds, run, sweep

RADIUS, PLATE = 0.15, 0.09  # m
SPACINGS = (0.008, 0.0065, 0.005)  # m
THICKNESS, FRICTION = 1e-3, 0.3
DENT = 5e-4  # m, of the border at the start: which folds come first must not hang on rounding
SECONDS = 2.0
STARTS = 3
# Published ranges of the drape coefficient, %; 3 to 8 folds for all of them.
BANDS = {"silk": (20, 40), "cotton": (60, 76), "wool": (40, 70), "denim": (70, 90)}
LENGTHS = (0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05)  # m, bending length of the curve
PIXEL = 5e-4  # m


def cusick(results, quick):
    """cusick_in_band: the share of fabrics and meshes whose drapes and folds are within the published bands.

    cusick_drape_in_band looks at the drapes alone. The full run has the conventional solver beside them, for one start.
    """
    heading("Cusick's drape meter: drape coefficient and folds")
    shapes = [(kind, SPACINGS[0], "fit") for kind in kinds(quick)]
    if not quick:
        shapes += [(IRREGULAR, spacing, "fit") for spacing in SPACINGS[1:]]
        shapes += [(IRREGULAR, SPACINGS[0], way) for way in ("final", "conventional")]

    def drapes(name, shape):
        kind, spacing, way = shape
        ours = way != "conventional"
        settings = {"quality": way} if ours else CONVENTIONAL
        starts = range(STARTS if ours and not quick else 1)
        found = [drape(kind, spacing, start, numbers_of(name), **settings) for start in starts]
        mean, (low, high) = float(np.mean([share for share, _ in found])), BANDS[name]
        folds = [count for _, count in found]
        inside = low <= mean <= high
        named = {"kind": kind, "mm": 1000 * spacing, "quality": way, "drape": mean}
        named = {**named, "folds": " ".join(map(str, folds)), "low": low, "high": high}
        return {**named, "inside": inside, "fits": inside and 3 <= min(folds) and max(folds) <= 8}

    rows = sweep(drapes, fabric=BANDS, shape=shapes)
    results.table("cusick", rows, "fabric kind quality mm drape folds low high inside fits")
    ours = [row for row in rows if row["quality"] != "conventional"]
    results.number("cusick_in_band", sum(row["fits"] for row in ours) / len(ours))
    results.number("cusick_drape_in_band", sum(row["inside"] for row in ours) / len(ours))
    if not quick:
        _curve(results)


def _curve(results):
    """Drape over the bending length of a fabric of cotton's weight."""
    cotton = numbers_of("cotton")

    def one(length, start):
        fabric = {**cotton, "bend": cotton["density"] * GRAVITY * length**3}
        found, folds = drape(IRREGULAR, SPACINGS[0], start, fabric, quality="fit")
        return {"drape": found, "folds": folds}

    results.table("drape_curve", sweep(one, length=LENGTHS, start=range(STARTS)))


def dents(points, seed, held, radius):
    """Smooth dents of chance, at most about 1, that grow from a circle to the border."""
    angle = np.arctan2(points[:, 1], points[:, 0])
    random = np.random.default_rng(seed)
    waves = sum(
        random.normal() * np.cos(k * angle + 2 * np.pi * random.random()) for k in range(2, 10)
    )
    grown = np.maximum(np.linalg.norm(points, axis=1) - held, 0) / (radius - held)
    return waves, grown


def dented(flat, positions, seed, held=PLATE):
    """A level start with small dents of chance outside of a circle, in double."""
    waves, grown = dents(flat.points, seed, held, RADIUS)
    begun = positions.astype(float)
    begun[:, 2] += DENT * waves / np.abs(waves).max() * grown
    return begun


def drape(kind, spacing, start, fabric, **settings):
    """(drape coefficient in %, folds) of a disc whose border falls from a dented start."""
    flat = disc(kind, RADIUS, spacing)
    positions = flat.standing(LEVEL)
    with cloth_of(positions, flat.triangles, **{**fabric, "substeps": 2, **settings}) as cloth:
        for low, high in ((-0.4, -THICKNESS), (THICKNESS, 0.05)):
            add_solid(cloth, solids.cylinder(PLATE, low, high, sides=96), THICKNESS, FRICTION)
        cloth.set_state(dented(flat, positions, start))
        rest = run(cloth, SECONDS)
    border = np.flatnonzero(np.linalg.norm(flat.points, axis=1) > RADIUS - 1e-6)
    around = np.argsort(np.arctan2(flat.points[border, 1], flat.points[border, 0]))
    return coefficient(rest, flat.triangles), _folds(rest[border[around], 2])


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

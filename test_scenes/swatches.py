# SPDX-License-Identifier: GPL-3.0-or-later
"""Swatches of fabrics: the same small drape test of each, rendered for the menu of the add-on.

A square cloth lies on a round stand, which holds its middle; the rest hangs and folds as the fabric lets it. Colour,
gloss and weave are those that such cloth often has; weaves are drawn some times as coarse as they are.
"""

import argparse
import sys
from pathlib import Path

import muslin
import numpy as np
from muslin.fabrics import all_fabrics, settings_of
from muslin.measured.hanging import STILL_AIR

from test_scenes.image import contact_sheet, write_png
from test_scenes.render import Camera, Finish, Part, render
from test_scenes.sheets import grid
from test_scenes.solids import cylinder

SIZE, STAND, CELLS = (
    0.36,
    0.075,
    80,
)  # m: the cloth's side, the stand's radius; vertices along a side
PIXELS, SHEET_PIXELS = 96, 160
FRAMES, STEP, DAMPING = 160, 1 / 24, 4.0
GROUND = -0.17  # m below the stand
POLE = 0.02  # m, its radius below the round plate, which the cloth hides
CAMERA = Camera(np.array([0.0, 0.0, -0.06]), 0.88, azimuth=32, elevation=22)
# As such cloth often is; others are grey.
COLOURS = {
    "cotton": (0.79, 0.74, 0.64),
    "muslin": (0.70, 0.59, 0.40),
    "silk": (0.63, 0.04, 0.10),
    "jersey": (0.36, 0.36, 0.37),
    "linen": (0.51, 0.44, 0.31),
    "wool": (0.085, 0.075, 0.07),
    "denim": (0.022, 0.05, 0.14),
    "leather": (0.14, 0.05, 0.02),
    "poplin": (0.28, 0.44, 0.70),
    "satin": (0.47, 0.25, 0.51),
    "tulle": (0.89, 0.59, 0.67),
    "felt": (0.08, 0.28, 0.10),
    "rubber": (0.70, 0.35, 0.03),
    "neoprene": (0.01, 0.01, 0.02),
}
GREY = (0.35, 0.35, 0.35)
TWILL, RIBS, BONES, SLUBS, GRAIN = 0.012, 0.006, 0.022, 0.002, 0.003  # m, of a weave's pattern
HEM, ORANGE = 0.014, np.array([20.0, 4.5, 0.5])  # m from the border; over indigo
WOOD = (0.30, 0.22, 0.15)


def waves(phase):
    """From -1 to 1, once for each whole number."""
    return np.sin(2 * np.pi * phase)


def twill(flat):
    """Diagonal lines, with two rows of orange stitches along the hem."""
    lines = 1 + 0.5 * waves((flat[:, 0] + 2 * flat[:, 1]) / TWILL)
    inside = SIZE / 2 - np.abs(flat).max(axis=1)
    stitched = np.abs(np.abs(inside - HEM) - HEM / 4) < HEM / 10
    return np.where(stitched[:, None], ORANGE, lines[:, None])


def ribs(flat):
    """The wales of a knit, of yarn whose fibres have several greys."""
    return (1 + 0.2 * waves(flat[:, 0] / RIBS)) * grain(flat)


def herringbone(flat):
    """Twill that turns about, column by column."""
    across = flat[:, 0] / BONES
    zigzag = 2 * np.abs(across - np.round(across)) * BONES
    return 1 + 0.4 * waves((flat[:, 1] + zigzag) / (0.3 * BONES))


def slubs(flat):
    """Threads of uneven thickness, along warp and weft."""
    rows = np.random.default_rng(2).uniform(-1, 1, (2, 1024))
    u, v = (np.floor(flat / SLUBS).astype(int) % 1024).T
    return 1 + 0.13 * (rows[0, u] + rows[1, v])


def grain(flat):
    """Spots of chance: pores, or fibres that lie anyhow."""
    u, v = (np.floor(flat / GRAIN).astype(int) % 256).T
    return 1 + 0.16 * np.random.default_rng(3).uniform(-1, 1, (256, 256))[u, v]


# gloss, sharpness and weave; others are dull and smooth.
FINISHES = {
    "silk": (0.75, 14, None),
    "satin": (0.85, 20, None),
    "jersey": (0, 1, ribs),
    "linen": (0, 1, slubs),
    "wool": (0, 1, herringbone),
    "denim": (0, 1, twill),
    "leather": (0.35, 30, grain),
    "felt": (0, 1, grain),
    "rubber": (0.9, 60, None),
    "neoprene": (0.12, 8, None),
    "poplin": (0.08, 8, None),
}


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="tools/swatches", description=__doc__)
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="FOLDER")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="of the fabrics")
    parser.add_argument(
        "--sheet", metavar="FILE.png", help="also all of them, larger, in one picture"
    )
    options = parser.parse_args(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    chosen = [one for one in all_fabrics() if not options.only or one.name in options.only]
    large = []
    for one in chosen:
        draped = drape(one)
        path = options.output / f"{one.name}.png"
        write_png(path, picture(draped, one.name, PIXELS))
        print(f"{path}: {path.stat().st_size:,} bytes", flush=True)
        if options.sheet:
            large.append(picture(draped, one.name, SHEET_PIXELS))
    if options.sheet:
        write_png(options.sheet, contact_sheet(large, 5))
    return 0


def drape(one):
    """(positions, faces, places in the flat cloth) of a fabric on the stand."""
    flat = grid(CELLS, CELLS, SIZE)
    faces, positions = flat.triangles(), flat.positions.astype(float)
    sizes, corners = np.full(len(faces), 3), faces.ravel()
    mesh = muslin.Mesh(positions, sizes, corners, uvs=flat.uvs, uv_indices=corners)
    distance = np.linalg.norm(positions[:, :2], axis=1)
    angle = np.arctan2(positions[:, 1], positions[:, 0])
    start = positions.copy()
    outside = np.maximum(distance - STAND, 0)
    start[:, 2] -= outside * (0.3 + 0.05 * np.cos(3 * angle + 0.5) + 0.05 * np.cos(5 * angle))
    settings = {**settings_of(one), **STILL_AIR, "damping": DAMPING}
    with muslin.Cloth(mesh, **settings, quality="fit", threads=2) as cloth:
        cloth.set_pins(np.flatnonzero(distance <= STAND))
        cloth.set_state(start)
        for _ in range(FRAMES):
            cloth.step(STEP)
        return cloth.positions().astype(float), faces, positions[:, :2]


def picture(draped, name, pixels):
    gloss, sharpness, weave = FINISHES.get(name, (0, 1, None))
    finish = Finish(gloss, sharpness, weave, draped[2])
    stand = cylinder(POLE, GROUND, -0.004)
    parts = [
        Part(draped[0], draped[1], COLOURS.get(name, GREY), finish=finish),
        Part(np.asarray(stand.positions), stand.faces, WOOD),
    ]
    return render(parts, CAMERA, pixels, pixels, ground=GROUND, samples=4)


if __name__ == "__main__":
    sys.exit(main())

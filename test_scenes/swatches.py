# SPDX-License-Identifier: GPL-3.0-or-later
"""Swatches of fabrics: the same small drape test of each, rendered for the menu of the add-on.

A square cloth lies on a round stand, which holds its middle; the rest hangs and folds as the fabric lets it.
"""

import argparse
import sys
from pathlib import Path

import muslin
import numpy as np
from muslin.fabrics import all_fabrics, settings_of
from muslin.hanging import STILL_AIR

from test_scenes.image import contact_sheet, write_png
from test_scenes.render import Camera, Part, render
from test_scenes.sheets import grid
from test_scenes.solids import cylinder

SIZE, STAND, CELLS = (
    0.36,
    0.075,
    80,
)  # m: the cloth's side, the stand's radius; vertices along a side
PIXELS = 96
FRAMES, STEP, DAMPING = 160, 1 / 24, 4.0
GROUND = -0.17  # m below the stand
POLE = 0.02  # m, its radius below the round plate, which the cloth hides
CAMERA = Camera(np.array([0.0, 0.0, -0.06]), 0.86, azimuth=32, elevation=22)
# As such cloth often is; others are grey.
COLOURS = {
    "cotton": (0.79, 0.74, 0.64),
    "muslin": (0.70, 0.59, 0.40),
    "silk": (0.63, 0.04, 0.10),
    "jersey": (0.25, 0.35, 0.29),
    "linen": (0.51, 0.44, 0.31),
    "wool": (0.17, 0.17, 0.21),
    "denim": (0.04, 0.09, 0.25),
    "leather": (0.14, 0.05, 0.02),
    "poplin": (0.28, 0.44, 0.70),
    "satin": (0.47, 0.25, 0.51),
    "tulle": (0.89, 0.59, 0.67),
    "felt": (0.08, 0.28, 0.10),
    "rubber": (0.70, 0.35, 0.03),
    "neoprene": (0.01, 0.01, 0.02),
}
GREY = (0.35, 0.35, 0.35)
WOOD = (0.30, 0.22, 0.15)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="tools/swatches", description=__doc__)
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="FOLDER")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="of the fabrics")
    parser.add_argument("--sheet", metavar="FILE.png", help="also all of them in one picture")
    options = parser.parse_args(arguments)
    chosen = [one for one in all_fabrics() if not options.only or one.name in options.only]
    pictures = []
    for one in chosen:
        pictures.append(picture(drape(one), one.name))
        path = options.output / f"{one.name}.png"
        write_png(path, pictures[-1])
        print(f"{path}: {path.stat().st_size:,} bytes")
    if options.sheet:
        write_png(options.sheet, contact_sheet(pictures, 5))
    return 0


def drape(one):
    """(positions, faces) of a fabric on the stand."""
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
        return cloth.positions().astype(float), faces


def picture(draped, name):
    stand = cylinder(POLE, GROUND, -0.004)
    parts = [
        Part(draped[0], draped[1], COLOURS.get(name, GREY)),
        Part(np.asarray(stand.positions), stand.faces, WOOD),
    ]
    return render(parts, CAMERA, PIXELS, PIXELS, ground=GROUND, samples=4)


if __name__ == "__main__":
    sys.exit(main())

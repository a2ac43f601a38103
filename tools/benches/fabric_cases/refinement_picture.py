# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture of refinement: a row for each fabric, the coarsest mesh at the left, all through one camera."""

import os

import numpy as np
from common.report import note
from test_scenes.image import contact_sheet, write_png, write_text
from test_scenes.render import Part, frame_camera, render
from test_scenes.sheets import grid
from test_scenes.swatches import COLOURS

WIDTH, HEIGHT, SAMPLES = 232, 178, 3
AZIMUTH, ELEVATION = 28, 20
SHADES = {"cotton": (0.42, 0.36, 0.27)}  # folds of white cloth hardly show


def draw(rests, name="refinement"):
    """Writes NAME.png beside the bench's programs. rests: for each case places by cells along a side."""
    everything = np.concatenate(
        [p.reshape(-1, 3) for sides in rests.values() for p in sides.values()]
    )
    camera = frame_camera(everything, WIDTH, HEIGHT, AZIMUTH, ELEVATION)
    ground = float(everything[:, 2].min())
    views = []
    for case, sides in rests.items():
        for side, places in sides.items():
            faces = grid(side + 1, side + 1, case.size).triangles()
            part = Part(places.reshape(-1, 3), faces, SHADES.get(case.fabric, COLOURS[case.fabric]))
            view = render([part], camera, WIDTH, HEIGHT, ground, SAMPLES)
            write_text(view, f"{case.fabric} {(side + 1) ** 2}", 8, HEIGHT - 14, scale=1)
            views.append(view)
    path = os.path.join(os.environ["MUSLIN_BENCH_PROGRAMS"], f"{name}.png")
    write_png(path, contact_sheet(views, len(next(iter(rests.values())))))
    note(f"{path}: from coarse to fine, from left to right")

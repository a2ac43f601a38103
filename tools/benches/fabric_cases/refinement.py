# SPDX-License-Identifier: GPL-3.0-or-later
"""The same fabric on coarse and fine meshes: does it drape alike?"""

import numpy as np
from common.report import digits, heading, note, table
from muslin import Cloth, Mesh, fabric, fabric_surface
from muslin.hanging import STILL_AIR
from test_scenes.sheets import grid
from test_scenes.solids import uv_sphere

# m, of the squares: 2k vertices have cells of 9 mm, half of cotton's bending length. Silk's is 11 mm: docs/fabrics.md.
SIZES = {"cotton": 0.4, "denim": 0.4}
# Cells along a side: 2,025, 7,921 and 31,329 vertices, those of each among those of the next.
SIDES = (44, 88, 176)
STEP, DAMPING = 1 / 24, 6.0
LOOK, CALM = 8, 3  # steps between looks, and looks in a row at what is slow
SLOW, LONGEST = 3e-4, 1600  # m/s; steps at most
BALL = 0.25  # its radius, of the size
QUICK = ("cotton",)


def measure(results, quick):
    """refinement_distance: of vertices from where the finest mesh has them, mean over the size, the worst case."""
    heading("The same fabric on 2k, 8k and 32k vertices")
    note(
        "Squares of 40 cm fall on a ball of 20 cm from the same start until they rest, at fit. "
        "Distances of vertices from where the finest mesh has them, over the size."
    )
    sides = SIDES[:2] if quick else SIDES
    rows, worst = [], 0.0
    for name in QUICK if quick else SIZES:
        rests = {side: rest(name, side) for side in sides}
        for side in sides[:-1]:
            every = sides[-1] // side
            fine = rests[sides[-1]][::every, ::every]
            apart = np.linalg.norm(rests[side] - fine, axis=2) / SIZES[name]
            mean, most = float(apart.mean()), float(apart.max())
            worst = max(worst, mean)
            results.row("refinement", fabric=name, vertices=(side + 1) ** 2, mean=mean, most=most)
            rows.append((name, f"{(side + 1) ** 2:,}", digits(mean, 4), digits(most, 4)))
    table(("fabric", "vertices", "mean", "most"), rows)
    results.number("refinement_distance", worst)


def rest(name, side):
    """Where a square of so many cells comes to rest: its vertices as rows and columns."""
    size = SIZES[name]
    flat = grid(side + 1, side + 1, size)
    faces = flat.triangles()
    corners = faces.ravel()
    mesh = Mesh(flat.positions, np.full(len(faces), 3), corners, uvs=flat.uvs, uv_indices=corners)
    settings = {**fabric(name), **STILL_AIR, "damping": DAMPING, "quality": "fit", "substeps": 1}
    x, y = flat.positions[:, :2].astype(float).T
    # The same dents in each, so that no fold is left to chance.
    dents = np.cos(9.4 * np.pi * x + 0.3) + np.cos(12.6 * np.pi * y + 0.7)
    with Cloth(mesh, **settings, threads=2) as cloth:
        ball = uv_sphere(BALL * size, (0, 0, -BALL * size - 0.012), 32, 64)
        cloth.add_body((ball.positions, ball.faces), **fabric_surface(name))
        cloth.set_state(np.column_stack([x, y, 0.004 * size * dents]))
        until_still(cloth)
        return cloth.positions().astype(float).reshape(side + 1, side + 1, 3)


def until_still(cloth):
    """Steps until the fastest vertex was slow at several looks in a row: a fold may wait before it falls."""
    calm = 0
    for count in range(LONGEST):
        cloth.step(STEP)
        if count % LOOK == 0:
            calm = calm + 1 if np.abs(cloth.state()[1]).max() < SLOW else 0
            if calm == CALM:
                return

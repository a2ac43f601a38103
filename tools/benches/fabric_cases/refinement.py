# SPDX-License-Identifier: GPL-3.0-or-later
"""The same fabric on coarse and fine meshes: does it drape alike?"""

import time

import numpy as np
from common.report import digits, heading, note, table
from muslin import Cloth, Mesh, fabric, fabric_surface
from muslin.hanging import STILL_AIR
from test_scenes.sheets import grid
from test_scenes.solids import uv_sphere

SIZE = 0.4  # m, of the square
SIDES = (
    44,
    88,
    176,
)  # cells: 2,025, 7,921 and 31,329 vertices, those of each among those of the next
STEP, DAMPING = 1 / 24, 6.0
LOOK, CALM, SLOW, LONGEST = (
    8,
    3,
    3e-4,
    1600,
)  # steps between looks, calm looks in a row, m/s, steps at most
BALL = 0.1  # m, its radius
SCENES = (("swag", "cotton"), ("swag", "silk"), ("swag", "denim"), ("ball", "cotton"))
QUICK = (("swag", "cotton"),)


def measure(results, quick):
    """refinement_distance: of vertices from where the finest mesh has them, mean over the size, the worst case."""
    heading("The same fabric on 2k, 8k and 32k vertices")
    note(
        "Squares of 40 cm from the same start until they rest, at fit: held at two corners that are nearer to each "
        "other than the cloth is wide (swag), or on a ball of 20 cm. Distances from the finest mesh over the size."
    )
    sides = SIDES[:2] if quick else SIDES
    rows, worst = [], 0.0
    for scene, name in QUICK if quick else SCENES:
        rests = {side: rest(scene, name, side) for side in sides}
        fine, _ = rests[sides[-1]]
        for side in sides[:-1]:
            every = sides[-1] // side
            apart = np.linalg.norm(rests[side][0] - fine[::every, ::every], axis=2) / SIZE
            mean, most = float(apart.mean()), float(apart.max())
            worst = max(worst, mean)
            results.row("refinement", scene=scene, fabric=name, side=side, mean=mean, most=most)
            seconds = digits(rests[side][1], 1)
            rows.append(
                (scene, name, f"{(side + 1) ** 2:,}", digits(mean, 4), digits(most, 4), seconds)
            )
    table(("scene", "fabric", "vertices", "mean", "most", "s"), rows, left=2)
    results.number("refinement_distance", worst)


def rest(scene, name, side):
    """(positions as rows and columns, seconds) where a square of so many cells comes to rest."""
    flat = grid(side + 1, side + 1, SIZE)
    faces = flat.triangles()
    corners = faces.ravel()
    mesh = Mesh(flat.positions, np.full(len(faces), 3), corners, uvs=flat.uvs, uv_indices=corners)
    settings = {**fabric(name), **STILL_AIR, "damping": DAMPING, "quality": "fit", "substeps": 1}
    x, y = flat.positions[:, :2].astype(float).T
    begin = time.monotonic()
    with Cloth(mesh, **settings, threads=2) as cloth:
        if scene == "swag":
            start = np.column_stack(
                [0.85 * x, -0.3 * SIZE * np.cos(np.pi * x / SIZE), y - SIZE / 2]
            )
            held = [side * (side + 1), (side + 1) ** 2 - 1]
            cloth.set_pins(held, targets=start[held])
        else:
            waves = np.cos(9.4 * np.pi * x + 0.3) + np.cos(12.6 * np.pi * y + 0.7)
            start = np.column_stack([x, y, 0.004 * SIZE * waves])
            ball = uv_sphere(BALL, (0, 0, -BALL - 0.012), 32, 64)
            cloth.add_body((ball.positions, ball.faces), **fabric_surface(name))
        cloth.set_state(start)
        until_still(cloth)
        return (
            cloth.positions().astype(float).reshape(side + 1, side + 1, 3),
            time.monotonic() - begin,
        )


def until_still(cloth):
    """Steps until the fastest vertex was slow at several looks in a row: a fold may wait before it falls."""
    calm = 0
    for count in range(LONGEST):
        cloth.step(STEP)
        if count % LOOK == 0:
            calm = calm + 1 if np.abs(cloth.state()[1]).max() < SLOW else 0
            if calm == CALM:
                return

# SPDX-License-Identifier: GPL-3.0-or-later
"""The same fabric on coarse and fine meshes: does it drape alike?"""

from collections import namedtuple

import numpy as np
from common.report import heading, note
from fabric_cases import refinement_picture
from muslin import Cloth, Mesh, fabric, fabric_surface
from muslin.measured.hanging import STILL_AIR
from test_scenes.raster import rasterise
from test_scenes.sheets import grid
from test_scenes.solids import uv_sphere

# Cells along a side: 2,025, 7,921 and 31,329 vertices, those of each among those of the next.
SIDES = (44, 88, 176)
# scene: on a ball, or hung by two corners. size: of the square, m. sides: cells along it. figure: whether
# refinement_distance counts it.
Case = namedtuple("Case", "fabric scene size sides figure")
# 2k vertices have cells of 9 mm on 40 cm: half of cotton's bending length, nearly all of silk's.
CASES = (
    Case("cotton", "ball", 0.4, SIDES, True),
    Case("denim", "ball", 0.4, SIDES, True),
    Case("silk", "ball", 0.4, SIDES, False),
    Case("silk", "ball", 0.22, SIDES[:2], False),
    Case("cotton", "hung", 0.4, SIDES[:2], False),
)
DRAWN = 3  # of the cases
STEP, DAMPING = 1 / 24, 6.0
LOOK, CALM = 8, 3  # steps between looks, and looks in a row at what is slow
SLOW, LONGEST = 3e-4, 1600  # m/s; steps at most
BALL = 0.25  # its radius, of the size
GAP = 0.012  # m, between the ball and the sheet at the start
DENTS = 0.004  # of the size: how deep the sheet is dented at the start
NUDGE = 1e-5  # of the dents, by which a second start differs
PIXELS = 800  # of shadows
NEARER, MOVED = 0.85, 24  # how far apart the two corners end, of the size, and after how many steps


def measure(results, quick):
    """refinement_distance: of vertices from where the finest mesh has them, mean over the size, the worst case."""
    heading("The same fabric on 2k, 8k and 32k vertices")
    note(
        "Squares fall on a ball of half their size, or hang by two corners, from the same start until they rest, at fit. "
        "Distances of vertices from where the finest mesh has them, over the size; nudged: of the coarsest mesh from "
        "itself when its start is moved by some 10 nm, which is what chance makes of folds. Shadow: seen from above, "
        "over the square. The figure is of cotton and denim on the ball."
    )
    worst, drawn = 0.0, {}
    for case in CASES[:1] if quick else CASES:
        case = case._replace(sides=SIDES[:2]) if quick else case
        rests = drawn[case] = {side: rest(case, side) for side in case.sides}
        for side, places in rests.items():
            mean = compare(results, case, f"{(side + 1) ** 2:,}", places, rests[case.sides[-1]])
            worst = max(worst, mean) if case.figure else worst
        coarsest = case.sides[0]
        compare(results, case, "nudged", rest(case, coarsest, NUDGE), rests[coarsest])
    results.show("refinement", "fabric scene size what mean most shadow")
    results.number("refinement_distance", worst)
    refinement_picture.draw(dict(list(drawn.items())[:DRAWN]))


def compare(results, case, what, coarse, fine):
    """The mean distance of vertices from where a finer mesh has the same, over the size."""
    every = (len(fine) - 1) // (len(coarse) - 1)
    apart = np.linalg.norm(coarse - fine[::every, ::every], axis=2) / case.size
    mean, most, dark = float(apart.mean()), float(apart.max()), shadow(coarse, case.size)
    named = {"fabric": case.fabric, "scene": case.scene, "size": case.size, "what": what}
    results.row("refinement", **named, mean=mean, most=most, shadow=dark)
    return mean


def shadow(places, size):
    """The area that is seen from above, over that of the square."""
    points = places.reshape(-1, 3)
    scale = PIXELS / (1.5 * size)
    screen = scale * (points[:, :2] - points[:, :2].mean(0)) + PIXELS / 2
    faces = grid(*places.shape[:2], size).triangles()
    owner, _ = rasterise(screen, np.ones(len(points)), faces, PIXELS, PIXELS)
    return float((owner >= 0).sum()) / (scale * size) ** 2


def rest(case, side, nudge=0.0):
    """Where a square of so many cells comes to rest: its vertices as rows and columns."""
    flat = grid(side + 1, side + 1, case.size)
    faces = flat.triangles()
    corners = faces.ravel()
    mesh = Mesh(flat.positions, np.full(len(faces), 3), corners, uvs=flat.uvs, uv_indices=corners)
    settings = {
        **fabric(case.fabric),
        **STILL_AIR,
        "damping": DAMPING,
        "quality": "fit",
        "substeps": 1,
    }
    x, y = flat.positions[:, :2].astype(float).T
    # The same dents in each, so that no fold is left to chance.
    dents = np.cos(9.4 * np.pi * x + 0.3) + np.cos(12.6 * np.pi * y + 0.7)
    dents += nudge * np.cos(5 * np.pi * x * y / case.size**2 + 5 * x)
    with Cloth(mesh, **settings, threads=2) as cloth:
        cloth.set_state(np.column_stack([x, y, DENTS * case.size * dents]))
        (put_on_ball if case.scene == "ball" else hang)(cloth, case)
        until_still(cloth)
        return cloth.positions().astype(float).reshape(side + 1, side + 1, 3)


def put_on_ball(cloth, case):
    ball = ball_of(case.size)
    cloth.add_body((ball.positions, ball.faces), **fabric_surface(case.fabric))


def ball_of(size):
    return uv_sphere(BALL * size, (0, 0, -BALL * size - GAP), 32, 64)


def hang(cloth, case):
    """Two corners are held and brought nearer while the rest falls."""
    places = cloth.positions().astype(float)
    back = places[:, 1] > case.size / 2 - 1e-6
    corners = np.flatnonzero(back & (np.abs(places[:, 0]) > case.size / 2 - 1e-6))
    cloth.set_pins(corners)
    for count in range(1, MOVED + 1):
        share = 1 + (NEARER - 1) * count / MOVED
        cloth.move_pins(places[corners] * (share, 1, 1))
        cloth.step(STEP)


def until_still(cloth):
    """Steps until the fastest vertex was slow at several looks in a row: a fold may wait before it falls."""
    calm = 0
    for count in range(LONGEST):
        cloth.step(STEP)
        if count % LOOK == 0:
            calm = calm + 1 if np.abs(cloth.state()[1]).max() < SLOW else 0
            if calm == CALM:
                return

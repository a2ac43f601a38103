# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth of the benches truth and folds: made of a flat mesh, without any drag, run until it rests."""

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
from common.measure import BARE as NO_DRAG
from muslin import Cloth, Mesh
from truth_cases.meshes import KINDS

GRAVITY = 9.81
QUALITIES = ("fit", "final")
LEVEL, HANGING = ((1, 0, 0), (0, 1, 0)), ((0, 0, -1), (0, 1, 0))  # a flat mesh's axes in space
STILL = 1e-4  # m/s, of the fastest vertex: what rests
# No air and no damping, but for what a case says.
BARE = {**NO_DRAG, "density": 0.2, "shear": 0, "threads": 1, "substeps": 1}
LOAD = BARE["density"] * GRAVITY  # N/m^2
# The conventional solver until its substep is solved: Newton's method, far more iterations than anybody waits for.
CONVENTIONAL = {"solver": "implicit", "iterations": 40, "pcg_tolerance": 0.1, "pcg_limit": 500}
EXTRA = {}  # settings that the command line adds to every cloth


def mesh_of(positions, triangles, **uvs):
    sizes = np.full(len(triangles), 3, np.int32)
    corners = np.asarray(triangles, np.int32).ravel()
    return Mesh(np.asarray(positions, np.float32), sizes, corners, **uvs)


def cloth_of(positions, triangles, stretch=None, bend=None, **settings):
    """A cloth with the same stretch stiffness (N/m) along warp and weft; None: as the settings say."""
    fabric = {"stretch_warp": stretch, "stretch_weft": stretch, "bend": bend}
    given = {name: value for name, value in fabric.items() if value is not None}
    return Cloth(mesh_of(positions, triangles), **{**BARE, **given, **settings, **EXTRA})


def add_solid(cloth, solid, thickness, friction):
    return cloth.add_body((solid.positions, solid.triangles()), thickness, friction)


class NotStill(RuntimeError):
    """A cloth that should have come to rest did not."""


def settle(cloth, step, limit=600, still=STILL, least=8):
    """Steps until the fastest vertex is slower than `still`, m/s; the positions then, in double."""
    for count in range(limit):
        cloth.step(step)
        if count >= least and fastest(cloth) < still:
            return cloth.positions().astype(float)
    raise NotStill(f"still at {1000 * fastest(cloth):.3g} mm/s after {limit} steps")


def fastest(cloth):
    return float(np.linalg.norm(cloth.state()[1].astype(float), axis=1).max())


def run(cloth, seconds, step=1 / 24):
    for _ in range(round(seconds / step)):
        cloth.step(step)
    return cloth.positions().astype(float)


def every(function, *choices):
    """function(*choice) for every combination, as many at a time as there are cores: [(choice, result)]."""
    combinations = list(product(*choices))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(zip(combinations, pool.map(lambda choice: function(*choice), combinations)))


def sweep(function, **choices):
    """Rows of every combination: the choices by name, and what function(*choice) finds, a dictionary or a list of them."""
    rows = []
    for choice, found in every(function, *choices.values()):
        named = dict(zip(choices, choice))
        rows += [{**named, **each} for each in (found if isinstance(found, list) else [found])]
    return rows


def worst(rows, column="error"):
    return max(abs(row[column]) for row in rows)


def relative(found, theory, **more):
    """Fields of a row."""
    return {**more, "found": found, "theory": theory, "error": found / theory - 1}


def kinds(quick):
    """All four triangulations, or the two that differ most."""
    return KINDS[1:3] if quick else KINDS


def sizes(quick, full=(32, 48, 64)):
    """Cells along the cloth."""
    return full[1:2] if quick else full


def qualities(quick):
    return QUALITIES[:1] if quick else QUALITIES

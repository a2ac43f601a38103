# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth of the truth bench: made of a flat mesh, without any drag, run until it rests."""

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
from muslin import Cloth, Mesh
from truth_cases.meshes import KINDS

GRAVITY = 9.81
QUALITIES = ("fit", "final")
STILL = 1e-4  # m/s, of the fastest vertex: what rests
# No air and no damping, but for what a case says.
BARE = {
    "density": 0.2,
    "shear": 0,
    "damping": 0,
    "stiffness_damping": 0,
    "air_drag": 0,
    "normal_drag": 0,
    "tangent_drag": 0,
    "threads": 1,
    "substeps": 1,
}
EXTRA = {}  # settings that the command line adds to every cloth


def cloth_of(positions, triangles, stretch=None, bend=None, **settings):
    """A cloth with the same stretch stiffness (N/m) along warp and weft; None: as the settings say."""
    sizes = np.full(len(triangles), 3, np.int32)
    mesh = Mesh(np.asarray(positions, np.float32), sizes, np.asarray(triangles, np.int32).ravel())
    fabric = {"stretch_warp": stretch, "stretch_weft": stretch, "bend": bend}
    given = {name: value for name, value in fabric.items() if value is not None}
    return Cloth(mesh, **{**BARE, **given, **settings, **EXTRA})


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


def every(function, *choices):
    """function(*choice) for every combination, as many at a time as there are cores: [(choice, result)]."""
    combinations = list(product(*choices))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(zip(combinations, pool.map(lambda choice: function(*choice), combinations)))


def kinds(quick):
    """All four triangulations, or the two that differ most."""
    return KINDS[1:3] if quick else KINDS


def sizes(quick, full=(32, 48, 64)):
    """Cells along the cloth."""
    return full[1:2] if quick else full


def qualities(quick):
    return QUALITIES[:1] if quick else QUALITIES

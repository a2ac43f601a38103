# SPDX-License-Identifier: GPL-3.0-or-later
"""Strips of a fabric, hung and measured in the simulation as a person would do it with a ruler and weights."""

import math

import numpy as np
from muslin import Cloth, Mesh
from muslin.measured.hanging import STILL_AIR, hanging_angle, rest, strip_mesh
from muslin.measured.strips import ANGLES, GRAVITY, bending_length, strip_of

WIDTH, LENGTH, MARKS = (
    0.05,
    0.3,
    (0.1, 0.2),
)  # m, of a strip that is pulled; its marks are from its clamp
CELL = 0.005  # m
LOADED = 0.08  # the strain that the largest weight is chosen for
SHARES = (0.25, 0.5, 1.0)  # of that weight
PEIRCE = 41.5  # degrees
BENT_WIDTH, BENT_CELLS = 0.025, 40  # m, of a strip that hangs over an edge; cells along it
TRIED = (0.92, 1.0, 1.08)  # of the length that is expected


def pulled(settings, direction, loads):
    """The lengths between the marks (m) of a strip that hangs; loads: kg below the lower mark, the cloth there included."""
    even = [np.linspace(0, size, round(size / CELL) + 1) for size in (LENGTH, WIDTH)]
    flat = strip_mesh(*even, direction)
    x = flat.positions[:, 0].astype(float)
    hanging = np.column_stack([np.zeros_like(x), flat.positions[:, 1], -x])
    parts = flat.face_sizes, flat.face_vertices
    mesh = Mesh(hanging, *parts, uvs=flat.uvs, uv_indices=flat.uv_indices)
    masses = vertex_masses(mesh, settings["density"])
    end = np.flatnonzero(x > LENGTH - CELL / 4)
    shares = np.ones(len(end))
    shares[[0, -1]] = 0.5
    own = settings["density"] * (LENGTH - MARKS[1]) * WIDTH
    found = []
    with Cloth(mesh, **{**settings, **STILL_AIR, "quality": "final", "threads": 1}) as cloth:
        cloth.set_pins(np.flatnonzero(x < CELL / 4))
        for load in loads:
            factors = np.ones(len(x))
            factors[end] += (load - own) * shares / shares.sum() / masses[end]
            cloth.set_maps(mass=factors)
            places = rest(cloth, math.sqrt(GRAVITY / (LOADED * LENGTH)))
            upper, lower = (places[np.abs(x - mark) < CELL / 4].mean(0) for mark in MARKS)
            found.append(float(np.linalg.norm(lower - upper)))
    return found


def vertex_masses(mesh, density):
    corners = mesh.face_vertices.reshape(-1, 3)
    a, b, c = mesh.positions[corners].astype(float).transpose(1, 0, 2)
    thirds = density * np.linalg.norm(np.cross(b - a, c - a), axis=1) / 6
    return np.bincount(corners.ravel(), np.repeat(thirds, 3), mesh.vertex_count)


def overhang(settings, direction):
    """The length (m) of a strip that hangs over an edge until its end is 41.5 degrees below it, as a person finds it."""
    lengths = [share * 2 * bending_length(settings, direction) for share in TRIED]
    angles = [hanging_angle(settings, direction, at, BENT_WIDTH, BENT_CELLS) for at in lengths]
    return float(np.interp(PEIRCE, angles, lengths))


def measured(settings, shares=SHARES, loaded=LOADED):
    """All that a person measures of a fabric, as rows of the file that `muslin fit-fabric` reads.

    shares: weights, of the one that strains a strip by `loaded`.
    """
    rows = [("square", "", 100, 100, 1000 * settings["density"] * 0.01, "")]
    for direction in ANGLES:
        largest = strip_of(settings, direction).pulled(loaded) * WIDTH / GRAVITY
        loads = [share * largest for share in shares]
        marks = 1000 * (MARKS[1] - MARKS[0])
        for load, length in zip(loads, pulled(settings, direction, loads)):
            rows.append(("strip", direction, 1000 * WIDTH, marks, 1000 * load, 1000 * length))
    for direction in ANGLES:
        rows.append(("overhang", direction, 25, "", "", 1000 * overhang(settings, direction)))
    return rows

# SPDX-License-Identifier: GPL-3.0-or-later
"""Strips of cloth in the simulation: meshes of them, and how far one hangs over an edge.

A strip lies along x; its UV map turns warp and weft within it. All lengths are in metres.
"""

import math

import numpy as np

from ..cloth import Cloth
from ..errors import refuse
from ..mesh import Mesh
from .strips import ANGLES, GRAVITY

STILL_AIR = {"normal_drag": 0, "tangent_drag": 0, "air_drag": 0, "wind": (0, 0, 0)}
LONGEST = 600  # steps to come to rest at most
SLOW = 2e-5  # m/s, of what rests
CELLS = 24  # along a strip that hangs over an edge
WIDEST = 1.5  # of its length; wider ones hang no other way


def strip_mesh(x, y, direction):
    """A flat Mesh with rows at `x` and columns at `y`, cut along `direction`; its diagonals alternate."""
    across = len(y)
    points = np.array([(a, b, 0.0) for a in x for b in y])
    triangles = []
    for i in range(len(x) - 1):
        for j in range(across - 1):
            a = i * across + j
            b, c, d = a + across, a + across + 1, a + 1
            triangles += [(a, b, c), (a, c, d)] if (i + j) % 2 else [(a, b, d), (b, c, d)]
    corners = np.array(triangles).ravel()
    cosine, sine = math.cos(ANGLES[direction]), math.sin(ANGLES[direction])
    uvs = points[:, :2] @ np.array([[cosine, sine], [-sine, cosine]])
    return Mesh(points, np.full(len(triangles), 3), corners, uvs=uvs, uv_indices=corners)


def rest(cloth, rate):
    """Where a cloth comes to rest, in double; rate: of its slowest swing, 1/s, whose critical damping is quickest."""
    cloth.set_material(damping=2 * rate, stiffness_damping=0)
    for count in range(LONGEST):
        cloth.step(1 / rate)
        if count >= 8 and np.abs(cloth.state()[1]).max() < SLOW:
            return cloth.positions().astype(float)
    refuse(f"a strip did not come to rest in {LONGEST} steps")


def hanging_angle(settings, direction, length, width, cells=CELLS):
    """Degrees by which the end of a strip lies below the edge that `length` of it hangs over. Simulated are two
    strips to both sides of a pinned row, each the other's image."""
    cell = length / cells
    half = max(1, round(min(width, WIDEST * length) / cell / 2)) * cell
    x = np.linspace(-length, length, 2 * cells + 1)
    mesh = strip_mesh(x, np.linspace(-half, half, 2 * round(half / cell) + 1), direction)
    along = np.abs(mesh.positions[:, 0])
    with Cloth(mesh, **{**settings, **STILL_AIR, "quality": "final", "threads": 1}) as cloth:
        cloth.set_pins(np.flatnonzero(along < cell / 4))
        places = rest(cloth, math.sqrt(2.5 * GRAVITY / length))
    ends = places[along > length - cell / 4]
    return math.degrees(math.atan2(-ends[:, 2].mean(), np.abs(ends[:, 0]).mean()))

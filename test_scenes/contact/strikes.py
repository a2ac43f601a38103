# SPDX-License-Identifier: GPL-3.0-or-later
"""Moving bodies that a careless step would miss: too fast, too thin, too small. All our own code."""

import numpy as np

from test_scenes import solids
from test_scenes.contact.scene import FRAMES_PER_SECOND, OUR_OWN, ContactScene, carried
from test_scenes.sheets import grid


def curtain(count, size, top):
    """(mesh, pins) of an upright cloth in the plane y = 0, held along its upper border."""
    mesh = grid(count, count, size, name="curtain")
    x, y, flat = mesh.positions.T
    mesh.positions = np.column_stack([x, flat, y + np.float32(top - size / 2)])
    return mesh, np.arange(count * (count - 1), count * count)


def plate(count=41, speed=3.0, edge_first=False, thickness=0.002):
    """A plate of 4 mm that sweeps through a curtain; `edge_first` turns its edge ahead, like a blade.

    At 3 m/s it moves 125 mm a frame, far more than it and the cloth are thick.
    """
    size = (0.5, 0.2, 0.004) if edge_first else (0.3, 0.004, 0.3)
    mesh = solids.box(size, (0.04, -0.30, 0.95), cells=(5, 2, 1) if edge_first else (3, 1, 3))
    step = speed / FRAMES_PER_SECOND
    cloth, pins = curtain(count, 1.0, 1.6)
    name = "blade" if edge_first else "plate"
    way = "edge first" if edge_first else "broadside"
    return ContactScene(
        name,
        f"plate 4 mm thin sweeps {way} through a curtain at {speed:g} m/s; {OUR_OWN}",
        cloth,
        [carried(mesh, lambda frame: np.array([0, step * frame, 0]), name=name)],
        pins,
        settings={"thickness": thickness},
        frames=24,
    )


def blade(count=41, speed=3.0):
    """The same plate, edge first."""
    return plate(count, speed, edge_first=True)


def bead(edge=0.04, radius=0.01, speed=0.3, travel=0.35):
    """A sphere of 1 cm radius shot slowly at the inside of one triangle of a coarse curtain."""
    count = 2 * round(0.5 / edge)
    cloth, pins = curtain(count, edge * (count - 1), 1.5)
    # A third of an edge beside and above the middle of a cell: no vertex, no edge in front of it.
    aim = (0.15 * edge, -0.10, 1.5 - edge * (count / 2 - 0.5) - 0.25 * edge)
    mesh = solids.icosphere(radius, aim, 2)
    step = speed / FRAMES_PER_SECOND
    return ContactScene(
        "bead",
        f"sphere of 1 cm shot at a curtain of 4 cm triangles at {speed:g} m/s; {OUR_OWN}",
        cloth,
        [carried(mesh, lambda frame: np.array([0, min(step * frame, travel), 0]), name="bead")],
        pins,
        settings={"thickness": 0.002},
    )

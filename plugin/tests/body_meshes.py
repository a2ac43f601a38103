"""Cloth and bodies for the tests of contact through the boundary.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import hashlib

import numpy as np

from muslin import Mesh
from test_scenes import sheets, solids

STEP = 1 / 24
TABLE_TOP = 0.0  # m


def mesh_of(scene):
    return Mesh.from_faces(scene.positions, scene.faces)


def sheet(count=12, size=0.6, height=0.02):
    """A level square cloth above the table."""
    scene = sheets.grid(count, count, size)
    return Mesh.from_faces(scene.positions + np.float32([0, 0, height]), scene.faces)


def table(side=1.0):
    """A slab whose top is at z = 0; 24 mm thick."""
    return mesh_of(solids.box((side, side, 0.024), (0, 0, -0.012), cells=(3, 3, 1)))


def ball(radius=0.1, middle=(0, 0, -0.15)):
    return mesh_of(solids.uv_sphere(radius, middle))


def moved(mesh, offset):
    """The positions of a mesh, carried by an offset."""
    return mesh.positions + np.float32(offset)


def fall(cloth, frames):
    """A hash of the state's bytes after each of some steps; hashes are quickly compared and shown."""
    collected = []
    for _ in range(frames):
        cloth.step(STEP)
        state = b"".join(part.tobytes() for part in cloth.state())
        collected.append(hashlib.sha256(state).hexdigest()[:16])
    return collected

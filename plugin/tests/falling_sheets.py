"""A sheet that falls, and what the tests of its motion share.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import numpy as np

from muslin import Cloth, Mesh
from test_scenes import sheets

STEP = 1 / 24
STILL_AIR = {"air_drag": 0, "normal_drag": 0, "tangent_drag": 0}
CONVERGED = {"solver": "implicit", "iterations": 20, "pcg_tolerance": 0.1, "pcg_limit": 500}
LEAST = {"draft": 0.8, "fit": 0.95, "final": 0.99}
MOST = 1.05
MODELS = ("edge", "triangle")


def stretch_of(stiffness):
    return {
        "stretch_warp": 1.15 * stiffness,
        "stretch_weft": 1.15 * stiffness,
        "shear": 0.15 * stiffness,
    }


def mesh_of(scene):
    return Mesh.from_faces(scene.positions, scene.faces)


def energy_of(cloth):
    """Kinetic, elastic and gravity's, J; zero at rest in the first state."""
    stats = cloth.stats()
    return stats.kinetic_energy + stats.elastic_energy + stats.gravity_energy


class Sheet:
    """So many vertices along each side, 1 m, level, held by two corners."""

    def __init__(self, side=17):
        self.mesh = mesh_of(sheets.grid(side, side, 1.0))
        self.pins = [0, side - 1]

    def run(self, frames=10, move=None, stiffness=1e4, **settings):
        """Positions after some frames; `move` gives the pins' way at a time, m."""
        fabric = {"density": 0.3, "bend": 1e-4, **stretch_of(stiffness), **STILL_AIR}
        with Cloth(self.mesh, **{"substeps": 2, **fabric, **settings}) as cloth:
            cloth.set_pins(self.pins)
            for frame in range(1, frames + 1):
                if move is not None:
                    cloth.move_pins(self.mesh.positions[self.pins] + move(frame * STEP))
                cloth.step(STEP)
            return cloth.positions()

    def drop(self, positions):
        return float((self.mesh.positions - positions)[:, 2].mean())

    def motion(self, positions):
        return float(np.sqrt(((positions - self.mesh.positions) ** 2).sum(axis=1).mean()))

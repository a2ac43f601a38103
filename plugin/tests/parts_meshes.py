"""Cloths of several parts, and each of their sheets alone.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import numpy as np

from muslin import Cloth, Mesh, fabric

STEP = 1 / 24
# N/m and N m: a knitted fabric as measured, slack and at a stretch of 1/6.
STRETCH = (40, 12, 25, 15, *(4 * (180, 40, 120, 60)), *(220, 50, 150, 70))
BEND = (2e-5, 9e-6, 6e-6, 5e-6, 5e-6, 1.5e-5, 8e-6, 5e-6, 4e-6, 4e-6, 1e-5, 7e-6, 4e-6, 3e-6, 3e-6)
MEASURED = {
    "model": "membrane",
    "density": 0.25,
    "stretch_samples": STRETCH,
    "bend_samples": BEND,
    "stiffness_damping": 0.001,
}
SILK = fabric("silk")
FELT = fabric("felt")  # with stiffness damping


def sheet(count, at, size=0.5):
    """Positions, m, and triangles of a level square, in which no cut depends on what is beside it."""
    along = np.linspace(0, size, count)
    x, y = np.meshgrid(along, along, indexing="ij")
    places = np.stack([x, y, 0.03 * np.sin(9 * x + 4 * y)], axis=-1).reshape(-1, 3) + at
    faces = []
    for i in range(count - 1):
        for j in range(count - 1):
            a = i * count + j
            faces += [[a, a + count, a + count + 1], [a, a + count + 1, a + 1]]
    return np.float32(places), np.array(faces)


class Sheets:
    """Some sheets far from each other; each is held at two of its corners."""

    def __init__(self, counts=(9, 7, 8)):
        self.alone = [sheet(count, (at, 0, 0)) for at, count in enumerate(counts)]
        sizes = [len(places) for places, _ in self.alone]
        self.starts = np.concatenate([[0], np.cumsum(sizes)])
        self.parts = np.repeat(np.arange(len(counts)), sizes)
        self.mesh = Mesh.from_faces(
            np.concatenate([places for places, _ in self.alone]),
            np.concatenate([faces + first for (_, faces), first in zip(self.alone, self.starts)]),
        )
        self.own_pins = [[0, count - 1] for count in counts]
        self.pins = [first + pin for pins, first in zip(self.own_pins, self.starts) for pin in pins]

    def cloth(self, materials, **settings):
        """All of them together."""
        cloth = Cloth(self.mesh, parts=self.parts, materials=materials, **settings)
        cloth.set_pins(self.pins)
        return cloth

    def each(self, materials, **settings):
        """A cloth for each of them."""
        cloths = []
        for (places, faces), material, pins in zip(self.alone, materials, self.own_pins):
            cloth = Cloth(Mesh.from_faces(places, faces), **{**settings, **material})
            cloth.set_pins(pins)
            cloths.append(cloth)
        return cloths

    def split(self, values):
        return np.split(values, self.starts[1:-1])


def run(cloth, frames):
    for _ in range(frames):
        cloth.step(STEP)
    return cloth.positions()

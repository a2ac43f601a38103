"""Backward Euler only loses energy: at any stiffness and step, on ropes, tubes and loose pieces.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import itertools
import unittest

import numpy as np

from falling_sheets import LEAST, MODELS, STEP, STILL_AIR, energy_of, mesh_of, stretch_of
from muslin import Cloth, Mesh
from test_scenes import sheets
from test_scenes.levels import long_test


def rope_mesh():
    x = np.linspace(0, 1, 20)
    links = [[i, i + 1] for i in range(19)]
    return Mesh(np.column_stack([x, 0 * x, 0 * x]).astype(np.float32), edges=links), [0]


def tube_mesh():
    angles = np.arange(12) * (2 * np.pi / 12)
    ring = np.column_stack([0.2 * np.cos(angles), 0.2 * np.sin(angles)])
    rings = [np.column_stack([ring, np.full(12, 0.1 * level)]) for level in range(6)]
    quads = sheets.grid_quads(12, 6, wrap=True)
    return Mesh.from_faces(np.concatenate(rings).astype(np.float32), quads), [60, 66]


def cloth_and_rope_mesh():
    scene, pins = sheets.cloth_with_rope(5, 0.5, 6, 0.5)
    # Lying down, so that all of it has to fall.
    positions = np.column_stack([scene.positions[:, [0, 2]], 0 * scene.positions[:, 0]])
    return Mesh.from_faces(positions.astype(np.float32), scene.faces, edges=scene.edges), pins


def four_vertices():
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)
    return Mesh.from_faces(square, [[0, 1, 2], [0, 2, 3]]), [0, 1]


def many_pieces():
    corners = np.array([[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0]])
    places = [np.array([0.3 * (i % 8), 0.3 * (i // 8), 0]) for i in range(60)]
    positions = np.concatenate([corners + place for place in places]).astype(np.float32)
    return Mesh.from_faces(positions, np.arange(180).reshape(60, 3)), np.arange(0, 180, 3)


class CalmTest(unittest.TestCase):
    """Backward Euler only loses energy. All that may be seen above the start's is a twentieth of what
    the whole thing would lose by falling 1 m."""

    DENSITY = 0.1  # light enough for 10 N/m to stay below twice its length
    SHARE = 0.05

    def check(self, mesh, pins, mass):
        every = itertools.product(
            (10, 1e3, 1e6), ((1 / 24, 120), (1 / 100, 200), (1 / 1000, 200)), MODELS, LEAST
        )
        for stiffness, (seconds, steps), model, quality in every:
            if quality == "final":
                continue
            case = {"stiffness": stiffness, "seconds": seconds, "model": model, "quality": quality}
            with self.subTest(**case):
                self.run_case(mesh, pins, mass, steps, **case)

    def run_case(self, mesh, pins, mass, steps, stiffness, seconds, **settings):
        fabric = {
            "density": self.DENSITY,
            "rope_density": 0.02,
            "rope_stretch": stiffness,
            "bend": 1e-4,
            "damping": 1.0,
            **stretch_of(stiffness),
        }
        with Cloth(mesh, substeps=1, **fabric, **settings) as cloth:
            cloth.set_pins(pins)
            highest = 0.0
            for _ in range(steps):
                cloth.step(seconds)
                highest = max(highest, energy_of(cloth))
            positions, stats = cloth.positions(), cloth.stats()
        self.assertTrue(np.isfinite(positions).all())
        np.testing.assert_array_equal(positions[pins], mesh.positions[pins])
        self.assertLess(stats.largest_strain, 1.0)
        self.assertLess(highest, self.SHARE * mass * 9.81)

    @long_test
    def test_sheet(self):
        self.check(mesh_of(sheets.grid(10, 10, 1.0)), [0, 9], self.DENSITY)

    def test_rope(self):
        self.check(*rope_mesh(), 0.02)

    @long_test
    def test_tube(self):
        self.check(*tube_mesh(), self.DENSITY * 0.5 * 2 * np.pi * 0.2)

    @long_test
    def test_cloth_and_rope(self):
        self.check(*cloth_and_rope_mesh(), self.DENSITY * 0.25 + 0.01)

    def test_four_vertices(self):
        self.check(*four_vertices(), self.DENSITY)

    @long_test
    def test_many_pieces(self):
        self.check(*many_pieces(), self.DENSITY * 60 * 0.02)


class FallingEnergyTest(unittest.TestCase):
    """With pins at rest the energy falls from frame to frame, but for what the quality leaves open: a rope
    must not climb by what its rounds leave undone."""

    def test_cloth_with_rope(self):
        scene, pins = sheets.cloth_with_rope(8, 0.5, 10, 0.5)
        mesh = Mesh.from_faces(scene.positions, scene.faces, edges=scene.edges)
        fabric = {"density": 0.1, "rope_density": 0.02, "bend": 1e-4, **STILL_AIR}
        for stiffness, seconds in ((1e3, STEP), (1e6, STEP), (1e6, 1 / 1000)):
            stiff = {"rope_stretch": stiffness, **stretch_of(stiffness)}
            with self.subTest(stiffness=stiffness, seconds=seconds):
                with Cloth(mesh, substeps=1, **fabric, **stiff) as cloth:
                    cloth.set_pins(pins)
                    cloth.set_state(mesh.positions, np.full_like(mesh.positions, 0.5))
                    energies = []
                    for _ in range(150):
                        cloth.step(seconds)
                        energies.append(energy_of(cloth))
                rise = np.maximum(np.diff(energies), 0).sum()
                scale = 0.5 * (0.1 * 0.25 + 0.01) * 9.81  # falling by its own length, J
                print(f"\n{stiffness:g} N/m, {seconds:.4f} s: rises {rise / scale:.5f}", end="")
                self.assertLess(rise, 0.01 * scale)


if __name__ == "__main__":
    unittest.main()

"""How a scene is written down changes nothing but that: numbering, place, direction, side and unit.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from muslin import Cloth, Mesh, default_settings
from scene_meshes import hung_sheet
from test_scenes.fabric import REFERENCE

STEP = 1 / 24
METHODS = [
    {"solver": solver, "model": model, "scheme": "plain", "quality": "custom", "iterations": 1}
    for solver in ("linear", "implicit")
    for model in ("edge", "triangle")
]


def at_positions(mesh, positions):
    """The same mesh with its vertices elsewhere."""
    return Mesh(positions, mesh.face_sizes, mesh.face_vertices, (), mesh.uvs, mesh.uv_indices)


def with_faces(mesh, faces):
    """The same vertices with other faces; UVs belong to vertices here."""
    corners = [vertex for face in faces for vertex in face]
    return Mesh.from_faces(mesh.positions, faces, uvs=mesh.uvs, uv_indices=corners)


def run(mesh, pins, steps, **settings):
    """Positions after some steps."""
    with Cloth(mesh, **settings) as cloth:
        cloth.set_pins(pins)
        for _ in range(steps):
            cloth.step(STEP)
        return cloth.positions()


class InvarianceTest(unittest.TestCase):
    """How a scene is written down changes nothing but that, up to the rounding of float32 input."""

    STEPS = {
        "linear": 12,
        "implicit": 8,
    }  # later the buckled cloth of the edge model goes its own way
    TOLERANCE = 2e-4  # m, on a sheet of 1 m

    def compare(self, change):
        """`change(mesh, pins, settings)` gives another scene, and the way back from its result."""
        for method in METHODS:
            with self.subTest(method):
                mesh, pins = hung_sheet()
                steps = self.STEPS[method["solver"]]
                settings = {**default_settings(), **REFERENCE, **method, "wind": (0.5, 2.0, 0.25)}
                expected = run(mesh, pins, steps, **settings)
                self.assertGreater(np.abs(expected - mesh.positions).max(), 0.05)
                *other, back = change(mesh, pins, settings)
                got = back(run(other[0], other[1], steps, **other[2]).astype(float))
                np.testing.assert_allclose(got, expected, rtol=0, atol=self.TOLERANCE)

    def test_renumbering(self):
        def change(mesh, pins, settings):
            new_index = np.random.default_rng(11).permutation(mesh.vertex_count)
            positions = np.empty_like(mesh.positions)
            positions[new_index] = mesh.positions
            vertices = new_index[mesh.face_vertices]
            other = Mesh(positions, mesh.face_sizes, vertices, (), mesh.uvs, mesh.uv_indices)
            return other, new_index[pins], settings, lambda result: result[new_index]

        self.compare(change)

    def test_order_of_faces(self):
        def change(mesh, pins, settings):
            order = np.random.default_rng(12).permutation(len(mesh.face_sizes))
            other = with_faces(mesh, [mesh.faces()[index] for index in order])
            return other, pins, settings, lambda result: result

        self.compare(change)

    def moved(self, rotation, offset):
        """The scene turned and shifted, with what acts on it."""

        def change(mesh, pins, settings):
            positions = mesh.positions.astype(float) @ rotation.T + offset
            turned = {name: tuple(rotation @ settings[name]) for name in ("gravity", "wind")}
            other = at_positions(mesh, positions)
            return other, pins, {**settings, **turned}, lambda result: (result - offset) @ rotation

        return change

    def test_translation(self):
        self.compare(self.moved(np.eye(3), np.array([3.0, -2.0, 1.0])))

    def test_rotation(self):
        quaternion = np.array([0.5, -0.3, 0.7, 0.2])
        w, x, y, z = quaternion / np.linalg.norm(quaternion)
        cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        self.compare(self.moved(np.eye(3) + 2 * w * cross + 2 * cross @ cross, np.zeros(3)))

    def test_mirroring(self):
        mirror = np.diag([-1.0, 1.0, 1.0])
        self.compare(self.moved(mirror, np.zeros(3)))

    def test_mirroring_with_faces_turned_over(self):
        mirror = np.diag([-1.0, 1.0, 1.0])

        def change(mesh, pins, settings):
            other, pins, settings, back = self.moved(mirror, np.zeros(3))(mesh, pins, settings)
            turned = with_faces(other, [face[::-1] for face in other.faces()])
            return turned, pins, settings, back

        self.compare(change)

    def test_unit_of_length(self):
        """Centimetres instead of metres: every number is scaled by the lengths in its unit."""
        powers = {
            "density": -2,
            "bend": 2,
            "rope_density": -1,
            "rope_stretch": 1,
            "air_drag": -2,
            "normal_drag": -2,
            "tangent_drag": -2,
        }

        def change(mesh, pins, settings):
            scaled = {name: settings[name] * 100.0**power for name, power in powers.items()}
            for name in ("gravity", "wind"):
                scaled[name] = tuple(100.0 * part for part in settings[name])
            other = at_positions(mesh, mesh.positions * np.float32(100))
            return other, pins, {**settings, **scaled}, lambda result: result / 100.0

        self.compare(change)


if __name__ == "__main__":
    unittest.main()

"""From one pose to another: limbs turn and keep their shape.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from body_meshes import mesh_of
from muslin.poses import pose_between
from test_scenes import solids
from test_scenes.contact import figures
from test_scenes.mesh import Mesh

PARTS = (0.25, 0.5, 0.75)


def turned(positions, degrees, axis, middle):
    """Positions turned about an axis through a point (Rodrigues)."""
    angle, axis = np.radians(degrees), np.asarray(axis, float) / np.linalg.norm(axis)
    x = positions - np.asarray(middle, float)
    along = np.outer(x @ axis, axis)
    return middle + along + np.cos(angle) * (x - along) + np.sin(angle) * np.cross(axis, x)


def sides(mesh, positions):
    """Lengths of all sides of all faces, m."""
    places = [positions[list(face)] for face in mesh.faces()]
    return np.concatenate([np.linalg.norm(np.roll(x, -1, 0) - x, axis=1) for x in places])


class PoseTest(unittest.TestCase):
    def test_a_rigid_body_goes_along_its_screw(self):
        """A turn of 150 degrees with a shift along the axis: at a part of it, that part of both."""
        mesh = mesh_of(solids.capsule(0.05, -0.3, 0.3))
        first = mesh.positions.astype(float)
        axis, middle = np.array([0.6, 0.0, 0.8]), (0.2, -0.1, 0.4)
        pose = pose_between(mesh, first, turned(first, 150, axis, middle) + 0.3 * axis)
        for part in (0, *PARTS, 1):
            wanted = turned(first, 150 * part, axis, middle) + 0.3 * part * axis
            np.testing.assert_allclose(pose(part), wanted, atol=1e-6)

    def test_half_a_turn_keeps_the_body_together(self):
        """A figure that faces the other way: to the bit, nearly, and a little beyond."""
        mesh = mesh_of(solids.capsule(0.05, -0.3, 0.3))
        first = mesh.positions.astype(float)
        wanted = sides(mesh, first)
        for degrees in (180 - 1e-3, 180, 180 + 1e-3):
            pose = pose_between(mesh, first, turned(first, degrees, (0, 0.6, 0.8), (0.1, 0, 0.2)))
            for part in PARTS:
                np.testing.assert_allclose(sides(mesh, pose(part)), wanted, atol=1e-6)

    def test_a_shift_is_straight_and_nothing_stays(self):
        mesh = mesh_of(solids.uv_sphere(0.2))
        for shift in ((0, 0, 0), (0.1, -2.0, 0.3)):
            pose = pose_between(mesh, mesh.positions, mesh.positions + np.float32(shift))
            np.testing.assert_allclose(
                pose(0.5), mesh.positions + np.multiply(0.5, shift), atol=1e-6
            )

    def test_a_figure_does_not_shrink(self):
        """Raising its arms: sides of faces stay within a tenth of the mean of both ends where straight ways lose more."""
        body = figures.figure(figures.arms_pose, 0.03)
        mesh = mesh_of(Mesh(body.positions(0), body.faces))
        first, second = body.positions(0), body.positions(36)
        ends = sides(mesh, first), sides(mesh, second)
        pose = pose_between(mesh, first, second)
        for part, shortest in zip((0, 1), ends):
            np.testing.assert_allclose(sides(mesh, pose(part)), shortest, atol=1e-6)
        mean = (ends[0] + ends[1]) / 2
        ours = np.percentile(sides(mesh, pose(0.5)) / mean, 1)
        straight = np.percentile(sides(mesh, (first + second) / 2) / mean, 1)
        self.assertGreater(ours, 0.95)
        self.assertLess(straight, ours - 0.02)


if __name__ == "__main__":
    unittest.main()

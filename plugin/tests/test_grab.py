"""Cloth taken by hand: what a line of sight meets, how a patch is pulled, and that no body is passed through.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from muslin import Cloth, Mesh, find_symmetry
from muslin.grab import (
    PULL,
    first_hit,
    lead,
    mirrored,
    nearest_images,
    pull_weights,
    reach,
    size_of,
    take,
)
from muslin.inspection.surface import surface_of
from test_scenes import sheets, solids
from test_scenes.levels import long_test

STEP = 1 / 24
SIDE = 21  # vertices
G = 9.81


def sheet(side=SIDE, height=0.0, diagonals="quads"):
    scene = sheets.grid(side, side, 1.0, diagonals)
    positions = scene.positions - scene.positions.mean(axis=0)
    positions[:, 2] += height
    return Mesh.from_faces(positions.astype(np.float32), scene.faces)


class HitTest(unittest.TestCase):
    def test_the_first_of_two_layers(self):
        triangles = np.array([[0, 1, 2], [3, 4, 5]])
        layer = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
        positions = np.concatenate([layer, layer + (0, 0, 1)])
        down = first_hit(positions, triangles, (0.6, 0.2, 3), (0, 0, -2))
        self.assertEqual(down.vertex, 4)
        self.assertAlmostEqual(down.distance, 1.0)  # lengths of the direction
        up = first_hit(positions, triangles, (0.1, 0.7, -1), (0, 0, 1))
        self.assertEqual((up.vertex, up.distance), (2, 1.0))

    def test_beside_behind_and_along(self):
        triangles = np.array([[0, 1, 2]])
        positions = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
        self.assertIsNone(first_hit(positions, triangles, (0.6, 0.6, 1), (0, 0, -1)))
        self.assertIsNone(first_hit(positions, triangles, (0.2, 0.2, 1), (0, 0, 1)))
        self.assertIsNone(first_hit(positions, triangles, (-1, 0.2, 0), (1, 0, 0)))
        self.assertIsNone(first_hit(positions, np.zeros((0, 3), int), (0, 0, 1), (0, 0, -1)))


class PatchTest(unittest.TestCase):
    def test_it_falls_off_and_does_not_leap_to_another_layer(self):
        one = sheet(61)
        count = one.vertex_count
        layers = np.concatenate([one.positions, one.positions + np.float32([0, 0, 0.005])])
        faces = [*one.faces(), *([v + count for v in face] for face in one.faces())]
        mesh = Mesh.from_faces(layers, faces)
        middle = count // 2
        patch = take(mesh, surface_of(mesh), middle)
        self.assertGreater(len(patch.vertices), 8)
        self.assertLess(patch.vertices.max(), count)
        self.assertAlmostEqual(patch.shares.sum(), 1.0)
        ways = np.linalg.norm(mesh.positions[patch.vertices] - mesh.positions[middle], axis=1)
        self.assertTrue((np.diff(patch.shares[np.argsort(ways)]) <= 1e-6).all())
        self.assertLess(patch.shares[np.argmax(ways)], 0.2 * patch.shares.max())

    def test_a_coarse_mesh_is_taken_at_one_vertex(self):
        mesh = sheet(5)
        patch = take(mesh, surface_of(mesh), 7)
        self.assertEqual((patch.vertices.tolist(), patch.shares.tolist()), ([7], [1.0]))

    def test_large_cloth_is_not_thrown(self):
        self.assertAlmostEqual(reach(sheet(5)), 0.1 * 2**0.5, places=6)
        large = Mesh.from_faces(5 * sheet(5).positions, sheet(5).faces())
        self.assertEqual(reach(large), 0.25)

    def test_the_hand_never_leads_farther_than_so(self):
        at = np.zeros((3, 3))
        wanted = np.array([[0.05, 0, 0], [0, 3, 4], [0, 0, 0]])
        np.testing.assert_allclose(
            lead(at, wanted, 0.1), [[0.05, 0, 0], [0, 0.06, 0.08], [0, 0, 0]], atol=1e-7
        )

    @long_test
    def test_a_garment_hangs_from_the_hand_as_deep_on_any_mesh(self):
        """In balance the springs carry its weight: the mean way below the hand, by shares, is g / PULL^2."""
        for side in (11, 41):
            mesh = sheet(side, diagonals="alternating")
            surface = surface_of(mesh)
            patch = take(mesh, surface, mesh.vertex_count // 2)
            with Cloth(mesh, damping=6.0) as cloth:
                stiffness = cloth.settings["pin_stiffness"]
                weights = pull_weights(surface, patch, stiffness)
                targets = mesh.positions[patch.vertices]
                cloth.set_pins(patch.vertices, weights, targets)
                for _ in range(60):
                    cloth.step(STEP)
                below = (targets - cloth.positions()[patch.vertices])[:, 2]
            self.assertAlmostEqual(below @ patch.shares, G / PULL**2, delta=0.02 * G / PULL**2)


class MirroredTest(unittest.TestCase):
    def test_images_join_and_meet_in_the_plane(self):
        mesh = sheet()
        plane = ((0, 0, 0), (1, 0, 0))
        partners = find_symmetry(mesh, plane).partners
        middle = SIDE * 10 + 10
        vertices = np.array([middle, middle + 1, middle + 2], np.int32)
        weights = np.array([0.9, 0.8, 0.7], np.float32)
        targets = mesh.positions[vertices] + np.float32([0.3, 0.1, 0.2])
        chosen, both, places = mirrored(vertices, weights, targets, partners, plane)
        self.assertEqual(chosen.tolist(), list(range(middle - 2, middle + 3)))
        np.testing.assert_allclose(both, [0.7, 0.8, 0.9, 0.8, 0.7])
        np.testing.assert_allclose(places[0], places[4] * (-1, 1, 1), atol=1e-7)
        np.testing.assert_allclose(places[4], targets[2], atol=1e-7)
        self.assertEqual(places[2][0], 0.0)
        self.assertAlmostEqual(places[2][2], 0.2, places=6)

    def test_the_nearest_to_the_image_of_what_has_no_partner(self):
        mesh = sheet()
        moved = mesh.positions + np.float32([0.01, 0, 0])  # no vertex is the image of another
        found = nearest_images(moved, np.int32([0, SIDE - 1, 10]), ((0, 0, 0), (1, 0, 0)))
        self.assertEqual(found.tolist(), [SIDE - 1, 0, 10])

    def test_what_has_no_partner_stays(self):
        targets = np.ones((1, 3), np.float32)
        got = mirrored(
            np.int32([3]), np.float32([0.5]), targets, np.full(9, -1), ((0,) * 3, (1, 0, 0))
        )
        self.assertEqual((got[0].tolist(), got[1].tolist()), ([3], [0.5]))


class BodyTest(unittest.TestCase):
    def test_a_fast_hand_does_no_harm(self):
        """Drags a corner of a sheet that lies on a ball, over it at 10 m/s: it gets there, whole and outside."""
        mesh = sheet(15, height=0.32)
        ball = solids.uv_sphere(0.3)
        surface = surface_of(mesh)
        patch = take(mesh, surface, 0)
        with Cloth(mesh, threads=1) as cloth:
            cloth.add_body((ball.positions, ball.faces))
            cloth.set_self_contact(True)
            for _ in range(6):
                cloth.step(STEP)
            stiffness = cloth.settings["pin_stiffness"]
            begin = cloth.positions()[patch.vertices]
            cloth.set_pins(patch.vertices, pull_weights(surface, patch, stiffness), begin)
            for frame in range(1, 16):
                wanted = begin + np.float32([min(1.5, 10 * frame * STEP), 0, 0])
                now = cloth.positions()[patch.vertices]
                cloth.move_pins(lead(now, wanted, reach(mesh)))
                cloth.step(STEP)
                found = cloth.inspect()
                self.assertLess(found.largest_stretch, 1.6)
                self.assertEqual(found.body_piercings + found.cloth_piercings, 0)
            away = np.linalg.norm(cloth.positions()[patch.vertices] - wanted, axis=1)
            self.assertLess(away @ patch.shares, 0.1)
            cloth.set_pins([])
            for _ in range(12):
                cloth.step(STEP)
            self.assertLess(cloth.inspect().largest_stretch, 1.1)

    @long_test
    def test_pulled_against_a_body_it_stays_outside_and_whole(self):
        """A sheet that lies on a ball is pulled down through it, as far as the mouse can go."""
        mesh = sheet(41, height=0.32)
        ball = solids.uv_sphere(0.3)
        surface = surface_of(mesh)
        patch = take(mesh, surface, mesh.vertex_count // 2)
        with Cloth(mesh) as cloth:
            cloth.add_body((ball.positions, ball.faces))
            for _ in range(30):
                cloth.step(STEP)
            stiffness = cloth.settings["pin_stiffness"]
            now = cloth.positions()[patch.vertices]
            wanted = now - np.float32([0, 0, 1.0])
            cloth.set_pins(patch.vertices, pull_weights(surface, patch, stiffness), now)
            for _ in range(30):
                cloth.move_pins(lead(cloth.positions()[patch.vertices], wanted, reach(mesh)))
                cloth.step(STEP)
                self.assertEqual(cloth.inspect().inside_count, 0)
            self.assertEqual(cloth.inspect().body_piercings, 0)
            self.assertLess(cloth.stats().largest_strain, 0.3)

    @long_test
    def test_it_follows_the_hand(self):
        """Nothing in the way: what is taken keeps up with a hand of 1 m/s, and is there when that stops."""
        mesh = sheet(41, height=1.0)
        surface = surface_of(mesh)
        patch = take(mesh, surface, mesh.vertex_count - 1)
        with Cloth(mesh) as cloth:
            corners = np.array([0, 40], np.int32)
            weights = pull_weights(surface, patch, cloth.settings["pin_stiffness"])
            vertices = np.concatenate([corners, patch.vertices])
            start = cloth.positions()[vertices]
            cloth.set_pins(vertices, np.concatenate([[1, 1], weights]).astype(np.float32), start)
            for frame in range(1, 13):
                wanted = start[2:] + np.float32([0, -frame * STEP, frame * STEP * 0.5])
                targets = lead(cloth.positions()[patch.vertices], wanted, reach(mesh))
                cloth.move_pins(np.concatenate([start[:2], targets]))
                cloth.step(STEP)
                way = np.linalg.norm(cloth.positions()[patch.vertices] - wanted, axis=1)
                self.assertLess(way @ patch.shares, 0.06 * size_of(mesh))


if __name__ == "__main__":
    unittest.main()

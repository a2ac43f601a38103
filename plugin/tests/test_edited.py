"""A mesh that is edited while its cloth is simulated: who survives, where new vertices go, and a factor made meanwhile.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import threading
import unittest

import numpy as np

from muslin import Cloth, Mesh, MuslinError
from muslin.edited import BackgroundCloth, carried, has_same_faces, survivors
from test_scenes import sheets

STEP = 1 / 24
SIDE = 17  # vertices
PINS = [0, SIDE - 1]
SWEEPS = {"solver": "sweep", "quality": "custom"}


def sheet(side=SIDE):
    scene = sheets.grid(side, side, 1.0, "quads")
    return Mesh.from_faces(scene.positions, scene.faces)


def without(mesh, gone):
    """The mesh without some vertices and their faces, in the same order."""
    kept = np.setdiff1d(np.arange(mesh.vertex_count), gone)
    number = np.full(mesh.vertex_count, -1)
    number[kept] = np.arange(len(kept))
    faces = [number[face] for face in mesh.faces() if (number[face] >= 0).all()]
    return Mesh.from_faces(mesh.positions[kept], faces), kept


def split(mesh, face_index=0):
    """A face cut into four, as subdividing does: the mesh, and its new vertices."""
    faces, count = mesh.faces(), mesh.vertex_count
    face = faces.pop(face_index)
    sides = [(face[k], face[(k + 1) % 4]) for k in range(4)]
    added = [mesh.positions[list(side)].mean(axis=0) for side in sides]
    added.append(mesh.positions[face].mean(axis=0))
    for k in range(4):
        faces.append([face[k], count + k, count + 4, count + (k - 1) % 4])
    for k, (first, second) in enumerate(sides):  # neighbours get a fifth corner
        for other in range(len(faces) - 4):
            at = faces[other]
            for j in range(len(at)):
                if {at[j], at[(j + 1) % len(at)]} == {first, second}:
                    faces[other] = at[: j + 1] + [count + k] + at[j + 1 :]
                    break
    positions = np.concatenate([mesh.positions, np.float32(added)])
    return Mesh.from_faces(positions, faces), np.arange(count, count + 5)


def rotation(degrees, axis):
    """Rodrigues' formula."""
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    angle = np.radians(degrees)
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


class SurvivorsTest(unittest.TestCase):
    def test_deleted_vertices_leave_a_gap(self):
        mesh = sheet()
        rest, kept = without(mesh, [3, 40, 41, 100])
        np.testing.assert_array_equal(survivors(mesh, rest), kept)

    def test_new_vertices_are_new_wherever_they_stand_in_the_order(self):
        mesh = sheet()
        after, added = split(mesh, 20)
        mixed = np.random.default_rng(1).permutation(after.vertex_count)
        place = np.argsort(mixed)
        shuffled = Mesh.from_faces(after.positions[mixed], [place[face] for face in after.faces()])
        origin = survivors(mesh, shuffled)
        np.testing.assert_array_equal(origin, np.where(np.isin(mixed, added), -1, mixed))

    def test_moved_vertices_survive_where_nothing_else_changed(self):
        mesh = sheet()
        moved = Mesh.from_faces(mesh.positions * np.float32(1.5), mesh.faces())
        np.testing.assert_array_equal(survivors(mesh, moved), np.arange(mesh.vertex_count))
        self.assertTrue(has_same_faces(mesh, moved))
        self.assertFalse(has_same_faces(mesh, without(mesh, [0])[0]))

    def test_of_several_in_one_place_the_first_stays_the_first(self):
        """Two layers on each other, and an extruded edge that was not moved yet."""
        places = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
        two = Mesh.from_faces(places + places, [[0, 1, 2, 3], [4, 5, 6, 7]])
        extruded = Mesh.from_faces(
            places + places + places[2:], [[0, 1, 2, 3], [4, 5, 6, 7], [3, 2, 8, 9]]
        )
        np.testing.assert_array_equal(survivors(two, extruded), [*range(8), -1, -1])

    def test_minus_zero_is_zero(self):
        mesh = Mesh.from_faces([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [[0, 1, 2]])
        after = Mesh.from_faces([(-0.0, 0, 0), (1, 0, 0), (0, 1, 0)], [], edges=[[0, 1]])
        np.testing.assert_array_equal(survivors(mesh, after), [0, 1, 2])


class CarriedTest(unittest.TestCase):
    def test_a_rigid_motion_carries_everything(self):
        """New vertices, two rings of them, are where the motion takes them."""
        mesh = sheet()
        after, added = split(mesh, 40)
        turn, shift = rotation(130, (1, 2, 0.5)), np.array([0.3, -2, 1])
        positions = mesh.positions @ turn.T + shift
        velocities = np.tile([1.0, 2.0, 3.0], (mesh.vertex_count, 1))
        places, speeds = carried(after, survivors(mesh, after), positions, velocities)
        np.testing.assert_allclose(places, after.positions @ turn.T + shift, atol=1e-5)
        np.testing.assert_array_equal(places[: mesh.vertex_count], positions.astype(np.float32))
        np.testing.assert_allclose(speeds, np.tile([1, 2, 3], (after.vertex_count, 1)), rtol=1e-6)
        self.assertEqual(len(added), 5)

    def test_a_stretched_edge_is_cut_in_its_middle(self):
        mesh = sheet()
        after, added = split(mesh, 40)
        positions = mesh.positions * np.float32([1.2, 0.9, 1])
        places, _ = carried(after, survivors(mesh, after), positions, np.zeros_like(positions))
        np.testing.assert_allclose(places[added], after.positions[added] * [1.2, 0.9, 1], atol=1e-5)

    def test_an_extruded_strip_goes_on_as_the_cloth_hangs(self):
        """Modelled level, now upright: the strip is below, at its length, not beside."""
        mesh = sheet(3)
        strip = mesh.positions[:3] - np.float32([0, 0.5, 0])
        after = Mesh.from_faces(
            np.concatenate([mesh.positions, strip]),
            [*mesh.faces(), [0, 1, 10, 9], [1, 2, 11, 10]],
        )
        turn = rotation(90, (1, 0, 0))
        positions = mesh.positions @ turn.T
        places, _ = carried(after, survivors(mesh, after), positions, np.zeros_like(positions))
        np.testing.assert_allclose(places[9:], strip @ turn.T, atol=1e-5)

    def test_a_rope_is_carried_along_its_direction(self):
        rope = Mesh([(0, 0, 0), (1, 0, 0)], edges=[[0, 1]])
        longer = Mesh([(0, 0, 0), (1, 0, 0), (2, 0, 0)], edges=[[0, 1], [1, 2]])
        hanging = np.float32([(0, 0, 0), (0, 0, -1)])
        places, _ = carried(longer, survivors(rope, longer), hanging, np.zeros((2, 3)))
        np.testing.assert_allclose(places[2], (0, 0, -2), atol=1e-5)

    def test_a_part_of_its_own_is_where_it_starts(self):
        mesh = sheet(3)
        island = np.float32([(5, 0, 0), (6, 0, 0), (5, 1, 0)])
        after = Mesh.from_faces(
            np.concatenate([mesh.positions, island]), [*mesh.faces(), [9, 10, 11]]
        )
        origin, zero = survivors(mesh, after), np.zeros((9, 3))
        start = after.positions + np.float32([0, 0, 7])
        for given, wanted in ((None, island), (start, start[9:])):
            places, _ = carried(after, origin, mesh.positions, zero, given)
            np.testing.assert_array_equal(places[9:], wanted)


class BackgroundTest(unittest.TestCase):
    def test_it_is_a_cloth_like_any_other(self):
        """The bytes of one that was made in the usual way, and its factor made before the first step."""
        mesh = sheet()
        making = BackgroundCloth(mesh, STEP, lambda cloth: cloth.set_pins(PINS), damping=1.0)
        self.assertTrue(making.ready(60))
        with making.take() as cloth, Cloth(mesh, damping=1.0) as usual:
            self.assertEqual(cloth.report().factor_count, 1)
            usual.set_pins(PINS)
            for _ in range(3):
                cloth.step(STEP)
                usual.step(STEP)
            np.testing.assert_array_equal(cloth.positions(), usual.positions())
            self.assertEqual(cloth.report().factor_count, 1)

    def test_it_is_taken_once(self):
        making = BackgroundCloth(sheet(5), STEP)
        making.take().close()
        with self.assertRaisesRegex(MuslinError, "taken before"):
            making.take()

    def test_what_goes_wrong_is_raised_where_it_is_taken(self):
        making = BackgroundCloth(Mesh(np.zeros((3, 3))), STEP)
        with self.assertRaises(MuslinError):
            making.take()

    def test_abandoned_ones_are_closed_whenever_that_is(self):
        """While it is made, and when it was made already."""
        gate, made = threading.Event(), []

        def set_up(cloth):
            made.append(cloth)
            gate.wait(60)

        early = BackgroundCloth(sheet(5), STEP, set_up)
        early.abandon()
        with self.assertRaisesRegex(MuslinError, "abandoned"):  # at once, while it is made
            early.take()
        self.assertFalse(early.ready())
        gate.set()
        self.assertTrue(early.ready(60))
        late = BackgroundCloth(sheet(5), STEP, set_up)
        self.assertTrue(late.ready(60))
        late.abandon()
        for making in (early, late):
            with self.assertRaisesRegex(MuslinError, "abandoned"):
                making.take()
        for cloth in made:
            with self.assertRaises(MuslinError):
                cloth.positions()


class HandOverTest(unittest.TestCase):
    """A hanging sheet loses a corner and has a face cut: sweeps go on, then the factor."""

    def test_positions_are_continuous(self):
        mesh = sheet()
        with Cloth(mesh, damping=1.0) as cloth:
            cloth.set_pins(PINS)
            for _ in range(8):
                cloth.step(STEP)
            state = cloth.state()
        trimmed, _ = without(mesh, [SIDE * SIDE - 1])
        after, added = split(trimmed, 100)
        origin = survivors(mesh, after)
        state = carried(after, origin, *state)
        making = BackgroundCloth(after, STEP, lambda cloth: cloth.set_pins(PINS), damping=1.0)
        path = [state[0]]
        with Cloth(after, damping=1.0, **SWEEPS) as quick:
            quick.set_pins(PINS)
            quick.set_state(*state)
            for _ in range(4):
                quick.step(STEP)
                path.append(quick.positions())
            with making.take() as cloth:
                cloth.set_state(*quick.state())
                for _ in range(4):
                    cloth.step(STEP)
                    path.append(cloth.positions())
        ways = [np.linalg.norm(b - a, axis=1).max() for a, b in zip(path, path[1:])]
        fastest = np.linalg.norm(state[1], axis=1).max() * STEP
        # a step moves it by its speed, and what gravity adds in the eight of them
        self.assertLess(max(ways), fastest + 9.81 * 8 * STEP * STEP)
        self.assertLess(
            ways[4], 2 * ways[3] + 1e-3
        )  # the step of the hand-over is like the one before
        self.assertEqual(len(added), 5)
        self.assertGreater(min(ways), 0)


if __name__ == "__main__":
    unittest.main()

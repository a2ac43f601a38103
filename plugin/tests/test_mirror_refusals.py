"""What is not symmetric: refused by mirror="exact", lived with by "auto", and by neither half done.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

import mirror_meshes as meshes
from mirror_meshes import STEP, roof
from muslin import Cloth, Mesh, MuslinError, Status

CORNERS = [0, 8]


def fall(cloth, frames=2):
    for _ in range(frames):
        cloth.step(STEP)
    return cloth.positions()


class MeshTest(unittest.TestCase):
    def plain(self, mesh, pins=(0,)):
        with Cloth(mesh) as cloth:
            cloth.set_pins(list(pins))
            return fall(cloth)

    def check(self, mesh, *words, **settings):
        """exact refuses with these words; auto says them and simulates what mirror="off" does."""
        with self.assertRaises(MuslinError) as caught:
            Cloth(mesh, mirror="exact", **settings)
        self.assertEqual(caught.exception.status, Status.ERROR_MESH)
        with Cloth(mesh, mirror="auto", **settings) as cloth:
            warning = cloth.warnings[0]
            self.assertIn("not mirrored, all of the garment is simulated", warning)
            self.assertEqual(cloth.mirror().mode, "off")
            cloth.set_pins([0])
            self.assertEqual(fall(cloth).tobytes(), self.plain(mesh).tobytes())
        for word in words:
            self.assertIn(word, str(caught.exception))
            self.assertIn(word, warning)

    def test_no_symmetry_at_all(self):
        self.check(meshes.slanted(), "vert", "vertex 0")

    def test_partner_is_missing(self):
        self.check(
            meshes.with_hole(), "1 vertex has no mirror image: vertex 1 at (-0.3, -0.3, 0.06)"
        )

    def test_plane_misses_the_mesh(self):
        plane = ((3, 0, 0), (1, 0, 0))
        self.check(roof(), "plane misses the mesh", mirror_plane=plane)

    def test_odd_centre_strip(self):
        self.check(meshes.strip_across(), "plane")

    def test_all_vertices_doubled(self):
        self.check(meshes.doubled())

    def test_all_in_the_plane(self):
        positions = meshes.places() * np.float32([0, 1, 1])
        positions[:, 2] = meshes.places()[:, 0]
        self.check(Mesh.from_faces(positions, meshes.triangles(9, 7)))

    def test_tolerance(self):
        mesh = roof()
        mesh.positions[10] += np.float32([0, 0.003, 0])
        self.check(mesh, "vertex 10")
        with Cloth(mesh, mirror="exact", mirror_tolerance=0.01) as cloth:
            self.assertEqual(cloth.mirror().unpaired, 0)
        for mode in ("exact", "auto"):
            with self.assertRaises(MuslinError) as caught:
                Cloth(mesh, mirror=mode, mirror_tolerance=5)
            self.assertIn("mean length", str(caught.exception))

    def test_broken_mesh(self):
        """What cannot be simulated at all is refused by every mode, in the same words."""
        mesh = roof()
        mesh.positions[3, 1] = np.nan
        for mode in ("off", "auto", "exact", "halve"):
            with self.assertRaises(MuslinError) as caught:
                Cloth(mesh, mirror=mode)
            self.assertIn("vertex 3", str(caught.exception))


class ForceTest(unittest.TestCase):
    def test_exact_refuses_and_nothing_changes(self):
        with Cloth(roof(), mirror="exact") as cloth, Cloth(roof(), mirror="exact") as other:
            for each in (cloth, other):
                each.set_pins(CORNERS)
                fall(each)
            before = cloth.settings
            for changes in ({"wind": (3, 1, 0)}, {"gravity": (-1, 0, -9)}):
                with self.assertRaises(MuslinError) as caught:
                    cloth.set_forces(**changes)
                self.assertIn("across the mirror plane", str(caught.exception))
                self.assertIn(next(iter(changes)), str(caught.exception))
            self.assertEqual(cloth.settings, before)
            self.assertEqual(fall(cloth).tobytes(), fall(other).tobytes())

    def test_at_creation(self):
        for forces, word in (({"wind": (3, 1, 0)}, "wind"), ({"gravity": (5, 0, 0)}, "gravity")):
            with self.assertRaises(MuslinError) as caught:
                Cloth(roof(), mirror="exact", **forces)
            self.assertIn(word, str(caught.exception))
            with Cloth(roof(), mirror="auto", **forces) as cloth:
                self.assertIn(word, cloth.warnings[0])
                cloth.set_pins(CORNERS)
                fall(cloth)
                self.assertEqual((cloth.mirror().solved_whole, cloth.mirror().whole_steps), (1, 2))
            with Cloth(roof(), **forces) as whole:
                whole.set_pins(CORNERS)
                fall(whole)

    def test_without_drag_no_wind_blows(self):
        drag = {"normal_drag": 0, "tangent_drag": 0}
        with Cloth(roof(), mirror="exact", wind=(3, 0, 0), **drag) as cloth:
            self.assertEqual(cloth.warnings, [])

    def test_wind_that_turns(self):
        """auto: whole while the wind comes from the side, then the half again, and nothing jumps."""
        with Cloth(roof(), mirror="auto", normal_drag=0.5) as cloth:
            cloth.set_pins(list(range(9)))
            fall(cloth)
            self.assertEqual(cloth.mirror().solved_whole, 0)
            cloth.set_forces(wind=(1e-3, 0, 0))
            self.assertEqual(len(cloth.warnings), 1)
            before = cloth.positions()
            cloth.step(STEP / 1000)
            self.assertEqual(cloth.mirror().solved_whole, 1)
            self.assertLess(np.abs(cloth.positions() - before).max(), 2e-4)
            cloth.set_forces(wind=(0, 0, 0))
            before = cloth.positions()
            cloth.step(STEP / 1000)
            self.assertEqual((cloth.mirror().solved_whole, cloth.mirror().whole_steps), (0, 1))
            self.assertLess(np.abs(cloth.positions() - before).max(), 2e-4)

    def test_wind_that_changes_is_reported_once(self):
        for mode, word in (("auto", "all of the garment"), ("halve", "left out")):
            with Cloth(roof(), mirror=mode) as cloth:
                for speed in (1, 2, 3):
                    cloth.set_forces(wind=(speed, 0, 0))
                self.assertEqual(len(cloth.warnings), 1)
                self.assertIn(word, cloth.warnings[0])
                cloth.set_forces(wind=(0, 1, 0))
                cloth.set_forces(wind=(4, 0, 0))  # anew
                self.assertEqual(len(cloth.warnings), 2)

    def test_what_changed_meanwhile(self):
        """Forces and maps that were set while one of the two cloths was idle count when that goes on."""

        def speed(cloth):
            cloth.set_state(roof().positions)
            cloth.step(0.01)
            return -cloth.state()[1][:, 2].mean()

        with Cloth(roof(), mirror="auto", normal_drag=1e-6, tangent_drag=0) as cloth:
            for wind in (1, 0, 1, 0):  # across the plane, or not
                for gravity in (9, 1):
                    cloth.set_forces(wind=(wind, 0, 0), gravity=(0, 0, -gravity))
                    self.assertAlmostEqual(speed(cloth), 0.01 * gravity, delta=0.002)
                    self.assertEqual(cloth.mirror().solved_whole, wind)
                cloth.set_maps(mass=np.full(63, 1.0 + wind))
                speed(cloth)
                energy = cloth.stats().kinetic_energy
                cloth.set_forces(wind=(1 - wind, 0, 0))
                speed(cloth)
                self.assertAlmostEqual(cloth.stats().kinetic_energy / energy, 1, delta=0.05)


class PinTest(unittest.TestCase):
    def refused(self, cloth, *arguments, words=("vertex",), call="set_pins"):
        state = cloth.snapshot()
        with self.assertRaises(MuslinError) as caught:
            getattr(cloth, call)(*arguments)
        self.assertEqual(caught.exception.status, Status.ERROR_ARGUMENT)
        for word in words:
            self.assertIn(word, str(caught.exception))
        self.assertEqual(cloth.snapshot(), state)

    def test_exact_refuses_and_keeps_the_pins(self):
        start = roof().positions
        apart = start[CORNERS] + np.float32([[0, 0, 0.1], [0, 0, 0.2]])
        with Cloth(roof(), mirror="exact") as cloth:
            cloth.set_pins(CORNERS)
            self.refused(cloth, [0], words=("1 pin has no mirror image", "vertex 0 at (-0.4"))
            self.refused(cloth, [1, 2, 3, 5, 6], words=("1 pin ", "vertex 1"))
            self.refused(cloth, [0, 1, 2, 3, 4], words=("4 pins have", "vertex 0", "vertex 2"))
            self.refused(cloth, CORNERS, [1, 0.5], words=("2 pins",))
            self.refused(cloth, CORNERS, None, apart, words=("2 pins",))
            self.refused(cloth, [4], None, [(0.1, 0, 0)], words=("1 pin", "vertex 4"))
            self.refused(cloth, [0, 8, 0], words=("vertex 0 is pinned twice",))
            self.refused(cloth, apart, words=("2 pins",), call="move_pins")
            fall(cloth)
            np.testing.assert_allclose(cloth.positions()[CORNERS], start[CORNERS], atol=1e-7)
            self.assertGreater(np.abs(cloth.positions()[1] - start[1]).max(), 1e-3)

    def test_auto_solves_whole_while_pins_are_asymmetric(self):
        with Cloth(roof(), mirror="auto") as cloth:
            cloth.set_pins([0])
            self.assertIn("1 pin has no mirror image", cloth.warnings[0])
            self.assertIn("all of the garment is simulated", cloth.warnings[0])
            fall(cloth, 3)
            self.assertEqual((cloth.mirror().mode, cloth.mirror().whole_steps), ("exact", 3))
            with Cloth(roof()) as whole:
                whole.set_pins([0])
                difference = np.abs(fall(whole, 3) - cloth.positions()).max()
                self.assertLess(difference, 1e-5)
            start = roof().positions[CORNERS]
            cloth.set_pins(CORNERS, None, start)  # now the cloth itself is not symmetric any more
            fall(cloth, 1)
            self.assertEqual(cloth.mirror().solved_whole, 1)
            cloth.set_state(roof().positions)
            fall(cloth, 1)
            self.assertEqual(cloth.mirror().solved_whole, 0)

    def test_auto_with_pins_that_move_apart(self):
        start = roof().positions
        with Cloth(roof(), mirror="auto") as cloth:
            cloth.set_pins(CORNERS)
            fall(cloth, 2)
            cloth.move_pins(start[CORNERS] + np.float32([[0, 0, 0.1], [0, 0, 0]]))
            self.assertEqual(len(cloth.warnings), 1)
            cloth.move_pins(start[CORNERS] + np.float32([[0, 0, 0.1], [0, 0, 0.1]]))
            fall(cloth, 1)
            self.assertEqual(cloth.mirror().whole_steps, 0)
            raised = start[CORNERS] + np.float32([0, 0, 0.1])
            np.testing.assert_allclose(cloth.positions()[CORNERS], raised, atol=1e-7)

    def test_auto_with_new_pins_that_come_together(self):
        """Asymmetric pins are not the half's before they are symmetric; then they are."""
        start = roof().positions
        pins = [0, 8, 9, 17]
        apart = start[pins] + np.float32([[0, 0, 0.1], [0, 0, 0], [0, 0, 0], [0, 0, 0]])
        with Cloth(roof(), mirror="auto") as cloth:
            cloth.set_pins(CORNERS)
            fall(cloth, 1)
            cloth.set_pins(pins, None, apart)
            cloth.move_pins(start[pins])
            fall(cloth, 3)
            self.assertEqual(cloth.mirror().whole_steps, 0)
            np.testing.assert_allclose(cloth.positions()[pins], start[pins], atol=1e-7)

    def test_pins_on_a_buttoned_strip(self):
        """Strips only ride: pins there hold nothing, and that is said; others are told of nothing."""
        mesh = meshes.jacket()
        front = [0, 24, 25, 49]  # left and right, in two rows
        for mode, count in (("exact", 4), ("auto", 4), ("halve", 2)):
            with Cloth(mesh, mirror=mode, closure="button") as cloth:
                cloth.set_pins([12, *front], [1, 1, 1, 1, 0.5])
                self.assertEqual(len(cloth.warnings), 1)
                self.assertIn(f"{count} pins hold nothing", cloth.warnings[0])
                self.assertIn("vertex 24 at (0.02989, 0.1978, 0)", cloth.warnings[0])
            with Cloth(mesh, mirror=mode, closure="button") as cloth:
                cloth.set_pins([12, *front], [1, 0, 0, 0, 0])
                cloth.set_pins([12, 5, 19])
                self.assertEqual(cloth.warnings, [])
        with Cloth(mesh, mirror="exact", closure="zip") as cloth:
            cloth.set_pins(front)
            self.assertEqual(cloth.warnings, [])

    def test_snapshot_of_the_whole_one(self):
        """A snapshot tells which of the two was solved, and another cloth goes on from it."""

        def run(cloth, frames):
            return [hash(fall(cloth, 1).tobytes()) for _ in range(frames)]

        with Cloth(roof(), mirror="auto") as cloth, Cloth(roof(), mirror="auto") as other:
            cloth.set_pins(CORNERS)
            run(cloth, 2)
            halved = cloth.snapshot()
            half_frames = run(cloth, 2)
            cloth.set_pins([0])
            run(cloth, 2)
            whole = cloth.snapshot()
            whole_frames = run(cloth, 3)
            cloth.restore(whole)
            self.assertEqual(run(cloth, 3), whole_frames)
            other.set_pins([0])
            other.restore(whole)
            self.assertEqual(run(other, 3), whole_frames)
            self.assertEqual(other.mirror().whole_steps, 5)
            for each in (cloth, other):
                each.set_pins(CORNERS, None, roof().positions[CORNERS])
                each.restore(halved)
                self.assertEqual(run(each, 2), half_frames)
                self.assertEqual(each.mirror().solved_whole, 0)


class MapTest(unittest.TestCase):
    def test_scales(self):
        heavy = np.ones(63)
        heavy[:9] = np.linspace(1, 2, 9)
        with Cloth(roof(), mirror="exact") as cloth:
            with self.assertRaises(MuslinError) as caught:
                cloth.set_maps(mass=heavy)
            self.assertIn("4 vertices have another mass", str(caught.exception))
        with Cloth(roof(), mirror="auto") as cloth:
            cloth.set_maps(bend=heavy)
            self.assertEqual(len(cloth.warnings), 1)
            fall(cloth, 1)
            self.assertEqual(cloth.mirror().solved_whole, 1)

    def test_state(self):
        mesh = roof()
        shifted = mesh.positions + np.float32([0.01, 0, 0])
        spin = np.zeros_like(shifted)
        spin[:9, 2] = np.linspace(-1, 1, 9)
        for state in ((shifted, None), (mesh.positions, spin)):
            with Cloth(mesh, mirror="exact") as cloth:
                with self.assertRaises(MuslinError) as caught:
                    cloth.set_state(*state)
                self.assertIn("partners", str(caught.exception))
                np.testing.assert_array_equal(cloth.positions(), mesh.positions)
            with Cloth(mesh, mirror="auto") as cloth:
                cloth.set_state(*state)
                self.assertEqual(len(cloth.warnings), 1)
                np.testing.assert_array_equal(cloth.positions(), state[0])
                fall(cloth, 1)
                self.assertEqual(cloth.mirror().solved_whole, 1)


if __name__ == "__main__":
    unittest.main()

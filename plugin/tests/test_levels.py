"""Cloth with a budget, in Python and on the command line. Levels are held, so that no clock decides.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import os
import pty
import subprocess
import unittest

import numpy as np

from body_meshes import STEP, ball, moved, sheet
from mirror_meshes import jacket
from muslin import Cloth, Mesh, MuslinError, Status, find_symmetry
from test_bodies_command import BodyCommandTest
from test_scenes import garments
from test_scenes.levels import long_test

SIDE = 34  # vertices; levels of 1156 and 385


def ramp():
    """From 0 at one side to 1 at the other, in every coordinate."""
    x = sheet(SIDE).positions[:, :1]
    return np.float32(np.repeat((x - x.min()) / np.ptp(x), 3, axis=1))


class LevelsTest(unittest.TestCase):
    def test_without_a_budget_there_is_one_level(self):
        with Cloth(sheet(8)) as cloth:
            cloth.step(STEP)
            levels = cloth.levels()
            self.assertEqual((levels.level, levels.simulated_count), (0, 64))
            for call in (lambda: cloth.hold_level(1), lambda: cloth.refine(STEP)):
                with self.assertRaisesRegex(MuslinError, "budget_ms"):
                    call()

    def test_bad_numbers(self):
        for budget in (-1, float("nan"), 1e9):
            with self.assertRaisesRegex(MuslinError, "budget_ms"):
                Cloth(sheet(8), budget_ms=budget)
        with Cloth(sheet(8), budget_ms=10) as cloth:
            with self.assertRaisesRegex(MuslinError, "level"):
                cloth.hold_level(-2)
            with self.assertRaisesRegex(MuslinError, "from 1e-09 to 10 s"):
                cloth.refine(0)

    def test_positions_are_the_callers(self):
        mesh = sheet(SIDE)
        with Cloth(mesh, budget_ms=1000) as cloth:
            cloth.hold_level(1)
            cloth.set_pins([0, SIDE - 1])
            cloth.prepare(STEP)
            levels = cloth.levels()
            self.assertEqual((levels.level, levels.vertex_count), (1, SIDE * SIDE))
            self.assertAlmostEqual(levels.simulated_count, SIDE * SIDE / 3, delta=2)
            np.testing.assert_allclose(cloth.positions(), mesh.positions, atol=1e-6)
            for _ in range(5):
                cloth.step(STEP)
            held = [0, SIDE - 1]
            np.testing.assert_array_equal(cloth.positions()[held], mesh.positions[held])
            self.assertEqual(cloth.report().vertex_count, SIDE * SIDE)

    def test_sweeps_are_counted(self):
        for budget, least in ((0, 40), (60000, 40), (1e-3, 2)):  # one of each substep in any case
            settings = {"solver": "sweep", "sweeps": 20, "substeps": 2, "budget_ms": budget}
            with Cloth(sheet(SIDE), **settings) as cloth:
                cloth.step(STEP)
                self.assertGreaterEqual(cloth.stats().sweeps, least)
                self.assertLessEqual(cloth.stats().sweeps, 40 if budget != 1e-3 else 39)

    def test_fits_the_budget(self):
        """An hour leaves the garment itself; no time at all the coarsest level."""
        with Cloth(sheet(SIDE), budget_ms=60000) as cloth:
            cloth.step(STEP)
            self.assertEqual(cloth.levels().level, 0)
        with Cloth(sheet(SIDE), budget_ms=1e-3) as cloth:
            cloth.step(STEP)
            levels = cloth.levels()
            self.assertEqual(levels.level, levels.level_count - 1)

    def test_same_bytes_on_any_number_of_threads(self):
        found = []
        for threads in (1, 2, 3):
            with Cloth(sheet(SIDE), budget_ms=100, threads=threads) as cloth:
                cloth.hold_level(1)
                body = cloth.add_body(ball(middle=(0, 0, -0.2)))
                cloth.set_self_contact(True)
                for frame in range(4):
                    body.move(moved(ball(middle=(0, 0, -0.2)), (0, 0, 0.01 * frame)))
                    cloth.step(STEP)
                found.append(cloth.positions().tobytes())
        self.assertEqual(len(set(found)), 1)


class ChangesTest(unittest.TestCase):
    """What is given while there are levels is the same as if it had been given before."""

    CHANGES = {
        "material": lambda cloth: cloth.set_material(density=0.4, stretch_warp=300, damping=1),
        "forces": lambda cloth: cloth.set_forces(gravity=(0, 1, -5), wind=(1, 2, 3)),
        "fields": lambda cloth: cloth.set_fields(
            wind=np.tile(np.float32([0, 2, 1]), (SIDE * SIDE, 1)), traction=ramp()
        ),
        "scales": lambda cloth: cloth.set_maps(
            mass=1 + ramp()[:, 0], stretch=1 - 0.5 * ramp()[:, 0], bend=1 + 5 * ramp()[:, 0]
        ),
        "sizes": lambda cloth: cloth.set_maps(size=1 - 0.3 * ramp()[:, 0]),
    }

    def fallen(self, before, after):
        with Cloth(sheet(SIDE), budget_ms=1000, scheme="plain", iterations=8) as cloth:
            cloth.hold_level(1)
            cloth.set_pins([0, SIDE - 1])
            before(cloth)
            cloth.prepare(STEP)
            self.assertEqual(cloth.levels().level, 1)
            after(cloth)
            for _ in range(4):
                cloth.step(STEP)
            return cloth.positions()

    @long_test
    def test_before_and_after(self):
        def nothing(_):
            pass

        plain = self.fallen(nothing, nothing)
        for name, change in self.CHANGES.items():
            with self.subTest(name):
                wanted = self.fallen(change, nothing)
                self.assertGreater(np.abs(wanted - plain).max(), 1e-3)
                np.testing.assert_array_equal(self.fallen(nothing, change), wanted)

    def test_restored_before_there_are_levels(self):
        found = []
        with Cloth(sheet(SIDE), budget_ms=1000) as cloth, Cloth(
            sheet(SIDE), budget_ms=1000
        ) as other:
            cloth.hold_level(1)
            cloth.step(STEP)
            snapshot = cloth.snapshot()
            other.restore(snapshot)
            for each in (cloth, other):
                each.hold_level(1)
                self.assertEqual(each.levels().level, 1)
                each.step(STEP)
                found.append(each.positions())
        np.testing.assert_array_equal(*found)

    def test_the_vertex_that_was_lost(self):
        """It is named by its number in the mesh, not in the level."""
        one, count = sheet(SIDE), SIDE * SIDE
        places = np.concatenate([one.positions, one.positions + np.float32([2, 0, 0])])
        faces = np.reshape(one.face_vertices, (-1, one.face_sizes[0]))
        mesh = Mesh.from_faces(places, np.concatenate([faces, faces + count]))
        fast = np.zeros((2 * count, 3), np.float32)
        fast[count:] = 1e9
        with Cloth(mesh, budget_ms=1000, normal_drag=0, tangent_drag=0) as cloth:
            cloth.hold_level(1)
            cloth.prepare(STEP)
            self.assertLess(cloth.levels().simulated_count, count)
            cloth.set_state(mesh.positions, fast)
            with self.assertRaises(MuslinError) as caught:
                cloth.step(10)
            self.assertEqual(caught.exception.status, Status.ERROR_DIVERGED)
            self.assertGreaterEqual(caught.exception.details[0].elements[0], count)


def mesh_of(garment):
    return Mesh.from_faces(garment.positions, [list(map(int, face)) for face in garment.faces])


class GarmentsTest(unittest.TestCase):
    def test_every_garment_rides_where_it_is(self):
        for make in (garments.tshirt, garments.jacket, garments.skirt, garments.trousers):
            mesh = mesh_of(make())
            with self.subTest(make.__name__), Cloth(mesh, budget_ms=100) as cloth:
                cloth.hold_level(1)
                cloth.prepare(STEP)
                levels = cloth.levels()
                self.assertEqual(levels.level, 1)
                wanted = mesh.vertex_count / 3
                self.assertAlmostEqual(levels.simulated_count, wanted, delta=0.1 * wanted)
                np.testing.assert_allclose(cloth.positions(), mesh.positions, atol=1e-6)

    def test_mirrored_garments_stay_mirrored(self):
        mesh = mesh_of(garments.tshirt())
        with Cloth(mesh, budget_ms=100, mirror="exact") as cloth:
            cloth.hold_level(1)
            cloth.step(STEP)
            half, simulated = cloth.mirror().half_vertex_count, cloth.levels().simulated_count
            self.assertTrue(simulated / 2 <= half < 0.6 * simulated)
            self.assertFalse(cloth.mirror().solved_whole)
            found = cloth.positions()
            partners = find_symmetry(mesh, ((0, 0, 0), (1, 0, 0))).partners
            np.testing.assert_allclose(found[partners] * (-1, 1, 1), found, atol=1e-5)

    def hung(self, mesh, level, frames, **settings):
        """A jacket that hangs by its shoulders and was refined at rest."""
        shoulders = np.flatnonzero(mesh.positions[:, 2] > mesh.positions[:, 2].max() - 0.06)
        with Cloth(mesh, budget_ms=100, quality="draft", damping=8, **settings) as cloth:
            cloth.hold_level(level)
            cloth.set_pins(shoulders)
            for _ in range(frames):
                cloth.step(STEP)
            while not cloth.refine(STEP).settled:
                pass
            self.assertEqual((cloth.levels().level, cloth.mirror().solved_whole), (0, 0))
            return cloth.positions()

    @long_test
    def test_closed_fronts(self):
        """Coarser levels close along the same line: their state goes from level to level. They fold otherwise."""
        mesh = mesh_of(garments.jacket())
        for closure in ("zip", "button"):
            for mirror in ("exact", "auto"):
                settings = {"closure": closure, "mirror": mirror}
                with self.subTest(**settings):
                    wanted = self.hung(mesh, 0, 24, **settings)
                    found = self.hung(mesh, 1, 12, **settings)
                    apart = np.sqrt(((found - wanted) ** 2).sum(1).mean())
                    self.assertLess(apart / np.ptp(wanted, axis=0).max(), 0.05)

    def test_pins_on_a_buttoned_strip(self):
        """They hold nothing, and so do not stand out of what is carried."""
        columns, rows = 61, 41
        mesh = jacket(columns, rows)
        mesh.positions[:, 2] *= 0.5  # as long along the front as across
        back = columns // 2 + columns * np.arange(rows)
        ends = [20 * columns, 21 * columns - 1]
        settings = {"mirror": "exact", "closure": "button", "gravity": (0, 0, 0)}
        with Cloth(mesh, budget_ms=100, quality="draft", **settings) as cloth:
            cloth.hold_level(1)
            cloth.set_pins([*back, *ends])
            self.assertIn("2 pins hold nothing", cloth.warnings[0])
            for _ in range(8):
                cloth.step(STEP)
            front = cloth.positions().reshape(rows, columns, 3)[:, 0]
            self.assertLess(np.abs(front[20] - (front[19] + front[21]) / 2).max(), 0.01)
            cloth.set_state(*cloth.state())  # its own state is not refused
            cloth.hold_level(0)
            cloth.step(STEP)
            self.assertFalse(cloth.mirror().solved_whole)


class LiveCommandTest(BodyCommandTest):
    def setUp(self):
        super().setUp()
        self.write(self.garment, sheet(SIDE))

    def test_budget(self):
        arguments = ("--frames", 4, "--budget-ms", 50, "--level", 1, "--pin", f"0,{SIDE - 1}")
        result = self.drape(*arguments, "--stats", self.stats)
        self.assertEqual((result.stdout, result.stderr), ("", ""))
        frames = json.loads(self.stats.read_text())["frames"]
        self.assertEqual([frame["level"] for frame in frames], [1] * 4)
        self.assertEqual(len(self.frames()[-1]), SIDE * SIDE)

    @long_test
    def test_refine(self):
        pins = f"0,{SIDE - 1},{SIDE * (SIDE - 1)},{SIDE * SIDE - 1}"
        fine = self.drape("--frames", 72, "--pin", pins)
        self.assertEqual(fine.stderr, "")
        wanted = self.frames()[-1]
        arguments = ("--frames", 30, "--budget-ms", 50, "--level", 1, "--refine", "--pin", pins)
        self.drape(*arguments, "--stats", self.stats)
        reported = json.loads(self.stats.read_text())
        self.assertEqual(reported["frames"][-1]["level"], 0)
        self.assertEqual((reported["settings"]["level"], reported["settings"]["refine"]), (1, True))
        apart = np.sqrt(((self.frames()[-1] - wanted) ** 2).sum(1).mean())
        self.assertLess(apart / np.ptp(wanted, axis=0).max(), 0.03)

    def test_last_line_on_a_terminal_tells_what_was_simulated(self):
        try:
            master, slave = pty.openpty()
        except OSError:
            self.skipTest("this machine has no pseudo-terminals")
        arguments = ("--frames", 3, "--budget-ms", 50, "--level", 1)
        command = self.command(*self.drape_arguments(*arguments))
        subprocess.run(command, stderr=slave, timeout=60, check=True)
        os.close(slave)
        shown = os.read(master, 4096).decode()
        os.close(master)
        self.assertRegex(shown, r"3 frames in .*, by 385 of 1,156 vertices\s")

    def test_refine_the_only_frame(self):
        pins = f"0,{SIDE - 1},{SIDE * (SIDE - 1)},{SIDE * SIDE - 1}"
        self.drape("--frames", 1, "--budget-ms", 50, "--refine", "--pin", pins)
        (only,) = self.frames()
        self.assertLess(only[:, 2].min(), sheet(SIDE).positions[:, 2].min() - 0.05)

    def test_refusals(self):
        for option in (("--refine",), ("--level", 1)):
            result = self.drape("--frames", 3, *option, code=2)
            self.assertIn("--budget-ms", result.stderr)


if __name__ == "__main__":
    unittest.main()

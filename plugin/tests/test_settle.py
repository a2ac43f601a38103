"""Settling: the shape at rest, in Python and on the command line.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import os
import pty
import signal
import subprocess
import time
import unittest

import numpy as np

from body_meshes import STEP, ball, moved, sheet
from muslin import Cloth, Mesh, read_obj
from muslin.obj import write_obj
from muslin.pc2 import Pc2Writer
from sewn_meshes import two_strips
from test_command import CommandTest
from test_scenes import sheets
from test_scenes.contact import figures
from test_scenes.levels import long_test

MOST = 200  # steps
SLOW = 1e-3  # m/s, what settling promises
RADIUS = 0.1


def settled(cloth):
    for _ in range(MOST):
        report = cloth.settle()
        if report.settled:
            return report
    raise AssertionError(f"not settled after {MOST} steps")


class SettleTest(unittest.TestCase):
    def test_a_sheet_that_starts_inside_of_a_ball_rests_on_it(self):
        mesh = sheet(17, size=0.35)
        low = mesh.positions[:, 2].mean() - 0.9 * RADIUS  # a fifth of the ball is above the sheet
        middle = (*mesh.positions[:, :2].mean(0), low)
        with Cloth(mesh) as cloth:
            cloth.add_body(ball(radius=RADIUS, middle=middle), friction=0.6)
            report = settled(cloth)
            self.assertTrue(report.came_to_rest)
            self.assertLessEqual(report.fastest, SLOW)
            self.assertEqual((report.level, report.simulated_count), (0, mesh.vertex_count))
            away = np.linalg.norm(cloth.positions() - middle, axis=1)
            self.assertGreater(away.min(), RADIUS)

    @long_test
    def test_a_shirt_ends_where_a_long_run_ends(self):
        scene = figures.tshirt(spacing=0.05)
        mesh = Mesh.from_faces(scene.cloth.positions, scene.cloth.faces)
        body = Mesh.from_faces(scene.bodies[0].positions(), scene.bodies[0].faces)
        found = []
        for frames in (0, 96):
            with Cloth(mesh) as cloth:
                cloth.add_body(body)
                cloth.set_self_contact(True)
                for _ in range(frames):
                    cloth.step(STEP)
                if not frames:
                    self.assertTrue(settled(cloth).came_to_rest)
                found.append(cloth.positions())
        size = np.ptp(mesh.positions, axis=0).max()
        apart = np.sqrt(((found[0] - found[1]) ** 2).sum(1).mean())
        self.assertLess(apart / size, 0.02)

    def test_a_strip_that_swings_does_not_rest_where_it_turns(self):
        scene = sheets.grid(4, 17, 0.8)
        mesh = Mesh.from_faces(scene.positions, scene.faces)
        ends = mesh.positions[:, 1]
        held = np.flatnonzero(ends == ends.max())
        with Cloth(mesh) as cloth:
            cloth.set_pins(held)
            self.assertTrue(settled(cloth).came_to_rest)
            off = np.abs(cloth.positions()[:, 1] - ends.max()).max()
            self.assertLess(off, 0.008)  # a hundredth of its length

    def test_what_is_set_meanwhile_begins_anew(self):
        """While it cools nothing would move any more."""
        mesh = sheet(9)
        for damping in (0, 1e5):  # the caller's own does not hold it up either
            with Cloth(mesh, damping=damping) as cloth:
                cloth.set_pins([0, 8, 72, 80])
                while not cloth.settle().came_to_rest:
                    pass
                cloth.set_pins([0, 8])
                self.assertTrue(settled(cloth).came_to_rest)
                low = cloth.positions()[:, 2].min()
                self.assertLess(low, mesh.positions[:, 2].min() - 0.5)

    def test_what_is_set_afterwards_moves_it_again(self):
        mesh = sheet(9)
        for budget in (0, 5):
            for scales in ({"mass": 2.0}, {"size": 0.9}):
                with self.subTest(budget=budget, **scales), Cloth(mesh, budget_ms=budget) as cloth:
                    cloth.set_pins([0, 8])
                    settled(cloth)
                    self.assertTrue(cloth.levels().settled)
                    cloth.set_maps(
                        **{name: np.full(mesh.vertex_count, by) for name, by in scales.items()}
                    )
                    self.assertFalse(cloth.levels().settled)

    def test_slow_seams_close_before_it_rests(self):
        """At 1 mm/s it would be called fallen at once, at 30 mm/s it would have had its steps before."""
        for speed, apart in ((0.001, 0.015), (0.03, 0.2)):
            mesh, pairs = two_strips(5, 5, 0.03, apart=apart)
            with self.subTest(speed=speed), Cloth(mesh) as cloth:
                cloth.set_pins(np.arange(0, 25, 5))
                cloth.sew(pairs, speed=speed)
                settled(cloth)
                self.assertEqual(cloth.link_report().closing, 0)
                self.assertLess(cloth.positions()[:, 2].min(), -0.15)

    @long_test
    def test_slow_seams_take_no_more_steps_than_others(self):
        """A way of 20 cm takes 2400 steps at 1 mm/s, but nobody sees it; then it closes as slowly as told again.

        One strip is below the other: side by side they fold, and may take any time to unfold.
        """
        mesh, pairs = two_strips(5, 5, 0.03, apart=0.2)
        hung = mesh.positions[:, [1, 2, 0]] * np.float32([1, 1, -1])
        steps = {}
        for speed in (1.0, 0.05, 0.001):
            with Cloth(Mesh(hung, mesh.face_sizes, mesh.face_vertices)) as cloth:
                cloth.set_pins(np.arange(0, 25, 5))
                cloth.sew(pairs, speed=speed)
                report = settled(cloth)
                steps[speed] = report.steps
                self.assertTrue(report.came_to_rest)
                self.assertLess(cloth.link_report().largest_gap, 1e-3)
                cloth.set_forces(gravity=(0, 0, 0))
                cloth.set_state(hung)
                cloth.step(0.1)
                gap = cloth.link_report().largest_gap
                self.assertAlmostEqual(gap, 0.2 - 0.1 * speed, delta=2e-4)
        self.assertLess(steps[0.001], steps[1.0] + 40)
        self.assertLess(steps[0.05], steps[1.0] + 40)

    def test_a_seam_that_cannot_close_is_not_at_rest(self):
        mesh, pairs = two_strips(3, 3, 0.03, apart=0.2)
        with Cloth(mesh) as cloth:
            cloth.set_pins(np.arange(mesh.vertex_count - 1))
            cloth.sew(pairs, speed=0.2)
            self.assertFalse(settled(cloth).came_to_rest)
            self.assertEqual(cloth.link_report().closing, 3)

    def test_same_bytes_on_any_number_of_threads(self):
        found = []
        for threads in (1, 3):
            with Cloth(sheet(12), threads=threads) as cloth:
                cloth.set_pins([0, 11])
                report = settled(cloth)
                found.append((report.steps, cloth.positions().tobytes()))
        self.assertEqual(*found)


class SettleCommandTest(CommandTest):
    def settle(self, *arguments, code=0):
        self.rested = self.folder / "rested.obj"
        return self.run_command("settle", self.garment, "-o", self.rested, *arguments, code=code)

    def test_writes_the_garment_at_rest(self):
        stats = self.folder / "stats.json"
        result = self.settle("--pin", self.pin_list, "--stats", stats)
        self.assertEqual((result.stdout, result.stderr), ("", ""), "quiet in a pipe")
        garment, rested = read_obj(self.garment), read_obj(self.rested)
        self.assertEqual(garment.faces(), rested.faces())
        numbers = json.loads(stats.read_text())
        self.assertTrue(numbers["came_to_rest"])
        self.assertLessEqual(numbers["fastest"], SLOW)
        with Cloth(garment, budget_ms=40) as cloth:
            cloth.set_pins(self.pins)
            self.assertEqual(settled(cloth).steps, numbers["steps"])
            np.testing.assert_allclose(cloth.positions(), rested.positions, atol=1e-6)

    def test_tells_where_it_is_tight(self):
        report = self.folder / "fit.json"
        self.settle("--pin", self.pin_list, "--fit-report", report)
        self.assertIn("regions", json.loads(report.read_text()))

    def test_what_falls_for_ever_is_reported(self):
        result = self.settle()
        self.assertIn("did not come to rest", result.stderr)
        self.assertIn("pin whatever holds it up", result.stderr)

    def test_threads_settle_without_levels(self):
        scene = sheets.grid(5, 4, 0.4, "quads")
        write_obj(self.garment, scene.positions, scene.faces)
        stats = self.folder / "stats.json"
        result = self.settle("--solver", "threads", "--pin", "0-4", "--stats", stats)
        self.assertEqual(result.stderr, "")
        self.assertTrue(json.loads(stats.read_text())["came_to_rest"])

    def test_sweeps_that_do_not_come_to_rest_are_reported(self):
        """Whatever holds the cloth: pins would not help."""
        scene = sheets.grid(13, 13, 1.0, "quads")
        write_obj(self.garment, scene.positions, scene.faces)
        result = self.settle("--solver", "sweep", "--sweeps", 4, "--pin", "0,12")
        self.assertIn("the sweep solver may never come to rest, use --solver linear", result.stderr)
        self.assertNotIn("pin whatever holds it up", result.stderr)

    def test_bad_files_are_refused_before_anything_is_written(self):
        self.run_command("settle", self.garment, "-o", self.garment, code=2)
        result = self.settle("--body", self.folder / "nobody.obj", code=2)
        self.assertIn("nobody.obj", result.stderr)
        self.assertFalse(self.rested.exists())
        output = ("-o", self.folder / "a.obj")
        result = self.run_command("settle", self.garment, self.garment, *output, code=2)
        self.assertIn("there are 2 garments", result.stderr)  # which settle names without an option

    def test_iterations_that_are_too_few_are_reported(self):
        found = [self.settle("--quality", quality).stderr for quality in ("draft", "fit")]
        self.assertEqual(["--quality fit" in text for text in found], [True, False])

    def test_interrupted_it_writes_nothing(self):
        self.rested = self.folder / "rested.obj"
        ours, theirs = pty.openpty()
        arguments = ("settle", self.large(), "-o", self.rested, "--quality", "final")
        process = subprocess.Popen(self.command(*arguments), stderr=theirs)
        os.close(theirs)
        seen = b""
        limit = time.monotonic() + 60
        while b"step" not in seen and time.monotonic() < limit:
            seen += os.read(ours, 4096)  # the line of progress
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), 130)
        while b"nothing was written" not in seen and time.monotonic() < limit:
            seen += os.read(ours, 4096)
        os.close(ours)
        self.assertIn(b"mm/s", seen)
        self.assertFalse(self.rested.exists())

    def large(self):
        """A sheet that takes a while."""
        path = self.folder / "large.obj"
        mesh = sheet(60)
        with open(path, "w", encoding="utf-8") as file:
            for x, y, z in mesh.positions:
                file.write(f"v {x} {y} {z}\n")
            for face in mesh.faces():
                file.write("f " + " ".join(str(vertex + 1) for vertex in face) + "\n")
        return path


class RunUpTest(CommandTest):
    """A ball of which the first frame is half through the sheet, and the mesh below it: that is what it was made for."""

    HEIGHT = 0.02  # m, of the sheet
    FRAMES = 4

    def setUp(self):
        super().setUp()
        self.sheet = sheet(17, height=self.HEIGHT)
        write_obj(self.garment, self.sheet.positions, self.sheet.faces())
        self.ball = ball(radius=RADIUS, middle=(0, 0, self.HEIGHT - 1.2 * RADIUS))
        self.motion = [moved(self.ball, (0, 0, 1.2 * RADIUS))] * self.FRAMES
        write_obj(self.folder / "ball.obj", self.ball.positions, self.ball.faces())
        with Pc2Writer(self.folder / "ball.pc2", self.ball.vertex_count) as writer:
            for places in self.motion:
                writer.write(places)

    def first_frame(self, *arguments):
        body = f"{self.folder / 'ball.pc2'}:{self.folder / 'ball.obj'}"
        self.drape("--frames", self.FRAMES, "--body", body, "--friction", 0.6, *arguments)
        return self.frames()[0]

    def test_the_first_frame_rests_where_the_body_starts(self):
        np.testing.assert_array_equal(self.first_frame(), self.sheet.positions)
        first = self.first_frame("--run-up", 12)
        away = np.linalg.norm(first - np.float32([0, 0, self.HEIGHT]), axis=1)
        self.assertGreater(away.min(), RADIUS)
        top = first[np.argmin(np.linalg.norm(first[:, :2], axis=1)), 2]
        self.assertGreater(top, self.HEIGHT + RADIUS)  # above the ball, where it was
        moved_by = np.linalg.norm(self.frames()[1] - first, axis=1).max()
        self.assertLess(moved_by * 24, 0.1)  # m/s: it rests

    def test_what_falls_in_the_run_up_is_reported(self):
        result = self.drape("--frames", 2, "--run-up", 2)
        self.assertIn("did not come to rest in the run-up", result.stderr)

    def test_a_run_up_that_does_nothing_else_is_reported(self):
        still = self.folder / "ball.obj"
        result = self.drape("--frames", 2, "--run-up", 2, "--body", still, "--pin", "0-288")
        self.assertIn("no body moves", result.stderr)
        body = f"{self.folder / 'ball.pc2'}:{still}"
        result = self.drape("--frames", 2, "--run-up", 2, "--body", body, "--pin", "0-288")
        self.assertNotIn("no body moves", result.stderr)

    def test_none(self):
        self.drape("--frames", 2, "--run-up", 0)
        np.testing.assert_array_equal(self.frames()[0], self.sheet.positions)

    def test_interrupted_it_names_no_frame(self):
        command = self.drape_arguments("--frames", 5, "--run-up", 1000000, "--pin", "0")
        process = subprocess.Popen(self.command(*command), stderr=subprocess.PIPE, text=True)
        limit = time.monotonic() + 60
        while not list(self.folder.glob("*.part")) and time.monotonic() < limit:
            time.sleep(0.02)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("interrupted in the run-up; nothing was written", errors)
        self.assertFalse(self.output.exists())

    def test_bad_numbers(self):
        for number in ("-1", "many"):
            result = self.drape("--run-up", number, code=2)
            self.assertIn("--run-up", result.stderr)


if __name__ == "__main__":
    unittest.main()

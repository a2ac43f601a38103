"""`muslin train-upsampling`, and `drape --upsample` and `--wrinkles`: files, options, refusals.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json

import numpy as np

from body_meshes import ball, sheet
from muslin import Pc2Writer, read_pc2, write_obj
from muslin.inspection.intersections import count_between
from muslin.upsampling import Upsampling
from test_command import CommandTest
from test_scenes import sheets
from test_scenes.levels import long_test

SIDE = 34  # vertices; levels of 1156 and 385
FRAMES = 12


class UpsamplingCommandTest(CommandTest):
    def setUp(self):
        super().setUp()
        scene, self.pins = sheets.hung_cloth(SIDE)
        write_obj(self.garment, scene.positions, np.asarray(scene.faces).tolist())
        self.count = len(scene.positions)
        self.pin_list = ",".join(map(str, self.pins))
        self.coarse, self.fine = self.folder / "coarse.pc2", self.folder / "fine.pc2"
        self.operator = self.folder / "op.npz"

    def hang(self, output, *arguments, code=0):
        line = ("drape", "--garment", self.garment, "-o", output, "--pin", self.pin_list)
        return self.run_command(*line, "--frames", FRAMES, *arguments, code=code)

    def train(self, *arguments, runs=None, code=0):
        runs = runs or f"{self.coarse}:{self.fine}"
        line = ("train-upsampling", self.garment, "--runs", runs, "-o", self.operator)
        return self.run_command(*line, *arguments, code=code)

    def make_pair(self):
        self.hang(self.coarse, "--budget-ms", 1000, "--level", 1)
        self.hang(self.fine)

    def distance(self, path):
        apart = read_pc2(path).positions[2:].astype(float) - read_pc2(self.fine).positions[2:]
        return float(np.sqrt((apart**2).sum(2).mean()))


class LearntTest(UpsamplingCommandTest):
    def test_train_and_drape(self):
        self.make_pair()
        reported = self.train("--level", 1).stdout
        self.assertIn(f"learnt from {FRAMES} frames", reported)
        stats = self.folder / "stats.json"
        self.hang(self.output, "--upsample", self.operator, "--stats", stats)
        self.assertLess(self.distance(self.output), 0.95 * self.distance(self.coarse))
        settings = json.loads(stats.read_text())["settings"]
        self.assertEqual((settings["level"], settings["upsample"]), (1, str(self.operator)))
        coarse, operator = read_pc2(self.coarse).positions[:], Upsampling.load(self.operator)
        found = read_pc2(self.output).positions[:]
        for number in (0, FRAMES - 1):
            self.assertLess(np.abs(operator.apply(coarse[number]) - found[number]).max(), 1e-6)

    @long_test
    def test_no_vertex_ends_inside_of_a_body(self):
        """Learnt from a run that lies too low, and drawn through the ball by it."""
        solid, body = self.folder / "ball.obj", ball(0.15, (0, 0, -0.16))
        write_obj(solid, body.positions, body.faces())
        mesh = sheet(SIDE, 0.3, 0.0)
        write_obj(self.garment, mesh.positions, mesh.faces())
        lie = ("drape", "--garment", self.garment, "--body", solid, "--frames", FRAMES)
        level = ("--budget-ms", 1000, "--level", 1)
        self.run_command(*lie, *level, "-o", self.coarse)
        runs = read_pc2(self.coarse).positions[:]
        with Pc2Writer(self.fine, self.count) as writer:
            for frame in runs:
                writer.write(frame + 0.2 * (frame - mesh.positions))
        self.train("--level", 1)
        stats = self.folder / "stats.json"
        self.run_command(*lie, "--upsample", self.operator, "--stats", stats, "-o", self.output)
        found, operator = read_pc2(self.output).positions[:], Upsampling.load(self.operator)
        solid = (body.positions, body.faces())
        self.assertGreater(count_between(operator.apply(runs[-1]), mesh.faces(), *solid)[0], 20)
        for frame in found:
            self.assertEqual(count_between(frame, mesh.faces(), *solid), (0, 0))

    def test_refused(self):
        self.make_pair()
        self.train("--level", 1)
        short = self.folder / "short.pc2"
        with Pc2Writer(short, self.count) as writer:
            writer.write(np.zeros((self.count, 3)))
        other = self.folder / "other.pc2"
        with Pc2Writer(other, 3) as writer:
            writer.write(np.zeros((3, 3)))
        for run, words in (
            (lambda: self.train("--level", 0, code=2), "--level 0"),
            (lambda: self.train(runs=f"{self.coarse}", code=2), "COARSE.pc2:FINE.pc2"),
            (lambda: self.train(runs=f"{self.coarse}:{short}", code=2), "short.pc2: 1 frames"),
            (lambda: self.train(runs=f"{self.coarse}:{other}", code=2), "other.pc2: 1 frames of 3"),
            (lambda: self.hang(self.output, "--upsample", other, code=2), "other.pc2"),
            (
                lambda: self.hang(self.output, "--upsample", self.operator, "--level", 2, code=2),
                "trained for level 1",
            ),
            (
                lambda: self.hang(self.operator, "--upsample", self.operator, code=2),
                "--output and --upsample are the same file",
            ),
        ):
            self.assertIn(words, run().stderr)
        self.assertFalse(self.output.exists())

    def test_several_garments(self):
        line = ("drape", "--garment", self.garment, "-o", self.output)
        more = ("--garment", self.garment, "-o", self.fine, "--upsample", self.operator)
        self.assertIn("one garment", self.run_command(*line, *more, code=2).stderr)


class TrackTest(UpsamplingCommandTest):
    @long_test
    def test_is_nearer_to_the_coarse_run(self):
        self.make_pair()
        free = self.distance(self.coarse)
        self.hang(self.fine, "--track", self.coarse, "--track-level", 1)
        self.assertLess(self.distance(self.coarse), 0.7 * free)
        held = read_pc2(self.fine).positions[:, self.pins]
        np.testing.assert_array_equal(held, read_pc2(self.coarse).positions[:, self.pins])

    def test_refused(self):
        self.hang(self.coarse, "--budget-ms", 1000, "--level", 1)
        other = self.folder / "other.pc2"
        with Pc2Writer(other, 3) as writer:
            writer.write(np.zeros((3, 3)))
        for arguments, words in (
            (("--track", other), "other.pc2: 1 frames of 3 vertices"),
            (("--track", self.coarse, "--budget-ms", 40), "leave out --budget-ms"),
            (("--track", self.coarse, "--track-level", 0), "--track-level 0"),
            (("--track-level", 1), "--track-level does nothing without --track"),
        ):
            self.assertIn(words, self.hang(self.output, *arguments, code=2).stderr)
        result = self.hang(self.coarse, "--track", self.coarse, code=2)
        self.assertIn("are the same file", result.stderr)
        self.assertFalse(self.output.exists())


class WrinklesCommandTest(UpsamplingCommandTest):
    @long_test
    def test_wrinkles_change_what_is_written_and_not_the_motion(self):
        level = ("--budget-ms", 1000, "--level", 1)
        self.hang(self.coarse, *level)
        self.hang(self.output, *level, "--wrinkles")
        apart = read_pc2(self.output).positions[:] - read_pc2(self.coarse).positions
        self.assertLess(np.abs(apart[0]).max(), 1e-4)
        self.assertGreater(np.abs(apart[-1]).max(), 1e-3)
        self.assertLess(np.abs(apart).max(), 0.02)

    def test_refused(self):
        result = self.hang(self.output, "--wrinkles", code=2)
        self.assertIn("--wrinkles does nothing without --budget-ms", result.stderr)
        result = self.hang(self.output, "--wrinkles=-1", "--budget-ms", 40, code=2)
        self.assertIn("expected a length above 0", result.stderr)


if __name__ == "__main__":
    import unittest

    unittest.main()

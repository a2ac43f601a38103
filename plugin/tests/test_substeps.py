# SPDX-License-Identifier: GPL-3.0-or-later
"""Substeps follow the motion: how many a step takes, what is said of it, and that the motion alone decides."""

import json
import unittest

import numpy as np

from body_meshes import STEP, ball, moved, sheet
from file_command import FileCommandTest
from mirror_meshes import jacket
from muslin import Cloth, Mesh, MuslinError, SubstepsReason, default_settings, write_obj

# Metres by which a ball goes up in each frame, through where a sheet hangs.
WAYS = (0, 0.005, 0.06, 0.12, 0.005, -0.12, 0.01, 0.05)


def lifted(frame):
    """Where the ball is after this frame."""
    return moved(ball(), (0, 0, sum(WAYS[: frame + 1])))


def strike(cloth, body, frames):
    """Steps with a ball below the sheet; gives substeps and reason of each frame."""
    found = []
    for frame in frames:
        body.move(lifted(frame))
        cloth.step(STEP)
        stats = cloth.stats()
        found.append((stats.substeps, SubstepsReason(stats.substeps_reason)))
    return found


def hung(**settings):
    """A sheet, and the ball where it starts."""
    cloth = Cloth(sheet(), **settings)
    cloth.set_pins([0, 11])
    return cloth, cloth.add_body(ball(), thickness=0.004)


class SubstepsTest(unittest.TestCase):
    def test_automatic_is_the_default(self):
        self.assertEqual(default_settings()["substeps"], 0)
        for given, taken, reason in (
            ({}, 2, SubstepsReason.BASE),
            ({"substeps": 0}, 2, SubstepsReason.BASE),
            ({"substeps": "auto"}, 2, SubstepsReason.BASE),
            ({"substeps": 3}, 3, SubstepsReason.FIXED),
        ):
            with self.subTest(given), Cloth(sheet(), **given) as cloth:
                cloth.step(STEP)
                stats = cloth.stats()
                self.assertEqual((stats.substeps, stats.substeps_reason), (taken, reason))
                cloth.set_iterations("auto", 4)
                self.assertEqual(cloth.settings["substeps"], 0)
        with self.assertRaisesRegex(MuslinError, "substeps"):
            Cloth(sheet(), substeps="often")

    def test_rates(self):
        with Cloth(sheet()) as cloth:
            taken = []
            for rate in (12, 24, 25, 30, 60, 240):
                cloth.step(1 / rate)
                taken.append(cloth.stats().substeps)
            self.assertEqual(taken, [4, 2, 2, 2, 1, 1])

    def test_a_fast_body(self):
        cloth, body = hung()
        with cloth:
            found = strike(cloth, body, range(len(WAYS)))
        self.assertEqual(found[0], (2, SubstepsReason.BASE))
        counts = [count for count, _ in found]
        self.assertGreaterEqual(max(counts), 4)
        self.assertEqual(found[counts.index(max(counts))][1], SubstepsReason.BODY)
        self.assertLessEqual(max(counts), 16)

    def test_fast_pins(self):
        with Cloth(sheet()) as cloth:
            cloth.set_pins([0, 11])
            cloth.step(STEP)
            cloth.move_pins(cloth.positions()[[0, 11]] + np.float32((0, 0, 0.3)))
            cloth.step(STEP)
            self.assertEqual(cloth.stats().substeps_reason, SubstepsReason.PINS)
            self.assertGreaterEqual(cloth.stats().substeps, 4)

    def test_the_same_for_any_threads_and_when_resumed(self):
        frames = range(len(WAYS))
        cloth, body = hung()
        with cloth:
            wanted = strike(cloth, body, frames)
            end = cloth.positions()
        for threads in (2, 3):
            cloth, body = hung(threads=threads)
            with self.subTest(threads=threads), cloth:
                self.assertEqual(strike(cloth, body, frames), wanted)
                np.testing.assert_array_equal(cloth.positions(), end)
        for resumed in (3, 5):
            cloth, body = hung()
            with self.subTest(resumed=resumed), cloth, Cloth(sheet()) as other:
                strike(cloth, body, frames[:resumed])
                other.set_pins([0, 11])
                there = Mesh.from_faces(lifted(resumed - 1), ball().faces())
                body = other.add_body(there, thickness=0.004)
                other.restore(cloth.snapshot())
                self.assertEqual(strike(other, body, frames[resumed:]), wanted[resumed:])
                np.testing.assert_array_equal(other.positions(), end)

    def test_mirrored_cloth_and_levels(self):
        with Cloth(jacket(), mirror="exact") as cloth:
            cloth.step(STEP)
            self.assertEqual(cloth.stats().substeps, 2)
        with Cloth(sheet(34), budget_ms=1000) as cloth:
            cloth.set_pins([0, 33])
            cloth.step(STEP)
            self.assertEqual(cloth.stats().substeps, 2)
            cloth.move_pins(cloth.positions()[[0, 33]] + np.float32((0, 0, 0.3)))
            cloth.step(STEP)
            self.assertEqual(cloth.stats().substeps, 4)  # of twice as many the budget knows nothing


class StatsTest(FileCommandTest):
    command = "drape"

    def drape(self, *options):
        garment, stats = self.folder / "sheet.obj", self.folder / "stats.json"
        write_obj(garment, sheet().positions, sheet().faces())
        files = ("--garment", garment, "-o", self.folder / "out.pc2", "--stats", stats)
        self.run_command(*files, "--frames", 3, *options)
        return json.loads(stats.read_text())

    def test_statistics_say_how_many_and_why(self):
        for options in ((), ("--substeps", "auto"), ("--substeps", 0)):
            content = self.drape(*options)
            self.assertEqual(content["settings"]["substeps"], 0)
            for frame in content["frames"][1:]:
                self.assertEqual((frame["substeps"], frame["substeps_reason"]), (2, "base"))
        frame = self.drape("--substeps", 5)["frames"][-1]
        self.assertEqual((frame["substeps"], frame["substeps_reason"]), (5, "fixed"))

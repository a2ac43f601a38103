"""The same bytes from any number of threads, again and again, after save and restore and after a cancelled step, and those
that are on record; on another kind of machine the same places.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import unittest

import numpy as np

import golden_plays
from golden_plays import BREAK, FRAMES, PLAYS
from muslin import MuslinError, Status
from test_scenes.levels import long_test

# Largest distance from the positions on record, m, on machines whose rounding differs. Rounding decides what touches first:
# a bit of the start, on one machine, makes up to 3 mm of these. `threads` ends its solves at a residual of a thousandth.
# Newton steps know patches in single precision, and end at a residual, too.
FREE_TOLERANCE, FOLDING_TOLERANCE, TOUCHING_TOLERANCE = 2e-6, 1e-3, 3e-2
TOLERANCE = {
    **dict.fromkeys(
        ("draft", "final", "single", "edge", "bdf2", "halved", "sewn"), FOLDING_TOLERANCE
    ),
    "threads": 1e-3,
    "ball": TOUCHING_TOLERANCE,
    "ball_implicit": TOUCHING_TOLERANCE,
    "sleeve": TOUCHING_TOLERANCE,
    "stack": TOUCHING_TOLERANCE,
}


class DeterminismTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tracks = {}
        for name in PLAYS:
            with golden_plays.begin(name) as play:
                cls.tracks[name] = play.run(FRAMES).track

    def assert_same(self, name, track, what):
        own = self.tracks[name][-len(track) :]
        for frame, (one, other) in enumerate(zip(own, track)):
            self.assertEqual(one.tobytes(), other.tobytes(), f"{name}, {what}: frame {frame}")

    def check_threads(self, threads):
        for name in PLAYS:
            with golden_plays.begin(name, threads) as play:
                self.assert_same(name, play.run(FRAMES).track, f"{threads} threads")

    def test_any_number_of_threads(self):
        self.check_threads(2)

    @long_test
    def test_other_numbers_of_threads(self):
        for threads in (3, 7):
            self.check_threads(threads)

    @long_test
    def test_again(self):
        for name in PLAYS:
            with golden_plays.begin(name) as play:
                self.assert_same(name, play.run(FRAMES).track, "again")

    def test_saved_and_restored_in_another_cloth(self):
        for name in PLAYS:
            with golden_plays.begin(name, 2) as first, golden_plays.begin(name) as second:
                snapshot = first.run(BREAK).cloth.snapshot()
                for body, shape in zip(second.bodies, second.scene.bodies):
                    body.place(shape.positions(BREAK))
                second.frame = BREAK
                second.cloth.restore(snapshot)
                track = second.run(FRAMES - BREAK).track[1:]
                self.assert_same(name, track, "restored")

    def test_after_a_cancelled_step(self):
        for name in PLAYS:
            with golden_plays.begin(name) as play:
                play.run(BREAK)
                play.cloth.cancel()
                with self.assertRaises(MuslinError) as raised:
                    play.step()
                self.assertEqual(raised.exception.status, Status.ERROR_CANCELLED)
                play.frame = BREAK
                self.assert_same(name, play.run(FRAMES - BREAK).track, "cancelled")

    def test_what_is_on_record(self):
        golden = json.loads(golden_plays.RECORD.read_text(encoding="utf-8"))
        self.assertEqual(set(golden["plays"]), set(PLAYS))
        for name, kept in golden["plays"].items():
            track = self.tracks[name]
            if golden["machine"] == golden_plays.machine():
                self.assertEqual(golden_plays.digest(track), kept["hash"], name)
            far = np.abs(golden_plays.sample(track[BREAK]) - np.array(kept["positions"])).max()
            self.assertLess(far, TOLERANCE.get(name, FREE_TOLERANCE), name)
            moved = np.abs(track[-1] - track[0]).max()
            self.assertGreater(moved, 1e-3, f"{name} does not move")


if __name__ == "__main__":
    unittest.main()

"""What goes wrong within steps is reported: quickly after each, and in words that the command line and the add-on share.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest
from types import SimpleNamespace

import numpy as np

from muslin import Cloth, Mesh
from muslin.command.statistics import step_warnings
from muslin.inspection.verdict import WORDS, StepWarningLog
from parts_meshes import sheet

STEP = 1 / 24


def step(**counts):
    return SimpleNamespace(**{**dict.fromkeys(WORDS, 0), **counts})


class WordsTest(unittest.TestCase):
    def test_nothing(self):
        self.assertEqual(step_warnings([step(), step()]), [])

    def test_frames_are_counted_from_the_first(self):
        several = [step(), step(retried=3), step(mended=1), step(retried=1, curtailed=2)]
        curtailed, retried, mended = step_warnings(several)
        self.assertEqual(curtailed, f"in frame 4, {WORDS['curtailed']}")
        self.assertEqual(retried, f"in 2 frames, first in frame 2, {WORDS['retried']}")
        self.assertEqual(mended, f"in frame 3, {WORDS['mended']}")

    def test_parts_of_a_frame_are_one_frame(self):
        seen = StepWarningLog()
        for number in (7, 7, 8):
            seen.add(number, step(mended=1))
        (reported,) = seen.reports()
        self.assertEqual((reported.kind, reported.first), ("mended", 7))
        self.assertIn("in 2 frames,", reported.text)

    def test_steps(self):
        seen = StepWarningLog("step")
        seen.add(5, step(mended=1))
        self.assertIn("in step 5, ", seen.reports()[0].text)


class CountTest(unittest.TestCase):
    def test_levels_tell_what_statistics_tell(self):
        """Of a sheet that a step longer than 2 sqrt(m / k) throws apart."""
        places, faces = sheet(9, (0, 0, 0))
        method = {"model": "edge", "solver": "sweep", "sweep_method": "symplectic", "sweeps": 1}
        stretch = {"stretch_warp": 30, "stretch_weft": 30, "shear": 10}
        noise = np.random.default_rng(11).uniform(0.95, 1.05, np.shape(places))
        retried = 0
        with Cloth(Mesh.from_faces(places, faces), **method, **stretch) as cloth:
            cloth.set_state(cloth.positions() * np.float32(noise))
            for _ in range(12):
                cloth.step(STEP)
                stats, levels = cloth.stats(), cloth.levels()
                for name in WORDS:
                    self.assertEqual(getattr(levels, name), getattr(stats, name), name)
                retried += levels.retried
        self.assertGreater(retried, 0)


if __name__ == "__main__":
    unittest.main()

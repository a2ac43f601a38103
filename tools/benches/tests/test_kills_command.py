# SPDX-License-Identifier: GPL-3.0-or-later
"""The kills and failing disks of tools/bench trust, a few of them; and that the bench would tell a loss."""

import tempfile
import unittest
from pathlib import Path

import trust as kills


class Kills(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_killed_drapes_lose_nothing(self):
        self.assertEqual(kills.kill_drapes(self.folder, 3)[0], 0)

    def test_failing_disks_lose_nothing(self):
        found = kills.disks(self.folder)
        self.assertEqual(found, dict.fromkeys(found, ""))
        self.assertEqual(len(found), 4)

    def test_losses_are_reported(self):
        drape = kills.Drape(self.folder / "drape")
        self.assertEqual(drape.loss(), "")
        part = drape.folder / ".out.pc2.1.0.part"
        part.write_bytes(drape.whole[:-1])  # says more of itself than there is
        self.assertIn("not what was simulated", drape.loss())
        part.write_bytes(drape.older)  # whole, and of another run
        self.assertIn("not what was simulated", drape.loss())
        part.write_bytes(drape.whole)
        self.assertEqual(drape.loss(), "")
        drape.output.write_bytes(drape.whole[:100])
        self.assertIn("older", drape.loss())


if __name__ == "__main__":
    unittest.main()

"""A folder of the user's fabrics for a test, and fabrics to put into it.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from muslin import Mesh

TIN = {"density": 2, "stretch_warp": 9e5, "stretch_weft": 9e5, "shear": 3e5, "bend": 0.1}
# A made-up fabric in the format of measured ones.
MEASURED = {
    "density": 0.2,
    "stretching": [
        [50, -3, 80, 30],
        [60, 1, 80, 30],
        [60, 1, 90, 30],
        [60, 1, 90, 20],
        [60, 1, 100, 30],
        [60, 1, 120, 30],
    ],
    "bending": [[4e-6, 5e-6, 6e-6, 6e-6, 7e-6], [3e-6] * 5, [2e-6, 2e-6, 2e-6, 2e-6, 1e-6]],
}


def flat():
    return Mesh.from_faces([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2, 3)])


class InFolder(unittest.TestCase):
    """With a folder of the user's fabrics."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        own = mock.patch.dict(os.environ, {"MUSLIN_FABRICS": str(self.folder)})
        own.start()
        self.addCleanup(own.stop)

    def write(self, name, **content):
        path = self.folder / name
        path.write_text(json.dumps(content))
        return path

"""The Python examples of README and docs are run as they stand; that of docs/guide/scripting.md runs in Blender,
by its own test.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import contextlib
import io
import os
import re
import tempfile
import unittest
from pathlib import Path

import muslin
import numpy as np
from body_meshes import ball

ROOT = Path(__file__).resolve().parents[2]
ELSEWHERE = {"scripting.md"}
EXAMPLE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
AROUND, ALONG, RADIUS, TALL = 24, 11, 0.16, 0.3  # of a tube, in vertices and metres


def documents():
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def examples(path):
    """The code of each, with as many empty lines before it as are above it in the file."""
    text = path.read_text("utf-8")
    for found in EXAMPLE.finditer(text):
        yield "\n" * text[: found.start(1)].count("\n") + found.group(1)


def write_shirt(path):
    """A tube around the figure whose UV map is its pattern: a front and a back, each flat."""
    turns = 2 * np.pi * np.arange(AROUND) / AROUND
    heights, half = np.linspace(-TALL / 2, TALL / 2, ALONG), AROUND // 2
    points = [(RADIUS * np.cos(t), RADIUS * np.sin(t), z) for z in heights for t in turns]
    uvs, faces, face_uvs = [], [], []
    for side in range(2):
        first = len(uvs)
        uvs += [(side + RADIUS * np.pi * c / half, z) for z in heights for c in range(half + 1)]
        for row in range(ALONG - 1):
            for column in range(half):
                ring = [(row + r, column + c) for r, c in ((0, 0), (0, 1), (1, 1), (1, 0))]
                faces.append([r * AROUND + (side * half + c) % AROUND for r, c in ring])
                face_uvs.append([first + r * (half + 1) + c for r, c in ring])
    muslin.write_obj(path, points, faces, uvs=uvs, face_uvs=face_uvs)


class DocumentTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.figure = ball(radius=0.12, middle=(0, 0, 0))
        write_shirt(Path(folder.name) / "shirt.obj")
        figure = Path(folder.name) / "figure.obj"
        muslin.write_obj(figure, self.figure.positions, self.figure.faces())
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def known(self):
        """What the text around an example has spoken of."""
        return {
            "Cloth": muslin.Cloth,
            "fabric": muslin.fabric,
            "fabric_surface": muslin.fabric_surface,
            "mesh": muslin.read_obj("shirt.obj"),
            "body": self.figure,
            "next_places": self.figure.positions,
        }

    def test_every_example_runs(self):
        ran = []
        for path in documents():
            for code in () if path.name in ELSEWHERE else examples(path):
                with self.subTest(path=path.name):
                    said = io.StringIO()
                    with contextlib.redirect_stdout(said):
                        exec(compile(code, str(path), "exec"), self.known())
                    ran.append((path.name, said.getvalue()))
        self.assertEqual({"README.md", "python.md", "sewing.md"} - dict(ran).keys(), set())
        gap, stretch = map(float, dict(ran)["sewing.md"].split())
        self.assertLess(gap, 0.001)  # m
        self.assertLess(stretch, 1.1)


if __name__ == "__main__":
    unittest.main()

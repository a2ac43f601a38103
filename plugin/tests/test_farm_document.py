"""The job and the commands of docs/guide/farm.md are run as they stand.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import os
import re
import shlex
import tempfile
import unittest
from pathlib import Path

import muslin
import numpy as np
from body_meshes import ball
from in_process import run_in_process
from test_documents import write_shirt

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "guide" / "farm.md"
FRAMES = 3  # instead of those of the document: what is tested is what its words do


def blocks(kind):
    text = DOCUMENT.read_text("utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


class FarmDocumentTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        write_shirt("shirt.obj")
        write_shirt("skirt.obj")
        figure = ball(radius=0.12, middle=(0, 0, 0))
        muslin.write_obj("figure.obj", figure.positions, figure.faces())
        chair = ball(radius=0.1, middle=(0, 0, -0.6))
        muslin.write_obj("chair.obj", chair.positions, chair.faces())
        with muslin.Pc2Writer("walk.pc2", len(figure.positions)) as motion:
            for frame in range(FRAMES):
                motion.write(figure.positions + np.float32((0.01 * frame, 0, 0)))

    def test_the_job_and_every_command(self):
        text = blocks("json")[0]
        job = json.loads(text)
        job["settings"]["frames"] = job["shots"]["sit"]["settings"]["frames"] = FRAMES
        job["shots"]["walk"]["settings"]["run_up"] = 1
        Path("opening.json").write_text(json.dumps(job))
        lines = [line for block in blocks("sh") for line in block.splitlines()]
        self.assertGreaterEqual(len(lines), 8)
        for line in lines:
            with self.subTest(line):
                words = shlex.split(line)
                self.assertEqual(words[:2], ["tools/muslin", "batch"])
                result = run_in_process(*words[1:])
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(len(list(self.folder.glob("caches/*/*.pc2"))), 10)
        self.check_blend_job(blocks("json")[1])
        made = {"opening.sh", "muslin_opening.js", "bundle", "opening.batch"}
        self.assertLessEqual(made, {path.name for path in self.folder.iterdir()})

    def check_blend_job(self, text):
        """What is in its .blend files only Blender knows; test_farm.py of the add-on bakes such."""
        Path("wardrobe.json").write_text(text)
        Path("shots").mkdir()
        for name in ("walk", "sit"):
            Path("shots", f"{name}.blend").write_bytes(b"BLENDER")
        result = run_in_process("batch", "wardrobe.json", "--list")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(result.stdout.splitlines()), 8)


if __name__ == "__main__":
    unittest.main()

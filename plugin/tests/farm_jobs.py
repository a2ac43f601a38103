"""Small jobs for the tests of batches and farms: sheets that hang, blow and fall.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import tempfile
import unittest
from pathlib import Path

import muslin
from body_meshes import ball
from in_process import run_in_process
from test_command import write_scene
from test_scenes import sheets


def write_files(folder):
    """Two garments and a body."""
    for name, count in (("sheet", 8), ("flag", 7)):
        write_scene(folder / f"{name}.obj", sheets.hung_cloth(count)[0])
    body = ball(radius=0.12, middle=(0, 0, 0))
    muslin.write_obj(folder / "ball.obj", body.positions, body.faces())


def small_job(**changes):
    """Two garments in two shots."""
    job = {
        "muslin_job": 1,
        "output": "caches/{shot}/{garment}_{variation}.pc2",
        "settings": {"frames": 4},
        "garments": {
            "sheet": {"mesh": "sheet.obj", "settings": {"pin": "0,7"}},
            "flag": {"mesh": "flag.obj", "settings": {"pin_above": "z:0.4"}},
        },
        "shots": {
            "still": {"bodies": ["ball.obj"], "settings": {"self_contact": True}},
            "wind": {"settings": {"wind": [3, -1, 0], "normal_drag": 0.1}},
        },
    }
    return {**job, **changes}


class JobTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        self.path = self.folder / "opening.json"
        self.state = self.folder / "opening.batch"
        write_files(self.folder)

    def write(self, job):
        self.path.write_text(json.dumps(job))

    def run_batch(self, *arguments, code=0):
        result = run_in_process("batch", self.path, *arguments)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        self.assertNotIn("Traceback", result.stderr)
        return result

    def outputs(self, folder=None):
        """Bytes of every point cache below a folder, by its path there."""
        folder = folder or self.folder
        found = sorted(folder.rglob("*.pc2"))
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}

    def summary(self):
        return json.loads((self.state / "summary.json").read_text())

    def states(self):
        return {row["task"]: row["state"] for row in self.summary()["tasks"]}
